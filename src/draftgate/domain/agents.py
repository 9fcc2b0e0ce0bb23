"""What agents came to, and what of it is kept while one of them has failed.

Whoever retries that one does not pay for all of them again.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.agent_run import AgentRun
from draftgate.domain.finding import Finding
from draftgate.domain.round import Dropped


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """What an agent came to.

    Attributes:
        run: The record of it.
        findings: What it found, held to the two commits.
        dropped: What of its answer was not kept.
        shown: The files whose whole diff it was shown.
    """

    run: AgentRun
    findings: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptOutcomes:
    """Outcomes of a round that stopped because an agent failed.

    Attributes:
        about: Digest of what they are about: the range, the configuration, who was asked.
        outcomes: Of every agent that ran, failed ones too.
    """

    about: str
    outcomes: tuple[AgentOutcome, ...]
