"""The composition for GitHub: an event becomes a round of review, the answer to commands, or an end.

Importing this package loads the forge and the pipeline, so it happens once an event is known to be for us.
"""

from __future__ import annotations

from draftgate.bootstrap.github.closing import close
from draftgate.bootstrap.github.commands import answer_event, answer_run
from draftgate.bootstrap.github.opening import open_hosted
from draftgate.bootstrap.github.reviewing import review
from draftgate.bootstrap.github.sweeping import sweep
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.domain.event import ChangeClosed, CommandAsked, CommentMade, NothingToDo, ReviewAsked, SweepDue
from draftgate.domain.outcome import RunOutcome, RunPhase


def handle(run: HostedRun, clocks: Clocks) -> RunOutcome:
    """Do what the event of a run asks for.

    Raises:
        DraftgateError: it could not be done, and the outcome table has no gentler word for it.
    """
    match run.event:
        case NothingToDo(reason):
            return RunOutcome(0, RunPhase.SKIPPED, reason)
        case SweepDue():
            return sweep(run, clocks)
        case ReviewAsked() as asked:
            return review(open_hosted(run, asked.number, clocks), asked)
        case CommentMade() as comment:
            return answer_event(open_hosted(run, comment.number, clocks), comment)
        case CommandAsked() as asked:
            return answer_run(open_hosted(run, asked.number, clocks), asked)
        case ChangeClosed() as closed:
            return close(open_hosted(run, closed.number, clocks))
