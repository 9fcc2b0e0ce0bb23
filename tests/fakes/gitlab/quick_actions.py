"""What quick actions do: those that reviews are about for real, the others are noted.

Each of them is in `World.executed`, so that a text that should not have had one shows. ``submit_review`` is added by
`drafts`, which makes notes itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.fakes.gitlab import reviewing
from tests.fakes.gitlab.access import may_administer, may_merge, may_update
from tests.fakes.gitlab.entities import MergeRequest
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.refusals import Refusal
from tests.fakes.gitlab.texts import Called
from tests.fakes.gitlab.traces import Command
from tests.fakes.gitlab.world import World


@dataclass(frozen=True)
class Doing:
    """One quick action on its way."""

    world: World
    user: User
    merge_request: MergeRequest
    argument: str

    @property
    def people(self) -> list[User]:
        """Those whom the argument names; ``me`` is who wrote it."""
        names = [name.strip("@,").lower() for name in self.argument.split()]
        known = self.world.users
        return [self.user if name == "me" else known[name] for name in names if name == "me" or name in known]

    @property
    def labels(self) -> list[str]:
        """The labels that the argument names and the project has."""
        named = re.findall(r'~?"([^"]+)"|~?([^\s"~]+)', self.argument)
        return [name for name in (one or other for one, other in named) if name in self.merge_request.project.labels]


@dataclass
class Outcome:
    """What came of the quick actions of a text.

    Attributes:
        changes: What they changed, as GitLab tells it.
        messages: A sentence about each that applied.
        failures: A sentence about each that did not.
    """

    changes: dict[str, Any] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


Action = Callable[[Doing], dict[str, Any] | None]
"""Does it and returns what changed; ``None`` if it does not apply."""


def apply(world: World, user: User, merge_request: MergeRequest, called: Iterable[Called]) -> Outcome:
    """Do what a text says, as far as its author may."""
    outcome = Outcome()
    for one in called:
        action = ACTIONS.get(one.name, _note_only)
        try:
            changes = action(Doing(world, user, merge_request, one.argument))
        except Refusal:
            changes = None
        world.executed.append(Command(user, one.name, one.argument, merge_request, changes is not None))
        if changes is None:
            outcome.failures.append(f"Could not apply {one.name} command.")
        else:
            outcome.changes.update(changes)
            outcome.messages.append(f"Applied {one.name} command.")
    return outcome


def _note_only(doing: Doing) -> dict[str, Any] | None:
    return {} if may_update(doing.merge_request, doing.user) else None


def _approve(doing: Doing) -> dict[str, Any] | None:
    reviewing.approve(doing.world, doing.merge_request, doing.user)
    return {}


def _unapprove(doing: Doing) -> dict[str, Any] | None:
    reviewing.unapprove(doing.world, doing.merge_request, doing.user)
    return {}


def _merge(doing: Doing) -> dict[str, Any] | None:
    merge_request = doing.merge_request
    if merge_request.state != "opened" or merge_request.draft or not may_merge(merge_request, doing.user):
        return None
    doing.world.merge(merge_request, doing.user)
    return {"merge": merge_request.version.head}


def _state(event: str, before: str) -> Action:
    def change(doing: Doing) -> dict[str, Any] | None:
        if doing.merge_request.state != before or not may_update(doing.merge_request, doing.user):
            return None
        doing.world.set_state(doing.merge_request, doing.user, event)
        return {"state_event": event}

    return change


def _title(doing: Doing) -> dict[str, Any] | None:
    if not doing.argument or not may_update(doing.merge_request, doing.user):
        return None
    doing.merge_request.title = doing.argument
    return {"title": doing.argument}


def _draft(doing: Doing) -> dict[str, Any] | None:
    if not may_update(doing.merge_request, doing.user):
        return None
    if not doing.merge_request.draft:
        doing.merge_request.title = f"Draft: {doing.merge_request.title}"
    return {"wip_event": "draft"}


def _ready(doing: Doing) -> dict[str, Any] | None:
    if not doing.merge_request.draft or not may_update(doing.merge_request, doing.user):
        return None
    title = doing.merge_request.title
    doing.merge_request.title = re.sub(r"^(?:draft:|\[draft\]|\(draft\))\s*", "", title, flags=re.IGNORECASE)
    return {"wip_event": "ready"}


def _target_branch(doing: Doing) -> dict[str, Any] | None:
    merge_request = doing.merge_request
    names = merge_request.project.git.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").decode().split()
    if doing.argument not in names or not may_update(merge_request, doing.user):
        return None
    merge_request.target_branch = doing.argument
    doing.world.add_version(merge_request)
    return {"target_branch": doing.argument}


def _assign(doing: Doing) -> dict[str, Any] | None:
    return _set_assignees(doing, [*doing.merge_request.assignees, *doing.people] if doing.people else None)


def _unassign(doing: Doing) -> dict[str, Any] | None:
    gone = doing.people or doing.merge_request.assignees
    return _set_assignees(doing, [user for user in doing.merge_request.assignees if user not in gone])


def _reassign(doing: Doing) -> dict[str, Any] | None:
    return _set_assignees(doing, doing.people or None)


def _set_assignees(doing: Doing, people: list[User] | None) -> dict[str, Any] | None:
    if people is None or not may_administer(doing.merge_request, doing.user):
        return None
    kept = list(dict.fromkeys(people))
    doing.merge_request.assignees = kept if doing.world.premium else kept[-1:]
    return {"assignee_ids": [user.id for user in doing.merge_request.assignees]}


def _assign_reviewer(doing: Doing) -> dict[str, Any] | None:
    if not doing.people or not may_administer(doing.merge_request, doing.user):
        return None
    reviewing.request_again(doing.world, doing.merge_request, doing.people, doing.user)
    return _reviewer_ids(doing)


def _reassign_reviewer(doing: Doing) -> dict[str, Any] | None:
    if not doing.world.premium or not doing.people or not may_administer(doing.merge_request, doing.user):
        return None
    reviewing.set_reviewers(doing.world, doing.merge_request, doing.people, doing.user)
    return _reviewer_ids(doing)


def _unassign_reviewer(doing: Doing) -> dict[str, Any] | None:
    if not doing.merge_request.reviewers or not may_administer(doing.merge_request, doing.user):
        return None
    gone = doing.people
    kept = [each.user for each in doing.merge_request.reviewers if gone and each.user not in gone]
    reviewing.set_reviewers(doing.world, doing.merge_request, kept, doing.user)
    return _reviewer_ids(doing)


def _reviewer_ids(doing: Doing) -> dict[str, Any]:
    return {"reviewer_ids": [each.user.id for each in doing.merge_request.reviewers]}


def _request_changes(doing: Doing) -> dict[str, Any] | None:
    done = reviewing.set_state(doing.world, doing.merge_request, doing.user, "requested_changes")
    return {} if done else None


def _label(doing: Doing) -> dict[str, Any] | None:
    return _set_labels(doing, [*doing.merge_request.labels, *doing.labels] if doing.labels else None, "add_label_ids")


def _unlabel(doing: Doing) -> dict[str, Any] | None:
    gone = doing.labels or doing.merge_request.labels
    kept = [name for name in doing.merge_request.labels if name not in gone]
    return _set_labels(doing, kept, "remove_label_ids")


def _relabel(doing: Doing) -> dict[str, Any] | None:
    return _set_labels(doing, doing.labels or None, "label_ids")


def _set_labels(doing: Doing, names: list[str] | None, key: str) -> dict[str, Any] | None:
    if names is None or not may_administer(doing.merge_request, doing.user):
        return None
    doing.merge_request.labels = list(dict.fromkeys(names))
    return {key: [doing.merge_request.project.labels[name].id for name in doing.merge_request.labels]}


def _lock(*, locked: bool) -> Action:
    def change(doing: Doing) -> dict[str, Any] | None:
        if not may_administer(doing.merge_request, doing.user):
            return None
        doing.merge_request.locked = locked
        return {"discussion_locked": locked}

    return change


ACTIONS: Final[dict[str, Action]] = {
    "approve": _approve,
    "assign": _assign,
    "assign_reviewer": _assign_reviewer,
    "close": _state("close", "opened"),
    "draft": _draft,
    "label": _label,
    "lock": _lock(locked=True),
    "merge": _merge,
    "ready": _ready,
    "reassign": _reassign,
    "reassign_reviewer": _reassign_reviewer,
    "relabel": _relabel,
    "reopen": _state("reopen", "closed"),
    "request_changes": _request_changes,
    "target_branch": _target_branch,
    "title": _title,
    "unapprove": _unapprove,
    "unassign": _unassign,
    "unassign_reviewer": _unassign_reviewer,
    "unlabel": _unlabel,
    "unlock": _lock(locked=False),
}
"""The quick actions that do something here; any other is noted, and said to have been applied."""
