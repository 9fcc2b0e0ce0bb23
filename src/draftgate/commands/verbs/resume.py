"""`/draftgate resume`: not in this release, in which only a person starts a round."""

from __future__ import annotations

from draftgate.commands.base import not_available

COMMAND = not_available("resume", "Starts new rounds on push again.")
