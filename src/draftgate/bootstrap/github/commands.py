"""Commands of a conversation on GitHub: the inbox, joined to the change and to the rounds that a command starts."""

from __future__ import annotations

from contextlib import suppress

from draftgate.bootstrap.github.opening import Hosted, reopen
from draftgate.bootstrap.github.reviewing import start_round
from draftgate.commands.inbox.answer import Answers, Inbox, run_asked, take_up
from draftgate.commands.inbox.reply import Wording
from draftgate.commands.inbox.timing import Patience
from draftgate.commands.replay import amended_round
from draftgate.commands.scene import Scene
from draftgate.domain.command import Bare
from draftgate.domain.event import CommandAsked
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.phase import Phase
from draftgate.domain.session import Session
from draftgate.errors import IntegrityError

_MARGIN_S = 300
"""What a run may take beyond its budget before it counts as dead."""


_ATTEMPTS = 3
"""Two runs at one command overtake each other once; a third time somebody else keeps writing."""


def answer_comment(hosted: Hosted, comment_id: str | None) -> RunOutcome:
    """Answer the commands of the round that wait, the event's own among them.

    Where another run wrote first, everything is read anew: what is left may fit, or be answered already.
    """
    for _ in range(_ATTEMPTS):
        answers = take_up(open_inbox(hosted), comment_id)
        if not answers.was_overtaken:
            break
        hosted = reopen(hosted)
    return _outcome(hosted, answers)


def answer_run(hosted: Hosted, asked: CommandAsked) -> RunOutcome:
    """Run a command that a person started the run with."""
    return _outcome(hosted, run_asked(open_inbox(hosted), asked, hosted.clocks.stamp()))


def open_inbox(hosted: Hosted) -> Inbox:
    """Everything that a command needs."""
    with suppress(IntegrityError):  # refused, with the reason, when a command needs the session
        hosted.forge.find_shown()
    bare = Bare(hosted.config.commands.bare)
    authority = hosted.authority()
    return Inbox(
        conversation=hosted.forge,
        authority=authority,
        scene=Scene(
            forge=hosted.forge,
            journal=hosted.journal,
            seen="",
            amended=amended_round,
            start_round=lambda wish: start_round(hosted, wish),
            verdict_is_asked=hosted.config.approval.verdict == "ask",
            ticked=hosted.forge.ticked,
        ),
        wording=Wording(authority.rules, bare, hosted.language),
        patience=_patience(hosted),
        bare=bare,
        broken=hosted.broken,
    )


def _patience(hosted: Hosted) -> Patience:
    session = None
    with suppress(IntegrityError):
        session = hosted.forge.load_session()
    run_url = "" if session is None else session.run_url
    return Patience(int(hosted.config.budgets.minutes * 60) + _MARGIN_S, run_url)


def _outcome(hosted: Hosted, answers: Answers) -> RunOutcome:
    session = answers.session
    said = "; ".join(answer.sentence for answer in answers.answers) or "no command waits for an answer"
    return hosted.outcome(answers.exit_code, phase_of(session), said, session=session)


def phase_of(session: Session | None) -> str:
    """The ``phase`` output for a session as it is."""
    if session is None:
        return RunPhase.SKIPPED
    if session.phase is Phase.AWAITING_APPROVAL and session.result is not None and not session.result.findings:
        return RunPhase.NOTHING_FOUND
    return session.phase.value
