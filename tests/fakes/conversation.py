"""A conversation and its people in memory: comments with reactions of ours and one reply each, roles, teams, owners.

It counts what it is asked and what is written, and it can be told to die or to be unavailable at a write, so that a
flow's repetition is seen to work.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from itertools import count

from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Person, Role
from draftgate.errors import PermissionDenied, Unavailable


class Killed(BaseException):
    """The process is gone."""


class Fate(Enum):
    """What happens to a write."""

    KILLED_BEFORE = "the process dies before it"
    KILLED_AFTER = "the process dies right after it"
    REFUSED = "the forge is not there"


@dataclass
class FakePeople:
    """What a forge knows about accounts.

    Attributes:
        roles: By account; an unknown one has none.
        teams: The members of each team.
        owners: The CODEOWNERS file.
        others: Whether anybody but the author can write.
        hides: Which questions the bot may not ask.
        asked: Every question, in order.
    """

    roles: dict[str, Role] = field(default_factory=dict)
    teams: dict[str, set[str]] = field(default_factory=dict)
    owners: str | None = None
    others: bool = True
    hides: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def role_of(self, login: str) -> Role:
        """The role of an account."""
        self._ask(f"role {login}")
        return self.roles.get(login, Role.NONE)

    def is_in_team(self, login: str, team: str) -> bool:
        """Whether it is a member."""
        self._ask(f"team {team}")
        return login in self.teams.get(team, set())

    def code_owners(self) -> str | None:
        """The file."""
        self._ask("owners")
        return self.owners

    @property
    def owners_have_sections(self) -> bool:
        """As on GitHub."""
        return False

    def others_may_command(self, author: str) -> bool:
        """Whether anybody else can write."""
        self._ask("others")
        return self.others

    def _ask(self, question: str) -> None:
        self.asked.append(question)
        if question.split(maxsplit=1)[0] in self.hides:
            raise PermissionDenied("the token may not ask this", hint="let it")


@dataclass
class FakeConversation:
    """The comments of one change, as a forge keeps them.

    Attributes:
        written: The comments, without our reactions.
        reactions: Ours, by comment.
        replies: Ours, by comment.
        tells_reactions: Whether a comment comes with our reactions, or they are asked for one by one.
        writes: Every write that took effect, in order.
        fates: What happens to the next writes, by their place from 0.
    """

    written: list[Comment] = field(default_factory=list)
    reactions: dict[str, set[Reaction]] = field(default_factory=dict)
    replies: dict[str, str] = field(default_factory=dict)
    tells_reactions: bool = True
    writes: list[str] = field(default_factory=list)
    fates: dict[int, Fate] = field(default_factory=dict)
    _tried: int = 0
    _numbers: count[int] = field(default_factory=lambda: count(101))

    def say(self, author: str, text: str, at: str, *, is_bot: bool = False, is_ours: bool = False) -> Comment:
        """Somebody writes a comment."""
        number = str(next(self._numbers))
        url = f"https://forge.invalid/change/7#comment-{number}"
        comment = Comment(number, Person(author, is_bot), is_ours, text, at, is_edited=False, url=url)
        self.written.append(comment)
        return comment

    def change(self, comment: Comment, **changes: object) -> None:
        """Something about a comment changes, e.g. its text."""
        at = [each.id for each in self.written].index(comment.id)
        changed = dataclasses.replace(comment, **changes)  # type: ignore[arg-type]  # fields by name
        self.written[at] = changed

    def delete(self, comment: Comment) -> None:
        """Somebody deletes it."""
        self.written = [each for each in self.written if each.id != comment.id]

    def comments(self) -> tuple[Comment, ...]:
        """Every comment, as it stands now."""
        return tuple(
            dataclasses.replace(each, answered=self._ours(each) if self.tells_reactions else None)
            for each in self.written
        )

    def has_reacted(self, comment: Comment) -> frozenset[Reaction]:
        """Our reactions on it."""
        return self._ours(comment) if comment.answered is None else comment.answered

    def react(self, comment: Comment, reaction: Reaction) -> None:
        """Put one on."""
        with_fate = self._begin()
        self.reactions.setdefault(comment.id, set()).add(reaction)
        self._end(f"{reaction.value} {comment.id}", with_fate)

    def reply(self, comment: Comment, text: str) -> None:
        """The one reply to it."""
        with_fate = self._begin()
        self.replies[comment.id] = text
        self._end(f"reply {comment.id}", with_fate)

    def _ours(self, comment: Comment) -> frozenset[Reaction]:
        return frozenset(self.reactions.get(comment.id, set()))

    def _begin(self) -> Fate | None:
        fate = self.fates.pop(self._tried, None)
        self._tried += 1
        if fate is Fate.KILLED_BEFORE:
            raise Killed
        if fate is Fate.REFUSED:
            raise Unavailable("the forge does not answer", hint="try again later")
        return fate

    def _end(self, write: str, fate: Fate | None) -> None:
        self.writes.append(write)
        if fate is Fate.KILLED_AFTER:
            raise Killed
