"""What a run shows of a session: the findings that wait or were submitted, and the figures about them in one line."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.commands.replay import amended_round
from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.finding import Finding
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import count_by_severity, recommend
from draftgate.domain.session import Session
from draftgate.render.wording import counted

_LET_GO = frozenset({Phase.ABORTED, Phase.FAILED, Phase.FINALIZED, Phase.SUPERSEDED})
"""Phases in which nothing waits any more; what was submitted stays."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A round as its accepted commands and its submission left it.

    Attributes:
        amended: All that were found, with those that were dropped or left out.
        entries: The findings that wait, or those that were submitted.
        head: The commit that was reviewed.
        recommended: The verdict for all that was not dropped.
    """

    amended: AmendedRound
    entries: tuple[AmendedFinding, ...]
    head: str
    recommended: Verdict

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of the entries."""
        return tuple(entry.finding for entry in self.entries)


def shown_of(session: Session | None) -> Shown | None:
    """What a session shows; ``None`` if it shows nothing yet.

    Raises:
        IntegrityError: an accepted command is not understood any more.
    """
    if session is None or session.result is None or session.scope is None:
        return None
    amended = amended_round(session)
    entries = amended.kept
    if session.submission is not None:
        entries = tuple(entry for entry in entries if entry.number in session.submission.numbers)
    elif session.phase in _LET_GO:
        entries = ()
    recommended = recommend((entry.finding for entry in amended.kept), session.result.coverage)
    return Shown(amended, entries, session.scope.head, recommended)


def figures(session: Session | None, shown: Shown | None) -> str:
    """How many findings there are, what was decided about them, and how severe they are; "" if nothing is shown."""
    if session is None or shown is None:
        return ""
    total = len(shown.amended.findings)
    approved = len(shown.entries)
    decided = "" if session.submission is None else f" ({approved} approved, {total - approved} skipped)"
    severities = count_by_severity(shown.findings)
    counts = (f"{count:,} {severity.value}" for severity, count in severities.items() if count)
    return " · ".join((counted(total, "finding") + decided, *counts))
