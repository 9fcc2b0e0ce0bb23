"""The simulated GitLab holds approvals, reviewers and statuses to the rules of its edition and version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from gitlab.exceptions import GitlabAuthenticationError, GitlabCreateError, GitlabError, GitlabMRApprovalError

from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT, push
from tests.fakes.gitlab.stage import Stage
from tests.git_builder import IDENTITY_EMAIL

OpenGitlab = Callable[..., Stage]
CE_FIELDS = {"user_has_approved", "user_can_approve", "approved", "approved_by"}
REQUEST_CHANGES = """
    mutation($path: ID!, $iid: String!) {
      mergeRequestRequestChanges(input: {projectPath: $path, iid: $iid}) { errors }
    }
"""


def set_reviewers(stage: Stage, *names: str, by: str = BOT) -> None:
    stage.ask("PUT", "", by, json={"reviewer_ids": [stage.scenario.person(name).id for name in names]})


def reviewers(stage: Stage) -> list[tuple[str, str]]:
    found = stage.merge_request().reviewer_details.list(get_all=True)
    return [(each.user["username"], each.state) for each in found]


def graphql(stage: Stage, query: str, name: str = BOT, **variables: object) -> Any:  # noqa: ANN401, JSON
    body: dict[str, Any] = {"query": query, "variables": variables}
    answer = stage.opened.enter_context(stage.client(name).session).post(
        stage.simulator.graphql_url, json=body, headers={"PRIVATE-TOKEN": stage.scenario.tokens[name]}, timeout=10
    )
    return answer.json()


# --- Approvals ---


def test_an_approval_of_the_community_edition_has_four_fields(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(tier="ce")
    merge_request = stage.project().mergerequests.get(1)

    merge_request.approve(sha=merge_request.sha)

    answer = stage.ask("GET", "approvals").json()
    assert (set(answer), answer["approved"], answer["user_has_approved"]) == (CE_FIELDS, True, True)
    assert merge_request.get_id() is None, "python-gitlab took the answer for the merge request"


def test_a_path_with_none_in_it_is_noticed(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(tier="ce")
    merge_request = stage.project().mergerequests.get(1)
    merge_request.approve()

    with pytest.raises(GitlabError):
        merge_request.unapprove()

    assert "the path names nothing" in stage.simulator.violations[0]
    assert stage.simulator.log[-1].path.endswith("/merge_requests/None/unapprove")
    stage.simulator.violations.clear()


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_the_enterprise_edition_says_more(open_gitlab: OpenGitlab, tier: str) -> None:
    stage = open_gitlab(tier=tier)
    merge_request = stage.project().mergerequests.get(1)

    merge_request.approve()

    assert merge_request.iid == 1
    assert merge_request.approvals.get().approvals_left == 0


def test_an_approval_for_another_head_is_409(stage: Stage) -> None:
    before = stage.scenario.merge_request.version.head
    push(stage.world, stage.scenario.merge_request, {"more.txt": "more\n"})

    with pytest.raises(GitlabMRApprovalError) as refused:
        stage.merge_request().approve(sha=before)

    assert (refused.value.response_code, stage.scenario.merge_request.approvals) == (409, [])


def test_approving_again_is_401_which_looks_like_a_bad_token(stage: Stage) -> None:
    stage.merge_request().approve()

    with pytest.raises(GitlabAuthenticationError):
        stage.merge_request().approve()


def test_who_may_not_change_a_merge_request_may_not_approve_it(stage: Stage) -> None:
    with pytest.raises(GitlabMRApprovalError) as refused:
        stage.merge_request(REPORTER_BOT).approve()

    assert refused.value.response_code == 403


@pytest.mark.parametrize(
    ("tier", "setting", "allowed"),
    [("ce", False, True), ("free", False, True), ("premium", False, False), ("premium", True, True)],
)
def test_authors_approve_their_own_unless_premium_forbids_it(
    open_gitlab: OpenGitlab, tier: str, *, setting: bool, allowed: bool
) -> None:
    stage = open_gitlab(tier=tier)
    stage.scenario.project.author_approval = setting

    answer = stage.ask("POST", "approve", "author")

    assert answer.status_code == (201 if allowed else 401)


def test_committers_do_not_approve_where_premium_forbids_it(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(tier="premium")
    stage.scenario.project.committers_approval = False
    stage.scenario.person("developer").email = IDENTITY_EMAIL

    assert stage.ask("POST", "approve", "developer").status_code == 401
    assert stage.ask("POST", "approve", "maintainer").status_code == 201


def test_an_approval_is_taken_back_once(stage: Stage) -> None:
    stage.merge_request().approve()
    stage.merge_request().unapprove()

    with pytest.raises(GitlabError) as refused:
        stage.merge_request().unapprove()

    assert refused.value.response_code == 404


def test_an_approval_can_publish_the_drafts_and_does_not_say_if_it_could_not(stage: Stage) -> None:
    stage.world.bad_draft = "fail"
    position = stage.position("rooms/mail.py", new_line=100)
    stage.merge_request().draft_notes.create({"note": "good"})
    stage.merge_request().draft_notes.create({"note": "bad", "position": position})

    stage.merge_request().approve(publish_review=True)

    assert stage.scenario.merge_request.approved_by(stage.scenario.bot)
    assert len(stage.scenario.merge_request.drafts) == 2


@pytest.mark.parametrize(("tier", "left"), [("free", 1), ("premium", 0)])
def test_commits_undo_approvals_on_premium(open_gitlab: OpenGitlab, tier: str, left: int) -> None:
    stage = open_gitlab(tier=tier)
    stage.merge_request().approve()

    push(stage.world, stage.scenario.merge_request, {"more.txt": "more\n"})

    assert len(stage.scenario.merge_request.approvals) == left


# --- Reviewers ---


@pytest.mark.parametrize(
    ("tier", "kept", "expected"),
    [
        ("ce", "first", ["developer"]),
        ("free", "first", ["developer"]),
        ("free", "last", ["maintainer"]),
        ("premium", "first", ["developer", "maintainer"]),
    ],
)
def test_without_premium_there_is_one_reviewer(
    open_gitlab: OpenGitlab, tier: str, kept: str, expected: list[str]
) -> None:
    stage = open_gitlab(tier=tier)
    stage.world.kept_reviewer = "last" if kept == "last" else "first"

    set_reviewers(stage, "developer", "maintainer")

    assert [name for name, _ in reviewers(stage)] == expected


def test_setting_reviewers_displaces_those_who_are_not_named(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(tier="premium")
    set_reviewers(stage, "developer", "maintainer")
    stage.merge_request("developer").draft_notes.create({"note": "x"})

    set_reviewers(stage, "developer", BOT)

    assert reviewers(stage) == [("developer", "review_started"), (stage.scenario.bot.username, "unreviewed")]
    assert [each.reviewer.username for each in stage.world.displaced] == ["maintainer"]


def test_reviewers_are_set_by_developers_and_of_others_not_even_refused(stage: Stage) -> None:
    stage.scenario.project.members.pop(stage.scenario.person("author"))

    answer = stage.ask("PUT", "", "author", json={"reviewer_ids": [stage.scenario.bot.id], "description": "New"})

    assert (answer.status_code, answer.json()["description"], answer.json()["reviewers"]) == (200, "New", [])
    assert stage.ask("PUT", "", REPORTER_BOT, json={"description": "x"}).status_code == 403


def test_a_reviewer_is_told_apart_by_what_they_have_come_to(stage: Stage) -> None:
    set_reviewers(stage, BOT)
    states = [reviewers(stage)[0][1]]

    stage.merge_request().draft_notes.create({"note": "x"})
    states.append(reviewers(stage)[0][1])
    stage.merge_request().draft_notes.bulk_publish()
    states.append(reviewers(stage)[0][1])
    stage.merge_request().approve()
    states.append(reviewers(stage)[0][1])
    stage.merge_request().unapprove()
    states.append(reviewers(stage)[0][1])
    stage.ask("POST", "notes", json={"body": f"/request_review @{stage.scenario.bot.username}"})
    states.append(reviewers(stage)[0][1])

    assert states == ["unreviewed", "review_started", "reviewed", "approved", "unapproved", "unreviewed"]


def test_who_submits_a_review_becomes_a_reviewer_where_that_is_on(stage: Stage) -> None:
    stage.world.submitters_review = True
    stage.merge_request().draft_notes.create({"note": "x"})

    stage.merge_request().draft_notes.bulk_publish()

    assert reviewers(stage) == [(stage.scenario.bot.username, "reviewed")]


@pytest.mark.parametrize(("tier", "status"), [("free", "mergeable"), ("premium", "requested_changes")])
def test_asking_for_changes_blocks_on_premium(open_gitlab: OpenGitlab, tier: str, status: str) -> None:
    stage = open_gitlab(tier=tier)
    set_reviewers(stage, BOT)

    answer = graphql(stage, REQUEST_CHANGES, path=stage.scenario.project.full_path, iid="1")

    assert answer == {"data": {"mergeRequestRequestChanges": {"errors": []}}}
    assert reviewers(stage) == [(stage.scenario.bot.username, "requested_changes")]
    assert stage.project().mergerequests.get(1).detailed_merge_status == status


def test_a_mutation_that_is_refused_says_so_inside_of_its_data(stage: Stage) -> None:
    path = stage.scenario.project.full_path

    mine = graphql(stage, REQUEST_CHANGES, path=path, iid="1")
    strangers = graphql(stage, REQUEST_CHANGES, "outsider", path=path, iid="1")
    wrong = graphql(stage, "{ currentUser { id nothing } }")

    assert mine["data"]["mergeRequestRequestChanges"]["errors"] == ["Reviewer not found"]
    assert strangers["data"]["mergeRequestRequestChanges"] is None
    assert "don't have permission" in strangers["errors"][0]["message"]
    assert "data" not in wrong
    assert "Cannot query field 'nothing'" in wrong["errors"][0]["message"]


def test_graphql_tells_who_one_is_and_sets_reviewers(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(tier="premium")
    set_reviewers(stage, "maintainer")
    mutation = """
        mutation($path: ID!, $names: [String!]!) {
          mergeRequestSetReviewers(
            input: {projectPath: $path, iid: "1", reviewerUsernames: $names, operationMode: APPEND}
          ) { errors mergeRequest { reviewers { nodes { username mergeRequestInteraction { reviewState } } } } }
        }
    """

    who = graphql(stage, "{ currentUser { id username } }")["data"]["currentUser"]
    done = graphql(stage, mutation, path=stage.scenario.project.full_path, names=["developer"])

    bot = stage.scenario.bot
    assert who == {"id": f"gid://gitlab/User/{bot.id}", "username": bot.username}
    nodes = done["data"]["mergeRequestSetReviewers"]["mergeRequest"]["reviewers"]["nodes"]
    assert [node["username"] for node in nodes] == ["maintainer", "developer"]
    assert nodes[0]["mergeRequestInteraction"] == {"reviewState": "UNREVIEWED"}


def test_an_old_gitlab_lacks_the_mutation(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(version="16.4.0")

    answer = graphql(stage, REQUEST_CHANGES, path=stage.scenario.project.full_path, iid="1")

    assert "Cannot query field" in answer["errors"][0]["message"]


# --- Statuses ---


def post_status(stage: Stage, state: str, name: str = BOT, **fields: object) -> Any:  # noqa: ANN401, python-gitlab's
    head = stage.scenario.merge_request.version.head
    commit = stage.project(name).commits.get(head, lazy=True)
    return commit.statuses.create({"state": state, "name": "draftgate", "ref": "invitations", **fields})


def test_a_status_goes_through_its_states(stage: Stage) -> None:
    ids = [post_status(stage, state, description=state).id for state in ("pending", "running", "success")]

    again = post_status(stage, "failed")

    assert (len(set(ids)), again.id != ids[0]) == (1, True), "a finished one is followed by a new one"
    commit = stage.project().commits.get(stage.scenario.merge_request.version.head, lazy=True)
    assert [(each.status, each.name) for each in commit.statuses.list(get_all=True)] == [("failed", "draftgate")]
    everything = commit.statuses.list(get_all=True, all=True, name="draftgate", ref="invitations")
    assert [each.status for each in everything] == ["success", "failed"]


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (["running", "running"], "Cannot transition status via :run from :running"),
        (["pending", "pending"], "Cannot transition status via :enqueue from :pending"),
        (["running", "pending"], "Cannot transition status via :enqueue from :running"),
    ],
)
def test_a_status_does_not_take_the_state_that_it_has(stage: Stage, states: list[str], words: str) -> None:
    post_status(stage, states[0])

    with pytest.raises(GitlabCreateError) as refused:
        post_status(stage, states[1])

    assert (refused.value.response_code, words in str(refused.value)) == (400, True)


@pytest.mark.parametrize(
    ("name", "fields", "status"),
    [
        (REPORTER_BOT, {}, 403),
        (BOT, {"description": "x" * 256}, 400),
        (BOT, {"description": "x" * 255}, 201),
        (BOT, {"pipeline_id": 1}, 404),
        (BOT, {"ref": "main"}, 403),
        ("maintainer", {"ref": "main"}, 201),
    ],
)
def test_a_status_is_refused(stage: Stage, name: str, fields: dict[str, Any], status: int) -> None:
    path = f"/projects/{stage.scenario.project.id}/statuses/{stage.scenario.merge_request.version.head}"

    answer = stage.ask("POST", path, name, json={"state": "success", **fields})

    assert answer.status_code == status


@pytest.mark.parametrize(("version", "status"), [("17.0.0", 400), ("18.4.0", 201)])
def test_skipped_is_a_state_of_later_versions(open_gitlab: OpenGitlab, version: str, status: int) -> None:
    stage = open_gitlab(version=version)
    path = f"/projects/{stage.scenario.project.id}/statuses/{stage.scenario.merge_request.version.head}"

    assert stage.ask("POST", path, json={"state": "skipped"}).status_code == status
