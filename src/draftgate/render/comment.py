"""What is posted, byte for byte: the text of a finding's comment and the body of the review.

The checkpoint shows these same texts before anyone approves them, so they are made in one place. Text that a
permitted human wrote replaces them as it is; where and whether they are posted is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.change import CommitSha
from draftgate.domain.diff import Side
from draftgate.domain.finding import AnchorKind, Category, Evidence, Finding, title_of
from draftgate.domain.round import EarlierFinding
from draftgate.render import neutralize
from draftgate.render.visible import has_hidden
from draftgate.render.wording import SIGNS, place_of, short_sha

MAX_BODY = 10_000
"""Characters of one finding's text that are posted; neutralizing can make four of one, and a forge takes 65,536."""

MAX_SUGGESTION = 20_000


def posted_text(entry: AmendedFinding) -> str:
    """The text that will be posted for a finding as amended: a person's own words as written."""
    return comment_text(entry.finding) if entry.text is None else entry.text


def comment_text(finding: Finding) -> str:
    """The Markdown of a finding's comment: title line, discussion, suggested change."""
    return "\n\n".join(part for part in (prose(finding), suggestion_block(finding)) if part)


def prose(finding: Finding) -> str:
    """The comment without its suggested change."""
    title = f"**{title_of(finding.label, finding.decorations)}:** {neutralize.inline(finding.subject)}"
    parts = (title, _true_place(finding), neutralize.markdown(_cut(finding.body)))
    return "\n\n".join(part for part in parts if part)


def suggestion_block(finding: Finding) -> str:
    """The suggested change as a block that can be applied, as plain code where it cannot, "" where there is none.

    An empty suggestion deletes the anchored lines; one equal to them suggests nothing.
    """
    suggestion = finding.suggestion
    if suggestion is None or (suggestion and suggestion.removesuffix("\n") == _anchored_text(finding)):
        return ""
    if len(suggestion) > MAX_SUGGESTION:
        return "The suggested change is too long to be posted here."
    if finding.anchor.kind is AnchorKind.LINE and finding.anchor.side is Side.RIGHT and not has_hidden(suggestion):
        return neutralize.fence(suggestion, "suggestion")
    if not suggestion:
        return "Suggested change: delete these lines."
    language = neutralize.language_of(finding.anchor.path or "")
    return "Suggested change:\n\n" + neutralize.fenced(suggestion.removesuffix("\n").split("\n"), language)


def review_body(
    head: CommitSha,
    findings: Iterable[Finding],
    addressed: Sequence[EarlierFinding] = (),
    unresolved: Sequence[EarlierFinding] = (),
) -> str:
    """The body of a review with all ``findings``: one sentence, then one line for each thing, by category."""
    categories = list(Category)
    by_category = sorted(findings, key=lambda shown: (categories.index(shown.category), shown.severity.rank))
    parts = (
        f"Draftgate reviewed `{short_sha(head)}`, and a person approved what is published here.",
        "\n".join(_summary_line(finding) for finding in by_category),
        "\n".join(f"✅ {_earlier(finding)} (code changed, addresses it)" for finding in addressed),
        "\n".join(f"⟳ {_earlier(finding)} (see thread)" for finding in unresolved),
    )
    return "\n\n".join(part for part in parts if part)


def narrow_body(body: str, removed: Iterable[Finding]) -> str:
    """``body`` without the lines of findings that are left out or were reworded; nothing is added or changed.

    Args:
        body: As `review_body` made it; in a body that a person wrote there are no such lines.
        removed: The findings as they were when the body was made.
    """
    surplus = Counter(_summary_line(finding) for finding in removed)
    kept: list[str] = []
    for line in body.split("\n"):
        if surplus[line]:
            surplus[line] -= 1
        elif line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).rstrip("\n")


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


def _true_place(finding: Finding) -> str:
    """A thread on a file or another line cannot show which lines are meant, so the text says it."""
    evidence, anchor = finding.evidence, finding.anchor
    if evidence is None or (anchor.kind is AnchorKind.LINE and anchor.path == evidence.path):
        return ""
    return f"This is about {neutralize.code_span(_span(evidence))}."


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


def _cut(body: str) -> str:
    if len(body) <= MAX_BODY:
        return body
    return f"{body[:MAX_BODY].rpartition(chr(10))[0] or body[:MAX_BODY]}\n\n… ({len(body):,} characters in all)"
