"""GitHub's rules of whom one may ask for a review, shared by REST and GraphQL."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes.github.entities import Account, Caller, PullRequest
from tests.fakes.github.refusals import unprocessable
from tests.fakes.github.world import World


def request(
    world: World, caller: Caller, pull: PullRequest, accounts: Sequence[Account | None], *, union: bool
) -> None:
    """Ask people for a review, besides those asked before or instead of them.

    Args:
        world: Who may be asked.
        caller: Who asks.
        pull: What for.
        accounts: ``None`` is somebody who does not exist. All or nothing: one that cannot be asked fails the call.
        union: Keep those asked before.
    """
    world.require(caller, pull.repository, "write", "pull_requests")
    asked = [_reviewer(pull, account) for account in accounts]
    world.tick()
    before = pull.requested_reviewers if union else []
    pull.requested_reviewers = [*before, *(account for account in asked if account not in before)]


def _reviewer(pull: PullRequest, account: Account | None) -> Account:
    if account is pull.author:
        raise unprocessable("Review cannot be requested from pull request author.")
    if account is None or account.login not in pull.repository.collaborators:
        raise unprocessable(
            "Reviews may only be requested from collaborators. One or more of the users or teams "
            f"you specified is not a collaborator of the {pull.repository.full_name} repository."
        )
    return account
