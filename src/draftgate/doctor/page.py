"""The rows as text for a terminal or a log: what is wrong stands out, and every line can be acted on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from draftgate.doctor.base import Area, Outcome, Row
from draftgate.doctor.examine import Section
from draftgate.render.visible import one_line
from draftgate.render.wording import counted
from draftgate.render.writer import Screen, Writer

TITLES = {
    Area.LOCAL: "Here",
    Area.WORKFLOW: "Workflows",
    Area.GITHUB: "GitHub",
    Area.PIPELINE: "Pipelines",
    Area.GITLAB: "GitLab",
    Area.MODEL: "Models",
}
_SIGNS = {
    Outcome.OK: ("✓", "green"),
    Outcome.WARNING: ("!", "bold yellow"),
    Outcome.WRONG: ("✗", "bold red"),
    Outcome.UNSEEN: ("?", "bold blue"),
}
_COUNTS = (
    (Outcome.WRONG, "wrong"),
    (Outcome.WARNING, "to look at"),
    (Outcome.UNSEEN, "could not be looked at"),
    (Outcome.OK, "fine"),
)
_LONGEST = 1_000
_INDENT = 4


def doctor_page(sections: Sequence[Section], requests: Sequence[str], screen: Screen) -> str:
    """All rows by area, and at the end how many there are of each kind and what was asked.

    Args:
        sections: In the order in which they are shown.
        requests: What was asked of whom, in words.
        screen: Where the text goes.
    """
    writer = Writer(screen)
    for section in sections:
        writer.line((TITLES[section.area], "bold"), f" · {one_line(section.subject)}")
        for _, rows in groupby(section.rows, key=_reason_alone):
            _write(writer, tuple(rows))
        writer.blank()
    outcomes = [row.verdict.outcome for section in sections for row in section.rows]
    counts = [f"{outcomes.count(outcome)} {words}" for outcome, words in _COUNTS if outcome in outcomes]
    writer.line((", ".join(counts), "bold"))
    asked = f"Asked: {', '.join(requests)}." if requests else "Nobody was asked."
    writer.line((f"{asked} Nothing was written.", "dim"))
    return writer.text


def asked(count: int, of: str) -> str:
    """``7 requests to GitHub``."""
    return f"{counted(count, 'request')} to {of}"


def _reason_alone(row: Row) -> object:
    """Rows in a row that could not be looked at for one reason, and have no place to look by hand, are shown as one."""
    verdict = row.verdict
    is_alike = verdict.outcome is Outcome.UNSEEN and not verdict.where and not verdict.change
    return verdict.says if is_alike else id(row)


def _write(writer: Writer, rows: tuple[Row, ...]) -> None:
    verdict = rows[0].verdict
    sign, style = _SIGNS[verdict.outcome]
    looked_at = ", ".join(row.looked_at for row in rows)
    said = f"could not look: {verdict.says}" if verdict.outcome is Outcome.UNSEEN else verdict.says
    writer.line((f"{sign} ", style), (f"{looked_at}: ", "bold"), one_line(said, _LONGEST), indent=2, hang=2)
    if verdict.change:
        writer.line(f"→ {one_line(verdict.change, _LONGEST)}", indent=_INDENT, hang=2)
    if verdict.where:
        writer.line((f"→ {one_line(verdict.where, _LONGEST)}", "cyan"), indent=_INDENT, hang=2)
    for line in verdict.lines:
        writer.verbatim(f"{' ' * (_INDENT + 4)}{line}")
