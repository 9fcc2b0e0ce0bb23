"""Holds what a model claims to the two commits: the file must be there, and the quoted lines in it, or nothing is left.

The finding that comes out quotes the lines as they are and hangs on lines that exist. Whether the diff shows them is
for `draftgate.pipeline.anchors`, and what a reader must not see is for `draftgate.domain.redact`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from draftgate.agents.answers.claim import Claim
from draftgate.agents.answers.claimed_path import ClaimedFile, find_file
from draftgate.agents.answers.fields import one_line
from draftgate.agents.answers.quotes import Span, find_quote, split_lines
from draftgate.domain.anchor import Wanted, resolve
from draftgate.domain.diff import FileDiff, Side
from draftgate.domain.finding import Anchor, AnchorKind, Evidence, Finding
from draftgate.domain.round import Dropped
from draftgate.domain.snapshot import Change

MOST_LINES = 7
"""Lines of evidence; of a longer quote, those around the named line."""

_LONGEST_PATH = 300
"""Of a path that is only shown."""

_UNSUPPORTED = "unsupported"

Hide = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a quote stands.

    Attributes:
        file: The file, with the lines that it has on ``side``.
        named: The lines that the claim names, ``None`` if it names none.
        quoted: The lines that it quotes.
    """

    file: ClaimedFile
    side: Side
    text: str
    named: Span | None
    quoted: Span


def settle(claim: Claim, change: Change, source: str, *, hide: Hide, roots: Sequence[str] = ()) -> Finding | Dropped:
    """The finding that a claim is, or that nothing in the commits supports it.

    Args:
        claim: What a model said.
        change: What is under review.
        source: Who said it.
        hide: Takes keys out of a text and keeps its lines: what was done to all that the model read.
        roots: Absolute folders in which the model may think the repository to be.
    """
    file = find_file(claim.path, change, side=claim.side, roots=roots)
    if file is None:
        return Dropped(_UNSUPPORTED, claim.subject, one_line(claim.path, _LONGEST_PATH) or None)
    found = _find(claim, file, change, hide)
    if found is None:
        return Dropped(_UNSUPPORTED, claim.subject, file.path)
    return _make_finding(claim, found, change.files, source, hide)


def _find(claim: Claim, file: ClaimedFile, change: Change, hide: Hide) -> _Found | None:
    named = _named_lines(claim)
    for side in _sides(file, claim.side):
        text = file.read(change, side)
        span = None if text is None else find_quote(claim.quote, text, named, side=side, hide=hide)
        if text is not None and span is not None:
            return _Found(file, side, text, named, span)
    return None


def _named_lines(claim: Claim) -> Span | None:
    lines = [line for line in (claim.start_line, claim.line) if line is not None and line > 0]
    return Span(min(lines), max(lines)) if lines else None


def _sides(file: ClaimedFile, side: Side | None) -> Sequence[Side]:
    """Where to look: a file that one commit does not have leaves no choice."""
    if file.old_path is None:
        return (Side.RIGHT,)
    if file.new_path is None:
        return (Side.LEFT,)
    return (Side.RIGHT, Side.LEFT) if side is None else (side,)


def _make_finding(claim: Claim, found: _Found, files: Sequence[FileDiff], source: str, hide: Hide) -> Finding:
    lines = split_lines(found.text)
    quoted = _narrow(found.quoted, found.named)
    hangs = _hang(found, quoted, len(lines))
    start = None if hangs.size == 1 else hangs.first
    anchor = Anchor(AnchorKind.LINE, found.file.path, found.side, start, hangs.last)
    path = found.file.old_path if found.side is Side.LEFT else found.file.new_path
    offers = _replaces(found, hangs) and _can_hang(anchor, files) and _is_change(claim.suggestion, found, hangs, hide)
    return Finding(
        check=None,
        sources=(source,),
        label=claim.label,
        decorations=claim.decorations,
        confidence=claim.confidence,
        category=claim.category,
        subject=claim.subject,
        body=claim.body,
        anchor=anchor,
        evidence=Evidence(path or found.file.path, quoted.first, quoted.cut(lines)),
        suggestion=claim.suggestion if offers else None,
    )


def _narrow(quoted: Span, named: Span | None) -> Span:
    """At most so many lines as evidence has: those around the middle of the named ones."""
    middle = quoted.first if named is None else (named.first + named.last) // 2
    latest = max(quoted.first, quoted.last - MOST_LINES + 1)
    first = min(max(quoted.first, middle - MOST_LINES // 2), latest)
    return Span(first, min(quoted.last, first + MOST_LINES - 1))


def _hang(found: _Found, quoted: Span, length: int) -> Span:
    """The named lines if they exist and the quote is one of them or holds one of them; else the quote's own."""
    named = found.named
    return named if named and named.last <= length and not found.quoted.gap_to(named) else quoted


def _replaces(found: _Found, hangs: Span) -> bool:
    """Whether a replacement of the named lines is one of the anchored lines.

    Where the number was wrong, the quote tells what is replaced only if it has as many lines.
    """
    named = found.named
    if named is None or not found.quoted.holds(hangs):
        return False
    return hangs in (named, found.quoted) and hangs.size == named.size


def _can_hang(anchor: Anchor, files: Sequence[FileDiff]) -> bool:
    """Whether all lines stay under the remark: a replacement of some of them would be another change."""
    wanted = Wanted(anchor.path or "", anchor.side, anchor.start_line, anchor.line)
    return anchor.side is Side.RIGHT and resolve(files, wanted).anchor == anchor


def _is_change(suggestion: str | None, found: _Found, hangs: Span, hide: Hide) -> bool:
    """Whether a suggestion says something else than the lines do, and was made from the lines as they are."""
    now = hangs.cut(split_lines(found.text))
    if suggestion is None or hangs.cut(split_lines(hide(found.text))) != now:
        return False  # to replace a key by the words that hid it would break the code
    return not suggestion or suggestion.removesuffix("\n").split("\n") != [line.removesuffix("\r") for line in now]
