"""The composition for every forge on a network: an event becomes a round of review, the answer to commands, or an end.

Importing this package loads the forge and the pipeline, so it happens once an event is known to be for us.
"""

from __future__ import annotations

from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.closing import close
from draftgate.bootstrap.hosting.commands import answer_comment, answer_event, answer_run
from draftgate.bootstrap.hosting.opening import open_hosted
from draftgate.bootstrap.hosting.reviewing import review
from draftgate.bootstrap.hosting.site import Site
from draftgate.bootstrap.hosting.sweeping import sweep
from draftgate.domain.event import (
    ChangeClosed,
    CommandAsked,
    CommandsDue,
    CommentMade,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.domain.outcome import RunOutcome, RunPhase


def handle(run: HostedRun, clocks: Clocks, site: Site) -> RunOutcome:
    """Do what the event of a run asks for.

    Raises:
        DraftgateError: it could not be done, and the outcome table has no gentler word for it.
    """
    match run.event:
        case NothingToDo(reason):
            return RunOutcome(0, RunPhase.SKIPPED, reason)
        case SweepDue():
            return sweep(run, clocks, site)
        case ReviewAsked() as asked:
            return review(open_hosted(run, site, asked.number, clocks), asked)
        case CommentMade() as comment:
            return answer_event(open_hosted(run, site, comment.number, clocks), comment)
        case CommandAsked() as asked:
            return answer_run(open_hosted(run, site, asked.number, clocks), asked)
        case CommandsDue() as due:
            return answer_comment(open_hosted(run, site, due.number, clocks), None)
        case ChangeClosed() as closed:
            return close(open_hosted(run, site, closed.number, clocks))
