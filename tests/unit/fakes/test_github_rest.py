"""The simulated GitHub answers PyGithub as GitHub does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from github import Github, GithubException, UnknownObjectException
from github.PullRequest import PullRequest

from tests.fakes.github.entities import Repository
from tests.fakes.github.scenario import ACTIONS, APP, Scenario, push
from tests.fakes.github.server import Simulator
from tests.git_builder import Repo

Client = Callable[..., Github]


def test_a_pull_request_sums_up_its_change(pull: PullRequest, scenario: Scenario) -> None:
    sums = (pull.changed_files, pull.additions, pull.deletions, pull.commits)

    assert sums == (3, 13, 5, 1)
    assert (pull.head.sha, pull.base.ref) == (scenario.repository.git.sha("invitations"), "main")
    assert (pull.user.login, pull.user.type) == ("author", "User")


def test_files_carry_patches_and_the_blobs_of_the_head(pull: PullRequest, scenario: Scenario) -> None:
    scenario.pull.files_without_patch.add("rooms/models.py")

    files = {file.filename: file for file in pull.get_files()}

    assert {path: file.status for path, file in files.items()} == {
        "rooms/mail.py": "modified",
        "rooms/migrations/0002_remove_plan.py": "added",
        "rooms/models.py": "modified",
    }
    assert files["rooms/mail.py"].sha == scenario.repository.git.sha("invitations:rooms/mail.py")
    assert files["rooms/mail.py"].patch.startswith("@@ -1,6 +1,6 @@")
    assert files["rooms/models.py"].patch is None


def test_renamed_removed_and_binary_files_are_told_apart(pull: PullRequest, scenario: Scenario) -> None:
    jobs = scenario.repository.git.git("show", "main:rooms/jobs.py")
    gone = scenario.repository.git.sha("main:rooms/plans.py")
    push(
        scenario.world,
        scenario.pull,
        {"rooms/jobs.py": None, "rooms/work.py": jobs, "rooms/plans.py": None, "logo.bin": b"\0\1"},
    )

    files = {file.filename: file for file in pull.get_files()}

    renamed, removed, binary = files["rooms/work.py"], files["rooms/plans.py"], files["logo.bin"]
    assert (renamed.status, renamed.previous_filename, renamed.patch) == ("renamed", "rooms/jobs.py", None)
    assert (removed.status, removed.sha, removed.deletions) == ("removed", gone, 5)
    assert (binary.status, binary.patch) == ("added", None)


def test_the_diff_media_type_is_the_patch_as_git_prints_it(
    client: Client, pull: PullRequest, scenario: Scenario
) -> None:
    accept = {"Accept": "application/vnd.github.diff"}

    status, _, diff = client().requester.requestJson("GET", pull.url, headers=accept)

    git = scenario.repository.git
    assert (status, diff) == (200, git.git("diff", "main...invitations").decode())


def test_a_diff_that_is_too_large_is_406(client: Client, pull: PullRequest, scenario: Scenario) -> None:
    scenario.pull.diff_too_large = True

    status, _, body = client().requester.requestJson(
        "GET", pull.url, headers={"Accept": "application/vnd.github.v3.diff"}
    )

    assert status == 406
    assert '"code": "too_large"' in body


def test_a_comparison_starts_where_the_branches_parted(client: Client, scenario: Scenario) -> None:
    git = scenario.repository.git
    parted = git.sha("main")
    other = scenario.world.open_pull(scenario.repository, scenario.person("writer"), "Other", head_ref="main")
    push(scenario.world, other, {"README.md": "# Rooms\n"})

    compared = client().get_repo("acme/rooms").compare("main", git.sha("invitations"))

    assert (compared.status, compared.ahead_by, compared.behind_by) == ("diverged", 1, 1)
    assert compared.merge_base_commit.sha == parted
    assert compared.files[0].filename == "rooms/mail.py"


def test_contents_trees_refs_and_branches_are_those_of_the_repository(client: Client, scenario: Scenario) -> None:
    repository, git = client().get_repo("acme/rooms"), scenario.repository.git
    head = git.sha("invitations")

    mail = repository.get_contents("rooms/mail.py", ref=head)

    assert not isinstance(mail, list)
    assert mail.decoded_content == git.git("show", "invitations:rooms/mail.py")
    assert mail.sha == git.sha("invitations:rooms/mail.py")
    folder = repository.get_contents("rooms")
    assert isinstance(folder, list)
    assert "rooms/migrations" in [entry.path for entry in folder if entry.type == "dir"]
    assert "rooms/mail.py" in [entry.path for entry in repository.get_git_tree("main", recursive=True).tree]
    assert repository.get_git_blob(mail.sha).size == mail.size
    assert repository.get_git_ref("pull/1/head").object.sha == head
    assert repository.get_branch("main").commit.sha == git.sha("main")
    assert repository.get_commit(head).files[0].filename == "rooms/mail.py"
    with pytest.raises(UnknownObjectException):
        repository.get_contents("rooms/none.py")


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [
        ("admin", "admin", "admin"),
        ("maintainer", "write", "maintain"),
        ("writer", "write", "write"),
        ("triager", "read", "triage"),
        ("outsider", "read", "read"),
    ],
)
def test_permission_knows_four_words_and_the_role_name_all(
    client: Client, login: str, permission: str, role: str
) -> None:
    repository = client().get_repo("acme/rooms")

    answers = (repository.get_collaborator_permission(login), repository.get_collaborator_role_name(login))

    assert answers == (permission, role)


def test_a_person_that_does_not_exist_has_no_permission(client: Client) -> None:
    repository = client().get_repo("acme/rooms")

    with pytest.raises(UnknownObjectException):
        repository.get_collaborator_permission("nobody")


def test_a_private_repository_is_unknown_to_outsiders(client: Client, scenario: Scenario) -> None:
    scenario.repository.private = True

    with pytest.raises(UnknownObjectException):
        client("outsider").get_repo("acme/rooms")

    assert client("reader").get_repo("acme/rooms").private


def test_an_installation_has_no_user_and_a_person_has(client: Client) -> None:
    with pytest.raises(GithubException) as refused:
        assert client(ACTIONS).get_user().login

    assert refused.value.status == 403
    assert client("author").get_user().login == "author"


def test_a_permission_that_is_missing_is_named(client: Client, scenario: Scenario) -> None:
    reading = {"contents": "read", "pull_requests": "read"}
    weak = scenario.world.add_token("ghs_weak", scenario.person(APP), reading)
    pull = client(weak.token).get_repo("acme/rooms").get_pull(1)

    with pytest.raises(GithubException) as refused:
        pull.create_issue_comment("hello")

    assert refused.value.status == 403
    assert refused.value.message == "Resource not accessible by integration"
    assert refused.value.headers is not None
    assert refused.value.headers["x-accepted-github-permissions"] == "issues=write; pull_requests=write"


def test_an_unknown_token_is_refused(client: Client, scenario: Scenario) -> None:
    known = client()
    del scenario.world.callers[scenario.tokens[APP]]

    with pytest.raises(GithubException) as refused:
        known.get_repo("acme/rooms")

    assert refused.value.status == 401


def test_comments_are_made_edited_and_deleted_and_remember_edits(pull: PullRequest, scenario: Scenario) -> None:
    made = pull.create_issue_comment("one")
    made.edit("two")

    (kept,) = scenario.pull.comments

    assert [comment.body for comment in pull.get_issue_comments()] == ["two"]
    assert made.user.login == APP
    assert [edit.body for edit in kept.edits] == ["one", "two"]
    assert kept.updated_at - kept.created_at == timedelta(seconds=1)
    made.delete()
    assert list(pull.get_issue_comments()) == []


def test_a_stranger_may_comment_and_not_edit_what_others_wrote(client: Client, pull: PullRequest) -> None:
    made = pull.create_issue_comment("mine")
    theirs = client("outsider").get_repo("acme/rooms").get_pull(1)

    theirs.create_issue_comment("hello")

    with pytest.raises(GithubException) as refused:
        theirs.get_issue_comment(made.id).edit("not mine")
    assert refused.value.status == 403
    client("writer").get_repo("acme/rooms").get_pull(1).get_issue_comment(made.id).edit("moderated")


def test_a_text_beyond_the_limit_is_422_with_objects(pull: PullRequest) -> None:
    pull.create_issue_comment("x" * 65_536)

    with pytest.raises(GithubException) as refused:
        pull.create_issue_comment("x" * 65_537)

    assert refused.value.status == 422
    assert refused.value.data["errors"][0]["message"] == "Body is too long (maximum is 65536 characters)"


def test_a_reaction_exists_once_for_each_account(client: Client, pull: PullRequest, simulator: Simulator) -> None:
    comment = pull.create_issue_comment("/approve-findings")
    first, again = comment.create_reaction("rocket"), comment.create_reaction("rocket")
    client("author").get_repo("acme/rooms").get_pull(1).get_issue_comment(comment.id).create_reaction("rocket")

    statuses = [entry.status for entry in simulator.log.writes if entry.path.endswith("/reactions")]

    assert (first.id, statuses) == (again.id, [201, 200, 201])
    assert [reaction.user.login for reaction in comment.get_reactions()] == [APP, "author"]
    comment.delete_reaction(first.id)
    assert [reaction.user.login for reaction in comment.get_reactions()] == ["author"]


def test_lists_are_paged_by_link(client: Client, pull: PullRequest, simulator: Simulator) -> None:
    for number in range(31):
        pull.create_issue_comment(f"{number}")

    shown = [comment.body for comment in pull.get_issue_comments()]

    pages = [entry.query for entry in simulator.log.reads if entry.path.endswith("/issues/1/comments")]
    assert shown == [f"{number}" for number in range(31)]
    assert pages == [{}, {"page": "2"}]


def test_an_unchanged_pull_request_is_304(pull: PullRequest, scenario: Scenario) -> None:
    unchanged = pull.update()
    push(scenario.world, scenario.pull, {"README.md": "# Rooms\n"})

    changed = pull.update()

    assert (unchanged, changed) == (False, True)


def test_check_runs_are_for_apps_alone_and_the_latest_of_a_name_counts(client: Client, pull: PullRequest) -> None:
    repository = client().get_repo("acme/rooms")
    output = {"title": "Review", "summary": "Nothing yet"}
    repository.create_check_run("draftgate", pull.head.sha, status="in_progress", output=output)
    latest = repository.create_check_run("draftgate", pull.head.sha, external_id="round-1", output=output)
    repository.create_check_run("other", pull.head.sha, output=output)

    latest.edit(conclusion="success", output={**output, "text": "Done"})

    (found,) = repository.get_commit(pull.head.sha).get_check_runs(check_name="draftgate")
    assert (found.id, found.status, found.conclusion) == (latest.id, "completed", "success")
    assert (found.external_id, found.output.text, found.app.slug) == ("round-1", "Done", "draftgate")
    with pytest.raises(GithubException) as refused:
        client("admin").get_repo("acme/rooms").create_check_run("mine", pull.head.sha)
    assert refused.value.status == 403


def test_commit_statuses_need_write_access(client: Client, pull: PullRequest) -> None:
    made = client("writer").get_repo("acme/rooms").get_commit(pull.head.sha)

    made.create_status("success", context="lint", description="Clean")

    _, listed = made.requester.requestJsonAndCheck("GET", f"{made.url}/statuses")
    assert [(each["state"], each["context"], each["creator"]["login"]) for each in listed] == [
        ("success", "lint", "writer")
    ]
    for login in ("outsider", ACTIONS):
        with pytest.raises(GithubException) as refused:
            client(login).get_repo("acme/rooms").get_commit(pull.head.sha).create_status("success")
        assert refused.value.status == 403


def test_reviewers_are_asked_all_or_none(pull: PullRequest) -> None:
    pull.create_review_request(reviewers=["maintainer"])

    for login in ("author", "outsider", APP):
        with pytest.raises(GithubException) as refused:
            pull.create_review_request(reviewers=["writer", login])
        assert refused.value.status == 422

    assert [account.login for account in pull.get_review_requests()[0]] == ["maintainer"]


def test_membership_of_a_team_needs_its_permission(client: Client) -> None:
    path = "/orgs/acme/teams/maintainers/memberships/"

    _, found = client().requester.requestJsonAndCheck("GET", f"{path}maintainer")

    assert found["state"] == "active"
    with pytest.raises(UnknownObjectException):
        client().requester.requestJsonAndCheck("GET", f"{path}outsider")
    with pytest.raises(GithubException) as refused:
        client(ACTIONS).requester.requestJsonAndCheck("GET", f"{path}maintainer")
    assert refused.value.status == 403


def test_addresses_in_answers_carry_the_prefix_that_the_client_uses(client: Client, simulator: Simulator) -> None:
    enterprise = client(url=simulator.enterprise_url)

    pull = enterprise.get_repo("acme/rooms").get_pull(1)

    assert pull.url == f"{simulator.enterprise_url}/repos/acme/rooms/pulls/1"
    assert pull.create_issue_comment("hello").issue_url == f"{simulator.enterprise_url}/repos/acme/rooms/issues/1"
    assert simulator.log.writes[-1].path == "/repos/acme/rooms/issues/1/comments"


def test_a_pull_request_from_a_fork_survives_the_fork(client: Client, scenario: Scenario) -> None:
    fork = _fork(scenario)
    opened = scenario.world.open_pull(
        scenario.repository, scenario.person("outsider"), "From a fork", head_ref="invitations", head_repository=fork
    )
    pushed = push(scenario.world, opened, {"README.md": "# Rooms\n"})
    before = client().get_repo("acme/rooms").get_pull(opened.number)

    opened.head_repository = None

    after = client().get_repo("acme/rooms").get_pull(opened.number)
    assert (before.head.repo.full_name, before.head.label) == ("outsider/rooms", "outsider:invitations")
    assert (after.head.sha, after.head.repo) == (pushed, None)
    assert "README.md" in [file.filename for file in after.get_files()]


def test_pull_requests_are_listed_by_state_and_branch(client: Client, scenario: Scenario) -> None:
    scenario.world.open_pull(scenario.repository, scenario.person("writer"), "Two", head_ref="invitations")
    closed = scenario.world.open_pull(scenario.repository, scenario.person("writer"), "Three", head_ref="main")
    scenario.world.close(closed, merged=True)
    repository = client().get_repo("acme/rooms")

    numbers = [[pull.number for pull in repository.get_pulls(state=state)] for state in ("open", "closed", "all")]

    assert numbers == [[2, 1], [3], [3, 2, 1]]
    assert repository.get_pull(3).merged
    assert [pull.number for pull in repository.get_pulls(head="acme:invitations")] == [2, 1]


def test_an_issue_is_not_a_pull_request(client: Client, scenario: Scenario) -> None:
    issue = scenario.world.open_issue(scenario.repository, scenario.person("reader"), "A question")
    scenario.world.add_label(issue, "question")
    repository = client().get_repo("acme/rooms")

    found = repository.get_issue(issue.number)

    assert (found.pull_request, [label.name for label in found.labels]) == (None, ["question"])
    assert repository.get_issue(1).pull_request is not None
    with pytest.raises(UnknownObjectException):
        repository.get_pull(issue.number)


def _fork(scenario: Scenario) -> Repository:
    source: Repo = scenario.repository.git
    return scenario.world.add_repository(scenario.person("outsider"), "rooms", source, parent=scenario.repository)
