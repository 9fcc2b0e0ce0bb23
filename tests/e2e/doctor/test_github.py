"""What `draftgate doctor` says of GitHub: nothing where all is well, one row and its exit code for each thing wrong."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from draftgate.doctor.facts.github import MOST_REQUESTS
from tests.fakes.doctor_room import WORKFLOW, GitHubRoom, example
from tests.fakes.github import comments, reviews
from tests.fakes.github.scenario import ACTIONS
from tests.fakes.github_run import Runner

FREE_PORT = "http://127.0.0.1:9"


def test_nothing_is_wrong_where_all_is_well(github: GitHubRoom) -> None:
    look = github.look()

    assert (look.code, look.wrong, look.warned) == (0, {}, set())
    assert look.unseen == {"github.writes"}
    assert len(look.requests) == MOST_REQUESTS == look.document["requests"]["forge"]
    assert look.document["forge"]["repository"] == "acme/rooms"


def test_a_job_without_a_checkout_reads_the_workflow_of_the_default_branch(github: GitHubRoom) -> None:
    github.publish({WORKFLOW: example("minimal")})
    github.account = ACTIONS

    look = github.look("--folder", "/", **github.job())

    assert (look.code, look.wrong) == (0, {})
    assert "of the default branch" in look.row("workflow.present", "ok")["says"]
    assert look.outcomes("workflow.permissions") == ["ok", "ok"]
    assert look.outcomes("local.clone") == ["ok"]
    assert "github-actions[bot], which every workflow" in look.row("github.account", "ok")["says"]


# --- The token -------------------------------------------------------------------------------------------------------


def test_a_classic_token_without_its_scope(github: GitHubRoom) -> None:
    github.account = "writer"
    github.scenario.caller("writer").scopes = frozenset({"gist"})

    look = github.look()

    assert (look.code, look.wrong) == (3, {"github.token": 3})
    row = look.row("github.token", "wrong")
    assert "gist" in row["says"]
    assert "public_repo" in row["change"]
    assert row["where"].endswith("/settings/tokens")


def test_a_private_repository_needs_the_whole_scope(github: GitHubRoom) -> None:
    github.account = "writer"
    github.scenario.repository.private = True
    github.scenario.caller("writer").scopes = frozenset({"public_repo"})

    assert "`repo`" in github.look().row("github.token", "wrong")["change"]


def test_scopes_that_nobody_needs_are_named(github: GitHubRoom) -> None:
    github.account = "admin"
    github.scenario.caller("admin").scopes = frozenset({"repo", "delete_repo"})

    look = github.look()

    assert look.code == 0
    assert "delete_repo" in look.row("github.token", "warning")["says"]


@pytest.mark.parametrize(("days", "outcome", "code"), [(300, "ok", 0), (5, "warning", 0), (-2, "wrong", 3)])
def test_the_end_of_a_token(days: int, outcome: str, code: int, github: GitHubRoom) -> None:
    end = datetime.now(UTC) + timedelta(days=days)
    github.account = "admin"
    github.scenario.caller("admin").expires = f"{end:%Y-%m-%d %H:%M:%S} UTC"

    look = github.look()

    assert (look.code, look.outcomes("github.expiry")) == (code, [outcome])


def test_a_person_in_a_job_and_a_role_that_is_too_low(github: GitHubRoom) -> None:
    github.account = "reader"

    look = github.look(**github.job())

    assert look.code == 0
    assert "people sign in to" in look.row("github.account", "warning")["says"]
    assert "role read" in look.row("github.role", "warning")["says"]


@pytest.mark.parametrize("name", ["contents", "pull_requests", "checks"])
def test_a_permission_that_an_app_lacks(name: str, github: GitHubRoom) -> None:
    everything = {"contents": "read", "pull_requests": "write", "checks": "write", "administration": "read"}
    del everything[name]
    github.grant("draftgate[bot]", **everything)

    look = github.look()

    check = f"github.{name.replace('_', '-')}"
    assert (look.code, look.wrong) == (3, {check: 3})
    assert "Resource not accessible by integration" in look.row(check, "wrong")["says"]
    assert f"`{name.replace('_', '-')}: " in look.row(check, "wrong")["change"]


def test_settings_that_the_token_may_not_read_are_unseen_and_named(github: GitHubRoom) -> None:
    github.publish({WORKFLOW: example("minimal")})
    github.grant("draftgate[bot]", contents="read", pull_requests="write", checks="write")

    look = github.look()

    assert look.code == 0
    row = look.row("github.may-approve", "could-not-look")
    assert "not accessible" in row["says"]
    assert "/acme/rooms/settings/actions" in row["where"]
    assert "Allow GitHub Actions to create and approve" in row["where"]


def test_actions_may_not_approve(github: GitHubRoom) -> None:
    github.publish({WORKFLOW: example("minimal")})
    github.scenario.repository.actions_can_approve = False

    row = github.look().row("github.may-approve", "warning")

    assert "--as approve" in row["says"]
    assert row["where"].startswith(f"{github.simulator.web}/acme/rooms/settings/actions")


# --- The repository --------------------------------------------------------------------------------------------------


def test_an_archived_repository(github: GitHubRoom) -> None:
    github.scenario.repository.archived = True

    look = github.look()

    assert (look.code, look.wrong) == (3, {"github.reach": 3})


def test_a_branch_that_nobody_protects(github: GitHubRoom) -> None:
    github.scenario.repository.protected.clear()
    github.scenario.repository.rules.clear()

    assert "main is not protected" in github.look().row("github.branch", "warning")["says"]


def test_an_environment_that_is_open_or_absent(github: GitHubRoom) -> None:
    environments = github.scenario.repository.environments
    environments["draftgate"].branches = None
    opened = github.look()
    environments["draftgate"].protected_only = True
    protected = github.look()
    environments["draftgate"].branches, environments["draftgate"].protected_only = ["main", "release/*"], False
    several = github.look()
    environments.clear()
    absent = github.look()

    assert (opened.code, opened.wrong) == (3, {"github.environment": 3})
    assert "allow main and nothing else" in opened.row("github.environment", "wrong")["change"]
    assert protected.warned == several.warned == {"github.environment"}
    assert "release/*" in several.row("github.environment", "warning")["says"]
    assert "github.environment" in absent.unseen
    assert absent.code == 0


def test_an_old_enterprise_server(github: GitHubRoom) -> None:
    github.variables |= {"GITHUB_API_URL": github.simulator.enterprise_url}
    github.scenario.world.enterprise = "3.17.2"

    row = github.look().row("github.version", "warning")

    assert "3.17.2 runs `pull_request_target` on the base branch" in row["says"]


def test_a_clock_that_is_off(github: GitHubRoom) -> None:
    github.simulator.ahead_s = 3600

    row = github.look().row("github.clock", "warning")

    assert "behind GitHub's" in row["says"]


# --- Other bots ------------------------------------------------------------------------------------------------------


def test_what_another_program_holds_and_wrote_with_the_same_account(github: GitHubRoom) -> None:
    world, pull, caller = github.scenario.world, github.scenario.pull, github.scenario.caller("draftgate[bot]")
    reviews.create(world, caller, pull, body="A draft of another program")
    comments.create(world, caller, pull, "PR-Agent says hello")

    look = github.look()

    assert look.code == 0
    assert f"/acme/rooms/pull/{pull.number}" in look.row("github.foreign-drafts", "warning")["says"]
    assert f"/acme/rooms/pull/{pull.number}" in look.row("github.other-bots", "warning")["says"]


def test_what_draftgate_itself_left_is_no_other_bot(github: GitHubRoom) -> None:
    runner = Runner(github.scenario, github.simulator, github.work.path.parent / "jobs")
    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command("maintainer", "/approve-findings 1").ended == (0, "submitted")
    runner.push()
    assert runner.review("synchronize").phase == "awaiting-approval"

    look = github.look()

    assert look.outcomes("github.foreign-drafts") == look.outcomes("github.other-bots") == ["ok"]


def test_another_bot_in_a_workflow_of_the_same_account(github: GitHubRoom) -> None:
    other = "on: pull_request\njobs:\n  agent:\n    steps:\n      - uses: qodo-ai/pr-agent@main\n"
    github.publish({WORKFLOW: example("minimal"), ".github/workflows/agent.yml": other})

    row = github.look().row("workflow.other-bots", "warning")

    assert "PR-Agent in .github/workflows/agent.yml" in row["says"]


# --- The server ------------------------------------------------------------------------------------------------------


def test_nobody_answers(github: GitHubRoom) -> None:
    github.variables |= {"GITHUB_API_URL": FREE_PORT, "GITHUB_GRAPHQL_URL": f"{FREE_PORT}/graphql"}

    look = github.look()

    assert (look.code, look.wrong) == (4, {"github.reach": 4})
    assert "could not be reached" in look.row("github.reach", "wrong")["says"]
    assert "github.token" in look.unseen
    assert look.outcomes("local.git-version") == ["ok"]


def test_a_token_that_nobody_knows(github: GitHubRoom) -> None:
    github.account = "ghp_unknownunknownunknownunknown0000"

    look = github.look()

    assert (look.code, look.wrong) == (3, {"github.reach": 3})
    assert "Bad credentials" in look.row("github.reach", "wrong")["says"]
    assert len(look.requests) == 1


def test_a_repository_that_the_token_may_not_see(github: GitHubRoom) -> None:
    look = github.look("--repository", f"{github.simulator.web}/acme/nowhere", "--forge", "github")

    assert (look.code, look.wrong) == (3, {"github.reach": 3})
    assert "may not see it" in look.row("github.reach", "wrong")["says"]


@pytest.mark.parametrize("fault", ["primary-in-an-hour", "429", "secondary", "500", "502"])
def test_an_answer_that_does_not_come(fault: str, github: GitHubRoom) -> None:
    github.simulator.faults.add(fault, times=None)

    look = github.look()

    assert (look.code, look.wrong) == (4, {"github.reach": 4})
    assert len(look.requests) <= 2


def test_an_account_that_has_no_requests_left(github: GitHubRoom) -> None:
    github.simulator.faults.add("primary-in-an-hour", times=None)

    assert "asks to wait until" in github.look().row("github.reach", "wrong")["says"]


def test_a_server_that_stops_answering_is_not_asked_for_all_the_rest(github: GitHubRoom) -> None:
    github.simulator.faults.add("close", match="/rules/|/check-runs|/actions/|/environments", times=None)

    look = github.look()

    assert (look.code, look.wrong) == (4, {"github.reach": 4})
    assert look.outcomes("github.contents") == ["ok"]
    assert {"github.checks", "github.branch"} <= look.unseen
    assert not any("/environments/" in entry.path for entry in look.requests)


def test_one_answer_that_is_lost_is_one_thing_that_could_not_be_seen(github: GitHubRoom) -> None:
    github.simulator.faults.add("500", match="/rules/", times=None)

    look = github.look()

    assert (look.code, look.unseen) == (0, {"github.writes", "github.branch"})


def test_a_server_that_is_slow(github: GitHubRoom) -> None:
    github.simulator.faults.add("hold", times=None)

    look = github.look("--timeout", "1")

    assert (look.code, look.wrong) == (4, {"github.reach": 4})
    assert "did not answer in time" in look.row("github.reach", "wrong")["says"]
    github.simulator.faults.clear()


@pytest.mark.parametrize("shape", ["nonsense", "list", "page", "hostile"])
def test_a_server_that_answers_in_another_form(shape: str, github: GitHubRoom) -> None:
    github.simulator.faults.add(shape, times=None)

    look = github.look()

    assert look.code in {3, 4}
    good = {row["check"] for row in look.rows if row["area"] == "github" and row["outcome"] == "ok"}
    assert good == {"github.may-approve"}  # by the workflows of the checkout alone
    assert not set("\x1b\x07\u202e") & set("".join(str(row) for row in look.rows))


def test_a_log_obeys_nothing_of_what_a_server_says(github: GitHubRoom) -> None:
    github.simulator.faults.add("hostile", times=None)

    done, _ = github.run("--folder", "/", **github.job())

    assert done.code == 3
    assert not [line for line in done.stdout.splitlines() if line.lstrip().startswith("::")]
    assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)


# --- Which repository ------------------------------------------------------------------------------------------------


def test_a_server_that_only_the_clone_names_gets_no_token(github: GitHubRoom) -> None:
    github.variables.clear()

    look = github.look()

    row = look.row("local.forge", "could-not-look")
    assert (look.code, look.requests, look.document["forge"]) == (0, (), None)
    assert "gets no token unasked" in row["says"]
    assert "draftgate doctor --forge" in row["where"]
    assert look.outcomes("workflow.present") == ["ok"]


def test_a_repository_is_named_by_its_address(github: GitHubRoom) -> None:
    github.variables.clear()

    look = github.look("--forge", "github", "--repository", f"{github.simulator.web}/acme/rooms.git")

    assert (look.code, look.wrong) == (0, {})
    assert all(entry.login == "draftgate[bot]" for entry in look.requests)


def test_another_repository_than_that_of_the_clone_is_judged_by_its_own_workflows(github: GitHubRoom) -> None:
    github.write({WORKFLOW: "on: push\n"})
    world, repository = github.scenario.world, github.scenario.repository
    other = world.add_repository(repository.owner, "halls", repository.git)
    assert other.full_name == "acme/halls"

    look = github.look("--repository", "acme/halls")

    assert "of the default branch" in look.row("workflow.present", "ok")["says"]


def test_a_password_in_the_address_of_origin(github: GitHubRoom) -> None:
    address = github.simulator.web.replace("://", "://someone:hunter2-secret@")
    github.work.git("remote", "set-url", "origin", f"{address}/acme/rooms.git")
    github.secrets.add("hunter2-secret")

    look = github.look()

    assert "holds a password" in look.row("local.forge", "warning")["says"]


@pytest.mark.parametrize(
    ("token", "says"),
    [("", "no token for GitHub in GITHUB_TOKEN"), ("ghp_two words", "can be no token")],
    ids=["none", "of two words"],
)
def test_no_token_or_none_that_can_be_one(token: str, says: str, github: GitHubRoom) -> None:
    github.account = ""

    look = github.look(**({"GITHUB_TOKEN": token} if token else {}))

    assert (look.code, look.requests) == (3, ())
    assert says in look.row("github.token", "wrong")["says"]
    assert look.outcomes("workflow.events") == ["ok"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--format", "xml"], "there is no format 'xml'"),
        (["--forge", "gitea"], "there is no forge 'gitea'"),
        (["--repository", "not a name"], "names no repository"),
        (["--timeout", "0"], "--timeout"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_line_that_means_nothing(arguments: list[str], says: str, github: GitHubRoom) -> None:
    done, requests = github.run(*arguments)

    assert (done.code, requests) == (2, ())
    assert says in done.stderr
