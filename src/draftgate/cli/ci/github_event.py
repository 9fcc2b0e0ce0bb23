"""GitHub's events as ours: which of them ask for something, decided without any request.

The payloads: https://docs.github.com/en/webhooks/webhook-events-and-payloads. Who may ask is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from draftgate.cli.ci.for_us import LABEL, may_be_for_us
from draftgate.cli.ci.payload import Payload
from draftgate.domain.event import (
    ChangeClosed,
    CommandAsked,
    CommentMade,
    Event,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from draftgate.render.visible import one_line

_CHANGE_EVENTS = frozenset({"pull_request", "pull_request_target"})
_REVIEWED_ACTIONS = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_DEPENDABOT = "dependabot[bot]"
_BOT_SUFFIX = "[bot]"
_NUMBER = re.compile(r"[0-9]{1,18}")
_NAME_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Trigger:
    """What the runner says about a run besides the payload.

    Attributes:
        event: Its name.
        actor: The login on whose account the first attempt ran; "" if unknown.
        triggered_by: The login that started this attempt; "" if unknown.
        attempt: 1 for the first.
    """

    event: str
    actor: str
    triggered_by: str
    attempt: int


def read_event(trigger: Trigger, read_payload: Callable[[], Payload]) -> Event:
    """What an event asks for.

    Args:
        trigger: The event by name, and who set it off.
        read_payload: Reads its payload; not called where the name is enough.

    Raises:
        UsageError: the payload, or what a person typed into a dispatch, is not what it must be.
    """
    if trigger.event in _CHANGE_EVENTS:
        return _change_event(trigger, read_payload())
    match trigger.event:
        case "issue_comment":
            return _comment_event(read_payload())
        case "workflow_dispatch":
            return _dispatch_event(trigger, read_payload())
        case "schedule":
            return SweepDue()
        case name:
            return NothingToDo(f"the event {one_line(name, _NAME_LENGTH)} asks for nothing")


def _change_event(trigger: Trigger, payload: Payload) -> Event:
    action = payload.text("action") or ""
    if action in _REVIEWED_ACTIONS:
        return _review(trigger, payload)
    if action == "closed":
        return ChangeClosed(payload.number("pull_request.number"))
    if action != "labeled":
        return NothingToDo(f"a pull request that is {one_line(action, _NAME_LENGTH)} asks for nothing")
    if (payload.text("label.name") or "").casefold() != LABEL:
        return NothingToDo(f"only the label `{LABEL}` asks for a review")
    sender = _person(payload, "sender")
    return _review(trigger, payload, asked_by=sender or _login(trigger.triggered_by, "GITHUB_TRIGGERING_ACTOR"))


def _review(trigger: Trigger, payload: Payload, *, asked_by: Person | None = None) -> ReviewAsked:
    """A review of the change in the payload.

    A run for a fork's pull request, or one that Dependabot set off, has a token that can only read, unless the event
    is ``pull_request_target``: https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
    """
    sender = _person(payload, "sender")
    by_dependabot = _DEPENDABOT in {trigger.actor, "" if sender is None else sender.login}
    is_restricted = trigger.event == "pull_request" and (_is_from_fork(payload) or by_dependabot)
    return ReviewAsked(
        number=payload.number("pull_request.number"),
        head=payload.commit("pull_request.head.sha"),
        author=_person(payload, "pull_request.user"),
        pushed_by=sender,
        asked_by=asked_by,
        is_foreign=_is_from_fork(payload) or is_restricted,
        may_be_read_only=is_restricted,
    )


def _is_from_fork(payload: Payload) -> bool:
    """A head without a repository is one whose fork was deleted."""
    head = payload.text("pull_request.head.repo.full_name")
    base = payload.text("pull_request.base.repo.full_name") or payload.text("repository.full_name")
    return head is None or base is None or head.casefold() != base.casefold()


def _comment_event(payload: Payload) -> Event:
    if payload.text("action") != "created":
        return NothingToDo("only a new comment can hold commands, not one that was edited or deleted")
    if not payload.has("issue.pull_request"):
        return NothingToDo("the comment is on an issue, not on a pull request")
    text = payload.text("comment.body") or ""
    if not may_be_for_us(text):
        return NothingToDo("the comment holds no command of Draftgate")
    author = _person(payload, "sender") or _person(payload, "comment.user")  # the same, unless somebody edited it
    if author is None:
        return NothingToDo("nobody stands behind the comment: the account was deleted")
    return CommentMade(payload.number("issue.number"), str(payload.number("comment.id")), author, text)


def _dispatch_event(trigger: Trigger, payload: Payload) -> Event:
    given = {name: (payload.text(f"inputs.{name}") or "").strip() for name in ("number", "command", "gate")}
    if given["gate"]:
        raise UsageError(
            "gates are not in this release",
            context="the input `gate` of the dispatch",
            hint="leave it empty; `number` asks for a review, `number` and `command` for a command",
        )
    if not given["number"]:
        if given["command"]:
            raise _wrong_input("command", "there is a command, and no pull request", "give its number in `number`")
        return SweepDue()
    number = given["number"].removeprefix("#")
    if _NUMBER.fullmatch(number) is None or int(number) == 0:
        raise _wrong_input("number", "it is no number of a pull request", "write digits, as in 42")
    asked_by = _login(trigger.triggered_by, "GITHUB_TRIGGERING_ACTOR")
    if not given["command"]:
        return ReviewAsked(int(number), asked_by=asked_by)
    if not may_be_for_us(given["command"]):
        raise _wrong_input(
            "command", "it is no command of Draftgate", "write it as in a comment: `/approve-findings 1`"
        )
    return CommandAsked(int(number), given["command"], asked_by, is_rerun=trigger.attempt > 1)


def _wrong_input(name: str, what: str, write: str) -> UsageError:
    return UsageError(what, context=f"the input `{name}` of the dispatch", hint=write)


def _person(payload: Payload, path: str) -> Person | None:
    """The account at a path; ``None`` for one that was deleted or is not named."""
    login = payload.text(f"{path}.login")
    if not login:
        return None
    return Person(login, is_bot=payload.text(f"{path}.type") == "Bot" or login.endswith(_BOT_SUFFIX))


def _login(login: str, variable: str) -> Person:
    """The account of a login that stands alone: only a program's ends in ``[bot]``."""
    if not login:
        raise UsageError(
            "nobody is named who started this run",
            context=variable,
            hint="set it to the login, as GitHub's runner does",
        )
    return Person(login, is_bot=login.endswith(_BOT_SUFFIX))
