"""Finding cards in Markdown: what a maintainer reads before approving, one card for each finding.

A card shows the text exactly as it will be posted. It never trusts a text to stay within the card: text of
others is neutralized and quoted, and what a person wrote is shown as source.
"""

from __future__ import annotations

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.finding import AnchorKind, Evidence, Finding, Severity, title_of
from draftgate.render import neutralize
from draftgate.render.comment import posted_text, prose, suggestion_block
from draftgate.render.language import FALLBACK
from draftgate.render.links import NOWHERE, Links
from draftgate.render.page import join
from draftgate.render.wording import SCOPES, SIGNS, found_by, history_of, place_note

HANDFUL = 5
"""Findings that are shown open; of more, only the blockers are."""

MAX_EVIDENCE = 7
_MAX_CODE_WIDTH = 200
_SPACE = "<br><br>"
"""A line of space after a card; the last break of a paragraph shows nothing."""

_MAX_RELATED = 5


def card(entry: AmendedFinding, *, folded: bool, links: Links = NOWHERE, language: str = FALLBACK) -> str:
    """One finding as Markdown blocks; a dropped one is a struck-out line."""
    if entry.dropped:
        return _dropped(entry)
    finding = entry.finding
    head = f"- [ ] **{entry.number}** · {' · '.join(_facts(finding, links))}"
    details = join((_text(entry, language), _quote(finding), _suggestion(entry, language), _source(entry)))
    if not folded:
        return f"{head}\n\n{details}"
    summary = f"<b>{title_of(finding.label, finding.decorations)}:</b> {neutralize.html(finding.subject)}"
    return f"{head}\n\n<details><summary>{summary}</summary>\n\n{details}\n</details>"


def is_folded(entry: AmendedFinding, shown: int) -> bool:
    """Past a handful of findings, everything but blockers is folded."""
    return shown > HANDFUL and entry.finding.severity is not Severity.BLOCKER


def line_of(entry: AmendedFinding, links: Links = NOWHERE) -> str:
    """A finding on one line: number, label, place, subject, and whether other words replace ours."""
    finding = entry.finding
    place = links.place(finding)
    where = f" · {place}" if place else ""
    label = f"{SIGNS[finding.severity]} {_title(finding)}"
    reworded = "" if entry.text is None else " — reworded"
    return f"**{entry.number}** · {label}{where} · {neutralize.inline(finding.subject)}{reworded}"


def _facts(finding: Finding, links: Links) -> list[str]:
    note = place_note(finding.anchor)
    parts = [f"{SIGNS[finding.severity]} **{_title(finding)}**", f"confidence {finding.confidence}"]
    small = f"<sub>{note}</sub>" if note else ""
    return [*parts, " ".join(part for part in (links.place(finding), small) if part)]


def _title(finding: Finding) -> str:
    return title_of(finding.label, finding.decorations)


def _dropped(entry: AmendedFinding) -> str:
    finding = entry.finding
    struck = f"~~{SIGNS[finding.severity]} {_title(finding)} · {neutralize.inline(finding.subject)}~~"
    who = f" by **{neutralize.inline(entry.changed_by)}**" if entry.changed_by else ""
    why = f": {neutralize.inline(entry.reason)}" if entry.reason else ", without a reason"
    return f"**{entry.number}** · {struck} — dropped{who}{why}"


def _text(entry: AmendedFinding, language: str) -> str:
    if entry.text is None:
        return quoted(prose(entry.finding, language))
    source = neutralize.fenced(posted_text(entry).split("\n"), "markdown")
    return f"Rewritten by **{neutralize.inline(entry.changed_by)}**; this will be posted:\n\n{source}"


def quoted(text: str) -> str:
    """Markdown as a quotation."""
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))


def _suggestion(entry: AmendedFinding, language: str) -> str:
    return suggestion_block(entry.finding, language) if entry.text is None else ""


def _quote(finding: Finding) -> str:
    quote = finding.context or finding.evidence
    if quote is None or not quote.lines:
        return ""
    return neutralize.fenced(_numbered(finding, quote), neutralize.language_of(quote.path))


def _numbered(finding: Finding, evidence: Evidence) -> list[str]:
    lines = [(evidence.start_line + offset, text) for offset, text in enumerate(evidence.lines)]
    shown = window(finding, evidence, lines)
    width = len(str(shown[-1][0]))
    return [f"{number:>{width}}  {_cropped(text)}".rstrip() for number, text in shown]


def window(finding: Finding, evidence: Evidence, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """At most seven of the quoted lines, among them those that the finding hangs on."""
    anchor = finding.anchor
    if anchor.kind is not AnchorKind.LINE or anchor.path != evidence.path or anchor.line is None:
        return lines[:MAX_EVIDENCE]
    first = (anchor.start_line or anchor.line) - evidence.start_line
    start = max(0, min(first - 1, len(lines) - MAX_EVIDENCE))
    return lines[start : start + MAX_EVIDENCE]


def _cropped(line: str) -> str:
    text = line.removesuffix("\r")
    return text if len(text) <= _MAX_CODE_WIDTH else text[: _MAX_CODE_WIDTH - 1] + "…"


def _source(entry: AmendedFinding) -> str:
    finding = entry.finding
    parts = [
        str(finding.category),
        f"found by {', '.join(neutralize.code_span(source) for source in found_by(finding))}",
        SCOPES[finding.scope],
        history_of(finding),
        _related(finding),
        f"relabelled by {neutralize.inline(entry.changed_by)}" if _only_relabelled(entry) else "",
        neutralize.code_span(f"caught-by: {finding.caught_by}") if finding.caught_by else "",
    ]
    return f"<sub>{' · '.join(part for part in parts if part)}</sub>{_SPACE}"


def _only_relabelled(entry: AmendedFinding) -> bool:
    return bool(entry.changed_by) and entry.text is None


def _related(finding: Finding) -> str:
    if not finding.related:
        return ""
    named = [neutralize.code_span(f"{place.path}:{place.line}") for place in finding.related[:_MAX_RELATED]]
    more = len(finding.related) - len(named)
    return f"see also {', '.join(named)}" + (f" and {more} more" if more else "")
