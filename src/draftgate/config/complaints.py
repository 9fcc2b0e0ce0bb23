"""What is wrong at a key, before it is known where the key was written; and how values are shown in words.

Everything shown is bounded, printable and free of secrets. Positions are added by `layers`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from draftgate.config.key_shapes import is_secret, is_secret_name

Path = tuple[str | int, ...]
"""The way to a key: names, and numbers in lists."""

SECRET_IN_FILE: Final = (
    "a secret stands in the file",
    "revoke it, delete it here, and set it in the environment of the job",
)
"""What is wrong, and what to do."""

_PLAIN_TEXT: Final = re.compile(r"[A-Za-z_./](?:[\w./@+-]|[ :](?=[\w./@+-]))*")
_NOT_TEXT: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_SHOWN_LENGTH: Final = 40
_LONG_NUMBER: Final = 10**15
_HIDDEN: Final = "(a secret)"


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing wrong at a path.

    Attributes:
        path: The key that is meant.
        wrong: What is wrong with it.
        write: What to write instead.
        at_key: Whether the key itself is wrong, and not its value.
    """

    path: Path
    wrong: str
    write: str
    at_key: bool = False


def dotted(path: Path) -> str:
    """The path as a reader writes it: ``code_review.agents[0].name``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{shorten(step)}" for step in path)
    return text.removeprefix(".")


def shown(value: object) -> str:
    """The value in words that say its type: ``the text 'ten'``, ``a list``."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _LONG_NUMBER
        return f"the number {f'{value:.1f}' if is_whole else shorten(number(value))}"
    if isinstance(value, str):
        return "a secret" if is_secret(value) else f"the text '{shorten(value)}'"
    return "a list" if isinstance(value, list | tuple) else "a mapping"


def spell(value: object) -> str:
    """The value as it is written in the file, on one line, without secrets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{spell(key)}: {spell(item)}" for key, item in _shown_items(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(spell(item) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    if not isinstance(value, str):
        return json.dumps(value)
    if value == _HIDDEN or is_secret(value):
        return _HIDDEN
    plain = _PLAIN_TEXT.fullmatch(value) and value.lower() not in _NOT_TEXT
    return value if plain else _printable(json.dumps(value, ensure_ascii=False))


def _shown_items(value: Mapping[object, object]) -> Iterable[tuple[str, object]]:
    return ((str(key), masked(str(key), item)) for key, item in value.items())


def masked(key: str, value: object) -> object:
    """What stands under a key, with each secret replaced by words; lists and mappings are new ones."""
    if isinstance(value, Mapping):
        return {_HIDDEN if is_secret(str(name)) else str(name): masked(str(name), item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(key, item) for item in value]
    if value is None or value == "" or isinstance(value, bool):
        return value
    return _HIDDEN if is_secret_name(key) or is_secret(str(value)) else value


def number(value: float) -> str:
    """The number without a useless fraction, and without the digits that no one reads."""
    if isinstance(value, int):
        return str(value) if abs(value) < 10**30 else f"{'-' if value < 0 else ''}1e{len(str(abs(value))) - 1} or so"
    return f"{value:g}"


def shorten(text: str) -> str:
    """At most forty characters of the text, on one line, printable and no secret."""
    text = _HIDDEN if is_secret(text) else _printable(text)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant, if there is one."""
    words = {_folded(candidate): candidate for candidate in sorted(known)}
    folded = _folded(word[:_SHOWN_LENGTH])
    longer = (candidate for candidate in words if candidate.startswith(f"{folded}."))
    close = difflib.get_close_matches(folded, words, n=1)
    return next((words[candidate] for candidate in (*longer, *close)), None)


def _folded(word: str) -> str:
    return word.lower().replace("-", "_")


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text[:2000])
