"""Which findings make the exit code 1: the level, and whether a set of findings reaches it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from draftgate.domain.finding import Finding, Severity
from draftgate.errors import UsageError


class FailOn(StrEnum):
    """The levels; `NONE` never fails."""

    NONE = "none"
    BLOCKER = "blocker"
    ANY = "any"


def parse_fail_on(text: str, *, name: str = "--fail-on") -> FailOn:
    """The level that was given under ``name``.

    Raises:
        UsageError: there is no such level.
    """
    if text not in set(FailOn):
        raise UsageError(f"there is no level {text!r} for {name}", hint=f"write one of {', '.join(FailOn)}")
    return FailOn(text)


def fails(findings: Iterable[Finding], level: FailOn) -> bool:
    """Whether any of the findings is at or above the level."""
    severities = {finding.severity for finding in findings}
    match level:
        case FailOn.NONE:
            return False
        case FailOn.BLOCKER:
            return Severity.BLOCKER in severities
        case FailOn.ANY:
            return bool(severities)
