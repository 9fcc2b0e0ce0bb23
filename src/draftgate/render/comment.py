"""What is posted, byte for byte: the text of a finding's comment and the body of the review.

The checkpoint shows these same texts before anyone approves them, so they are made in one place. Text that a
permitted human wrote replaces them as it is; where and whether they are posted is decided elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Category, Evidence, Finding, title_of
from draftgate.domain.review import ReviewComment
from draftgate.domain.round import EarlierFinding
from draftgate.render import neutralize
from draftgate.render.language import FALLBACK, Sentences, sentences
from draftgate.render.page import close_fence, join, size
from draftgate.render.quick_actions import escape_commands
from draftgate.render.visible import has_hidden
from draftgate.render.wording import SIGNS, place_of, short_sha

MAX_BODY = 10_000
"""Characters of one finding's text that are posted; neutralizing can make four of one, and a forge takes 65,536."""

MAX_SUGGESTION = 20_000
_HARD_BREAK = "  \n"
_MORE = "- … "
_MORE_LINE = re.compile(rf"{_MORE}\D*\d+\D*")
_LINES_ROOM = 12_000
"""Bytes of each list in a body, which with all of them and `_TEXTS_ROOM` leaves a forge's limit some room."""

_TEXTS_ROOM = 20_000


def posted_text(entry: AmendedFinding, language: str = FALLBACK) -> str:
    """The text that will be posted for a finding as amended: a person's own words as written.

    A code block that they leave open is closed, or what a forge adds below would be code of theirs; and no line of it
    is a command to the forge.
    """
    text = comment_text(entry.finding, language) if entry.text is None else close_fence(entry.text)
    return escape_commands(text)


def comment_text(finding: Finding, language: str = FALLBACK) -> str:
    """The Markdown of a finding's comment: title line, discussion, suggested change."""
    return join((prose(finding, language), suggestion_block(finding, language)))


def prose(finding: Finding, language: str = FALLBACK) -> str:
    """The comment without its suggested change."""
    said = sentences(language)
    title = f"**{title_of(finding.label, finding.decorations)}:** {neutralize.inline(finding.subject)}"
    return join((title, _true_place(finding, said), neutralize.markdown(_cut(finding.body, said))))


def suggestion_block(finding: Finding, language: str = FALLBACK) -> str:
    """The suggested change as a block that can be applied, as plain code where it cannot, "" where there is none.

    An empty suggestion deletes the anchored lines; one equal to them suggests nothing.
    """
    said, suggestion = sentences(language), finding.suggestion
    if suggestion is None or (suggestion and suggestion.removesuffix("\n") == _anchored_text(finding)):
        return ""
    if len(suggestion) > MAX_SUGGESTION:
        return said.too_long
    if finding.anchor.kind is AnchorKind.LINE and finding.anchor.side is Side.RIGHT and not has_hidden(suggestion):
        return neutralize.fence(suggestion, "suggestion")
    if not suggestion:
        return said.delete_lines
    language = neutralize.language_of(finding.anchor.path or "")
    return f"{said.suggested}\n\n" + neutralize.fenced(suggestion.removesuffix("\n").split("\n"), language)


def review_body(
    head: CommitSha,
    findings: Iterable[Finding],
    addressed: Sequence[EarlierFinding] = (),
    unresolved: Sequence[EarlierFinding] = (),
    language: str = FALLBACK,
) -> str:
    """The body of a review with all ``findings``: a sentence, what became of earlier ones, a line each."""
    said = sentences(language)
    categories = list(Category)
    by_category = sorted(findings, key=lambda shown: (categories.index(shown.category), shown.severity.rank))
    return join(
        (
            said.reviewed.format(head=f"`{short_sha(head)}`"),
            _HARD_BREAK.join(_fitting([f"✅ {_earlier(each)} ({said.addressed})" for each in addressed], "… +{count}")),
            _HARD_BREAK.join(
                _fitting([f"⟳ {_earlier(each)} ({said.see_thread})" for each in unresolved], "… +{count}")
            ),
            "\n".join(_fitting([_summary_line(each) for each in by_category], f"{_MORE}{said.more}")),
        )
    )


def narrow_body(body: str, removed: Iterable[Finding]) -> str:
    """``body`` without the lines of findings that are left out or were reworded; nothing is added or reworded.

    Args:
        body: As `review_body` made it; in a body that a person wrote there are no such lines.
        removed: The findings as they were when the body was made.
    """
    surplus = Counter(_summary_line(finding) for finding in removed)
    kept: list[str] = []
    for line in body.split("\n"):
        if surplus[line]:
            surplus[line] -= 1
        elif _MORE_LINE.fullmatch(line):
            kept += _fewer(line, surplus.total())
        elif line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).rstrip("\n")


def whole_body(body: str, comments: Iterable[ReviewComment], language: str = FALLBACK) -> str:
    """The body as it is posted where every comment without an anchor has no other place: with their texts below."""
    texts = [comment.text for comment in comments if comment.anchor.kind is AnchorKind.NONE]
    if not texts:
        return body
    said = sentences(language)
    return join((body, f"#### {said.without_thread}", *_fitting(texts, said.no_room, _TEXTS_ROOM)))


def _fitting(blocks: Sequence[str], more: str, room: int = _LINES_ROOM) -> list[str]:
    """As many of the blocks as there is room for, and how many are left."""
    ends = accumulate(size(block) + 3 for block in blocks)
    shown = sum(end <= room for end in ends)
    left = len(blocks) - shown
    return [*blocks[:shown], *([more.format(count=left)] if left else [])]


def _fewer(line: str, removed: int) -> list[str]:
    """The line that stands for those without a line of their own, after some of them were removed."""
    left = int(re.sub(r"\D", "", line)) - removed
    return [re.sub(r"\d+", str(left), line)] if left > 0 else []


def _summary_line(finding: Finding) -> str:
    place = place_of(finding.anchor)
    where = f" · {neutralize.code_span(place)}" if place else ""
    return f"- {SIGNS[finding.severity]} {finding.category}{where} · {neutralize.inline(finding.subject)}"


def _earlier(finding: EarlierFinding) -> str:
    subject = neutralize.inline(finding.subject)
    if finding.path is None:
        return subject
    place = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
    return f"{neutralize.code_span(place)} {subject}"


def _true_place(finding: Finding, said: Sentences) -> str:
    """A thread on a file or another line cannot show which lines are meant, so the text says it."""
    evidence, anchor = finding.evidence, finding.anchor
    if evidence is None or (anchor.kind is AnchorKind.LINE and anchor.path == evidence.path):
        return ""
    return said.about.format(place=neutralize.code_span(_span(evidence)))


def _span(evidence: Evidence) -> str:
    last = evidence.start_line + len(evidence.lines) - 1
    lines = str(evidence.start_line) if last <= evidence.start_line else f"{evidence.start_line}-{last}"
    return f"{evidence.path}:{lines}"


def _anchored_text(finding: Finding) -> str | None:
    """The present text of the anchored lines as far as the evidence holds them, else ``None``."""
    evidence, anchor = finding.evidence, finding.anchor
    if evidence is None or anchor.line is None or anchor.path != evidence.path:
        return None
    first = (anchor.start_line or anchor.line) - evidence.start_line
    end = anchor.line + 1 - evidence.start_line
    if first < 0 or end > len(evidence.lines):
        return None
    return "\n".join(evidence.lines[first:end])


def _cut(body: str, said: Sentences) -> str:
    if len(body) <= MAX_BODY:
        return body
    kept = body[:MAX_BODY].rpartition("\n")[0] or body[:MAX_BODY]
    return f"{close_fence(kept)}\n\n… ({said.characters.format(count=f'{len(body):,}')})"
