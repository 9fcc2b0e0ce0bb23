"""Log lines on stderr, as text or as JSON; results never go through here."""

from __future__ import annotations

import json
import logging
import sys

from draftgate.errors import UsageError

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What was passed as ``extra``."""
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


class TextLines(logging.Formatter):
    """Level, message and fields on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of text; control characters in fields are spelled out."""
        fields = "".join(f" {key}={value!r}" for key, value in _fields(record).items())
        return f"{record.levelname.lower()}: {record.getMessage()}{fields}"


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_fields(record),
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
    handler.setFormatter(JsonLines() if style == "json" else TextLines())
    logger = logging.getLogger("draftgate")
    logger.handlers = [handler]
    logger.setLevel(level)
