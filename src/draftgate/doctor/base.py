"""What a check is, and what it may say of what was looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

F = TypeVar("F")

CONFIGURATION, CREDENTIALS, UNAVAILABLE = 2, 3, 4
"""The exit codes that something wrong can have; of several the highest one counts, as of several commands."""


class Area(StrEnum):
    """What is looked at; the folders of `draftgate.doctor.checks` have these names."""

    LOCAL = "local"
    WORKFLOW = "workflow"
    GITHUB = "github"
    PIPELINE = "pipeline"
    GITLAB = "gitlab"
    MODEL = "model"


class Outcome(StrEnum):
    """How a look ended."""

    OK = "ok"
    WARNING = "warning"
    """It works, and somebody should know something about it."""
    WRONG = "wrong"
    """Something will not work, or is not safe, until it is changed."""
    UNSEEN = "could-not-look"
    """Nobody knows; never to be taken for `OK`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says, in sentences for a reader who may change it; texts of others in it are not cleaned yet.

    Attributes:
        says: What is so.
        change: What to do about it; "" if nothing.
        where: The page, or the way of clicks to it; "" if there is none.
        lines: To be written into a file as they are.
        exit_code: Where it is another one than the check's.
    """

    outcome: Outcome
    says: str
    change: str = ""
    where: str = ""
    lines: tuple[str, ...] = ()
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Check(Generic[F]):
    """A check.

    Attributes:
        id: The area and a name, with a dot between them: those of the folder and the file.
        title: What is looked at, in a few words.
        judge: Says what it thinks of the facts: nothing where it does not apply. What it needs and nobody could see
            is raised as `NotSeen` by the facts, and becomes `Outcome.UNSEEN`.
        wrong_if: What it calls wrong, as the end of a sentence that begins with "if"; "" if nothing.
        warns_if: What it warns of, likewise.
        exit_code: Of what is wrong; 0 if nothing ever is.
        by_hand: Where a person can look when the program could not; "" if nowhere.
        comes_first: Before the others of its area, which need what it looked at.
    """

    id: str
    title: str
    judge: Callable[[F], Iterator[Verdict]]
    wrong_if: str = ""
    warns_if: str = ""
    exit_code: int = 0
    by_hand: Callable[[F], str] = lambda _: ""
    comes_first: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A verdict with the check that it is of.

    Attributes:
        looked_at: The title of the check.
        exit_code: 0 unless it is wrong.
    """

    check: str
    looked_at: str
    verdict: Verdict
    exit_code: int


def ok(says: str) -> Verdict:
    """It is as it should be."""
    return Verdict(Outcome.OK, says)


def warning(says: str, change: str, *, where: str = "", lines: tuple[str, ...] = ()) -> Verdict:
    """It works, and somebody should know."""
    return Verdict(Outcome.WARNING, says, change, where, lines)


def wrong(
    says: str, change: str, *, where: str = "", lines: tuple[str, ...] = (), exit_code: int | None = None
) -> Verdict:
    """It will not work, or is not safe."""
    return Verdict(Outcome.WRONG, says, change, where, lines, exit_code)


def could_not_look(why: str, *, where: str = "") -> Verdict:
    """Nobody knows."""
    return Verdict(Outcome.UNSEEN, why, where=where)
