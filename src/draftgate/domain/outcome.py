"""How a run in CI ended: what its exit code, outputs and job summary are made from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftgate.domain.session import Session


class RunPhase(StrEnum):
    """The values of the ``phase`` output that are no phase of a session."""

    NOTHING_FOUND = "nothing-found"
    SKIPPED = "skipped"
    READ_ONLY = "read-only"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of one run.

    Attributes:
        exit_code: Of the process, before ``fail-on`` is applied.
        phase: The ``phase`` output: a `RunPhase`, or the session's phase.
        sentence: One line for the log: what was done, or why nothing was.
        session: As the run left it; ``None`` if there is none.
        checkpoint_url, review_url: Where they stand; "" if they do not.
        warnings: Sentences that a person should see though the run did not fail.
        reads, writes: Requests to the forge.
    """

    exit_code: int
    phase: str
    sentence: str
    session: Session | None = None
    checkpoint_url: str = ""
    review_url: str = ""
    warnings: tuple[str, ...] = ()
    reads: int = 0
    writes: int = 0
