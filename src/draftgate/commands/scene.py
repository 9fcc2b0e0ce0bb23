"""What a comment command may touch when it runs, and what it answers.

The scene is the narrowest thing that every command shares; a command that starts a round asks for it through
a function, so that no command knows the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from draftgate.domain.amend import AmendedRound
from draftgate.domain.review import Verdict
from draftgate.domain.session import AcceptedCommand, ApprovedPayload, Session
from draftgate.forge.base import ReviewForge
from draftgate.forge.journal import Journal


@dataclass(frozen=True, slots=True)
class RoundWish:
    """A new round that a command asks for.

    Attributes:
        force: Also when the present one still waits.
        without: Failed checks and agents to go on without.
        retry: Failed agents to ask again; empty means every one.
    """

    force: bool = False
    without: frozenset[str] = frozenset()
    retry: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a command runs.

    Attributes:
        forge: Where the change lives.
        journal: Records what the command does to the session.
        seen: The seal of the round that the person could see when they gave the command; "" if there was none.
        amended: The findings of a session as its accepted commands left them.
        start_round: Runs a round of review and returns the session that it leaves.
        ask_verdict: Asks the person for a verdict, given the recommended one; ``None`` where nobody can be asked
            or nothing is to be asked.
        verdict_is_asked: ``approval.verdict: ask``.
        is_cut_off: The round that the session says is being made was surely given up by its run.
        ticked: The numbers whose boxes are ticked in the checkpoint now; ``None`` where there are no boxes.
        require_unedited: Raises `IntegrityError` if the accepted commands of the session are not what was accepted.
        require_given: Raises an error if nobody gave the approval of a payload for the session's round, or may give it
            no more.
    """

    forge: ReviewForge
    journal: Journal
    seen: str
    amended: Callable[[Session], AmendedRound]
    start_round: Callable[[RoundWish], Session]
    ask_verdict: Callable[[Verdict], Verdict] | None = None
    verdict_is_asked: bool = False
    is_cut_off: bool = False
    ticked: Callable[[], frozenset[int] | None] = lambda: None
    require_unedited: Callable[[Session], None] = lambda _session: None
    require_given: Callable[[Session, ApprovedPayload], None] = lambda _session, _payload: None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers.

    Attributes:
        text: One or more sentences of Markdown.
        session: The session as the command left it; ``None`` if there is none.
        shows: What is shown with it, by name: ``counts``, ``review``, ``preview``, ``help``; "" for nothing more.
    """

    text: str
    session: Session | None
    shows: str = field(default="")


Given = AcceptedCommand
"""A command as it was given: by whom, in which words, when."""
