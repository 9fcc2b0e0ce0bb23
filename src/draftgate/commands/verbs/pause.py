"""`/draftgate pause`: not in this release, in which only a person starts a round."""

from __future__ import annotations

from draftgate.commands.base import not_available

COMMAND = not_available("pause", "Starts no new rounds on push, until `resume`.")
