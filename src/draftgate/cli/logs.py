"""Log lines on stderr, as text or as JSON, without keys; results never go through here."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable

from draftgate.errors import UsageError

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class _Lines(logging.Formatter):
    """One record a line.

    Args:
        hide: Takes keys out of a text.
    """

    def __init__(self, hide: Callable[[str], str]) -> None:
        super().__init__()
        self._hide = hide

    def _fields(self, record: logging.LogRecord) -> dict[str, object]:
        """What was passed as ``extra``; keys are taken out before anything in it is escaped."""
        return {key: self._plain(value) for key, value in vars(record).items() if key not in _STANDARD}

    def _plain(self, value: object) -> object:
        if isinstance(value, str):
            return self._hide_escaped(self._hide(value))
        return tuple(map(self._plain, value)) if isinstance(value, tuple | list) else value

    def _hide_escaped(self, text: str) -> str:
        r"""What is searched for is logged as an expression, and there a key stands as ``sk\-ant\-…``."""
        plain = text.replace("\\", "")
        hidden = self._hide(plain)
        return text if hidden == plain else hidden


class TextLines(_Lines):
    """Level, message and fields on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of text; control characters in fields are spelled out."""
        fields = "".join(f" {key}={value!r}" for key, value in self._fields(record).items())
        return f"{record.levelname.lower()}: {self._hide(record.getMessage())}{fields}"


class JsonLines(_Lines):
    """One JSON object a line: time, level, logger, message and the fields."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self._hide(record.getMessage()),
            **self._fields(record),
        }
        return json.dumps(line, default=str)


def configure_logging(*, level: int, style: str, hide: Callable[[str], str]) -> None:
    """Send log records of at least ``level`` to stderr, in a ``style`` and without what ``hide`` takes out.

    Raises:
        UsageError: ``style`` is neither ``text`` nor ``json``.
    """
    if style not in {"text", "json"}:
        raise UsageError(f"there is no log format {style!r}", hint="write --log-format text or --log-format json")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(hide) if style == "json" else TextLines(hide))
    logger = logging.getLogger("draftgate")
    logger.handlers = [handler]
    logger.setLevel(level)
