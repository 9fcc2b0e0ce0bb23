"""`/draftgate respond`: ours, so that it is answered, but not available in this release."""

from __future__ import annotations

from draftgate.commands.base import not_available

COMMAND = not_available("respond", "Answers the review feedback of others.")
