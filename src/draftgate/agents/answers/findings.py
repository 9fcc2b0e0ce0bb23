"""What an agent reported, read item by item: an odd value costs at most its item, and silence is no answer.

Only claims come out of an answer: whatever else it holds (a verdict, a command) has no effect. Whether a claim is true
to the code is for `draftgate.agents.answers.settle`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from draftgate.agents.answers.claim import Answer, Claim, UnusableAnswer
from draftgate.agents.answers.fields import (
    clean,
    one_line,
    read_confidence,
    read_lines,
    read_quote,
    read_text,
    without_fence,
)
from draftgate.agents.answers.json_text import read_items
from draftgate.agents.answers.label_words import join_decorations, read_decorations, read_title, without_title
from draftgate.domain.diff import Side
from draftgate.domain.finding import Category
from draftgate.domain.round import Dropped

MOST_ITEMS = 200
LONGEST_SUBJECT = 200
LONGEST_BODY = 6000
_LONGEST_PATH = 300
"""Of a path that is only shown."""

_UNSURE = 50

# The first name is that of the contract; the others are read where it is absent.
_NAMES = {
    "path": ("path", "file", "filename"),
    "line": ("line", "end_line"),
    "label": ("label", "severity"),
    "subject": ("subject", "title", "message"),
    "body": ("body", "description", "comment", "message"),
    "evidence": ("evidence", "quote", "code", "snippet"),
    "suggestion": ("suggestion", "replacement"),
}
_SIDES = {
    **dict.fromkeys(("right", "new", "head"), Side.RIGHT),
    **dict.fromkeys(("left", "old", "base"), Side.LEFT),
}

_SENTENCE = re.compile(r"(?:(?:#{1,6}|[>*-]) )*+(.+?(?:[.!?](?= |$)|$))")
_MARKDOWN = (".md", ".markdown", ".mdx", ".rst")
"""Files in which a fence may be what is suggested."""

Item = Mapping[str, object]


def read_findings(text: str, *, category: Category) -> Answer:
    """The claims in the text of an answer, or in the arguments of the call that is the answer.

    Args:
        text: What the model wrote.
        category: Of a claim that names none that is known.

    Raises:
        UnusableAnswer: It is no answer: no list of findings, or one of which nothing can be read.
    """
    items = read_items(text, "findings")
    read = [_read_item(item, category) for item in items[:MOST_ITEMS]]
    claims = tuple(each for each in read if isinstance(each, Claim))
    if items and not claims:
        raise UnusableAnswer("No item of the list can be read. Each needs a `path`, a `subject` and a `body`.")
    malformed = tuple(each for each in read if isinstance(each, Dropped))
    return Answer(claims, (*malformed, *(_drop("too many", item) for item in items[MOST_ITEMS:])))


def _read_item(item: object, category: Category) -> Claim | Dropped:
    if not isinstance(item, dict):
        return Dropped("malformed", "")
    path, (subject, body) = _read_path(item), _read_words(item)
    if not path.strip() or not subject:
        return _drop("malformed", item)
    start_line, line = _read_place(item)
    label, decorations = read_title(_find(item, "label"))
    confidence = read_confidence(item.get("confidence"))
    return Claim(
        path=path,
        line=line,
        start_line=start_line,
        side=_SIDES.get(_read_word(item.get("side"))),
        label=label,
        decorations=join_decorations(decorations, read_decorations(item.get("decorations"))),
        subject=subject,
        body=body,
        quote=read_quote(_find(item, "evidence")),
        confidence=_UNSURE if confidence is None else confidence,
        category=_read_category(item.get("category"), category),
        suggestion=_read_suggestion(_find(item, "suggestion"), path),
    )


def _find(item: Item, field: str) -> object:
    return next((item[name] for name in _NAMES[field] if item.get(name) is not None), None)


def _drop(reason: str, item: object) -> Dropped:
    """What is kept of an item that is no claim: its words and its path, as far as it has any."""
    if not isinstance(item, dict):
        return Dropped(reason, "")
    return Dropped(reason, _read_words(item)[0], one_line(_read_path(item), _LONGEST_PATH) or None)


def _read_path(item: Item) -> str:
    """As written, for a blank can be part of it; "" if there is none."""
    path = _find(item, "path")
    return clean(path) if isinstance(path, str) else ""


def _read_words(item: Item) -> tuple[str, str]:
    """Subject and body; what only one of them holds does for the other, and is not said twice."""
    written, body = _find(item, "subject"), read_text(_find(item, "body")).strip()
    whole = without_title(" ".join(clean(written).split())) if isinstance(written, str) else ""
    subject = one_line(whole or _first_sentence(body), LONGEST_SUBJECT)
    if not body and whole != subject:
        body = whole
    if body == subject:
        body = ""
    return subject, body if len(body) <= LONGEST_BODY else body[: LONGEST_BODY - 1].rstrip() + "…"


def _first_sentence(body: str) -> str:
    """Of the first paragraph, without what makes it a heading, a quotation or an item of a list."""
    paragraph, _, _ = body[:LONGEST_BODY].partition("\n\n")
    sentence = _SENTENCE.match(without_title(" ".join(paragraph.split())))
    return sentence[1] if sentence else ""


def _read_place(item: Item) -> tuple[int | None, int | None]:
    """First and last line: the first is ``None`` for a single line, both are where there is none."""
    lines = (*read_lines(item.get("start_line"))[:1], *read_lines(_find(item, "line")))
    if not lines:
        return None, None
    first, last = min(lines), max(lines)
    return (None if first == last else first), last


def _read_word(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else ""


def _read_category(value: object, otherwise: Category) -> Category:
    word = _read_word(value).replace("_", "-").replace(" ", "-")
    return Category(word) if word in set(Category) else otherwise


def _read_suggestion(value: object, path: str) -> str | None:
    """The replacement as written; a fence around all of it is how a model writes code, and no part of it."""
    if not isinstance(value, str):
        return None
    text = clean(value)
    return text if path.lower().endswith(_MARKDOWN) else "\n".join(without_fence(text.split("\n")))
