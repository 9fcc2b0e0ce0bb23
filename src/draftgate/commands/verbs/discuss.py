"""`/draftgate discuss`: ours, so that it is answered, but not available in this release."""

from __future__ import annotations

from draftgate.commands.base import not_available

COMMAND = not_available("discuss", "Asks for another look at a piece of feedback.")
