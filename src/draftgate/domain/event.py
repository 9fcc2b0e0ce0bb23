"""What set off a run in CI, reduced to what the flows act on.

Nothing here is trusted beyond choosing what to look at: who may do what, and what the change is now, is asked of
the forge.
"""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.domain.change import CommitSha
from draftgate.domain.people import Person


@dataclass(frozen=True, slots=True)
class ReviewAsked:
    """The change was opened, pushed to or made ready, or a person asked for a review by label or dispatch.

    Attributes:
        number: Of the change.
        head: The head that the event speaks of; ``None`` where it names none.
        author: Whose change it is; ``None`` where the event does not say.
        pushed_by: Who set the event off.
        asked_by: The person to authorize, for a label or a dispatch; ``None`` for a push.
        is_foreign: The head lies in a fork (or in one that was deleted), or the platform treats it as such.
        may_be_read_only: The platform hands such an event a token that cannot write.
    """

    number: int
    head: CommitSha | None = None
    author: Person | None = None
    pushed_by: Person | None = None
    asked_by: Person | None = None
    is_foreign: bool = False
    may_be_read_only: bool = False


@dataclass(frozen=True, slots=True)
class CommentMade:
    """Somebody wrote a top-level comment on a change."""

    number: int
    comment_id: str
    author: Person
    text: str


@dataclass(frozen=True, slots=True)
class CommandAsked:
    """Somebody started a run by hand with a command."""

    number: int
    text: str
    asked_by: Person
    is_rerun: bool


@dataclass(frozen=True, slots=True)
class CommandsDue:
    """Somebody wants the newest commands of one change taken up, and does not say which.

    Who wrote each, and whether they may, is asked as for any other; who started the run counts for nothing.
    """

    number: int


@dataclass(frozen=True, slots=True)
class ChangeClosed:
    """The change was closed or merged."""

    number: int


@dataclass(frozen=True, slots=True)
class SweepDue:
    """Every open checkpoint of the repository is looked at for commands that nobody answered."""


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """The event is not for us; the reason is one line for the log."""

    reason: str


Event = ReviewAsked | CommentMade | CommandAsked | CommandsDue | ChangeClosed | SweepDue | NothingToDo
