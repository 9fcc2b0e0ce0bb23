"""Puts facts before the checks of their area; what nobody could see becomes a row of its own, never a good one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from draftgate.doctor.base import Area, Check, Outcome, Row, Verdict, could_not_look
from draftgate.doctor.registry import load_checks
from draftgate.doctor.seen import NotSeen

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of one area.

    Attributes:
        subject: What of that area was looked at: a folder, a repository, a server.
    """

    area: Area
    subject: str
    rows: tuple[Row, ...]


def examine(area: Area, subject: str, facts: object) -> Section:
    """What every check of an area says of the facts, which are those that the area's checks take."""
    return Section(area, subject, tuple(_rows(load_checks(area), facts)))


def exit_code(sections: Iterable[Section]) -> int:
    """The highest exit code of all that is wrong; 0 if nothing is."""
    return max((row.exit_code for section in sections for row in section.rows), default=0)


def _rows(checks: Iterable[Check[F]], facts: F) -> Iterator[Row]:
    for check in checks:
        for verdict in _verdicts(check, facts):
            code = check.exit_code if verdict.exit_code is None else verdict.exit_code
            yield Row(check.id, check.title, verdict, code if verdict.outcome is Outcome.WRONG else 0)


def _verdicts(check: Check[F], facts: F) -> tuple[Verdict, ...]:
    """All that it says; what it said before it met something unseen counts too."""
    said: list[Verdict] = []
    try:
        for verdict in check.judge(facts):
            said.append(verdict)  # noqa: PERF402 - the end may be a `NotSeen`
    except NotSeen as missing:
        said.append(could_not_look(str(missing), where=check.by_hand(facts)))
    return tuple(said)
