"""What the bot says about merging: its approval and its state as a reviewer, by version, edition and seat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.domain.review import PublishedReview, Verdict
from draftgate.forge.gitlab.drafts import Drafts
from draftgate.forge.gitlab.files import ListedDiff
from draftgate.forge.gitlab.verdicts import Verdicts
from tests.fakes.gitlab import drafts, reviewing
from tests.fakes.gitlab.entities import DraftNote, Reviewer
from tests.fakes.gitlab.people import Edition, User
from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT, push
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab

VERSIONS = ("16.4.0", "17.0.0", "18.4.0", "18.11.0", "19.2.0")
REQUESTED = "requested_changes"
SEATED = "mergeRequestSetReviewers"


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path) as found:
        yield found
        assert [one for one in found.world.executed if one.user.bot] == []
        assert all("None" not in line for line in found.asked())


def verdicts(gitlab: OnGitLab, *, account: str = BOT) -> Verdicts:
    connection = gitlab.connect(account)
    view = gitlab.view(connection)
    return Verdicts(connection, view, Drafts(connection, view, ListedDiff(connection, view)))


def settle(gitlab: OnGitLab, verdict: Verdict, *, head: str = "") -> str:
    review = PublishedReview(
        reference="https://gitlab.example.invalid/#note_9",
        seal="5" * 64,
        payload_digest="0" * 64,
        numbers=(1,),
        author=gitlab.scenario.bot.username,
        head=CommitSha(head or gitlab.head),
        verdict=verdict,
        body="One thing.",
        comments=(),
        submitted_at="2026-01-02T10:00:00Z",
    )
    return verdicts(gitlab).settle(review)


def seat(gitlab: OnGitLab, *names: str, state: str = "unreviewed") -> None:
    people = [gitlab.scenario.person(name) for name in names]
    gitlab.scenario.merge_request.reviewers[:] = [Reviewer(user, gitlab.world.now, state) for user in people]


def seated(gitlab: OnGitLab) -> Sequence[User]:
    return [reviewer.user for reviewer in gitlab.scenario.merge_request.reviewers]


def state_of(gitlab: OnGitLab) -> str:
    reviewer = gitlab.scenario.merge_request.reviewer(gitlab.scenario.bot)
    return "" if reviewer is None else reviewer.state


def writes(gitlab: OnGitLab) -> list[str]:
    return [entry.line.rpartition("merge_requests/1/")[2] for entry in gitlab.simulator.log.writes]


# --- Requesting changes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_mutation", [True, False])
@pytest.mark.parametrize("is_reviewer", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("edition", Edition)
def test_changes_are_requested_in_the_way_that_the_server_has_and_said_where_it_has_none(
    gitlab: OnGitLab, version: str, edition: Edition, *, is_reviewer: bool, has_mutation: bool
) -> None:
    gitlab.world.version, gitlab.world.edition = version, edition
    gitlab.world.has_request_mutation = has_mutation
    if is_reviewer:
        seat(gitlab, BOT)

    said = settle(gitlab, Verdict.REQUEST_CHANGES)

    is_taken = version == "19.2.0" or (has_mutation and version != "16.4.0")
    if is_taken:
        assert (said, state_of(gitlab)) == ("", REQUESTED)
    else:
        short = version.removesuffix(".0")
        assert said == f"GitLab {short} did not take the state `changes requested`; the review itself is published"
        assert state_of(gitlab) == "unreviewed"
    assert seated(gitlab) == [gitlab.scenario.bot]
    assert gitlab.world.displaced == []
    is_last_resort = version == "19.2.0" and not has_mutation
    assert any("bulk_publish" in line for line in writes(gitlab)) == is_last_resort


def test_requesting_twice_is_requesting_once(gitlab: OnGitLab) -> None:
    settle(gitlab, Verdict.REQUEST_CHANGES)
    before = len(writes(gitlab))

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""
    assert len(writes(gitlab)) == before


@pytest.mark.parametrize("kept", ["first", "last"])
@pytest.mark.parametrize("edition", [Edition.CE, Edition.FREE])
def test_the_seat_of_one_other_reviewer_is_never_taken(gitlab: OnGitLab, edition: Edition, kept: str) -> None:
    """GitLab Free keeps one reviewer: setting two would drop somebody without a word."""
    gitlab.world.edition, gitlab.world.kept_reviewer = edition, kept  # type: ignore[assignment]
    seat(gitlab, "maintainer")

    said = settle(gitlab, Verdict.REQUEST_CHANGES)

    assert "is not among the reviewers, and GitLab Free keeps one reviewer" in said
    assert seated(gitlab) == [gitlab.scenario.person("maintainer")]
    assert (gitlab.world.displaced, writes(gitlab)) == ([], [])


def test_the_bot_is_added_to_one_other_on_premium(gitlab: OnGitLab) -> None:
    gitlab.world.edition = Edition.PREMIUM
    seat(gitlab, "maintainer")

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""
    assert seated(gitlab) == [gitlab.scenario.person("maintainer"), gitlab.scenario.bot]
    assert gitlab.world.displaced == []


def test_the_bot_is_added_to_two_others_on_premium(gitlab: OnGitLab) -> None:
    gitlab.world.edition = Edition.PREMIUM
    seat(gitlab, "maintainer", "developer", state="approved")

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""

    assert [user.username for user in seated(gitlab)][:2] == ["maintainer", "developer"]
    assert [one.state for one in gitlab.scenario.merge_request.reviewers] == ["approved", "approved", REQUESTED]
    assert gitlab.world.displaced == []


@pytest.mark.parametrize("kept", ["first", "last"])
def test_two_others_keep_their_seats_where_premium_ended(gitlab: OnGitLab, kept: str) -> None:
    gitlab.world.kept_reviewer = kept  # type: ignore[assignment]
    seat(gitlab, "maintainer", "developer")

    said = settle(gitlab, Verdict.REQUEST_CHANGES)

    assert said
    assert [user.username for user in seated(gitlab)] == ["maintainer", "developer"]


def test_a_server_without_graphql_takes_no_request_before_19_2(gitlab: OnGitLab) -> None:
    gitlab.simulator.faults.add("404", match="graphql", times=None)
    seat(gitlab, BOT)

    said = settle(gitlab, Verdict.REQUEST_CHANGES)

    assert said.startswith("GitLab 18.4 did not take the state `changes requested`")
    assert state_of(gitlab) == "unreviewed"


def test_a_server_without_graphql_takes_a_request_since_19_2(gitlab: OnGitLab) -> None:
    gitlab.world.version = "19.2.0"
    gitlab.simulator.faults.add("404", match="graphql", times=None)

    assert "could not be made a reviewer" in settle(gitlab, Verdict.REQUEST_CHANGES)
    seat(gitlab, BOT)
    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""
    assert state_of(gitlab) == REQUESTED


def test_drafts_of_another_program_are_not_published_for_a_state(gitlab: OnGitLab) -> None:
    """Since 19.2 the state goes with publishing; where drafts wait, GraphQL is asked instead."""
    gitlab.world.version = "19.2.0"
    one, bot = gitlab.scenario.merge_request, gitlab.scenario.bot
    drafts.create(gitlab.world, bot, one, DraftNote(id=0, merge_request=one, author=bot, note="another program's"))

    settle(gitlab, Verdict.REQUEST_CHANGES)

    assert [draft.note for draft in one.drafts] == ["another program's"]
    assert not [line for line in writes(gitlab) if "bulk_publish" in line]


def test_a_role_that_may_not_set_reviewers_is_said_in_words(gitlab: OnGitLab) -> None:
    gitlab.simulator.faults.add("403", match=SEATED)

    said = settle(gitlab, Verdict.REQUEST_CHANGES)

    assert "could not be made a reviewer" in said
    assert seated(gitlab) == []


@pytest.mark.parametrize("version", ["18.4.0", "19.2.0"])
def test_a_request_whose_answer_is_lost_is_found(gitlab: OnGitLab, version: str) -> None:
    gitlab.world.version = version
    gitlab.simulator.faults.add("502", match="bulk_publish|mergeRequestRequestChanges", when="after")

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""
    assert state_of(gitlab) == REQUESTED


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_seat_whose_answer_is_lost_is_looked_for(gitlab: OnGitLab, when: str) -> None:
    gitlab.simulator.faults.add("502", match=SEATED, when=when)

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""
    assert seated(gitlab) == [gitlab.scenario.bot]


def test_an_approval_of_an_earlier_round_goes_with_a_request(gitlab: OnGitLab) -> None:
    reviewing.approve(gitlab.world, gitlab.scenario.merge_request, gitlab.scenario.bot)

    assert settle(gitlab, Verdict.REQUEST_CHANGES) == ""

    assert not gitlab.scenario.merge_request.approved_by(gitlab.scenario.bot)
    assert state_of(gitlab) == REQUESTED
    assert writes(gitlab)[0] == "unapprove"


@pytest.mark.parametrize(("effect", "words"), [("404", ""), ("403", "the bot's earlier approval stays")])
def test_an_approval_that_cannot_be_taken_back_is_said(gitlab: OnGitLab, effect: str, words: str) -> None:
    """404 is what GitLab says of an approval that is gone already."""
    reviewing.approve(gitlab.world, gitlab.scenario.merge_request, gitlab.scenario.bot)
    gitlab.simulator.faults.add(effect, match="/unapprove$")

    assert settle(gitlab, Verdict.REQUEST_CHANGES).startswith(words)


# --- Lifting a request -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "said", "state"),
    [
        ("18.11.0", "the earlier request for changes stays: before GitLab 19.2 only an approval by the bot", REQUESTED),
        ("19.2.0", "", "reviewed"),
    ],
)
def test_a_comment_lifts_an_earlier_request_where_the_version_can(
    gitlab: OnGitLab, version: str, said: str, state: str
) -> None:
    gitlab.world.version, gitlab.world.edition = version, Edition.PREMIUM
    settle(gitlab, Verdict.REQUEST_CHANGES)

    words = settle(gitlab, Verdict.COMMENT)

    assert words.startswith(said)
    assert bool(words) == bool(said)
    assert state_of(gitlab) == state
    assert (gitlab.scenario.bot in gitlab.scenario.merge_request.change_requests) == (state == REQUESTED)


def test_a_comment_without_an_earlier_request_writes_nothing(gitlab: OnGitLab) -> None:
    assert settle(gitlab, Verdict.COMMENT) == ""
    seat(gitlab, BOT)
    assert settle(gitlab, Verdict.COMMENT) == ""

    assert writes(gitlab) == []


# --- Approving -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", Edition)
@pytest.mark.parametrize("version", VERSIONS)
def test_an_approval_is_given_once(gitlab: OnGitLab, version: str, edition: Edition) -> None:
    """The answer of the Community Edition has no `iid`, and python-gitlab puts it in the object's place."""
    gitlab.world.version, gitlab.world.edition = version, edition

    assert [settle(gitlab, Verdict.APPROVE) for _ in range(2)] == ["", ""]

    assert [user for user, _ in gitlab.scenario.merge_request.approvals] == [gitlab.scenario.bot]
    assert len(writes(gitlab)) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_an_approval_whose_answer_is_lost_is_looked_for(gitlab: OnGitLab, when: str) -> None:
    gitlab.simulator.faults.add("502", match="/approve$", when=when)

    assert settle(gitlab, Verdict.APPROVE) == ""
    assert len(gitlab.scenario.merge_request.approvals) == 1


def test_a_head_that_moved_is_not_approved(gitlab: OnGitLab) -> None:
    reviewed = gitlab.head
    push(gitlab.world, gitlab.scenario.merge_request, {"more.txt": "more\n"})

    said = settle(gitlab, Verdict.APPROVE, head=reviewed)

    assert said == "the merge request is not approved: its head moved after the review was published"
    assert gitlab.scenario.merge_request.approvals == []


def test_401_is_no_bad_token_where_an_approval_was_asked_for(gitlab: OnGitLab) -> None:
    gitlab.world.edition = Edition.PREMIUM
    gitlab.scenario.merge_request.author = gitlab.scenario.bot

    said = settle(gitlab, Verdict.APPROVE)

    assert said == f"the merge request is not approved: GitLab does not let {gitlab.scenario.bot.username} approve it"


def test_403_is_about_the_role_and_said_in_words(gitlab: OnGitLab) -> None:
    """The review is published by then."""
    gitlab.simulator.faults.add("403", match="/approve$")

    assert "does not let" in settle(gitlab, Verdict.APPROVE)


def test_another_refusal_is_said_in_words(gitlab: OnGitLab) -> None:
    gitlab.simulator.faults.add("422", match="/approve$")

    assert settle(gitlab, Verdict.APPROVE).startswith("approval and reviewer state are as they were: ")


def test_an_approval_ends_an_earlier_request_on_every_version(gitlab: OnGitLab) -> None:
    gitlab.world.edition = Edition.PREMIUM
    settle(gitlab, Verdict.REQUEST_CHANGES)

    assert settle(gitlab, Verdict.APPROVE) == ""
    assert state_of(gitlab) == "approved"
    assert gitlab.scenario.merge_request.change_requests == set()


# --- Asked beforehand ------------------------------------------------------------------------------------------------


def test_a_comment_needs_no_leave(gitlab: OnGitLab) -> None:
    made = verdicts(gitlab)
    before = len(gitlab.simulator.log)

    assert made.why_refused(Verdict.COMMENT) == ""
    assert len(gitlab.simulator.log) == before


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.REQUEST_CHANGES])
def test_leave_is_asked_once_for_a_head(gitlab: OnGitLab, verdict: Verdict, version: str) -> None:
    gitlab.world.version = version
    made = verdicts(gitlab)
    made.why_refused(verdict)
    before = len(gitlab.simulator.log)

    assert made.why_refused(verdict) == ""
    assert len(gitlab.simulator.log) == before


@pytest.mark.parametrize("edition", Edition)
def test_the_author_approves_nothing_of_its_own(gitlab: OnGitLab, edition: Edition) -> None:
    """Free would let it; a review by whoever wrote the change is none."""
    gitlab.world.edition = edition
    gitlab.scenario.merge_request.author = gitlab.scenario.bot

    assert "approves nothing that it wrote" in verdicts(gitlab).why_refused(Verdict.APPROVE)


def test_a_role_that_may_not_approve_is_refused_before_anything_is_published(gitlab: OnGitLab) -> None:
    assert "does not let" in verdicts(gitlab, account=REPORTER_BOT).why_refused(Verdict.APPROVE)
    assert verdicts(gitlab).why_refused(Verdict.APPROVE) == ""


@pytest.mark.parametrize("later", [0, 100], ids=["alone", "below a hundred others"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "address", ["{login}@noreply.gitlab.example.invalid", "4711-{login}@users.noreply.example.invalid"]
)
def test_whoever_has_a_commit_in_the_change_approves_nothing_of_it(
    gitlab: OnGitLab, address: str, version: str, later: int
) -> None:
    """GraphQL gives a hundred commits at once, the newest first."""
    gitlab.world.version = version
    one, git = gitlab.scenario.merge_request, gitlab.scenario.project.git
    email = address.format(login=gitlab.scenario.bot.username)
    tree = git.git("rev-parse", f"{gitlab.head}^{{tree}}").decode().strip()
    made = git.git("commit-tree", tree, "-p", gitlab.head, "-m", "By the bot", GIT_AUTHOR_EMAIL=email).decode().strip()
    for number in range(later):
        made = git.git("commit-tree", tree, "-p", made, "-m", f"Later {number}").decode().strip()
    git.git("update-ref", f"refs/heads/{one.source_branch}", made)

    assert "has a commit in this merge request" in verdicts(gitlab).why_refused(Verdict.APPROVE)


def test_who_has_approved_may_approve(gitlab: OnGitLab) -> None:
    """GitLab says `user_can_approve: false` of those who have."""
    reviewing.approve(gitlab.world, gitlab.scenario.merge_request, gitlab.scenario.bot)

    assert verdicts(gitlab).why_refused(Verdict.APPROVE) == ""
