"""Takes up the commands of a change: each is authorized, received, done or refused, and answered exactly once.

Reactions are what remembers that a command was answered; doing one twice does no harm (`draftgate.commands.dispatch`
keeps an amendment once, `draftgate.approval.submit` publishes a round once), so a run that was cut off anywhere is
simply repeated. The texts of the replies are not made here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from draftgate.approval.authority import Authority, Ruling, Standing, Wish
from draftgate.approval.sealed import require_sealed
from draftgate.approval.submit import closed, require_unmoved
from draftgate.commands.dispatch import load_session, run_comment
from draftgate.commands.inbox.proof import require_given, require_unedited
from draftgate.commands.inbox.reply import Wording, in_comments
from draftgate.commands.inbox.timing import Patience, is_being_done, is_cut_off, require_timely, was_done
from draftgate.commands.inbox.waiting import Waiting, find_waiting, specs_of
from draftgate.commands.registry import load_grammar
from draftgate.commands.scene import Given, Reply, Scene
from draftgate.domain.command import Bare, ParsedComment, parse_comment
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.event import CommandAsked
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Session
from draftgate.errors import (
    CommandRefused,
    ConfigurationError,
    DraftgateError,
    ForgeRefused,
    IntegrityError,
    Overtaken,
    PermissionDenied,
    Unavailable,
    UsageError,
)
from draftgate.forge.base import Converses, ReviewForge


@dataclass(frozen=True, slots=True)
class Inbox:
    """The commands of one change, and what is needed to do them.

    Attributes:
        conversation: Where they stand and are answered.
        authority: Who may; made for this run.
        scene: Where they run; what depends on the single command is filled in here.
        wording: Makes the replies.
        patience: How long a review is believed to be running.
        bare: Which commands need no prefix.
        broken: Why nothing can be done, if the configuration is broken; the commands are refused with it.
    """

    conversation: Converses
    authority: Authority
    scene: Scene
    wording: Wording
    patience: Patience
    bare: Bare = Bare.OWN
    broken: ConfigurationError | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """How one comment was answered.

    Attributes:
        comment: ``None`` for a command that a person started a run with.
        exit_code: What it asks of the process.
        sentence: One line for the log.
        reaction: What was put on it last; ``None`` if nothing was.
        reply: The text of the reply; "" if there is none.
        is_left: The forge did not answer, so the comment waits for the next run.
    """

    comment: Comment | None
    exit_code: int
    sentence: str
    reaction: Reaction | None = None
    reply: str = ""
    is_left: bool = False


@dataclass(frozen=True, slots=True)
class Answers:
    """What a run did.

    Attributes:
        answers: One for each comment that it took up, in their order.
        session: As the run left it; ``None`` if there is none, or none that can be trusted.
        was_overtaken: Another run wrote first; on a forge that is opened anew the rest can be taken up at once.
    """

    answers: tuple[Answer, ...]
    session: Session | None
    was_overtaken: bool = False

    @property
    def exit_code(self) -> int:
        """The highest one."""
        return max((answer.exit_code for answer in self.answers), default=0)


def take_up(inbox: Inbox, event_comment: str | None = None) -> Answers:
    """Answer every command of the round that waits, in the order of their creation.

    Where one is left for the next run, so are those after it: they apply in their order. One that another run is
    at work on is that run's.

    Args:
        inbox: The change.
        event_comment: The comment that set off the run; ``None`` for a sweep.
    """
    answers: list[Answer] = []
    was_overtaken = False
    try:
        for waiting in find_waiting(inbox.conversation, _read_session(inbox), event_comment, inbox.bare):
            if is_being_done(waiting, _read_session(inbox), inbox.patience):
                continue
            answers.append(_answer(inbox, waiting))
            if answers[-1].is_left:
                break
    except Overtaken:
        was_overtaken = True
    return Answers(tuple(answers), _read_session(inbox), was_overtaken)


def run_asked(inbox: Inbox, asked: CommandAsked, at: str) -> Answers:
    """Run the commands that a person started a run with; what they are answered is for the log alone.

    Commands that change findings are refused: they are proved by the comment that they stand in.

    Args:
        inbox: The change.
        asked: The commands and who gave them.
        at: When they were given: UTC, ISO 8601.
    """
    return Answers((_answer_run(inbox, asked, at),), _read_session(inbox))


def wish_of(parsed: ParsedComment) -> Wish:
    """What a comment asks for, as far as it decides who may."""
    publications = [
        spec.publishes(command.parsed)
        for spec, command in zip(specs_of(parsed), parsed.commands, strict=True)
        if spec.publishes is not None
    ]
    if any(publication.verdict is Verdict.APPROVE for publication in publications):
        return Wish.APPROVE
    return Wish.PUBLISH if publications else Wish.ANYTHING


def _read_session(inbox: Inbox) -> Session | None:
    """The session; one that cannot be trusted shows nothing here, and is refused when a command needs it."""
    try:
        return inbox.scene.forge.load_session()
    except IntegrityError:
        return None


def _answer(inbox: Inbox, waiting: Waiting) -> Answer:
    comment = waiting.comment
    try:
        ruling = inbox.authority.judge(comment.author, wish_of(waiting.parsed))
        if ruling.standing is not Standing.STRANGER:
            return _serve(inbox, waiting, ruling)
        if waiting.is_suggestion:
            return Answer(comment, 0, "no command of ours, and from somebody who may give none")
        return _turn_away(inbox, comment, 0, "from somebody who may give no command")
    except (
        PermissionDenied,
        ForgeRefused,
        UsageError,
    ) as error:  # while judging: whether they may is not known, nothing is said
        return _turn_away(inbox, comment, error.exit_code, str(error))
    except Unavailable as error:
        return Answer(comment, error.exit_code, f"left for the next run: {error}", is_left=True)


def _turn_away(inbox: Inbox, comment: Comment, exit_code: int, sentence: str) -> Answer:
    inbox.conversation.react(comment, Reaction.REFUSED)
    return Answer(comment, exit_code, sentence, Reaction.REFUSED)


def _serve(inbox: Inbox, waiting: Waiting, ruling: Ruling) -> Answer:
    """Do what a comment says, or refuse it with the reason."""
    comment = waiting.comment
    if not waiting.is_begun:
        inbox.conversation.react(comment, Reaction.RECEIVED)
    done: list[Reply] = []
    try:
        done.extend(_do(inbox, waiting, ruling))
    except (Overtaken, Unavailable):
        raise
    except DraftgateError as error:
        if inbox.scene.forge.is_overtaken():
            raise Overtaken("another run changed the state of this review meanwhile", hint="give it again") from error
        return _refuse(inbox, comment, error, done)
    return _finish(inbox, comment, done)


def _do(inbox: Inbox, waiting: Waiting, ruling: Ruling) -> Iterator[Reply]:
    comment = waiting.comment
    for reason in (ruling.refusal, inbox.broken):
        if reason is not None:
            raise reason
    session = load_session(inbox.scene, waiting.specs)
    if session is not None and was_done(waiting, session) and _is_settled(inbox.scene.forge, session):
        return
    _require_open(inbox, waiting, session)
    require_timely(waiting, session, inbox.patience)
    author = comment.author.login if comment.author else ""
    given = Given(comment.id, author, comment.text, comment.created_at, inbox.bare)
    scene = dataclasses.replace(
        scene_of(inbox),
        seen="" if session is None else session.seal,
        is_cut_off=is_cut_off(waiting, session, inbox.patience),
    )
    yield from run_comment(scene, given)


def scene_of(inbox: Inbox) -> Scene:
    """The scene with the proofs that the conversation gives."""
    return dataclasses.replace(
        inbox.scene,
        require_unedited=partial(require_unedited, inbox.conversation, inbox.bare),
        require_given=partial(require_given, inbox.conversation, inbox.authority),
    )


def _is_settled(forge: ReviewForge, session: Session) -> bool:
    """Whether nothing is missing of what a run did before it was cut off; the second place comes last."""
    if session.phase is not Phase.AWAITING_APPROVAL:
        forge.mend_witness(session)
        return True
    try:
        require_sealed(forge, session)
    except IntegrityError:
        return False
    forge.put_witness(session)
    return True


def _require_open(inbox: Inbox, waiting: Waiting, session: Session | None) -> None:
    """A review that ended because its change did, or moved on, is not merely absent."""
    if session is None or not any(s.needs_session for s in waiting.specs):
        return
    if session.phase is Phase.SUPERSEDED:
        require_unmoved(inbox.scene.forge, inbox.scene.journal, session)
    if session.phase is not Phase.FINALIZED:
        return
    if not inbox.scene.forge.read_head(session).is_open:
        raise closed(session)


def _refuse(inbox: Inbox, comment: Comment, error: DraftgateError, done: list[Reply]) -> Answer:
    """Say why, and what was done before; the reaction comes last, since it is what ends a command."""
    text = inbox.wording.refused(comment.text, error, done)
    inbox.conversation.reply(comment, text)
    inbox.conversation.react(comment, Reaction.REFUSED)
    return Answer(comment, _exit_code(error), f"refused: {error}", Reaction.REFUSED, text)


def _finish(inbox: Inbox, comment: Comment, done: list[Reply]) -> Answer:
    """The checkpoint shows what was done; only what it does not show is answered in words."""
    text = inbox.wording.shown(comment.text, done)
    if text:
        inbox.conversation.reply(comment, text)
    inbox.conversation.react(comment, Reaction.DONE)
    return Answer(comment, 0, _said(done), Reaction.DONE, text)


def _said(done: list[Reply]) -> str:
    return in_comments(" ".join(reply.text for reply in done if reply.text)) or "done"


def _exit_code(error: DraftgateError) -> int:
    """A command that is not accepted is answered in words; it is no failure of the run."""
    return 0 if isinstance(error, CommandRefused) else error.exit_code


def _answer_run(inbox: Inbox, asked: CommandAsked, at: str) -> Answer:
    try:
        done = list(_do_asked(inbox, asked, at))
    except DraftgateError as error:
        return Answer(None, _exit_code(error), f"refused: {error}. {error.hint}")
    return Answer(None, 0, _said(done))


def _do_asked(inbox: Inbox, asked: CommandAsked, at: str) -> Iterator[Reply]:
    if asked.is_rerun:
        raise CommandRefused("a command is not given again by running its job again", hint="start a new run with it")
    parsed = parse_comment(asked.text, load_grammar(inbox.bare))
    ruling = inbox.authority.judge(asked.asked_by, wish_of(parsed))
    if ruling.standing is Standing.STRANGER:
        raise CommandRefused(f"{asked.asked_by.login} may give no command here", hint="see `approval.who`")
    if any(spec.amend is not None for spec in specs_of(parsed)):
        raise CommandRefused(
            "a command that changes findings is proved by the comment that it stands in",
            hint="write it in a comment on the change",
        )
    comment = Comment("", asked.asked_by, is_ours=False, text=asked.text, created_at=at, is_edited=False, url="")
    yield from _do(inbox, Waiting(comment, parsed), ruling)
