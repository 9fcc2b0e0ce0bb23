"""What `draftgate doctor` says of GitLab: nothing where all is well, one row and its exit code for each thing wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from draftgate.doctor.facts.gitlab import MOST_REQUESTS
from tests.fakes.doctor_room import PIPELINE, GitLabRoom
from tests.fakes.gitlab import drafts, notes
from tests.fakes.gitlab.entities import DraftNote
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab_run import Runner

MAINTAINER = "maintainer"
"""Sees settings that the bot does not."""


def test_nothing_is_wrong_where_all_is_well(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER

    look = gitlab.look()

    assert (look.code, look.wrong, look.warned, look.unseen) == (0, {}, set(), set())
    assert len(look.requests) == look.document["requests"]["forge"] == 12
    assert look.document["forge"] == {
        "name": "gitlab",
        "repository": "acme/tools/rooms",
        "url": f"{gitlab.simulator.url}/acme/tools/rooms",
    }


def test_the_bot_cannot_see_everything_and_says_where_to_look(gitlab: GitLabRoom) -> None:
    look = gitlab.look(**gitlab.job())

    assert (look.code, look.wrong, look.warned) == (0, {}, set())
    assert look.unseen == {"gitlab.variable", "gitlab.webhook", "gitlab.forks"}
    assert look.row("gitlab.webhook", "could-not-look")["where"].endswith("/acme/tools/rooms/-/hooks")
    assert look.row("gitlab.variable", "could-not-look")["where"].endswith("/-/settings/ci_cd (Variables)")


def test_a_job_without_a_checkout_reads_the_pipeline_file_of_the_default_branch(gitlab: GitLabRoom) -> None:
    look = gitlab.look("--folder", "/", **gitlab.job())

    # No checkout of this project lies there, so that the file is asked for.
    assert "with the route webhook" in look.row("pipeline.present", "ok")["says"]
    assert any("repository/files/.gitlab-ci.yml" in entry.path.replace("%2E", ".") for entry in look.requests)


def test_no_more_is_asked_than_is_said(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.scenario.world.version = "14.10.0"
    world, project = gitlab.scenario.world, gitlab.scenario.project
    for number in range(8):
        project.git.git("branch", f"topic-{number}", gitlab.scenario.merge_request.source_branch)
        author = gitlab.scenario.person("author")
        world.open_merge_request(project, author, f"Topic {number}", source_branch=f"topic-{number}")
    gitlab.simulator.faults.add("404", match="GET /metadata")

    look = gitlab.look("--repository", gitlab.scenario.project.full_path, "--folder", "/")

    assert len(look.requests) == MOST_REQUESTS
    assert "14.10.0" in look.row("gitlab.version", "warning")["says"]
    assert "5 open merge requests that changed last" in look.row("gitlab.foreign-drafts", "ok")["says"]


# --- The token -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["by its form", "by the variable"])
def test_the_token_of_a_job_is_no_token_for_this(how: str, gitlab: GitLabRoom) -> None:
    gitlab.account = "job"
    given = {"CI_JOB_TOKEN": gitlab.tokens["job"]} if how == "by the variable" else {}

    look = gitlab.look(**gitlab.job(**given))

    assert (look.code, look.wrong, look.requests) == (3, {"gitlab.reach": 3}, ())
    assert "CI_JOB_TOKEN" in look.row("gitlab.reach", "wrong")["says"]
    assert "project access token" in look.row("gitlab.reach", "wrong")["change"]


def test_a_token_that_only_reads(gitlab: GitLabRoom) -> None:
    gitlab.scenario.world.add_token("glpat-reads", gitlab.scenario.bot, "read_api")
    gitlab.account = "glpat-reads"

    look = gitlab.look()

    assert (look.code, look.wrong) == (3, {"gitlab.token": 3})
    assert "read_api" in look.row("gitlab.token", "wrong")["says"]


def test_scopes_that_nobody_needs_are_named(gitlab: GitLabRoom) -> None:
    gitlab.scenario.world.add_token("glpat-much", gitlab.scenario.bot, "api", "sudo")
    gitlab.account = "glpat-much"

    assert "sudo" in gitlab.look().row("gitlab.token", "warning")["says"]


@pytest.mark.parametrize(("days", "outcome", "code"), [(300, "ok", 0), (5, "warning", 0), (-2, "wrong", 3)])
def test_the_end_of_a_token(days: int, outcome: str, code: int, gitlab: GitLabRoom) -> None:
    gitlab.scenario.caller("bot").expires = f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}"

    look = gitlab.look()

    assert (look.code, look.outcomes("gitlab.expiry")) == (code, [outcome])


@pytest.mark.parametrize("account", ["reporter-bot", "outsider"])
def test_a_role_that_is_too_low(account: str, gitlab: GitLabRoom) -> None:
    gitlab.account = account

    look = gitlab.look()

    assert (look.code, look.wrong) == (3, {"gitlab.role": 3})
    assert "Developer" in look.row("gitlab.role", "wrong")["change"]


def test_a_person_in_a_job(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER

    assert "people sign in to" in gitlab.look(**gitlab.job()).row("gitlab.account", "warning")["says"]


def test_a_role_by_a_group_above_counts(gitlab: GitLabRoom) -> None:
    project = gitlab.scenario.project
    level = project.members.pop(gitlab.scenario.bot)
    assert level is Level.DEVELOPER
    gitlab.scenario.world.groups[0].members[gitlab.scenario.bot] = level

    assert gitlab.look().outcomes("gitlab.role") == ["ok"]


# --- The project -----------------------------------------------------------------------------------------------------


def test_settings_that_are_loose(gitlab: GitLabRoom) -> None:
    project = gitlab.scenario.project
    gitlab.account = MAINTAINER
    project.author_approval, project.committers_approval, project.reset_approvals_on_push = True, True, False
    project.protected.clear()

    look = gitlab.look()

    assert (look.code, look.warned) == (0, {"gitlab.approvals", "gitlab.branch"})
    says = look.row("gitlab.approvals", "warning")["says"]
    assert "authors may approve" in says
    assert "added commits" in says
    assert "never saw" in says
    assert "protected variable does not reach it" in look.row("gitlab.branch", "warning")["says"]


def test_a_tier_that_has_no_approval_settings(gitlabs: Callable[..., GitLabRoom]) -> None:
    look = gitlabs(tier="free").look()

    assert {"gitlab.approvals", "gitlab.tier"} <= look.unseen
    assert look.code == 0


def test_an_edition_that_has_none_either(gitlabs: Callable[..., GitLabRoom]) -> None:
    assert "Community Edition" in gitlabs(tier="ce").look().row("gitlab.tier", "ok")["says"]


def test_an_archived_project(gitlab: GitLabRoom) -> None:
    gitlab.scenario.project.archived = True

    look = gitlab.look()

    assert (look.code, look.wrong) == (3, {"gitlab.reach": 3})


def test_a_protected_variable_that_no_pipeline_of_a_merge_request_gets(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.publish({".gitlab-ci.yml": PIPELINE.format(digest="0" * 64, route="merge-request")})

    look = gitlab.look()

    assert (look.code, look.wrong) == (3, {"gitlab.variable": 3})
    assert "no job gets it" in look.row("gitlab.variable", "wrong")["says"]


def test_a_variable_that_anybody_may_print(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    variable = gitlab.scenario.project.variables["DRAFTGATE_GITLAB_TOKEN"]
    variable.protected = variable.masked = False

    assert gitlab.look().outcomes("gitlab.variable") == ["warning", "warning"]
    gitlab.scenario.project.variables.clear()
    assert "one of a group above" in gitlab.look().row("gitlab.variable", "warning")["says"]


def test_forks_that_run_with_the_token(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.scenario.project.fork_pipelines_here = True
    gitlab.scenario.project.variables["DRAFTGATE_GITLAB_TOKEN"].protected = False
    gitlab.publish({".gitlab-ci.yml": PIPELINE.format(digest="0" * 64, route="merge-request")})

    assert "pipeline of a fork" in gitlab.look().row("gitlab.forks", "warning")["says"]


# --- The webhook -----------------------------------------------------------------------------------------------------


def test_a_webhook_that_is_not_there(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.scenario.project.hooks[0].url = "https://chat.example.org/hook"

    look = gitlab.look()

    assert (look.code, look.wrong) == (2, {"gitlab.webhook": 2})
    assert "/ref/main/trigger/pipeline?token=TRIGGER_TOKEN" in look.row("gitlab.webhook", "wrong")["change"]


def test_a_webhook_with_another_branch_and_too_few_events(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    hook = gitlab.scenario.project.hooks[0]
    hook.url, hook.notes, hook.merge_requests = hook.url.replace("/ref/main/", "/ref/develop/"), False, False

    says = gitlab.look().row("gitlab.webhook", "wrong")["says"]

    assert "the branch develop, and not main" in says
    assert "*Comments* not ticked" in says
    assert "*Merge request events* not ticked" in says


def test_a_webhook_that_gitlab_gave_up(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.scenario.project.hooks[0].alert_status = "disabled"

    assert "does not call a webhook any more" in gitlab.look().row("gitlab.webhook", "warning")["says"]


def test_payloads_that_nobody_may_give(gitlab: GitLabRoom) -> None:
    gitlab.account = MAINTAINER
    gitlab.scenario.project.variables_role = "no_one_allowed"

    look = gitlab.look()

    assert (look.code, look.wrong) == (2, {"gitlab.webhook": 2})
    assert "Minimum role to use pipeline variables" in look.row("gitlab.webhook", "wrong")["where"]


# --- Other bots ------------------------------------------------------------------------------------------------------


def test_what_another_program_holds_and_wrote_with_the_same_account(gitlab: GitLabRoom) -> None:
    world, one, bot = gitlab.scenario.world, gitlab.scenario.merge_request, gitlab.scenario.bot
    drafts.create(world, bot, one, DraftNote(id=0, merge_request=one, author=bot, note="A draft of another program"))
    notes.create(world, bot, one, NewNote("PR-Agent says hello"))

    look = gitlab.look()

    assert look.code == 0
    assert "/-/merge_requests/1" in look.row("gitlab.foreign-drafts", "warning")["says"]
    assert "/-/merge_requests/1#note_" in look.row("gitlab.other-bots", "warning")["says"]


def test_what_draftgate_itself_left_is_no_other_bot(gitlab: GitLabRoom) -> None:
    runner = Runner(gitlab.scenario, gitlab.simulator, gitlab.work.path.parent / "jobs")
    assert runner.review().ended == (0, "awaiting-approval")
    assert runner.command(MAINTAINER, "/approve-findings 1").ended == (0, "submitted")
    assert runner.pushed().phase == "awaiting-approval"

    look = gitlab.look()

    assert look.outcomes("gitlab.foreign-drafts") == look.outcomes("gitlab.other-bots") == ["ok"]


# --- The pipeline file -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "check", "outcome", "code"),
    [
        ("a: [", "pipeline.present", "wrong", 2),
        ("test: {script: make}", "pipeline.present", "warning", 0),
        ("include: {component: $CI_SERVER_FQDN/acme/draftgate/draftgate@1}", "pipeline.image", "wrong", 2),
        (PIPELINE.format(digest="x", route="webhook").replace("@sha256:x", ":latest"), "pipeline.image", "warning", 0),
        (PIPELINE.replace("example.org/draftgate", "example.com/draftgate"), "pipeline.image", "wrong", 2),
        ("review: {script: [draftgate run]}", "pipeline.depth", "warning", 0),
        ("variables: {GIT_DEPTH: '0'}\nreview: {script: draftgate run}", "pipeline.depth", "ok", 0),
        (PIPELINE + "test: {script: make}\n", "pipeline.other-jobs", "warning", 0),
        (PIPELINE + "agent: {rules: [], image: codiumai/pr-agent:1}\n", "pipeline.other-bots", "warning", 0),
        (
            PIPELINE + "a: !reference [.x, script]\nb: {rules: [], script: [!reference [.x]]}\n",
            "pipeline.present",
            "ok",
            0,
        ),
    ],
)
def test_what_is_wrong_with_the_file(text: str, check: str, outcome: str, code: int, gitlab: GitLabRoom) -> None:
    filled = text.replace("{digest}", "0" * 64).replace("{route}", "webhook")
    gitlab.write({".gitlab-ci.yml": filled})

    look = gitlab.look()

    assert look.outcomes(check) == [outcome]
    assert look.code == code


# --- The server ------------------------------------------------------------------------------------------------------


def test_nobody_answers(gitlab: GitLabRoom) -> None:
    gitlab.variables["CI_API_V4_URL"] = "http://127.0.0.1:9/api/v4"

    look = gitlab.look()

    assert (look.code, look.wrong) == (4, {"gitlab.reach": 4})
    assert "gitlab.token" in look.unseen


def test_a_token_that_nobody_knows(gitlab: GitLabRoom) -> None:
    gitlab.account = "glpat-unknownunknownunknown"

    look = gitlab.look()

    assert (look.code, look.wrong) == (3, {"gitlab.reach": 3})
    assert "401" in look.row("gitlab.reach", "wrong")["says"]
    assert len(look.requests) == 1


def test_a_project_that_the_token_may_not_see(gitlabs: Callable[..., GitLabRoom]) -> None:
    room = gitlabs(visibility="private")
    room.account = "outsider"

    look = room.look()

    assert (look.code, look.wrong) == (3, {"gitlab.reach": 3})


@pytest.mark.parametrize("fault", ["429-in-an-hour", "503", "html", "nonsense", "list", "hostile"])
def test_an_answer_that_is_none(fault: str, gitlab: GitLabRoom) -> None:
    gitlab.simulator.faults.add(fault, times=None)

    look = gitlab.look()

    assert look.code in {3, 4}
    assert not any(row["outcome"] == "ok" for row in look.rows if row["area"] == "gitlab")
    assert not set("\x1b\x07\u202e") & set("".join(str(row) for row in look.rows))


def test_a_server_that_is_slow(gitlab: GitLabRoom) -> None:
    gitlab.simulator.faults.add("hold", times=None)

    look = gitlab.look("--timeout", "1")

    assert (look.code, look.wrong) == (4, {"gitlab.reach": 4})
    gitlab.simulator.faults.clear()


def test_a_server_under_a_path(gitlabs: Callable[..., GitLabRoom]) -> None:
    room = gitlabs(relative_root="/gitlab")
    full_path = room.scenario.project.full_path

    look = room.look("--repository", full_path, "--forge", "gitlab")

    assert (look.code, look.wrong) == (0, {})


def test_no_token(gitlab: GitLabRoom) -> None:
    gitlab.account = ""

    look = gitlab.look()

    assert (look.code, look.requests) == (3, ())
    assert "DRAFTGATE_GITLAB_TOKEN" in look.row("gitlab.token", "wrong")["says"]
