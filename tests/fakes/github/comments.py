"""GitHub's rules of issue comments and of reactions, shared by REST and GraphQL."""

from __future__ import annotations

from tests.fakes.github.entities import Caller, Issue, IssueComment, PullRequest, Reaction, Remark, Repository
from tests.fakes.github.refusals import Forbidden, NotFound, validation_failed
from tests.fakes.github.world import World

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
_EITHER = ("issues", "pull_requests")


def create(world: World, caller: Caller, issue: Issue, body: str) -> IssueComment:
    """A comment under an issue or a pull request."""
    _require(world, caller, issue)
    world.check_body(body, "IssueComment")
    now = world.tick()
    number, node_id = world.new_ids("IC")
    comment = IssueComment(
        id=number,
        node_id=node_id,
        author=caller.account,
        body=body,
        created_at=now,
        updated_at=now,
        issue=issue,
    )
    issue.comments.append(world.keep(comment))
    issue.updated_at = now
    return comment


def edit(world: World, caller: Caller, comment: IssueComment, body: str) -> IssueComment:
    """Replace the text of a comment; its author and people with write access may."""
    _require(world, caller, comment.issue)
    world.require_hand(caller, comment.issue.repository, comment)
    world.check_body(body, "IssueComment")
    world.edit(comment, caller.account, body)
    return comment


def delete(world: World, caller: Caller, comment: IssueComment) -> None:
    """Remove a comment and what hangs on it."""
    _require(world, caller, comment.issue)
    world.require_hand(caller, comment.issue.repository, comment)
    world.tick()
    comment.issue.comments.remove(comment)
    world.forget(comment)


def minimize(world: World, caller: Caller, repository: Repository, remark: Remark, classifier: str) -> None:
    """Hide a comment under a classifier (``OUTDATED`` and the like)."""
    world.require(caller, repository, "write", *_EITHER)
    world.require_hand(caller, repository, remark)
    world.tick()
    remark.minimized = classifier


def react(world: World, caller: Caller, repository: Repository, remark: Remark, content: str) -> tuple[Reaction, bool]:
    """A reaction, and whether it is new: one of each kind per account."""
    world.require(caller, repository, "write", *_EITHER)
    if content not in CONTENTS:
        raise validation_failed("Reaction", "content", f"{content} is not a reaction", code="invalid")
    for reaction in remark.reactions:
        if reaction.account is caller.account and reaction.content == content:
            return reaction, False
    number, node_id = world.new_ids("REA")
    made = world.keep(Reaction(number, node_id, caller.account, content, world.tick()))
    remark.reactions.append(made)
    return made, True


def remove_reaction(world: World, caller: Caller, repository: Repository, remark: Remark, number: int) -> None:
    """Take one's own reaction back."""
    world.require(caller, repository, "write", *_EITHER)
    found = next((reaction for reaction in remark.reactions if reaction.id == number), None)
    if found is None:
        raise NotFound
    if found.account is not caller.account:
        raise Forbidden("You may only remove your own reactions")
    world.tick()
    remark.reactions.remove(found)
    world.forget(found)


def _require(world: World, caller: Caller, issue: Issue) -> None:
    """Comments on a pull request can be written with either permission, those on an issue with one."""
    names = _EITHER if isinstance(issue, PullRequest) else ("issues",)
    world.require(caller, issue.repository, "write", *names)
