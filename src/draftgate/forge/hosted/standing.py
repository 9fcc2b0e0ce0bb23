"""What a run knows of a change on a forge, in terms that all forges share.

A field that a forge may leave empty is ``None`` or "" here, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Comment
from draftgate.domain.people import Person


@dataclass(frozen=True, slots=True)
class Place:
    """Which change is meant.

    Attributes:
        repository: Its full name: ``owner/name``, with as many groups before it as there are.
        number: Of the pull or merge request.
        web_url: Of the repository, without a slash at the end.
        instance: ``checkpoint.instance``.
        default_branch: As the event names it; ``HEAD`` where it names none.
    """

    repository: str
    number: int
    web_url: str
    instance: str = "default"
    default_branch: str = "HEAD"


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the token belongs to.

    Attributes:
        id: The forge's number for it; ``None`` if it does not say.
        is_shared: Other programs write under the same account.
        is_bot: A program's account, by the forge's word or by a name that no person can have.
    """

    login: str
    id: int | None
    is_shared: bool = False
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class ChangeNow:
    """The parts of a change that move.

    Attributes:
        base_tip: The target branch's commit now; where the branch is gone, the last one known.
    """

    is_open: bool
    base_ref: str
    base_tip: CommitSha
    head_ref: str
    head: CommitSha


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """The parts of a change that a run reads once.

    Attributes:
        author: ``None`` for an account that was deleted.
        changed_files: As far as the forge counts them.
    """

    title: str
    description: str
    url: str
    is_draft: bool
    author: Person | None
    labels: tuple[str, ...]
    changed_files: int


@dataclass(frozen=True, slots=True)
class UnreadText:
    """A file that is there and whose text the forge does not give; ``reason`` is a sentence part."""

    reason: str


Texts = Mapping[str, str | UnreadText | None]
"""Path to text; ``None`` where there is no such file."""


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """What a run reads once about the repository.

    Attributes:
        files: Configuration files at the tip of the default branch.
    """

    default_branch: str
    files: Texts


@dataclass(frozen=True, slots=True)
class KnownComment:
    """A top-level comment with what only an adapter needs.

    Attributes:
        node_id: Another id of the forge for it; "" where it has none.
        updated_at: When its text was written last, as `Comment.created_at`.
        is_minimized: The forge folds it away.
        author_id: The forge's number for whoever wrote it; ``None`` where it was not asked for.
    """

    node_id: str
    comment: Comment
    updated_at: str
    is_minimized: bool
    author_id: int | None = None


class Standing(Protocol):
    """The change and the checkpoint at one moment.

    Attributes:
        change: Its moving parts.
        checkpoint: The comment that is watched; ``None`` if it is not there.
        recent: The last comments, where they were asked for.
    """

    @property
    def change(self) -> ChangeNow:
        """See the class."""

    @property
    def checkpoint(self) -> KnownComment | None:
        """See the class."""

    @property
    def recent(self) -> tuple[KnownComment, ...]:
        """See the class."""


class View(Protocol):
    """One run's view of one change: between two writes of ours all roles look at one answer.

    Attributes:
        place: Which change.
        account: Whose token it is.
        repository, facts, comments: As they were read first.
        looks_for_others: Whether `now` asks for the last comments too.
    """

    account: Account
    repository: RepositoryFacts
    facts: ChangeFacts
    comments: tuple[KnownComment, ...]
    looks_for_others: bool

    @property
    def place(self) -> Place:
        """See the class."""

    def call_instance(self, instance: str) -> None:
        """Put the configured instance into `place`; it is known only after the view was opened."""

    def now(self) -> Standing:
        """How things stand since our last write."""

    def look_again(self) -> None:
        """See to it that `now` is how things stand at this moment, for a write that must not go over another's."""

    def keeping_change(self) -> AbstractContextManager[None]:
        """Around a write of the checkpoint: what was just read of the change need not be read again after it."""

    def forget(self) -> None:
        """Something was written: what was read before is not how things stand."""

    def forget_comments(self) -> None:
        """A comment of ours was written, and nothing else."""

    def watch(self, checkpoint: KnownComment | None) -> None:
        """Look at this comment from now on; what is known of it already need not be asked again."""

    def target_tip(self) -> CommitSha:
        """The target branch's commit now; where the branch is gone, the last one known."""

    def read_branch_files(self, revision: str, paths: tuple[str, ...]) -> Texts:
        """Configuration files at a commit."""
