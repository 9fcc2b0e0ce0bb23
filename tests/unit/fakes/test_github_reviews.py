"""The simulated GitHub holds drafts, anchors and verdicts to GitHub's rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from github import Github, GithubException, UnknownObjectException
from github.PullRequest import PullRequest
from github.PullRequestReview import PullRequestReview

from tests.fakes.github.scenario import ACTIONS, APP, Scenario, push
from tests.fakes.github.server import Simulator
from tests.flawed_change import BASE, CHANGE

Client = Callable[..., Github]

MAIL, MODELS = "rooms/mail.py", "rooms/models.py"


def as_person(client: Client, login: str) -> PullRequest:
    return client(login).get_repo("acme/rooms").get_pull(1)


def post(pull: PullRequest, path: str, **fields: object) -> Any:  # noqa: ANN401, JSON
    return pull.requester.requestJsonAndCheck("POST", f"{pull.url}{path}", input=fields)[1]


def make_draft(pull: PullRequest, *comments: dict[str, object]) -> PullRequestReview:
    return pull.create_review(body="A draft", comments=list(comments) or [on_mail(1)])


def on_mail(line: int, **fields: object) -> Any:  # noqa: ANN401, PyGithub's typed dictionary lacks some keys
    return {"path": MAIL, "line": line, "body": f"Line {line}", **fields}


def test_a_draft_is_seen_by_its_author_alone(client: Client, pull: PullRequest) -> None:
    draft = make_draft(pull)

    assert (draft.state, draft.submitted_at) == ("PENDING", None)
    assert [review.id for review in pull.get_reviews()] == [draft.id]
    assert [comment.body for comment in pull.get_single_review_comments(draft.id)] == ["Line 1"]
    theirs = as_person(client, "admin")
    assert list(theirs.get_reviews()) == []
    assert list(theirs.get_review_comments()) == []
    with pytest.raises(UnknownObjectException):
        theirs.get_review(draft.id)


def test_all_jobs_with_the_workflow_token_share_one_draft(client: Client, scenario: Scenario) -> None:
    other_job = scenario.world.add_token("ghs_job-2", scenario.person(ACTIONS), {"pull_requests": "write"})
    make_draft(as_person(client, ACTIONS))

    with pytest.raises(GithubException) as refused:
        make_draft(as_person(client, other_job.token))

    assert refused.value.data["errors"] == ["User can only have one pending review per pull request"]


@pytest.mark.parametrize("event", [None, "COMMENT"])
def test_a_second_review_beside_a_draft_is_422(client: Client, pull: PullRequest, event: str | None) -> None:
    make_draft(pull)
    fields = {} if event is None else {"event": event}

    with pytest.raises(GithubException) as refused:
        post(pull, "/reviews", body="Another", **fields)

    assert (refused.value.status, refused.value.message) == (422, "Unprocessable Entity")
    assert refused.value.data["errors"] == ["User can only have one pending review per pull request"]
    as_person(client, "writer").create_review(body="Mine", event="COMMENT")


def test_comments_and_replies_beside_a_draft_are_422_with_objects(client: Client, pull: PullRequest) -> None:
    commit = client().get_repo("acme/rooms").get_commit(pull.head.sha)
    public = pull.create_review_comment("Why?", commit, MAIL, line=2)
    make_draft(pull)

    refusals = []
    for attempt in (
        lambda: pull.create_review_comment_reply(public.id, "Because"),
        lambda: pull.create_review_comment("And here?", commit, MAIL, line=3),
    ):
        with pytest.raises(GithubException) as refused:
            attempt()
        refusals.append(refused.value.data["errors"][0])

    assert {(each["resource"], each["field"]) for each in refusals} == {("PullRequestReview", "user_id")}


def test_comments_of_a_draft_are_404_to_rest(pull: PullRequest) -> None:
    draft = make_draft(pull)
    (comment,) = pull.get_single_review_comments(draft.id)
    path = f"/repos/acme/rooms/pulls/comments/{comment.id}"

    for verb, fields in (("PATCH", {"body": "new"}), ("DELETE", None)):
        with pytest.raises(UnknownObjectException):
            pull.requester.requestJsonAndCheck(verb, path, input=fields)


def test_a_submission_needs_an_event(pull: PullRequest, simulator: Simulator) -> None:
    draft = make_draft(pull)

    with pytest.raises(GithubException) as refused:
        post(pull, f"/reviews/{draft.id}/events", body="Done")

    assert (refused.value.status, pull.get_review(draft.id).state) == (422, "PENDING")
    assert simulator.violations.pop().endswith("'event' is a required property")


def test_a_draft_is_submitted_once_and_then_stays(client: Client, pull: PullRequest) -> None:
    draft = make_draft(pull)

    submitted = post(pull, f"/reviews/{draft.id}/events", event="REQUEST_CHANGES", body="Done")

    assert (submitted["state"], submitted["body"]) == ("CHANGES_REQUESTED", "Done")
    assert submitted["commit_id"] == pull.head.sha
    (seen,) = as_person(client, "reader").get_review_comments()
    assert (seen.line, seen.body, seen.pull_request_review_id) == (1, "Line 1", draft.id)
    for attempt in (
        lambda: post(pull, f"/reviews/{draft.id}/events", event="COMMENT", body="Again"),
        lambda: pull.get_review(draft.id).delete(),
    ):
        with pytest.raises(GithubException) as refused:
            attempt()
        assert refused.value.status == 422


def test_a_deleted_draft_leaves_nothing(pull: PullRequest, scenario: Scenario) -> None:
    draft = make_draft(pull)
    pull.get_review(draft.id).delete()

    after = list(pull.get_reviews())

    assert (after, scenario.pull.threads) == ([], [])
    assert make_draft(pull).id != draft.id


@pytest.mark.parametrize(
    ("comment", "reason"),
    [
        pytest.param(on_mail(999), "line must be part of the diff", id="a line that is not there"),
        pytest.param(on_mail(5, side="LEFT", start_line=9), "same hunk", id="a range from nowhere"),
        pytest.param(on_mail(2, start_line=5), "same hunk", id="a range that runs backwards"),
        pytest.param({"path": "rooms/plans.py", "line": 1, "body": "x"}, "Path could not be", id="an unchanged file"),
        pytest.param({"path": "none", "line": 1, "body": "x"}, "Path could not be", id="no such file"),
        pytest.param({"path": MAIL, "body": "x"}, "line must be part of the diff", id="no line at all"),
    ],
)
def test_one_bad_anchor_refuses_the_whole_review_without_a_name(
    pull: PullRequest, comment: dict[str, object], reason: str
) -> None:
    with pytest.raises(GithubException) as refused:
        make_draft(pull, on_mail(1), comment, on_mail(2))

    (error,) = refused.value.data["errors"]
    assert reason in error
    assert list(pull.get_reviews()) == []


@pytest.mark.parametrize(
    ("comment", "accepted"),
    [
        pytest.param(on_mail(1, side="LEFT"), True, id="a removed line on the left"),
        pytest.param(on_mail(3, side="LEFT"), True, id="a context line on the left"),
        pytest.param(on_mail(3), True, id="a context line on the right"),
        pytest.param(on_mail(6, start_line=5), True, id="a range"),
        pytest.param(on_mail(2, start_line=1, start_side="LEFT"), True, id="a range over both sides"),
        pytest.param({"path": MODELS, "line": 6, "body": "x", "side": "LEFT"}, True, id="a line that is gone"),
        pytest.param({"path": MODELS, "line": 6, "body": "x"}, False, id="the same on the right"),
    ],
)
def test_removed_added_and_context_lines_can_be_commented(
    pull: PullRequest, comment: dict[str, object], *, accepted: bool
) -> None:
    try:
        make_draft(pull, comment)
        made = True
    except GithubException:
        made = False

    assert made is accepted


def test_a_range_over_two_hunks_is_refused(pull: PullRequest, scenario: Scenario) -> None:
    long = "".join(f"line {number}\n" for number in range(1, 41))
    push(scenario.world, scenario.pull, {"README.md": long})
    git = scenario.repository.git
    git.git("update-ref", "refs/heads/main", scenario.world.head_sha(scenario.pull))
    push(scenario.world, scenario.pull, {"README.md": long.replace("line 3\n", "new 3\n").replace("line 30\n", "30\n")})

    with pytest.raises(GithubException) as refused:
        make_draft(pull, {"path": "README.md", "start_line": 3, "line": 30, "body": "x"})

    assert "same hunk" in refused.value.data["errors"][0]
    make_draft(pull, {"path": "README.md", "start_line": 29, "line": 30, "body": "x"})


def test_a_review_over_rest_has_no_threads_on_whole_files(pull: PullRequest, simulator: Simulator) -> None:
    with pytest.raises(GithubException) as refused:
        make_draft(pull, {"path": MAIL, "subject_type": "file", "body": "x"})

    assert '"subject_type" is not a permitted key' in refused.value.message
    assert simulator.violations.pop().endswith("('subject_type' was unexpected)")


def test_a_place_can_be_named_the_old_way(pull: PullRequest, scenario: Scenario) -> None:
    make_draft(pull, {"path": MAIL, "position": 1, "body": "x"}, {"path": MAIL, "position": 5, "body": "y"})

    assert [(thread.side, thread.line) for thread in scenario.pull.threads] == [("LEFT", 1), ("RIGHT", 3)]


def test_a_comment_on_a_whole_file_has_no_line(client: Client, pull: PullRequest) -> None:
    commit = client().get_repo("acme/rooms").get_commit(pull.head.sha)

    made = pull.create_review_comment("The file", commit, MODELS, subject_type="file")

    assert (made.subject_type, made.line) == ("file", None)


@pytest.mark.parametrize(
    ("login", "event", "body", "words"),
    [
        ("author", "APPROVE", "Fine", "Can not approve your own pull request"),
        ("author", "REQUEST_CHANGES", "No", "Can not request changes on your own pull request"),
        (ACTIONS, "APPROVE", "Fine", "GitHub Actions is not permitted to approve pull requests."),
        (APP, "REQUEST_CHANGES", "", "Body can't be blank"),
        (APP, "COMMENT", "", "Body can't be blank"),
        (APP, "COMMENT", "x" * 65_537, "Body is too long (maximum is 65536 characters)"),
    ],
)
def test_a_verdict_that_is_not_allowed_is_422_with_words(
    client: Client, login: str, event: str, body: str, words: str
) -> None:
    with pytest.raises(GithubException) as refused:
        as_person(client, login).create_review(body=body, event=event)

    assert (refused.value.status, refused.value.data["errors"]) == (422, [words])


def test_the_workflow_token_approves_when_the_repository_lets_it(client: Client, scenario: Scenario) -> None:
    scenario.repository.actions_can_approve = True

    approved = as_person(client, ACTIONS).create_review(event="APPROVE")

    assert approved.state == "APPROVED"


def test_a_refused_verdict_leaves_the_draft(client: Client) -> None:
    pull = as_person(client, ACTIONS)
    draft = make_draft(pull)

    with pytest.raises(GithubException):
        post(pull, f"/reviews/{draft.id}/events", event="APPROVE", body="Fine")

    assert [(review.id, review.state) for review in pull.get_reviews()] == [(draft.id, "PENDING")]


def test_a_push_moves_threads_along_and_outdates_what_it_changed(pull: PullRequest, scenario: Scenario) -> None:
    make_draft(pull, on_mail(1), on_mail(6, start_line=5), on_mail(1, side="LEFT"))
    changed = CHANGE[MAIL].replace("role):", "role=None):")

    head = push(scenario.world, scenario.pull, {MAIL: "import this\n" + changed})

    first, range_, removed = scenario.pull.threads
    assert (first.outdated, first.line, first.original_line) == (True, None, 1)
    assert (range_.outdated, range_.start_line, range_.line, range_.original_line) == (False, 6, 7, 6)
    assert (removed.outdated, removed.line) == (False, 1)
    assert pull.update()
    assert pull.head.sha == head


def test_a_thread_is_outdated_when_its_file_is_as_before(pull: PullRequest, scenario: Scenario) -> None:
    make_draft(pull, on_mail(3))

    push(scenario.world, scenario.pull, {MAIL: BASE[MAIL]})

    assert scenario.pull.threads[0].outdated


def test_a_review_may_be_for_an_older_commit_of_the_pull_request(
    client: Client, pull: PullRequest, scenario: Scenario
) -> None:
    older = client().get_repo("acme/rooms").get_commit(pull.head.sha)
    push(scenario.world, scenario.pull, {MAIL: "import this\n" + CHANGE[MAIL]})

    made = pull.create_review(commit=older, body="Old", comments=[on_mail(1)])

    assert made.commit_id == older.sha
    assert (scenario.pull.threads[0].original_line, scenario.pull.threads[0].line) == (1, 2)
    with pytest.raises(GithubException) as refused:
        as_person(client, "writer").create_review(commit=_foreign_commit(client, scenario), body="x")
    assert refused.value.status == 422


def test_a_dismissal_needs_write_access_and_a_verdict(client: Client, pull: PullRequest) -> None:
    review = as_person(client, "writer").create_review(body="No", event="REQUEST_CHANGES")
    comment = pull.create_review(body="Hm", event="COMMENT")

    with pytest.raises(GithubException) as stranger:
        as_person(client, "outsider").get_review(review.id).dismiss("Nonsense")
    with pytest.raises(GithubException) as verdict:
        as_person(client, "maintainer").get_review(comment.id).dismiss("Nonsense")
    as_person(client, "maintainer").get_review(review.id).dismiss("Settled")

    assert (stranger.value.status, verdict.value.status) == (403, 422)
    assert pull.get_review(review.id).state == "DISMISSED"


def test_who_reviews_is_no_longer_asked_to(client: Client, pull: PullRequest) -> None:
    pull.create_review_request(reviewers=["maintainer", "writer"])

    as_person(client, "writer").create_review(body="Seen", event="COMMENT")

    assert [account.login for account in pull.get_review_requests()[0]] == ["maintainer"]


def _foreign_commit(client: Client, scenario: Scenario) -> Any:  # noqa: ANN401, PyGithub's commit
    other = scenario.world.open_pull(scenario.repository, scenario.person("writer"), "Other", head_ref="main")
    return client().get_repo("acme/rooms").get_commit(push(scenario.world, other, {"other.txt": "x\n"}))
