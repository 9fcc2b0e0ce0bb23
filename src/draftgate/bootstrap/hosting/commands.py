"""Commands of a conversation: the inbox, joined to the change and to the rounds that a command starts."""

from __future__ import annotations

from draftgate.bootstrap.hosting.inbox import open_inbox
from draftgate.bootstrap.hosting.opening import Hosted, reopen
from draftgate.bootstrap.hosting.reviewing import start_round
from draftgate.commands.inbox.answer import Answers, Inbox, run_asked, take_up
from draftgate.commands.inbox.waiting import is_for_us
from draftgate.domain.command import Bare
from draftgate.domain.event import CommandAsked, CommentMade
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session

_ATTEMPTS = 3
"""Two runs at one command overtake each other once; a third time somebody else keeps writing."""


def answer_event(hosted: Hosted, comment: CommentMade) -> RunOutcome:
    """Answer a comment that was written now, unless its bare names are another bot's under the configuration."""
    if not is_for_us(comment.text, Bare(hosted.config.commands.bare)):
        return hosted.outcome(0, RunPhase.SKIPPED, "the comment holds no command of Draftgate")
    return answer_comment(hosted, comment.comment_id)


def answer_comment(hosted: Hosted, comment_id: str | None) -> RunOutcome:
    """Answer the commands of the round that wait, the event's own among them.

    Where another run wrote first, everything is read anew: what is left may fit, or be answered already.
    """
    for _ in range(_ATTEMPTS):
        answers = take_up(_inbox(hosted), comment_id)
        if not answers.was_overtaken:
            break
        hosted = reopen(hosted)
    return _outcome(hosted, answers)


def answer_run(hosted: Hosted, asked: CommandAsked) -> RunOutcome:
    """Run a command that a person started the run with."""
    return _outcome(hosted, run_asked(_inbox(hosted), asked, hosted.clocks.stamp()))


def _inbox(hosted: Hosted) -> Inbox:
    return open_inbox(hosted, lambda wish: start_round(hosted, wish))


def _outcome(hosted: Hosted, answers: Answers) -> RunOutcome:
    session = answers.session
    said = "; ".join(answer.sentence for answer in answers.answers) or "no command waits for an answer"
    phase = hosted.forge.claimed_phase or RunPhase.SKIPPED if session is None else phase_of(session)
    return hosted.outcome(answers.exit_code, phase, said, session=session)


def phase_of(session: Session) -> str:
    """The ``phase`` output for a session as it is."""
    if session.phase is Phase.AWAITING_APPROVAL and session.result is not None and not session.result.findings:
        return RunPhase.NOTHING_FOUND
    return session.phase.value
