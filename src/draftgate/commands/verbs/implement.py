"""`/draftgate implement`: ours, so that it is answered, but not available in this release."""

from __future__ import annotations

from draftgate.commands.base import not_available

COMMAND = not_available("implement", "Decides that a piece of feedback is implemented.")
