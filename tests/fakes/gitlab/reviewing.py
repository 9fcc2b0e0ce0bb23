"""GitLab's rules of reviews: approvals, reviewers and what each of them has come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tests.fakes.gitlab.access import may_read_code, may_update, require
from tests.fakes.gitlab.entities import MergeRequest, Reviewer
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.refusals import Conflict, NotFound, Unauthorized
from tests.fakes.gitlab.traces import Displacement
from tests.fakes.gitlab.world import World

_SUBMITTED: Final = frozenset({"reviewed", "approved", "requested_changes"})


def may_approve(world: World, merge_request: MergeRequest, user: User | None) -> bool:
    """Whether an approval of this person would count now."""
    if user is None or not may_update(merge_request, user) or merge_request.approved_by(user):
        return False
    if merge_request.state == "merged":
        return False
    project = merge_request.project
    if world.premium and user is merge_request.author and not project.author_approval:
        return False
    return project.committers_approval or not world.premium or user.email not in _committers(merge_request)


def approve(world: World, merge_request: MergeRequest, user: User, sha: str | None = None) -> None:
    """Approve, for the head `sha` if one is named.

    Raises:
        Forbidden: The role is too low.
        Conflict: `sha` is not the head.
        Unauthorized: Nothing that may be approved, such as one's own on Premium, or again.
    """
    require(allowed=may_update(merge_request, user))
    check_sha(world, merge_request, sha)
    if not may_approve(world, merge_request, user):
        raise Unauthorized
    merge_request.approvals.append((user, world.tick()))
    merge_request.change_requests.discard(user)
    if (reviewer := merge_request.reviewer(user)) is not None:
        reviewer.state = "approved"
    world.say(merge_request, user, "approved this merge request")


def check_sha(world: World, merge_request: MergeRequest, sha: str | None) -> None:
    """Refuse what was meant for another head.

    Raises:
        Conflict: `sha` is not the head.
    """
    head = world.head_sha(merge_request)
    if sha and sha != head:
        raise Conflict(f"SHA does not match HEAD of source branch: {head}")


def unapprove(world: World, merge_request: MergeRequest, user: User) -> None:
    """Take an approval back.

    Raises:
        Forbidden: The role is too low.
        NotFound: There is none.
    """
    require(allowed=may_update(merge_request, user))
    if not merge_request.approved_by(user):
        raise NotFound
    world.tick()
    merge_request.approvals = [(each, at) for each, at in merge_request.approvals if each is not user]
    if (reviewer := merge_request.reviewer(user)) is not None:
        reviewer.state = "unapproved"
    world.say(merge_request, user, "unapproved this merge request")


def set_state(world: World, merge_request: MergeRequest, user: User, state: str) -> bool:
    """Say what a reviewer has come to; whether that was noted, which it is of reviewers alone.

    A request for changes blocks the merge on Premium whoever it comes from, although nothing tells a non-reviewer so.
    """
    if not may_update(merge_request, user):
        return False
    if world.submitters_review and state in _SUBMITTED and user is not merge_request.author:
        _add_reviewer(world, merge_request, user)
    reviewer = merge_request.reviewer(user)
    if state == "requested_changes":
        merge_request.change_requests |= {user} if world.premium or reviewer else set()
        world.say(merge_request, user, "requested changes")
    if reviewer is None or (reviewer.state == "approved" and state not in {"requested_changes", "unapproved"}):
        return False
    reviewer.state = state
    if state == "requested_changes" and merge_request.approved_by(user):
        merge_request.approvals = [(each, at) for each, at in merge_request.approvals if each is not user]
    return True


def set_reviewers(world: World, merge_request: MergeRequest, users: Iterable[User], by: User) -> None:
    """Replace the reviewers; without Premium just one is kept (see `World.kept_reviewer`).

    Who cannot see the merge request is left out without a word, and who stays keeps what they have come to.
    """
    named = list(dict.fromkeys(users))
    if not world.premium:
        named = named[:1] if world.kept_reviewer == "first" else named[-1:]
    wanted = [user for user in named if may_read_code(merge_request.project, user)]
    before = {reviewer.user: reviewer for reviewer in merge_request.reviewers}
    if list(before) == wanted or (named and not wanted):
        return
    now = world.tick()
    merge_request.reviewers = [before.get(user) or Reviewer(user, now) for user in wanted]
    gone = [user for user in before if user not in wanted]
    world.displaced += [Displacement(merge_request, user, by) for user in gone]
    come = [user for user in wanted if user not in before]
    changes = (("requested review from", come), ("removed review request for", gone))
    world.say(merge_request, by, " and ".join(f"{verb} {_names(people)}" for verb, people in changes if people))


def request_again(world: World, merge_request: MergeRequest, users: Sequence[User], by: User) -> None:
    """Ask for a review, anew of those who are reviewers already; without Premium of one person instead of another."""
    for user in users:
        if (reviewer := merge_request.reviewer(user)) is not None:
            reviewer.state = "unreviewed"
    kept = [each.user for each in merge_request.reviewers] if world.premium else []
    set_reviewers(world, merge_request, [*kept, *(users if world.premium else users[:1])], by)


def _add_reviewer(world: World, merge_request: MergeRequest, user: User) -> None:
    """Make a reviewer of who submits a review, if there is room: without Premium for the first alone."""
    if merge_request.reviewer(user) is None and (world.premium or not merge_request.reviewers):
        merge_request.reviewers.append(Reviewer(user, world.tick()))


def _names(people: Iterable[User]) -> str:
    return ", ".join(f"@{user.username}" for user in people)


def _committers(merge_request: MergeRequest) -> set[str]:
    version = merge_request.version
    rows = merge_request.project.git.git("log", "--format=%ae%n%ce", f"{version.base}..{version.head}")
    return set(rows.decode().splitlines())
