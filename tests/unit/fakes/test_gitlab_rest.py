"""The simulated GitLab answers python-gitlab as GitLab does, in its versions, editions and places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gitlab
import pytest
import requests
from gitlab.exceptions import (
    GitlabAuthenticationError,
    GitlabCreateError,
    GitlabError,
    GitlabGetError,
    GitlabHttpError,
    RedirectError,
)

from tests.fakes.gitlab import published
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.rest import ROUTES
from tests.fakes.gitlab.scenario import BOT, FULL_PATH, REPORTER_BOT, push
from tests.fakes.gitlab.stage import Stage
from tests.flawed_change import CHANGE

OpenGitlab = Callable[..., Stage]
MAIL, MODELS = "rooms/mail.py", "rooms/models.py"


# --- Who, where and which ---


@pytest.mark.parametrize(
    ("tier", "shown", "enterprise"),
    [("ce", "16.4.0", False), ("free", "16.4.0-ee", True), ("premium", "16.4.0-ee", True)],
)
def test_a_gitlab_says_which_it_is(open_gitlab: OpenGitlab, tier: str, shown: str, *, enterprise: bool) -> None:
    stage = open_gitlab(version="16.4.0", tier=tier)

    assert stage.client().version()[0] == shown
    assert stage.ask("GET", "/metadata").json()["enterprise"] is enterprise


def test_a_project_token_has_an_account_of_its_own(stage: Stage) -> None:
    client = stage.client()
    client.auth()

    assert client.user is not None
    assert client.user.username.startswith(f"project_{stage.scenario.project.id}_bot_")
    assert client.user.bot
    assert stage.client("author").users.list(username="maintainer", get_all=True)[0].id == (
        stage.scenario.person("maintainer").id
    )


def test_a_project_is_found_by_id_and_by_path(stage: Stage) -> None:
    by_path = stage.client().projects.get(FULL_PATH)
    by_id = stage.client().projects.get(by_path.id)

    assert (by_id.path_with_namespace, by_id.default_branch, by_id.visibility) == (FULL_PATH, "main", "public")
    assert (by_id.namespace["kind"], by_id.namespace["full_path"]) == ("group", "acme/tools")
    assert by_id.http_url_to_repo == f"{stage.simulator.url}/{FULL_PATH}.git"
    assert by_id.permissions["project_access"]["access_level"] == Level.DEVELOPER


def test_members_all_has_those_of_the_groups_above_and_members_has_not(stage: Stage) -> None:
    project = stage.project()
    maintainer = stage.scenario.person("maintainer")
    invited = stage.world.add_group("friends")
    invited.members[stage.scenario.person("outsider")] = Level.OWNER
    stage.scenario.project.invited[invited] = Level.GUEST

    direct = [member.username for member in project.members.list(get_all=True)]
    everybody = {member.username: member.access_level for member in project.members_all.list(get_all=True)}

    assert "maintainer" not in direct
    assert {name: everybody[name] for name in ("guest", "planner", "reporter", "developer")} == {
        "guest": 10,
        "planner": 15,
        "reporter": 20,
        "developer": 30,
    }
    assert (everybody["maintainer"], everybody["owner"], everybody["outsider"]) == (40, 50, 10)
    assert project.members_all.get(maintainer.id).access_level == 40
    with pytest.raises(GitlabGetError):
        project.members.get(maintainer.id)
    group = stage.client("maintainer").groups.get("acme/tools")
    assert group.members_all.get(maintainer.id).access_level == 40


def test_a_private_project_is_not_there_for_strangers(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(visibility="private")

    for name, status in (("outsider", 404), (None, 404), ("guest", 403), ("reporter", 200)):
        assert stage.ask("GET", "", name).status_code == status
    assert stage.ask("GET", "notes", None).status_code == 401


def test_a_public_project_shows_its_merge_requests_to_everybody_and_their_notes_to_users(stage: Stage) -> None:
    statuses = {path: stage.ask("GET", path, None).status_code for path in ("", "diffs", "notes", "discussions")}

    assert statuses == {"": 200, "diffs": 200, "notes": 401, "discussions": 401}


def test_an_unknown_token_is_refused_everywhere(stage: Stage) -> None:
    with pytest.raises(GitlabAuthenticationError):
        stage.client("glpat-unknown").projects.get(FULL_PATH)


def test_a_token_comes_in_any_of_its_headers(stage: Stage) -> None:
    token = stage.scenario.tokens[BOT]

    headers: list[dict[str, str]] = [{"PRIVATE-TOKEN": token}, {"Authorization": f"Bearer {token}"}]
    statuses = [
        requests.get(f"{stage.simulator.api_url}/user", headers=each, timeout=10).status_code for each in headers
    ]

    assert statuses == [200, 200]


@pytest.mark.parametrize(("scope", "statuses"), [("read_api", [200, 403]), ("read_user", [403, 403])])
def test_a_token_does_what_its_scopes_say(stage: Stage, scope: str, statuses: list[int]) -> None:
    stage.world.add_token("glpat-narrow", stage.scenario.person("developer"), scope)

    answers = [stage.ask("GET", "", "glpat-narrow"), stage.ask("POST", "notes", "glpat-narrow", json={"body": "x"})]

    assert [answer.status_code for answer in answers] == statuses
    assert answers[1].json()["error"] == "insufficient_scope"


def test_a_job_token_reads_merge_requests_and_their_notes_and_writes_nothing(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(visibility="private")
    client = stage.client("job")
    merge_request = client.projects.get(stage.scenario.project.id, lazy=True).mergerequests.get(1)

    assert merge_request.notes.list(get_all=True) == []
    for write in (
        lambda: merge_request.notes.create({"body": "x"}),
        lambda: merge_request.draft_notes.create({"note": "x"}),
        lambda: merge_request.discussions.create({"body": "x"}),
        merge_request.approve,
    ):
        with pytest.raises(GitlabAuthenticationError):
            write()


# --- Merge requests and their changes ---


def test_a_merge_request_says_what_it_changes(stage: Stage) -> None:
    one = stage.project().mergerequests.get(1)

    git = stage.scenario.project.git
    assert (one.sha, one.source_branch, one.target_branch) == (git.sha("invitations"), "invitations", "main")
    assert one.changes_count == "3"
    assert one.diff_refs == {"base_sha": git.sha("main"), "start_sha": git.sha("main"), "head_sha": one.sha}
    assert (one.state, one.draft, one.detailed_merge_status) == ("opened", False, "mergeable")
    assert one.references["full"] == f"{FULL_PATH}!1"
    assert one.web_url == f"{stage.simulator.url}/{FULL_PATH}/-/merge_requests/1"


def test_merge_requests_are_chosen_by_state_label_and_time(stage: Stage) -> None:
    world, scenario = stage.world, stage.scenario
    other = world.open_merge_request(scenario.project, scenario.person("author"), "Draft: Other", source_branch="main")
    other.labels.append("bug")
    merge_requests = stage.project().mergerequests

    def chosen(**options: Any) -> list[int]:  # noqa: ANN401, the query
        return [each.iid for each in merge_requests.list(get_all=True, **options)]

    assert chosen() == [2, 1]
    assert chosen(state="opened", sort="asc") == [1, 2]
    assert chosen(labels="bug") == [2]
    assert chosen(updated_after="2026-01-01T12:00:03Z", order_by="updated_at") == [2]
    assert chosen(state="merged") == []
    assert chosen(source_branch="invitations") == [1]


def test_a_merge_request_is_changed(stage: Stage) -> None:
    one = stage.project().mergerequests.get(1)
    one.description, one.labels = "What and why", ["bug", "new"]
    one.save()

    one.state_event = "close"
    one.save()

    after = stage.project().mergerequests.get(1)
    assert (after.description, after.labels, after.state) == ("What and why", ["bug", "new"], "closed")


@pytest.mark.parametrize(("version", "tells"), [("17.0.0", False), ("18.4.0", True)])
def test_a_diff_that_is_withheld_is_empty_and_says_so_since_18_4(
    open_gitlab: OpenGitlab, version: str, *, tells: bool
) -> None:
    stage = open_gitlab(version=version)
    stage.scenario.project.collapsed.add(MAIL)
    stage.scenario.project.too_large.add(MODELS)

    rows = list(
        stage.client().http_list(f"/projects/{stage.scenario.project.id}/merge_requests/1/diffs", iterator=True)
    )
    files = {str(row["new_path"]): row for row in rows}

    assert (files[MAIL]["diff"], files[MODELS]["diff"]) == ("", "")
    assert files["rooms/migrations/0002_remove_plan.py"]["new_file"] is True
    assert (files[MAIL].get("collapsed"), files[MODELS].get("too_large")) == ((True, True) if tells else (None, None))


def test_changes_are_whole_when_asked_for_raw(stage: Stage) -> None:
    stage.scenario.project.overflow = True
    stage.scenario.project.collapsed.add(MAIL)
    merge_request = stage.merge_request()

    cut, whole = (stage.ask("GET", "changes", query=query).json() for query in ({}, {"access_raw_diffs": True}))
    wrapped = merge_request.changes(access_raw_diffs=True)

    assert (cut["overflow"], len(cut["changes"]), cut["changes_count"]) == (True, 1, "1000+")
    assert (whole["overflow"], len(whole["changes"])) == (False, 3)
    assert whole["changes"][0]["diff"].startswith("@@ -1,6 +1,6 @@")
    assert wrapped == whole


@pytest.mark.parametrize(("version", "status"), [("17.0.0", 404), ("18.4.0", 200)])
def test_the_whole_patch_as_text_came_later(open_gitlab: OpenGitlab, version: str, status: int) -> None:
    stage = open_gitlab(version=version)

    answer = stage.ask("GET", "raw_diffs")

    assert answer.status_code == status
    if status == 200:
        assert answer.content == stage.scenario.project.git.git("diff", "main...invitations")


def test_renamed_removed_and_executable_files_are_told_apart(stage: Stage) -> None:
    jobs = stage.scenario.project.git.git("show", "main:rooms/jobs.py")
    push(
        stage.world,
        stage.scenario.merge_request,
        {"rooms/jobs.py": None, "rooms/work.py": jobs, "rooms/plans.py": None, "logo.bin": b"\0\1"},
    )

    files = {file["new_path"]: file for file in stage.ask("GET", "changes").json()["changes"]}

    assert files["rooms/work.py"]["renamed_file"] is True
    assert files["rooms/work.py"]["old_path"] == "rooms/jobs.py"
    assert (files["rooms/plans.py"]["deleted_file"], files["rooms/plans.py"]["b_mode"]) == (True, "0")
    assert (files["logo.bin"]["diff"], files["logo.bin"]["a_mode"]) == ("", "0")


def test_every_push_makes_a_version(stage: Stage) -> None:
    first = stage.scenario.merge_request.version
    head = push(stage.world, stage.scenario.merge_request, {MAIL: "import this\n" + CHANGE[MAIL]})

    versions = stage.merge_request().diffs.list(get_all=True)
    older = stage.merge_request().diffs.get(first.id)

    assert [each.head_commit_sha for each in versions] == [head, first.head]
    assert "import this" not in older.diffs[0]["diff"]
    assert [commit.id for commit in stage.merge_request().commits()] == [head, first.head]


def test_a_merge_request_may_come_from_a_fork(stage: Stage) -> None:
    world, scenario = stage.world, stage.scenario
    stranger = scenario.person("outsider")
    fork = world.add_project(stranger, "rooms", scenario.project.git, forked_from=scenario.project)

    one = world.open_merge_request(
        scenario.project, stranger, "From outside", source_branch="invitations", source_project=fork
    )
    head = push(world, one, {"more.txt": "more\n"})

    shown = stage.project().mergerequests.get(one.iid)
    assert (shown.source_project_id, shown.target_project_id) == (fork.id, scenario.project.id)
    assert (shown.sha, scenario.project.git.sha(f"refs/merge-requests/{one.iid}/head")) == (head, head)


def test_issues_and_people_of_a_merge_request(stage: Stage) -> None:
    issue = stage.world.open_issue(stage.scenario.project, stage.scenario.person("author"), "Teams", "Invite")
    stage.scenario.merge_request.closes.append(issue)
    stage.merge_request("guest").notes.create({"body": "When?"})
    merge_request = stage.merge_request()

    assert [each["title"] for each in stage.ask("GET", "closes_issues").json()] == ["Teams"]
    assert [each.iid for each in merge_request.related_issues(get_all=True)] == [issue.iid]
    assert [each["username"] for each in merge_request.participants(get_all=True)] == ["author", "guest"]
    assert stage.project().issues.get(issue.iid).description == "Invite"
    assert merge_request.pipelines.list(get_all=True) == []


# --- The repository ---


def test_files_branches_and_comparisons_are_those_of_the_repository(stage: Stage) -> None:
    project, git = stage.project(), stage.scenario.project.git
    head = git.sha("invitations")

    file = project.files.get(MAIL, ref=head)

    assert file.decode() == git.git("show", f"invitations:{MAIL}")
    assert project.files.raw(MAIL, ref="main") == git.git("show", f"main:{MAIL}")
    assert project.branches.get("invitations").commit["id"] == head
    assert project.branches.get("main").protected
    assert MAIL in [row["path"] for row in project.repository_tree("rooms", ref="main", get_all=True)]
    compared = project.repository_compare("main", "invitations")
    assert isinstance(compared, dict)
    assert compared["diffs"][0]["new_path"] == MAIL
    base = project.repository_merge_base(["main", head])
    assert isinstance(base, dict)
    assert base["id"] == git.sha("main")
    assert project.commits.get(head).title == "Invite people to teams"
    with pytest.raises(GitlabGetError):
        project.files.get("none.py", ref="main")


# --- Where it stands ---


def test_a_gitlab_may_stand_under_a_path_behind_an_authority_of_its_own(open_gitlab: OpenGitlab) -> None:
    stage = open_gitlab(relative_root="/gitlab", tls=True)

    one = stage.project().mergerequests.get(1)

    assert stage.simulator.url.startswith("https://")
    assert one.web_url == f"{stage.simulator.url}/{FULL_PATH}/-/merge_requests/1"
    assert "/gitlab/acme" in one.web_url
    with pytest.raises(requests.exceptions.SSLError):
        stage.client(ssl_verify=True).projects.get(FULL_PATH)
    assert stage.ask("GET", "notes", query={"per_page": 1}).status_code == 200


def test_a_renamed_project_is_read_by_its_old_path_and_not_written(stage: Stage) -> None:
    stage.world.rename(stage.scenario.project, "spaces")
    old = stage.client().projects.get(FULL_PATH)

    assert old.path_with_namespace == "acme/tools/spaces"
    assert stage.simulator.log[0].status == 301
    moved = stage.client().projects.get(FULL_PATH, lazy=True).mergerequests.get(1, lazy=True)
    with pytest.raises(GitlabCreateError) as refused:
        moved.notes.create({"body": "x"})
    assert refused.value.response_code == 405
    stage.world.moved_writes = 301
    with pytest.raises(RedirectError):
        moved.notes.create({"body": "x"})
    assert stage.scenario.merge_request.notes == []


# --- Limits ---


def test_requests_of_each_user_are_counted(stage: Stage) -> None:
    stage.world.limits.requests = 3

    answers = [stage.ask("GET", "") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].text == "Retry later\n"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert stage.ask("GET", "", "author").status_code == 200


def test_notes_are_counted_by_themselves_and_drafts_are_not(stage: Stage) -> None:
    now = [1000.0]
    stage.world.limits.notes, stage.world.limits.clock = 2, lambda: now[0]

    statuses = [stage.ask("POST", "notes", json={"body": "x"}).status_code for _ in range(3)]
    drafts = [stage.ask("POST", "draft_notes", json={"note": "x"}).status_code for _ in range(3)]
    now[0] += 61

    assert (statuses, drafts) == ([201, 201, 429], [201, 201, 201])
    assert stage.ask("POST", "notes", json={"body": "x"}).status_code == 201


def test_a_client_that_waits_gets_through(stage: Stage) -> None:
    stage.world.limits.notes, stage.world.limits.period_s = 1, 1.0
    notes = stage.merge_request().notes

    for number in range(2):
        notes.create({"body": f"{number}"})

    assert [entry.status for entry in stage.simulator.log] == [201, 429, 201]


# --- What the published API has ---


def test_every_route_has_its_parameters_and_the_other_way_round() -> None:
    assert {route.name for route in ROUTES} == set(published.PARAMETERS)
    for described in published.PARAMETERS.values():
        assert list(published.parameters(described)) is not None


@pytest.mark.parametrize(
    ("line", "body", "status", "words"),
    [
        ("POST notes", {"body": "x", "confidental": True}, 201, "there is no parameter confidental"),
        ("POST draft_notes", {"body": "x"}, 400, "note is missing"),
        ("PUT ", {"reviewers": [1]}, 400, "there is no parameter reviewers"),
        ("GET comments", None, 404, "there is no such endpoint"),
        ("PATCH ", {"title": "x"}, 405, "there is no such endpoint"),
        ("GET notes/null", None, 404, "the path names nothing"),
        ("POST discussions", {"body": "x", "position": {"line": 1}}, 400, "position[base_sha] is missing"),
    ],
)
def test_what_the_published_api_does_not_have_is_told(
    stage: Stage, line: str, body: object, status: int, words: str
) -> None:
    answer = stage.ask(*line.split(" "), json=body)

    assert answer.status_code == status
    assert any(words in violation for violation in stage.simulator.violations)
    stage.simulator.violations.clear()


@pytest.mark.parametrize(("version", "known"), [("18.4.0", True), ("19.2.0", True)])
def test_a_parameter_of_a_later_version_is_ignored_and_no_mistake(
    open_gitlab: OpenGitlab, version: str, *, known: bool
) -> None:
    stage = open_gitlab(version=version)

    answer = stage.ask("POST", "draft_notes/bulk_publish", json={"reviewer_state": "reviewed", "internal": False})

    assert (answer.status_code, stage.simulator.violations == []) == (204, known)


def test_a_form_is_read_like_json(stage: Stage) -> None:
    url = f"{stage.simulator.api_url}/projects/{stage.scenario.project.id}/merge_requests/1/discussions"
    place = stage.position(MAIL, new_line=1)
    form = {"body": "x", **{f"position[{name}]": str(value) for name, value in place.items()}}

    answer = requests.post(url, data=form, headers={"PRIVATE-TOKEN": stage.scenario.tokens[BOT]}, timeout=10)

    assert (answer.status_code, answer.json()["notes"][0]["position"]["new_line"]) == (201, 1)


def test_pages_are_bounded_and_have_addresses(stage: Stage) -> None:
    for number in range(3):
        stage.world.open_issue(stage.scenario.project, stage.scenario.person("author"), f"{number}")
    path = f"/projects/{stage.scenario.project.id}/issues"

    answer = stage.ask("GET", path, query={"per_page": 1000})
    first = stage.ask("GET", path, query={"per_page": 2})

    assert answer.headers["X-Per-Page"] == "100"
    following = requests.get(
        first.links["next"]["url"], headers={"PRIVATE-TOKEN": stage.scenario.tokens[BOT]}, timeout=10
    )
    assert [issue["title"] for issue in first.json() + following.json()] == ["2", "1", "0"]


def test_an_error_is_an_error_of_python_gitlab(stage: Stage) -> None:
    with pytest.raises(GitlabError) as refused:
        stage.project(REPORTER_BOT).mergerequests.get(99)

    assert (refused.value.response_code, str(refused.value)) == (404, "404: 404 Not found")
    with pytest.raises(GitlabHttpError):
        stage.client().http_get("/projects/999")
    assert isinstance(stage.client(), gitlab.Gitlab)
