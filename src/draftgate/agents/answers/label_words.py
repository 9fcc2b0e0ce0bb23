"""The words that models use for how much a finding matters, as the labels and decorations that findings have.

Their order is kept: critical before high before medium before low. A word that nobody knows is in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from draftgate.domain.finding import Decoration, Label

Title = tuple[Label, tuple[Decoration, ...]]

_BLOCKER: Title = (Label.ISSUE, (Decoration.BLOCKING,))
_ISSUE: Title = (Label.ISSUE, ())
_SUGGESTION: Title = (Label.SUGGESTION, ())
_NITPICK: Title = (Label.NITPICK, ())
_NOTE: Title = (Label.NOTE, ())

_WORDS: Mapping[str, Title] = {
    **dict.fromkeys("critical blocker blocking fatal severe".split(), _BLOCKER),
    **dict.fromkeys("high major important bug error problem defect vulnerability".split(), _ISSUE),
    **dict.fromkeys("medium moderate warning improvement enhancement refactor recommendation".split(), _SUGGESTION),
    **dict.fromkeys("low minor trivial nit nits style cosmetic".split(), _NITPICK),
    **dict.fromkeys("info information informational notice comment".split(), _NOTE),
    **{label.value: (label, ()) for label in Label},
}

_LONGEST_TITLE = 100
_TITLE = re.compile(r"([a-z]+)(?: ?\(([^()]*)\))?")
_PREFIX = re.compile(rf"\** ?(?:{'|'.join(Label)})(?: ?\([a-z, -]{{0,60}}\))? ?\**:\**", re.IGNORECASE)


def read_title(value: object) -> Title:
    """A label with its decorations, from a word in any case or a title such as ``issue (blocking)``."""
    if not isinstance(value, str) or len(value) > _LONGEST_TITLE:
        return _SUGGESTION
    match = _TITLE.fullmatch(" ".join(value.lower().replace("*", " ").replace(":", " ").split()))
    if match is None or match[1] not in _WORDS:
        return _SUGGESTION
    label, decorations = _WORDS[match[1]]
    return label, join_decorations(decorations, read_decorations(match[2]))


def read_decorations(value: object) -> tuple[Decoration, ...]:
    """The known decorations in a text or a list of texts."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    words = (part.strip(" ()").lower().replace("_", "-").replace(" ", "-") for part in parts if isinstance(part, str))
    return join_decorations(tuple(Decoration(word) for word in words if word in set(Decoration)))


def join_decorations(*groups: tuple[Decoration, ...]) -> tuple[Decoration, ...]:
    """All of them, each once; what blocks is not also said not to block."""
    joined = dict.fromkeys(decoration for group in groups for decoration in group)
    if Decoration.BLOCKING in joined:
        joined.pop(Decoration.NON_BLOCKING, None)
    return tuple(joined)


def without_title(subject: str) -> str:
    """A subject without the label that some models write before it."""
    return _PREFIX.sub("", subject, count=1).strip() if _PREFIX.match(subject) else subject
