"""The checkpoint as a value, and how it spreads over several comments where a forge bounds the size of one.

It cuts only between cards; a card that is too long for a comment of its own is cut inside, with whatever was
open in it closed. It knows nothing of what else a forge hides in a comment: that room is kept free for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LIMIT = 65_000
"""Bytes of one comment's body. GitHub refuses one of more than 65,536 characters ("Body is too long"); bytes are
counted since they are never fewer, and it is not known which of both a server counts."""

_TITLE_ROOM = 600
"""For the heading of a continuation and the link back."""

LINK_ROOM = 180
"""For the link to one continuation, which the head comment holds once its address is known."""

_LONGEST_URL = 140
_CUT_ROOM = 300
"""For the sentence that says that something was cut, and for what it closes."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_TASK = re.compile(r"- \[([ xX])\] \*\*(\d{1,9})\*\*")


@dataclass(frozen=True, slots=True)
class Page:
    """The parts of a checkpoint, each in Markdown.

    Attributes:
        head: What stands above the cards; the whole page where there are none.
        cards: One for each finding, in the order of their numbers, which begin at 1.
        tail: What stands below them: what the reader can do now. Never parted from the head.
        audit: The folded audit, or "".
    """

    head: str
    cards: tuple[str, ...] = ()
    tail: str = ""
    audit: str = ""

    @property
    def text(self) -> str:
        """The page as one document."""
        return join((self.head, *self.cards, self.tail, self.audit)) + "\n"


def join(blocks: Iterable[str]) -> str:
    """The blocks that are not empty, one below the other."""
    return "\n\n".join(block for block in blocks if block)


def size(text: str) -> int:
    """The length of a text as it is held against a limit."""
    return len(text.encode(errors="replace"))


def paginate(
    page: Page, *, limit: int = LIMIT, reserve: int = 0, head_url: str = "", urls: Sequence[str] = ()
) -> tuple[str, ...]:
    """The bodies of the head comment and of its continuations, every one within ``limit``.

    Args:
        page: What is shown.
        limit: Of one body, in bytes.
        reserve: Bytes of every body that are kept free.
        head_url: Of the head comment, for the way back; "" while it has none.
        urls: Of the continuations, as far as they are known. They change no border.
    """
    room = limit - reserve
    cards = tuple(cut(card, room - _TITLE_ROOM) for card in page.cards)
    audit = cut(page.audit, room - _TITLE_ROOM)
    frame = cut(page.head, room - size(page.tail) - _TITLE_ROOM), page.tail
    shares = _share_out([size(card) + 2 for card in cards], size(audit) + 2, room, sum(map(size, frame)) + 4)
    continued = [_continuation(share, cards, audit if share.audit else "", head_url) for share in shares[1:]]
    first = shares[0]
    links = _links(shares[1:], urls)
    head = join((frame[0], *cards[: first.stop], links, frame[1], audit if first.audit else ""))
    return (f"{head}\n", *continued)


def cut(text: str, room: int) -> str:
    """A block of ours within ``room`` bytes: as it is, or cut, said so, and whatever was open in it closed."""
    if size(text) <= room:
        return text
    kept: list[str] = []
    state, left = _Open(), room - _CUT_ROOM
    for line in text.split("\n"):
        left -= size(line) + 1
        if left < 0:
            break
        kept.append(line)
        state = state.after(line)
    missing = len(text) - sum(len(line) + 1 for line in kept)
    said = f"*… {missing:,} more characters do not fit into a comment and are not shown here.*"
    return "\n".join((*kept, *([state.fence] if state.fence else []), "", said, *["", "</details>"] * state.folds))


def close_fence(text: str) -> str:
    """A text that someone wrote, with the code block closed that it leaves open, so that what follows is no code."""
    state = _Open()
    for line in text.split("\n"):
        state = state.after(line.removesuffix("\r"))
    return f"{text.removesuffix(chr(10))}\n{state.fence}" if state.fence else text


def outside_code(text: str) -> Iterator[str]:
    """The lines of a page of ours that are not in a fenced code block."""
    state = _Open()
    for line in text.split("\n"):
        following = state.after(line)
        if not state.fence and not following.fence:
            yield line
        state = following


def read_ticks(bodies: Iterable[str]) -> frozenset[int]:
    """The numbers of the findings whose boxes are ticked in a checkpoint as it stands on a forge."""
    lines = (line for body in bodies for line in outside_code(body.replace("\r\n", "\n")))
    return frozenset(int(task[2]) for line in lines if (task := _TASK.match(line)) and task[1] != " ")


def without_ticks(text: str) -> str:
    """The page with every box empty: a reader who ticks one changes the text of the comment."""
    return re.sub(rf"^{_TASK.pattern}", r"- [ ] **\2**", text, flags=re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Open:
    """What a block of our own Markdown has open after a line: a code fence, and folds around it."""

    fence: str = ""
    folds: int = 0

    def after(self, line: str) -> _Open:
        """Only a fence at the start of a line counts; one in a quotation ends with the quotation."""
        mark = _FENCE.match(line)
        if self.fence:
            closes = mark and mark[1].startswith(self.fence) and not mark[2].strip()
            return _Open("" if closes else self.fence, self.folds)
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            return _Open(mark[1], self.folds)
        return _Open("", self.folds + line.startswith("<details") - line.startswith("</details>"))


@dataclass(frozen=True, slots=True)
class _Share:
    """What one comment takes: the cards from ``start`` to before ``stop``, and perhaps the audit."""

    start: int
    stop: int
    audit: bool = False


def _share_out(cards: list[int], audit: int, room: int, frame: int) -> list[_Share]:
    """The shares of the head comment and its continuations; the links of the head take room from its own."""
    shares = _fill(cards, audit, room - frame, room - _TITLE_ROOM)
    links = 0
    while len(shares) - 1 > links:
        links = len(shares) - 1
        shares = _fill(cards, audit, room - frame - (links + 1) * LINK_ROOM, room - _TITLE_ROOM)
    return shares


def _fill(cards: list[int], audit: int, first: int, others: int) -> list[_Share]:
    shares: list[_Share] = []
    start, room = 0, first
    for index, needed in enumerate(cards):
        if needed > room:
            shares.append(_Share(start, index))
            start, room = index, others
        room -= needed
    if audit <= room:
        return [*shares, _Share(start, len(cards), audit=True)]
    return [*shares, _Share(start, len(cards)), _Share(len(cards), len(cards), audit=True)]


def _continuation(share: _Share, cards: Sequence[str], audit: str, head_url: str) -> str:
    back = f"[the checkpoint]({head_url})" if 0 < len(head_url) <= _LONGEST_URL else "the checkpoint"
    title = f"### Draftgate · {_name(share)}" + (f" of {len(cards):,}" if share.stop > share.start else "")
    says = f"Continued from {back}; what you can do stands there."
    shown = cards[share.start : share.stop]
    return join((title, says, *(["---", *shown] if shown else []), audit)) + "\n"


def _links(continued: Sequence[_Share], urls: Sequence[str]) -> str:
    if not continued:
        return ""
    known = [*urls, *[""] * len(continued)]
    named = (
        f"[{_name(share)}]({url})" if 0 < len(url) <= _LONGEST_URL else _name(share)
        for share, url in zip(continued, known, strict=False)
    )
    return f"**Continued in other comments** — {' · '.join(named)}"


def _name(share: _Share) -> str:
    if share.start == share.stop:
        return "audit"
    if share.stop - share.start == 1:
        return f"finding {share.stop}"
    return f"findings {share.start + 1}–{share.stop}"
