"""The sweep: commands whose event was lost, over the open changes of a repository.

Platforms lose and cancel runs: GitHub keeps one pending run of a concurrency group and cancels the older one. Only
changes in which somebody wrote a command that carries no answer of ours are opened.
"""

from __future__ import annotations

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.commands import answer_comment
from draftgate.bootstrap.hosting.opening import open_hosted
from draftgate.bootstrap.hosting.site import Site
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.errors import DraftgateError


def sweep(run: HostedRun, clocks: Clocks, site: Site) -> RunOutcome:
    """Answer the commands that wait in any open change of the repository."""
    numbers = tuple(site.find_waiting())
    outcomes = [_answer(run, site, number, clocks) for number in numbers]
    said = "; ".join(f"{site.mark}{number}: {one.sentence}" for number, one in zip(numbers, outcomes, strict=True))
    return RunOutcome(
        exit_code=max((one.exit_code for one in outcomes), default=0),
        phase=outcomes[0].phase if len(outcomes) == 1 else RunPhase.SKIPPED,
        sentence=said or "no command waits for an answer",
        session=outcomes[0].session if len(outcomes) == 1 else None,
        warnings=tuple(warning for one in outcomes for warning in one.warnings),
        reads=site.requests.reads,
        writes=site.requests.writes,
    )


def _answer(run: HostedRun, site: Site, number: int, clocks: Clocks) -> RunOutcome:
    """One change; what is wrong with it does not keep the others from being looked at."""
    try:
        return answer_comment(open_hosted(run, site, number, clocks), None)
    except DraftgateError as error:
        return RunOutcome(error.exit_code, Phase.FAILED, str(error), warnings=(f"{site.mark}{number}: {error}",))
