"""Agents on GitHub: a failed one stops the round in sight of all, and people with write access say how it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.github.conftest import Moment, Moments
from tests.fakes.github.entities import ReviewState
from tests.fakes.github.scenario import ACTIONS
from tests.fakes.github_run import Runner
from tests.fakes.llm.reviewing import a_finding, agent_answers, cast, critic_answers, who_is_asked
from tests.fakes.llm.script import Asked, Reply, Step
from tests.fakes.llm.seen import KEY, ask_in_jobs
from tests.fakes.llm.server import FakeModel
from tests.flawed_change import FIXED

SUBJECT, BODY = "A role of nobody is sent", "Without a role, `None` goes into the mail.\n\n- give it a default"
SUGGESTION = '    return {"to": address, "team": team, "role": role or "guest"}'
QUOTE = '    return {"to": address, "team": team, "role": role}'
FOUND = a_finding("rooms/mail.py", 2, QUOTE, SUBJECT, body=BODY, suggestion=SUGGESTION)
TWO = "code_review:\n  agents: [correctness, security]\n"
BUILT_IN = 3
"""Findings of the checks, in every round of this change."""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeModel]:
    """One for all rounds: who is asked where is a part of what was asked."""
    with FakeModel(cast("")) as model:
        yield model
        assert model.violations == []


@pytest.fixture
def model(server: FakeModel) -> FakeModel:
    """A model that finds one thing."""
    server.requests.clear()
    server.script = cast(agent_answers(FOUND))
    return server


@pytest.fixture
def asking(runner: Runner, model: FakeModel) -> Runner:
    """A pull request that nobody reviewed, in a repository whose jobs have a key."""
    ask_in_jobs(runner, model)
    return runner


@pytest.fixture(scope="module")
def stopped(moments: Moments, server: FakeModel, tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """Two agents were asked, and one of them failed."""
    folder = tmp_path_factory.mktemp("stopped")
    server.script = cast(agent_answers(FOUND), security="")
    with moments.opened.begin(moments.simulator, folder / "jobs") as runner:
        ask_in_jobs(runner, server)
        runner.configure(TWO)
        assert runner.review().ended == (6, "agents-failed")
        return Moment.keep(runner.scenario, folder / "repositories")


@pytest.fixture
def failed(moments: Moments, stopped: Moment, model: FakeModel, tmp_path: Path) -> Iterator[Runner]:
    """The same moment; from here the model finds nothing."""
    model.script = cast(agent_answers())
    with stopped.begin(moments.simulator, tmp_path) as runner:
        ask_in_jobs(runner, model)
        yield runner


def asked_by(model: FakeModel) -> list[str]:
    return list(dict.fromkeys(who_is_asked(each.asked) for each in model.requests if each.asked))


def places(runner: Runner) -> list[str]:
    assert runner.draft is not None
    return runner.draft.lines


# --- Found -----------------------------------------------------------------------------------------------------------


def test_what_an_agent_finds_waits_beside_what_the_checks_find(asking: Runner, model: FakeModel) -> None:
    ran = asking.by_process.review()

    assert ran.ended == (0, "awaiting-approval")
    assert ran.outputs["findings"] == str(BUILT_IN + 1)
    assert "rooms/mail.py:2" in places(asking)
    assert SUBJECT in asking.checkpoint.body
    assert asked_by(model) == ["correctness", "critic"]
    assert ran.annotations == []


def test_the_job_says_what_was_used(asking: Runner, model: FakeModel) -> None:
    ran = asking.review()

    used = sum(_tokens(each.asked) for each in model.requests if each.asked)
    assert int(ran.outputs["tokens"]) > used / 10
    assert ran.outputs["cost-usd"] == "unknown"
    assert "cost unknown" in asking.checkpoint.body
    assert f"`{model.host}`" in asking.checkpoint.body


def test_without_a_model_nothing_is_used(runner: Runner) -> None:
    ran = runner.review()

    assert (ran.outputs["tokens"], ran.outputs["cost-usd"]) == ("0", "0")


def test_what_is_approved_of_an_agent_is_published_as_it_was_shown(asking: Runner) -> None:
    asking.review()
    assert asking.draft is not None
    [shown] = [text for _, line, text in asking.draft.comments if line == 2]
    number = _number_of(asking, SUBJECT)

    ran = asking.command("writer", f"/approve-findings {number}")

    assert ran.ended == (0, "submitted")
    [review] = asking.reviews
    assert review.state == ReviewState.COMMENTED
    assert review.comments == (("rooms/mail.py", 2, shown),)
    assert shown == f"**issue:** {SUBJECT}\n\n{BODY}\n\n```suggestion\n{SUGGESTION}\n```"


def test_an_approval_asks_no_model_and_needs_no_key(asking: Runner, model: FakeModel) -> None:
    asking.review()
    model.requests.clear()
    asking.variables.clear()

    ran = asking.command("writer", "/approve-findings --as comment")

    assert ran.ended == (0, "submitted")
    assert model.requests == []
    assert len(asking.reviews[0].comments) == BUILT_IN + 1


def test_the_same_head_is_not_asked_about_again(asking: Runner, model: FakeModel) -> None:
    asking.review()
    before = len(model.requests)

    again = asking.review("synchronize")

    assert (again.ended, again.writes) == ((0, "awaiting-approval"), [])
    assert len(model.requests) == before


# --- Failed ----------------------------------------------------------------------------------------------------------


def test_a_failed_agent_stops_the_round_and_shows_nothing(asking: Runner, model: FakeModel) -> None:
    asking.configure(TWO)
    model.script = cast(agent_answers(FOUND), security=Reply(refusal="I will not."))

    ran = asking.review()

    assert ran.ended == (6, "agents-failed")
    assert asking.title == "security failed"
    assert asking.check[1] == "an agent failed"
    assert (asking.draft, asking.reviews) == (None, [])
    page = asking.checkpoint.body
    assert "the model refused (I will not.)" in page
    assert "What correctness found is kept" in page
    for command in ("/retry-agent", "/proceed-without security", "/draftgate abort"):
        assert f"```\n{command}\n```" in page
    for shown in (page.partition("<!--")[0], ran.summary, ran.log):
        assert SUBJECT not in shown
        assert "send_welcome" not in shown  # nor what the checks found
    assert ran.outputs["findings"] == ""


def test_an_event_that_is_run_again_is_a_retry(failed: Runner, model: FakeModel) -> None:
    ran = failed.run("pull_request", failed.pull_payload("opened"), GITHUB_RUN_ATTEMPT="2")

    assert ran.ended == (0, "awaiting-approval")
    assert asked_by(model) == ["security", "critic"]
    assert SUBJECT in failed.checkpoint.body
    assert failed.title == f"{BUILT_IN + 1} findings wait for your approval"


@pytest.mark.parametrize("command", ["/retry-agent", "/retry-agent security", "/draftgate retry"])
def test_a_writer_asks_again(command: str, failed: Runner, model: FakeModel) -> None:
    ran = failed.command("writer", command)

    assert ran.ended == (0, "awaiting-approval")
    assert failed.reaction == "eyes rocket"
    assert asked_by(model) == ["security", "critic"]
    assert SUBJECT in failed.checkpoint.body


def test_a_retry_that_fails_again_says_so(failed: Runner, model: FakeModel) -> None:
    model.script = cast("")

    ran = failed.command("writer", "/retry-agent")

    assert ran.ended == (6, "agents-failed")
    assert asked_by(model) == ["security"]
    assert failed.title == "security failed"
    assert failed.draft is None


def test_a_writer_goes_on_without_it(failed: Runner, model: FakeModel) -> None:
    ran = failed.command("writer", "/proceed-without security")

    assert ran.ended == (0, "awaiting-approval")
    assert failed.reaction == "eyes rocket"
    assert asked_by(model) == ["critic"]
    assert "limited: security failed, and a person chose to go on without it" in failed.checkpoint.body
    assert "security — failed: " in failed.checkpoint.body
    assert "rooms/mail.py:2" in places(failed)


def test_a_clean_change_that_an_agent_did_not_look_at_is_not_green(asking: Runner, model: FakeModel) -> None:
    model.script = cast(agent_answers(), security="")
    asking.configure(TWO)
    asking.push(FIXED)
    failed = asking.review()

    ran = asking.command("writer", "/proceed-without security")

    assert failed.ended == (6, "agents-failed")
    assert ran.ended == (0, "nothing-found")
    assert asking.check == ("neutral", "nothing found, and not everything was looked at")


def test_a_writer_gives_the_round_up(failed: Runner, model: FakeModel) -> None:
    ran = failed.command("writer", "/draftgate abort")

    assert ran.ended == (0, "aborted")
    assert failed.reaction == "eyes rocket"
    assert model.requests == []
    assert (failed.draft, failed.reviews) == (None, [])


@pytest.mark.parametrize("command", ["/retry-agent", "/proceed-without security", "/draftgate abort"])
def test_a_stranger_changes_nothing_and_costs_nothing(command: str, failed: Runner, model: FakeModel) -> None:
    before = failed.checkpoint.body

    ran = failed.command("outsider", command)

    assert ran.ended == (0, "agents-failed")
    assert (failed.reaction, failed.reply) == ("confused", "")
    assert model.requests == []
    assert failed.checkpoint.body == before


@pytest.mark.parametrize("command", ["/approve-findings", "/proceed-without correctness", "/retry-agent nobody"])
def test_what_does_not_fit_a_failed_round_is_refused_in_words(command: str, failed: Runner, model: FakeModel) -> None:
    ran = failed.command("writer", command)

    assert ran.ended == (0, "agents-failed")
    assert failed.reaction == "eyes confused"
    assert failed.reply
    assert model.requests == []
    assert failed.reviews == []


def test_a_critic_that_fails_stops_the_round(asking: Runner, model: FakeModel) -> None:
    model.script = cast(agent_answers(FOUND), "I agree with all of it.")
    failed = asking.review()
    page = asking.checkpoint.body
    model.requests.clear()
    model.script = cast(agent_answers(), critic_answers("confirmed"))

    again = asking.command("writer", "/retry-agent")

    assert failed.ended == (6, "agents-failed")
    assert SUBJECT not in page.partition("<!--")[0]
    assert again.ended == (0, "awaiting-approval")
    assert asked_by(model) == ["critic"]
    assert "rooms/mail.py:2" in places(asking)


def test_a_push_after_a_failure_is_asked_about_anew(failed: Runner, model: FakeModel) -> None:
    failed.push()

    ran = failed.review("synchronize")

    assert ran.ended == (0, "awaiting-approval")
    assert sorted(asked_by(model)) == ["correctness", "security"]


def test_a_failure_on_a_new_head_lets_nobody_approve_the_old_one(asking: Runner, model: FakeModel) -> None:
    asking.review()
    asking.push()
    model.script = cast("")

    ran = asking.review("synchronize")
    approved = asking.command("writer", "/approve-findings")

    assert ran.ended == (6, "agents-failed")
    assert asking.reaction == "eyes confused"
    assert approved.phase == "agents-failed"
    assert asking.reviews == []


# --- Heads that move -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [agent_answers(FOUND), Reply("")], ids=["found", "failed"])
def test_an_agent_that_is_done_after_the_head_moved_shows_nothing(
    answer: Step, asking: Runner, model: FakeModel
) -> None:
    pushed: list[str] = []

    def move(asked: Asked) -> Step:
        if not pushed:
            pushed.append(asking.push())
        return answer

    model.script = cast(move)

    ran = asking.review()

    assert pushed
    assert ran.ended == (0, "superseded")
    assert asking.draft is None
    assert SUBJECT not in asking.checkpoint.body.partition("<!--")[0]


# --- Keys ------------------------------------------------------------------------------------------------------------


def test_agents_without_a_key_fail_the_job_and_say_what_to_write(runner: Runner) -> None:
    runner.configure(TWO)

    ran = runner.review()

    assert ran.code == 3
    [notice] = runner.pull.comments
    for text in (ran.log, ran.summary, notice.body):
        assert "there is no key for openai:" in text
        assert "llm-api-key" in text
    assert runner.draft is None


def test_a_missing_key_is_shown_above_a_round_that_waits_and_stays(reviewed: Runner) -> None:
    before = reviewed.draft
    reviewed.configure(TWO)

    ran = reviewed.review("synchronize")

    assert ran.code == 3
    above, _, below = reviewed.checkpoint.body.partition("3 findings wait for your approval")
    assert "there is no key for openai:" in above
    assert "Commands on a round that waits work as before." in above
    assert "the change to send_welcome breaks 1 place" in below
    assert reviewed.draft == before


def test_a_round_that_waits_can_be_approved_although_a_key_is_missing(reviewed: Runner) -> None:
    reviewed.configure(TWO)
    reviewed.review("synchronize")

    ran = reviewed.command("writer", "/approve-findings 1")

    assert ran.ended == (0, "submitted")


def test_a_new_round_by_command_says_that_the_key_is_missing(reviewed: Runner) -> None:
    reviewed.configure(TWO)
    before = reviewed.draft

    ran = reviewed.command("writer", "/draftgate review")

    assert ran.code == 3
    assert reviewed.reaction == "eyes confused"
    assert "there is no key" in reviewed.reply
    assert reviewed.draft == before


def test_a_key_alone_asks_the_default_agent(asking: Runner, model: FakeModel) -> None:
    asking.review()

    assert asked_by(model) == ["correctness", "critic"]
    assert "By default correctness alone was asked" in asking.checkpoint.body


@pytest.mark.parametrize("settings", ["", TWO], ids=["by-default", "named"])
def test_a_fork_is_reviewed_by_the_checks_alone_where_there_is_no_key(settings: str, runner: Runner) -> None:
    if settings:
        runner.configure(settings)
    _make_read_only(runner)

    ran = runner.review()

    assert ran.ended == (0, "read-only")
    assert ran.writes == []
    assert "the change to send_welcome breaks 1 place" in ran.summary
    assert ("correctness, security not asked, since this run is given no key" in ran.summary) is bool(settings)


def test_a_fork_with_a_key_is_reviewed_whole_into_the_summary(asking: Runner, model: FakeModel) -> None:
    _make_read_only(asking)

    ran = asking.review()

    assert ran.ended == (0, "read-only")
    assert ran.writes == []
    assert SUBJECT in ran.summary


def test_a_fork_whose_agent_fails_says_so(asking: Runner, model: FakeModel) -> None:
    _make_read_only(asking)
    model.script = cast("")

    ran = asking.review()

    assert ran.code == 6
    assert "correctness failed" in ran.log
    assert ran.writes == []
    assert "send_welcome" not in ran.summary


def test_the_key_is_nowhere(asking: Runner, model: FakeModel) -> None:
    ran = asking.review()

    assert {each.headers["authorization"] for each in model.requests} == {f"Bearer {KEY}"}
    assert KEY not in ran.log + ran.summary + asking.checkpoint.body


def _make_read_only(runner: Runner) -> None:
    """A pull request from a fork, whose token can only read."""
    runner.fork()
    runner.account = ACTIONS
    token, bot = runner.scenario.tokens[ACTIONS], runner.scenario.person(ACTIONS)
    runner.scenario.world.add_token(token, bot, {"contents": "read", "pull_requests": "read"})


def _number_of(runner: Runner, subject: str) -> int:
    """The number of a finding, as its card has it."""
    card = runner.checkpoint.body.partition(subject)[0].rpartition("- [ ] **")[2]
    return int(card.partition("**")[0])


def _tokens(asked: Asked) -> int:
    return len(asked.text) // 4
