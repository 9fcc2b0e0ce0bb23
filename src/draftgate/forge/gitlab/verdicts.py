"""What the bot says about merging: its state as a reviewer, and its approval, which on GitLab are no part of a review.

Every step looks first and reads back after, so that doing it twice is doing it once, and what could not be set is said
in words. The seat of another reviewer is never taken: GitLab Free keeps one, and setting two would drop the other.

Sources: https://docs.gitlab.com/api/draft_notes/#publish-all-pending-draft-notes (``reviewer_state`` since 19.2),
https://docs.gitlab.com/api/merge_request_approvals/ and the mutation ``mergeRequestRequestChanges``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from draftgate.domain.review import PublishedReview, Verdict
from draftgate.forge.gitlab.bundle import REVIEWERS, Stance, read_states
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.drafts import Drafts
from draftgate.forge.gitlab.troubles import Refused, Trouble
from draftgate.forge.gitlab.view import View

_STATE_WITH_DRAFTS: Final = (19, 2)
_REQUESTED: Final = "requested_changes"
_REQUEST_CHANGES: Final = f"""
mutation RequestChanges($path: ID!, $iid: String!) {{
  mergeRequestRequestChanges(input: {{projectPath: $path, iid: $iid}}) {{ errors mergeRequest {{ {REVIEWERS} }} }}
}}
"""
_ADD_REVIEWER: Final = f"""
mutation AddReviewer($path: ID!, $iid: String!, $names: [String!]!) {{
  mergeRequestSetReviewers(
    input: {{projectPath: $path, iid: $iid, reviewerUsernames: $names, operationMode: APPEND}}
  ) {{ errors mergeRequest {{ {REVIEWERS} }} }}
}}
"""

States = Mapping[int, str]
"""The state of each reviewer, by account."""


class Verdicts:
    """Gives and takes back what one account says about merging."""

    def __init__(self, connection: Connection, view: View, drafts: Drafts) -> None:
        self._connection = connection
        self._view = view
        self._drafts = drafts
        self._merge_request = connection.merge_request(view.place.number)
        self._version: tuple[int, int] | None = None
        self._has_approved: bool | None = None
        self._ruled: dict[tuple[Verdict, str], str] = {}

    def why_refused(self, verdict: Verdict) -> str:
        """An approval is asked about beforehand; a request for changes that cannot be set is said afterwards.

        It is asked once for a head: GitLab has the last word when the approval is given.
        """
        asked = (verdict, self._view.last.change.head)
        if verdict is Verdict.COMMENT:
            return ""
        if asked not in self._ruled:
            stance = self._view.look_for_stance()
            if stance is not None:
                self._has_approved, self._version = stance.has_approved, _version_in(stance.version)
            self._ruled[asked] = self._why_no_approval(stance) if verdict is Verdict.APPROVE else ""
        return self._ruled[asked]

    def _why_no_approval(self, stance: Stance | None) -> str:
        author, account = self._view.facts.author, self._view.account
        if author is not None and author.login == account.login:
            return f"{account.login} wrote this merge request, and approves nothing that it wrote"
        if self._is_among(stance.addresses if stance and stance.addresses is not None else self._read_addresses()):
            return f"{account.login} has a commit in this merge request, and approves nothing that it wrote"
        if stance is None:
            approvals = self._approvals()
            self._has_approved = bool(approvals.get("user_has_approved"))
            may_approve = bool(approvals.get("user_can_approve", True))
        else:
            may_approve = stance.may_approve
        if self._has_approved or may_approve:
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

    def _is_among(self, addresses: Iterable[str]) -> bool:
        """Whether one is the bot's by the name that GitLab gives it: ``NUMBER-LOGIN@``, ``LOGIN@noreply``.

        https://docs.gitlab.com/user/profile/#use-an-automatically-generated-private-commit-email
        """
        own = re.compile(rf"(?:\d+-)?{re.escape(self._view.account.login.lower())}")
        return any(own.fullmatch(address.partition("@")[0]) for address in addresses)

    def _read_addresses(self) -> set[str]:
        """Of the authors and committers of the change, in lower case."""
        commits = self._connection.pages(f"{self._view.path}/commits")
        names = ("author_email", "committer_email")
        return {str(commit.get(name) or "").lower() for commit in commits for name in names}

    # --- Approval --------------------------------------------------------------------------------------------------

    def _approve(self, review: PublishedReview) -> str:
        """Approve the head that was reviewed; GitLab answers 409 if that moved, 401 if the bot may not."""
        if self._is_approved():
            return ""
        # An object of its own: the answer replaces what python-gitlab knows of it.
        merge_request = self._connection.merge_request(self._view.place.number)

        def approve() -> bool:
            merge_request.approve(sha=review.head)
            return True

        try:
            with self._view.unaffected():
                self._connection.write(approve, landed=lambda: True if self._read_approved() else None)
        except Refused as refused:
            if refused.trouble is Trouble.CONFLICT:
                return "the merge request is not approved: its head moved after the review was published"
            if refused.is_denied:  # 401 by the settings of approvals, 403 by the role
                return f"the merge request is not approved: GitLab does not let {self._view.account.login} approve it"
            raise
        self._has_approved = True
        return ""

    def _unapprove(self) -> str:
        """An approval of an earlier round does not stand beside a request for changes."""
        if not self._is_approved():
            return ""
        merge_request = self._connection.merge_request(self._view.place.number)

        def unapprove() -> bool:
            merge_request.unapprove()
            return True

        try:
            with self._view.unaffected():
                self._connection.write(unapprove, landed=lambda: None if self._read_approved() else True)
        except Refused as refused:
            if not refused.is_gone:
                return f"the bot's earlier approval stays ({refused.message})"
        self._has_approved = False
        return ""

    def _is_approved(self) -> bool:
        """Whether the bot's approval stands; nobody else gives or takes it, so that it is asked once."""
        return self._read_approved() if self._has_approved is None else self._has_approved

    def _read_approved(self) -> bool:
        self._has_approved = bool(self._approvals().get("user_has_approved"))
        return self._has_approved

    def _approvals(self) -> Json:
        return self._connection.get(f"{self._view.path}/approvals")

    # --- Reviewer state --------------------------------------------------------------------------------------------

    def _request_changes(self) -> str:
        is_new = (Verdict.REQUEST_CHANGES, self._view.last.change.head) in self._ruled  # else it may stand already
        if not is_new and self._state() == _REQUESTED:
            return ""
        reason = self._why_no_reviewer()
        if reason:
            return f"GitLab does not show that changes are requested: {reason}"
        if self._request() == _REQUESTED:
            return ""
        version = ".".join(map(str, self._server_version()))
        return f"GitLab {version} did not take the state `changes requested`; the review itself is published"

    def _request(self) -> str:
        """Ask for the state `changes requested`; the state that the bot has then.

        The mutation of GitLab's own pages answers with what it made of it; where it is not taken, a later server
        has another way.
        """
        try:
            state = self._ask_by_graphql()
        except Refused:
            state = self._state()
        if state != _REQUESTED and self._may_set_with_drafts():
            self._set_state(_REQUESTED)
            state = self._state()
        return state

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
        account, present = self._view.account, self._view.last.reviewers
        if account.id is None or account.id in present:
            return ""
        if present and not self._approvals().get("merge_request_approvers_available"):  # Premium says so
            return (
                f"{account.login} is not among the reviewers, and GitLab Free keeps one reviewer, whose place it does "
                "not take; let it be the only one"
            )
        try:
            now = self._add_reviewer()
        except Refused as refused:
            return f"{account.login} could not be made a reviewer ({refused.message})"
        if not set(present) <= set(now):
            return "GitLab took somebody off the reviewers when the bot was added; ask them again"
        return "" if account.id in now else f"GitLab did not make {account.login} a reviewer"

    def _add_reviewer(self) -> States:
        """Add the bot to whoever is there by then: REST sets all reviewers at once, and would undo what others do."""
        place, account = self._view.place, self._view.account
        variables = {"path": place.repository, "iid": str(place.number), "names": [account.login]}

        def add() -> States:
            answer = self._connection.query(_ADD_REVIEWER, **variables)
            return self._states_in(answer.get("mergeRequestSetReviewers"))

        def landed() -> States | None:
            states = self._states()
            return states if account.id in states else None

        with self._view.unaffected():
            return self._connection.write(add, landed=landed)

    def _ask_by_graphql(self) -> str:
        place, account = self._view.place, self._view.account
        variables = {"path": place.repository, "iid": str(place.number)}

        def ask() -> States:
            answer = self._connection.query(_REQUEST_CHANGES, **variables)
            return self._states_in(answer.get("mergeRequestRequestChanges"))

        def landed() -> States | None:
            states = self._states()
            return states if states.get(account.id or 0) == _REQUESTED else None

        with self._view.unaffected():
            return self._connection.write(ask, landed=landed).get(account.id or 0, "")

    def _states_in(self, answer: Json | None) -> States:
        """The reviewers in the answer of a mutation; asked for where it does not say."""
        states = read_states((answer or {}).get("mergeRequest"))
        return self._states() if states is None else states

    def _may_set_with_drafts(self) -> bool:
        return self._server_version() >= _STATE_WITH_DRAFTS and not self._view.drafts()

    def _set_state(self, state: str) -> None:
        """Ask for a state in the way of later servers; whether it was taken is for the caller to read."""
        try:
            if self._may_set_with_drafts():
                self._publish_nothing(state)
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

    def _state(self) -> str:
        """The bot's state as a reviewer; "" if it is none."""
        return self._states().get(self._view.account.id or 0, "")

    def _states(self) -> States:
        """The state of each reviewer, by account."""
        reviewers = self._connection.pages(f"{self._view.path}/reviewers")
        return {int((one.get("user") or {}).get("id") or 0): str(one.get("state") or "") for one in reviewers}

    def _server_version(self) -> tuple[int, int]:
        """Major and minor; (0, 0) where the server does not say."""
        if self._version is None:
            self._version = _version_in(str(self._connection.get("/version").get("version", "")))
        return self._version


def _version_in(text: str) -> tuple[int, int]:
    found = re.match(r"(\d{1,4})\.(\d{1,4})", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)
