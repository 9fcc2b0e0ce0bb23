"""The people and programs on a forge: who somebody is, and what the forge lets them do.

A role is what a forge answers when it is asked, never what a payload claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The effective permission of an account on a repository, least first; compare by ``rank``."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """0 for nothing at all."""
        return list(Role).index(self)


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever wrote a comment or set off a run.

    Attributes:
        login: As the forge's API for this purpose spells it (on GitHub a bot's ends in ``[bot]``).
        is_bot: A program by the forge's word, not by its name.
    """

    login: str
    is_bot: bool = False
