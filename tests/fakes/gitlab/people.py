"""People, tokens and groups of the simulated GitLab, and which roles and editions there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum


class Level(IntEnum):
    """A role in a project or group, as a number; a higher one includes the lower ones."""

    NONE = 0
    GUEST = 10
    PLANNER = 15
    REPORTER = 20
    DEVELOPER = 30
    MAINTAINER = 40
    OWNER = 50


class Edition(StrEnum):
    CE = "ce"
    """Community Edition: no answer has a field of the Enterprise Edition."""
    FREE = "free"
    """Enterprise Edition without a licence."""
    PREMIUM = "premium"


class TokenKind(StrEnum):
    ACCESS = "access"
    """Of a person, a project or a group; the latter two have a bot account of their own."""
    JOB = "job"
    """``CI_JOB_TOKEN``: acts as who started the job, and may read a few things of the project."""


@dataclass(eq=False, repr=False)
class User:
    id: int
    username: str
    name: str
    bot: bool = False
    email: str = ""

    def __repr__(self) -> str:
        return self.username


@dataclass(eq=False)
class Caller:
    """Who a token stands for, and what the token may; `user` is ``None`` without a token.

    Attributes:
        expires: The day on which it ends; "" for never.
    """

    token: str = field(repr=False)
    user: User | None
    kind: TokenKind = TokenKind.ACCESS
    scopes: frozenset[str] = frozenset({"api"})
    expires: str = ""


@dataclass(eq=False, repr=False)
class Group:
    """A group or a subgroup; `invited` are groups whose members are members here too, at most at that level."""

    id: int
    path: str
    parent: Group | None = None
    members: dict[User, Level] = field(default_factory=dict)
    invited: dict[Group, Level] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.full_path

    @property
    def full_path(self) -> str:
        return self.path if self.parent is None else f"{self.parent.full_path}/{self.path}"
