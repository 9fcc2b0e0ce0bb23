"""What a state folder holds, in a form that two runs of one flow share: without times, markers and counts of writes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from draftgate.forge.local.folder import FOLDER_NAME

_OF_ONE_RUN = frozenset({"revision", "automated_s", "seconds", "result_digest", "payload_digest", "memory", "marker"})
"""Fields that count writes or seconds, or are digests over times."""

_OVER_TIMES = (["round"], ["history of the change"])
"""The parts of a seal that are digests over times: when the round began, and when earlier decisions were made."""

_SEAL = re.compile(r'"seal": ?"([0-9a-f]{64})"')
_SHORT = 12
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00")
_MARKER = re.compile(r"[0-9a-f]{16}(?=\.(?:json|md)\b)")
_DURATION = re.compile(r"\b\d+(?:\.\d+)? s\b")


def files_of(repository: Path) -> dict[str, object]:
    """Every file of the state folder but the lock, by name: documents as values, pages as text."""
    folder = repository / FOLDER_NAME
    if not folder.exists():
        return {}
    seals = _seals_in(folder)
    return {_mask(file.name): _content(file, seals) for file in sorted(folder.iterdir()) if file.name != "lock"}


def _seals_in(folder: Path) -> frozenset[str]:
    """The seals of sessions. They hold when a round began, so two runs never share one, but within a run all agree."""
    return frozenset(found[1] for file in folder.glob("session-*.json") for found in _SEAL.finditer(file.read_text()))


def reviews_of(repository: Path) -> list[object]:
    """Everything that is published."""
    return [_content(file) for file in sorted((repository / FOLDER_NAME).glob("review-*.json"))]


def session_of(repository: Path) -> dict[str, object]:
    """The one session of the repository."""
    [file] = (repository / FOLDER_NAME).glob("session-*.json")
    content = _content(file)
    assert isinstance(content, dict)
    return content


def _content(file: Path, seals: Iterable[str] = ()) -> object:
    text = file.read_text("utf-8")
    for seal in seals:
        text = text.replace(seal, "(seal)").replace(seal[:_SHORT], "(seal)")
    return _value(json.loads(text)["content"]) if file.suffix == ".json" else _mask(text)


def _value(value: object) -> object:
    if isinstance(value, dict):
        return {key: _value(inner) for key, inner in value.items() if key not in _OF_ONE_RUN}
    if isinstance(value, list):
        if value[:1] in _OVER_TIMES:
            return value[:1]
        return _once([_value(inner) for inner in value])
    return _mask(value) if isinstance(value, str) else value


def _once(values: list[object]) -> list[object]:
    """Without what repeats the one before it: a command that was accepted twice says the same as once."""
    return [value for at, value in enumerate(values) if at == 0 or value != values[at - 1]]


def _mask(text: str) -> str:
    masked = _DURATION.sub("(duration)", _MARKER.sub("(marker)", _TIME.sub("(time)", text)))
    return "\n".join(map(str, _once(list(masked.split("\n")))))
