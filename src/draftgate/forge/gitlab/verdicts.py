"""What the bot says about merging: its state as a reviewer, and its approval, which on GitLab are no part of a review.

Every step looks first and reads back after, so that doing it twice is doing it once, and what could not be set is said
in words. The seat of another reviewer is never taken: GitLab Free keeps one, and setting two would drop the other.

Sources: https://docs.gitlab.com/api/draft_notes/#publish-all-pending-draft-notes (``reviewer_state`` since 19.2),
https://docs.gitlab.com/api/merge_request_approvals/ and the mutation ``mergeRequestRequestChanges``.
"""

from __future__ import annotations

import re
from typing import Final

from draftgate.domain.review import PublishedReview, Verdict
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.drafts import Drafts
from draftgate.forge.gitlab.troubles import Refused, Trouble
from draftgate.forge.gitlab.view import View

_STATE_WITH_DRAFTS: Final = (19, 2)
_REQUESTED: Final = "requested_changes"
_REQUEST_CHANGES: Final = """
mutation RequestChanges($path: ID!, $iid: String!) {
  mergeRequestRequestChanges(input: {projectPath: $path, iid: $iid}) { errors }
}
"""
_ADD_REVIEWER: Final = """
mutation AddReviewer($path: ID!, $iid: String!, $names: [String!]!) {
  mergeRequestSetReviewers(
    input: {projectPath: $path, iid: $iid, reviewerUsernames: $names, operationMode: APPEND}
  ) { errors }
}
"""


class Verdicts:
    """Gives and takes back what one account says about merging."""

    def __init__(self, connection: Connection, view: View, drafts: Drafts) -> None:
        self._connection = connection
        self._view = view
        self._drafts = drafts
        self._merge_request = connection.merge_request(view.place.number)
        self._version: tuple[int, int] | None = None

    def why_refused(self, verdict: Verdict) -> str:
        """An approval is asked about beforehand; a request for changes that cannot be set is said afterwards."""
        if verdict is not Verdict.APPROVE:
            return ""
        author, account = self._view.facts.author, self._view.account
        if author is not None and author.login == account.login:
            return f"{account.login} wrote this merge request, and approves nothing that it wrote"
        if self._has_commit():
            return f"{account.login} has a commit in this merge request, and approves nothing that it wrote"
        approvals = self._approvals()
        if approvals.get("user_has_approved") or approvals.get("user_can_approve", True):
            return ""
        return (
            f"GitLab does not let {account.login} approve this merge request (its role, its commits in the change, or "
            "the project's approval settings)"
        )

    def settle(self, review: PublishedReview) -> str:
        """Bring approval and reviewer state in line with a review; why that could not be done, "" if it is."""
        try:
            return self._settle(review)
        except Refused as refused:  # what it declines now it declines every time, and the review is published
            return f"approval and reviewer state are as they were: {refused.message}"

    def _settle(self, review: PublishedReview) -> str:
        if review.verdict is Verdict.APPROVE:
            return self._approve(review)
        if review.verdict is Verdict.REQUEST_CHANGES:
            return "; ".join(filter(None, (self._unapprove(), self._request_changes())))
        return self._lift_request(review)

    def _has_commit(self) -> bool:
        """Whether a commit names the bot by the address that GitLab gives to it: ``NUMBER-LOGIN@``, ``LOGIN@noreply``.

        https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email
        """
        login = self._view.account.login.lower()
        for commit in self._connection.pages(f"{self._view.path}/commits"):
            for name in ("author_email", "committer_email"):
                user = str(commit.get(name) or "").lower().partition("@")[0]
                if user == login or re.fullmatch(rf"\d+-{re.escape(login)}", user):
                    return True
        return False

    # --- Approval --------------------------------------------------------------------------------------------------

    def _approve(self, review: PublishedReview) -> str:
        """Approve the head that was reviewed; GitLab answers 409 if that moved, 401 if the bot may not."""
        if self._approvals().get("user_has_approved"):
            return ""
        # An object of its own: the answer replaces what python-gitlab knows of it.
        merge_request = self._connection.merge_request(self._view.place.number)

        def approve() -> bool:
            merge_request.approve(sha=review.head)
            return True

        try:
            self._connection.write(approve, landed=lambda: True if self._approvals().get("user_has_approved") else None)
        except Refused as refused:
            if refused.trouble is Trouble.CONFLICT:
                return "the merge request is not approved: its head moved after the review was published"
            if refused.is_denied:  # 401 by the settings of approvals, 403 by the role
                return f"the merge request is not approved: GitLab does not let {self._view.account.login} approve it"
            raise
        finally:
            self._view.forget()
        return ""

    def _unapprove(self) -> str:
        """An approval of an earlier round does not stand beside a request for changes."""
        if not self._approvals().get("user_has_approved"):
            return ""
        merge_request = self._connection.merge_request(self._view.place.number)

        def unapprove() -> bool:
            merge_request.unapprove()
            return True

        try:
            self._connection.write(
                unapprove, landed=lambda: None if self._approvals().get("user_has_approved") else True
            )
        except Refused as refused:
            if not refused.is_gone:
                return f"the bot's earlier approval stays ({refused.message})"
        finally:
            self._view.forget()
        return ""

    def _approvals(self) -> Json:
        return self._connection.get(f"{self._view.path}/approvals")

    # --- Reviewer state --------------------------------------------------------------------------------------------

    def _request_changes(self) -> str:
        if self._state() == _REQUESTED:
            return ""
        reason = self._why_no_reviewer()
        if reason:
            return f"GitLab does not show that changes are requested: {reason}"
        self._set_state(_REQUESTED)
        if self._state() == _REQUESTED:
            return ""
        version = ".".join(map(str, self._server_version()))
        return f"GitLab {version} did not take the state `changes requested`; the review itself is published"

    def _lift_request(self, review: PublishedReview) -> str:
        """A request for changes of ours that no longer holds.

        The draft notes of a new round hide it in the bot's state, and on Premium it goes on to block the merge.
        """
        if self._view.account.id not in self._view.last.reviewers:
            return ""
        before = [summary.verdict for summary in self._view.summaries() if summary.seal != review.seal]
        if self._state() != _REQUESTED and before[-1:] != [Verdict.REQUEST_CHANGES]:
            return ""
        self._set_state("reviewed")
        if self._state() != _REQUESTED and not self._is_merge_blocked():
            return ""
        return (
            "the earlier request for changes stays: before GitLab 19.2 only an approval by the bot, or taking it off "
            "the reviewers, lifts it"
        )

    def _is_merge_blocked(self) -> bool:
        """Whether GitLab holds the merge back because somebody requests changes."""
        return self._connection.get(self._view.path).get("detailed_merge_status") == _REQUESTED

    def _why_no_reviewer(self) -> str:
        """Make the bot a reviewer, if that costs nobody the seat; why it is none, "" if it is one."""
        account, present = self._view.account, self._view.now().reviewers
        if account.id is None or account.id in present:
            return ""
        if present and not self._approvals().get("merge_request_approvers_available"):  # Premium says so
            return (
                f"{account.login} is not among the reviewers, and GitLab Free keeps one reviewer, whose place it does "
                "not take; let it be the only one"
            )
        try:
            self._add_reviewer()
        except Refused as refused:
            return f"{account.login} could not be made a reviewer ({refused.message})"
        now = self._view.now().reviewers
        if not set(present) <= set(now):
            return "GitLab took somebody off the reviewers when the bot was added; ask them again"
        return "" if account.id in now else f"GitLab did not make {account.login} a reviewer"

    def _add_reviewer(self) -> None:
        """Add the bot to whoever is there by then: REST sets all reviewers at once, and would undo what others do."""
        place, account = self._view.place, self._view.account
        variables = {"path": place.repository, "iid": str(place.number), "names": [account.login]}

        def landed() -> bool | None:
            self._view.forget()
            return True if account.id in self._view.now().reviewers else None

        self._connection.write(lambda: self._connection.query(_ADD_REVIEWER, **variables) is not None, landed=landed)
        self._view.forget()

    def _set_state(self, state: str) -> None:
        """Ask for a state by the server's version; whether it took it is for the caller to read."""
        try:
            if self._server_version() >= _STATE_WITH_DRAFTS and not self._view.drafts():
                self._publish_nothing(state)
            elif state == _REQUESTED:
                self._ask_by_graphql()
        except Refused:
            return
        finally:
            self._view.forget()

    def _publish_nothing(self, state: str) -> None:
        """With no draft notes there, this sets the state and nothing else."""
        manager = self._merge_request.draft_notes

        def publish() -> bool:
            manager.bulk_publish(post_data={"reviewer_state": state})
            return True

        self._connection.write(publish, landed=lambda: True if self._state() == state else None)

    def _ask_by_graphql(self) -> None:
        place = self._view.place
        variables = {"path": place.repository, "iid": str(place.number)}
        self._connection.write(
            lambda: self._connection.query(_REQUEST_CHANGES, **variables) is not None,
            landed=lambda: True if self._state() == _REQUESTED else None,
        )

    def _state(self) -> str:
        """The bot's state as a reviewer; "" if it is none."""
        for reviewer in self._connection.pages(f"{self._view.path}/reviewers"):
            if (reviewer.get("user") or {}).get("id") == self._view.account.id:
                return str(reviewer.get("state") or "")
        return ""

    def _server_version(self) -> tuple[int, int]:
        """Major and minor; (0, 0) where the server does not say."""
        if self._version is None:
            found = re.match(r"(\d{1,4})\.(\d{1,4})", str(self._connection.get("/version").get("version", "")))
            self._version = (int(found[1]), int(found[2])) if found else (0, 0)
        return self._version
