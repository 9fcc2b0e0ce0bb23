"""Log lines on stderr, as text or as JSON; results never go through here."""

from __future__ import annotations

import json
import logging
import sys

from draftgate.errors import UsageError

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message and the fields of ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        fields = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **fields,
        }
        return json.dumps(line, default=str)


def configure_logging(*, level: int, style: str) -> None:
    """Send log records of at least ``level`` to stderr.

    Raises:
        UsageError: ``style`` is neither ``text`` nor ``json``.
    """
    if style not in {"text", "json"}:
        raise UsageError(f"there is no log format {style!r}", hint="write --log-format text or --log-format json")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if style == "json" else logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("draftgate")
    logger.handlers = [handler]
    logger.setLevel(level)
