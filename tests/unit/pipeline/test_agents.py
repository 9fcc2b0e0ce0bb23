"""Agents and the critic as a part of a round: what they find, what a failure stops, and what a retry asks again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.agents.budget import Allowance
from draftgate.agents.crew import Member
from draftgate.agents.prompt import Prompt
from draftgate.domain.agent_run import NOTHING_SPENT, Spent, sum_spent
from draftgate.domain.consolidate import Policy
from draftgate.domain.finding import Category, Evidence, Finding, Severity
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.round import RoundResult
from draftgate.domain.session import Decision, Outcome, Session, spent_on_round
from draftgate.errors import AgentFailed
from draftgate.llm.base import ModelError, Stop
from draftgate.pipeline.request import AgentSettings
from tests.builders import finding, line_anchor
from tests.fakes.bench import Bench, open_bench
from tests.fakes.checks import make_check
from tests.fakes.models import (
    PRICE_OF_A_TURN,
    USAGE,
    Actor,
    Line,
    always,
    call,
    calling,
    item,
    judging,
    reporting,
    saying,
    seat_of,
    verdict,
)

PLENTY = Allowance(tokens=10_000_000, usd=100.0, requests=1_000, time_s=900.0, wait_s=120.0)
BUILT_IN = finding(
    "two callers pass the old argument",
    check="a.check",
    anchor=line_anchor("lib.py", 2),
    evidence=Evidence("lib.py", 2, ("second",)),
)
CHECK = make_check("a.check", BUILT_IN)
DOWN = ModelError("it is down", context="llm.example.com", hint="wait")
ONE_TURN = Spent(1, USAGE.input, USAGE.output, USAGE.cached, PRICE_OF_A_TURN)

BASE = {"lib.py": "old\nsecond\n"}
HEAD = {
    "lib.py": "new\nsecond\nthird\n",
    "notes.txt": "a note\n",
    "other.py": "x = 1\n",
    "secrets/prod.txt": "the-secret-recipe\n",
    "vendor/long.txt": "a\n" * 1_000,
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with open_bench(tmp_path, BASE, HEAD) as made:
        yield made


def cast(bench: Bench, *agents: tuple[str, Actor], critic: Actor | None = None, **changes: object) -> None:
    """Who is asked from now on; ``changes`` are fields of `AgentSettings`."""
    members = tuple(
        Member(Prompt(name, "Looks.", "standard", Category.LOGIC, f"You look for {name}."), seat_of(actor))
        for name, actor in agents
    )
    seat = None if critic is None else seat_of(critic, "capable")
    made = AgentSettings(members=members, critic=seat, allowance=PLENTY, at_once=4)
    agents_of = dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name
    bench.settings["agents"] = agents_of


def finds(*items: dict[str, object]) -> Actor:
    return Actor([reporting(*(items or (item(),)))])


def result_of(session: Session) -> RoundResult:
    assert session.result is not None
    return session.result


def found_in(session: Session) -> dict[str, Finding]:
    return {shown.finding.subject: shown.finding for shown in result_of(session).findings}


def left_out(session: Session) -> dict[str, str]:
    return {each.path: each.reason for each in result_of(session).coverage.left_out}


CLAIM = "a failed charge is not tried again"


# --- What agents find ------------------------------------------------------------------------------------------------


def test_what_agents_find_stands_beside_what_checks_find(bench: Bench) -> None:
    cast(bench, ("correctness", finds()), ("security", finds(item(subject="another hole", line=3, evidence=["third"]))))

    session = bench.review(CHECK)

    assert {subject: found.sources for subject, found in found_in(session).items()} == {
        CLAIM: ("correctness",),
        "another hole": ("security",),
        BUILT_IN.subject: ("builtin",),
    }
    assert found_in(session)[CLAIM].caught_by == "review/1/standard"
    assert found_in(session)[BUILT_IN.subject].caught_by == "review/1/builtin"
    assert [(run.name, run.findings, run.kept) for run in result_of(session).agents] == [
        ("correctness", 1, 1),
        ("security", 1, 1),
    ]


def test_whoever_runs_it_is_told_who_is_asked_before_anything_is_sent(bench: Bench) -> None:
    critic = Actor([judging(verdict(1, "confirmed"))], name="openai:large")
    cast(bench, ("correctness", finds()), ("security", Actor([reporting()])), critic=critic)

    bench.review(CHECK)

    assert bench.told[0].startswith(
        "correctness, security ask openai:small at llm.example.com; critic asks openai:large at llm.example.com ("
    )
    assert "correctness: request 1" in bench.told
    assert "critic: judges 1 finding" in bench.told


def test_the_same_concern_of_two_agents_is_one_finding_of_both(bench: Bench) -> None:
    cast(bench, ("correctness", finds()), ("security", finds(item(confidence=60))))

    session = bench.review()

    assert found_in(session)[CLAIM].sources == ("correctness", "security")
    assert [(run.name, run.kept) for run in result_of(session).agents] == [("correctness", 1), ("security", 1)]


def test_without_agents_nobody_is_asked_and_nothing_is_kept(bench: Bench) -> None:
    session = bench.review(CHECK)

    assert result_of(session).agents == ()
    assert (session.kept, session.spent, bench.told) == (None, NOTHING_SPENT, [])


def test_no_private_file_is_spoken_of_not_even_by_what_people_decided_about_it(bench: Bench) -> None:
    earlier = Decision(
        "f", Outcome.REJECTED, "secrets/prod.txt", 1, "issue", 50, "the recipe is wrong", "It is meant so.", 1, "now"
    )
    said = dataclasses.replace(earlier, fingerprint="g", path="lib.py", subject="an old one")
    first = bench.review()
    bench.kept.things[("session", bench.forge.key)] = dataclasses.replace(first, decisions=(earlier, said))
    agent = finds()
    cast(bench, ("security", agent), private=("secrets/",))

    bench.review()

    assert "an old one" in agent.heard
    assert "recipe" not in agent.heard


# --- The critic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruling", "confidence", "left"),
    [
        ("confirmed", None, 80),
        ("confirmed", 95, 95),
        ("confirmed", 30, 30),
        ("uncertain", None, 25),
        ("uncertain", 90, 25),
    ],
    ids=["confirmed", "confirmed-and-surer", "confirmed-and-less-sure", "uncertain", "uncertain-though-sure"],
)
def test_the_critic_says_how_much_a_finding_is_worth(
    bench: Bench, ruling: str, confidence: int | None, left: int
) -> None:
    cast(bench, ("correctness", finds()), critic=Actor([judging(verdict(1, ruling, "seen", confidence))]))

    session = bench.review()

    assert found_in(session)[CLAIM].confidence == left
    assert [(run.name, run.tier, run.findings, run.kept) for run in result_of(session).agents] == [
        ("correctness", "standard", 1, 1),
        ("critic", "capable", 1, 1),
    ]


def test_an_unsure_finding_stays_as_unsure_as_it_was(bench: Bench) -> None:
    cast(
        bench,
        ("correctness", finds(item(confidence=10))),
        critic=Actor([judging(verdict(1, "uncertain"))]),
    )

    assert found_in(bench.review())[CLAIM].confidence == 10


def test_what_the_critic_does_not_speak_of_is_uncertain(bench: Bench) -> None:
    two = item(subject="another hole", line=3, evidence=["third"])
    cast(bench, ("correctness", finds(item(), two)), critic=Actor([judging(verdict(2, "confirmed"))] * 2))

    assert sorted(found.confidence for found in found_in(bench.review()).values()) == [25, 80]


def test_what_the_critic_refutes_is_dropped_with_its_reason(bench: Bench) -> None:
    cast(bench, ("correctness", finds()), critic=Actor([judging(verdict(1, "refuted", "lib.py:1 handles it"))]))

    session = bench.review(CHECK)

    assert list(found_in(session)) == [BUILT_IN.subject]
    [dropped] = result_of(session).dropped
    assert (dropped.reason, dropped.subject, dropped.path, dropped.why) == (
        "refuted",
        CLAIM,
        "lib.py",
        "lib.py:1 handles it",
    )
    assert result_of(session).agents[-1].kept == 0


def test_what_checks_find_is_not_for_the_critic(bench: Bench) -> None:
    critic = Actor([judging(verdict(1, "refuted"))])
    cast(bench, ("correctness", finds()), critic=critic)

    session = bench.review(CHECK)

    assert BUILT_IN.subject in found_in(session)
    assert BUILT_IN.subject not in critic.heard
    assert CLAIM in critic.heard


def test_without_findings_of_agents_the_critic_is_not_asked(bench: Bench) -> None:
    critic = Actor([])
    cast(bench, ("correctness", Actor([reporting()])), critic=critic)

    session = bench.review(CHECK)

    assert critic.talks == []
    assert [run.name for run in result_of(session).agents] == ["correctness"]


# --- Failures, and what is kept --------------------------------------------------------------------------------------


def fail(bench: Bench, **changes: object) -> AgentFailed:
    with pytest.raises(AgentFailed) as caught:
        bench.review(CHECK, **changes)
    assert bench.session.phase is Phase.AGENTS_FAILED
    assert bench.session.result is None
    return caught.value


def kept_names(bench: Bench) -> dict[str, bool]:
    """The names of kept outcomes, and whether each failed."""
    kept = bench.session.kept
    return {} if kept is None else {outcome.run.name: bool(outcome.run.failure) for outcome in kept.outcomes}


def flaky(*lines: Line) -> Actor:
    """Fails at first, then does what it is told to."""
    return Actor([DOWN, *lines])


def test_an_agent_that_fails_stops_the_round_and_the_others_are_kept(bench: Bench) -> None:
    cast(bench, ("correctness", finds()), ("security", flaky()))

    failure = fail(bench)

    assert str(failure).startswith("security failed: llm.example.com: it is down")
    assert "/proceed-without security" in failure.hint
    assert bench.session.failure is not None
    assert bench.session.failure.names == ("security",)
    assert kept_names(bench) == {"correctness": False, "security": True}


def test_a_retry_asks_the_failed_agent_alone(bench: Bench) -> None:
    fine, broken = finds(), flaky(reporting(item(subject="another hole", line=3, evidence=["third"])))
    critic = Actor([judging(verdict(1, "confirmed"), verdict(2, "confirmed"))])
    cast(bench, ("correctness", fine), ("security", broken), critic=critic)
    fail(bench)

    session = bench.review(CHECK)

    assert (len(fine.talks), len(broken.talks), len(critic.talks)) == (1, 2, 1)
    assert {CLAIM, "another hole"} < found_in(session).keys()
    assert [run.name for run in result_of(session).agents] == ["correctness", "security", "critic"]
    assert (session.kept, session.failure, session.round) == (None, None, 1)


def test_a_retry_by_name_asks_that_one_alone_and_the_other_stays_failed(bench: Bench) -> None:
    one, two = flaky(reporting()), flaky(reporting())
    cast(bench, ("correctness", one), ("security", two))
    fail(bench)

    failure = fail(bench, retry=frozenset({"security"}))

    assert (len(one.talks), len(two.talks)) == (1, 2)
    assert str(failure).startswith("correctness failed")
    assert kept_names(bench) == {"correctness": True, "security": False}


def test_a_person_may_go_on_without_the_failed_agent(bench: Bench) -> None:
    broken = flaky()
    cast(bench, ("correctness", finds()), ("security", broken))
    fail(bench)

    session = bench.review(CHECK, without=frozenset({"security"}))

    assert len(broken.talks) == 1
    assert CLAIM in found_in(session)
    assert [(run.name, run.failure, run.spent.requests) for run in result_of(session).agents] == [
        ("correctness", "", 1),
        ("security", "llm.example.com: it is down", 1),
    ]
    assert sum_spent(result_of(session).agents) == spent_on_round(session) == session.spent
    assert "limited: security failed, and a person chose to go on without it" in result_of(session).coverage.limits


def test_what_a_person_goes_on_without_is_never_recommended_for_approval(bench: Bench) -> None:
    cast(bench, ("correctness", Actor(always(reporting()))), ("security", flaky(reporting())))
    with pytest.raises(AgentFailed):
        bench.review()

    without = bench.review(without=frozenset({"security"}))
    whole = bench.review(force=True)

    assert [result_of(each).findings for each in (without, whole)] == [(), ()]
    assert result_of(without).coverage.hindrances == (
        "limited: security failed, and a person chose to go on without it",
    )
    assert [result_of(each).recommended for each in (without, whole)] == [Verdict.COMMENT, Verdict.APPROVE]


def test_what_a_person_goes_on_without_stays_on_record_when_another_fails(bench: Bench) -> None:
    critic = flaky(judging(verdict(1, "confirmed")))
    cast(bench, ("correctness", finds()), ("security", flaky()), critic=critic)
    fail(bench)
    fail(bench, without=frozenset({"security"}))
    names = kept_names(bench)

    session = bench.review(CHECK, without=frozenset({"security"}), retry=frozenset({"critic"}))

    assert names == {"correctness": False, "security": True, "critic": True}
    assert [(run.name, bool(run.failure)) for run in result_of(session).agents] == [
        ("correctness", False),
        ("critic", False),
        ("security", True),
    ]


def test_without_an_agent_nothing_of_it_is_shown_though_it_was_done(bench: Bench) -> None:
    cast(bench, ("correctness", finds()), ("security", flaky(reporting())))
    fail(bench)

    session = bench.review(CHECK, without=frozenset({"correctness"}))

    assert list(found_in(session)) == [BUILT_IN.subject]
    assert [(run.name, run.kept) for run in result_of(session).agents] == [("security", 0), ("correctness", 0)]


def test_without_the_only_agent_no_file_is_said_to_have_been_too_long_for_one(bench: Bench) -> None:
    cast(bench, ("correctness", flaky()))
    fail(bench)

    session = bench.review(CHECK, without=frozenset({"correctness"}))

    assert left_out(session)["notes.txt"] == "not covered: no built-in check reads this kind of file"


def test_a_critic_that_fails_stops_the_round_and_all_agents_are_kept(bench: Bench) -> None:
    one = finds()
    critic = flaky(judging(verdict(1, "confirmed")))
    cast(bench, ("correctness", one), critic=critic)

    failure = fail(bench)
    names = kept_names(bench)
    session = bench.review(CHECK, retry=frozenset({"critic"}))

    assert str(failure).startswith("critic failed: llm.example.com: it is down")
    assert names == {"correctness": False, "critic": True}
    assert (len(one.talks), len(critic.talks)) == (1, 2)
    assert CLAIM in found_in(session)
    assert session.kept is None


def test_a_person_may_go_on_without_the_critic(bench: Bench) -> None:
    one, critic = finds(), flaky()
    cast(bench, ("correctness", one), critic=critic)
    fail(bench)

    session = bench.review(CHECK, without=frozenset({"critic"}))

    assert (len(one.talks), len(critic.talks)) == (1, 1)
    assert found_in(session)[CLAIM].confidence == 80
    assert [(run.name, bool(run.failure)) for run in result_of(session).agents] == [
        ("correctness", False),
        ("critic", True),
    ]
    assert "limited: critic failed, and a person chose to go on without it" in result_of(session).coverage.limits


def test_a_check_that_fails_costs_no_agent_its_work(bench: Bench) -> None:
    def broken(_change: object) -> Iterator[Finding]:
        raise ValueError("no")
        yield

    one = finds()
    cast(bench, ("correctness", one))
    with pytest.raises(AgentFailed, match=r"b\.check failed"):
        bench.review(dataclasses.replace(make_check("b.check"), run=broken))

    session = bench.review(CHECK)

    assert len(one.talks) == 1
    assert CLAIM in found_in(session)


def test_a_reason_that_a_model_gave_is_told_without_keys(bench: Bench) -> None:
    bench.settings["hide"] = lambda text: text.replace("ghp_secret", "***")
    refused = saying("", stop=Stop.REFUSED, refusal="ghp_secret")
    cast(bench, ("correctness", Actor([refused, refused])))

    failure = fail(bench)

    assert "***" in str(failure)
    assert "ghp_secret" not in f"{failure}{bench.session}"


@pytest.mark.parametrize("differs", ["head", "settings"])
def test_nothing_that_was_kept_answers_another_question(bench: Bench, differs: str) -> None:
    one, broken = Actor(always(reporting(item()))), flaky(reporting())
    cast(bench, ("correctness", one), ("security", broken))
    fail(bench)

    if differs == "head":
        bench.push({"notes.txt": "another note\n"})
    else:
        bench.settings["digest"] = "d" * 64
    bench.review(CHECK)

    assert (len(one.talks), len(broken.talks)) == (2, 2)


# --- What it took ----------------------------------------------------------------------------------------------------


def test_what_models_cost_grows_over_attempts_and_nothing_counts_twice(bench: Bench) -> None:
    cast(
        bench,
        ("correctness", finds()),
        ("security", flaky(reporting())),
        critic=flaky(judging(verdict(1, "confirmed"))),
    )
    fail(bench)
    after_agents = bench.session.spent
    fail(bench)
    after_critic = bench.session.spent
    session = bench.review(CHECK)

    failed_turn = Spent(1)
    assert after_agents == ONE_TURN + failed_turn
    assert after_critic == after_agents + ONE_TURN + failed_turn
    assert session.spent == after_critic + ONE_TURN
    assert sum_spent(result_of(session).agents) == spent_on_round(session) == ONE_TURN + ONE_TURN + ONE_TURN


def test_a_further_round_is_counted_too(bench: Bench) -> None:
    cast(bench, ("correctness", Actor(always(reporting()))))

    first, second = bench.review(), bench.review(force=True)

    assert (first.spent, second.spent) == (ONE_TURN, ONE_TURN + ONE_TURN)
    assert spent_on_round(second) == ONE_TURN


# --- What was looked at ----------------------------------------------------------------------------------------------


def test_a_file_that_an_agent_was_shown_is_covered(bench: Bench) -> None:
    cast(bench, ("correctness", Actor([reporting()])), private=("secrets/",))
    bench.settings["excluded_paths"] = ("vendor/**",)

    session = bench.review(CHECK)

    assert left_out(session) == {
        "secrets/prod.txt": "private: not sent to a model, and no built-in check reads this kind of file",
        "vendor/long.txt": "excluded by configuration",
    }
    assert (result_of(session).coverage.files, result_of(session).coverage.reviewed) == (5, 3)


def test_a_file_whose_diff_is_too_long_for_an_agent_is_named(bench: Bench) -> None:
    cast(bench, ("correctness", Actor([reporting()])), allowance=dataclasses.replace(PLENTY, tokens=8_000))

    assert left_out(bench.review(CHECK)) == {
        "vendor/long.txt": "not covered: no built-in check reads this kind of file, and its diff was too long for an "
        "agent"
    }


def test_an_agent_that_had_to_hurry_says_so(bench: Bench) -> None:
    hurried = Actor([calling(call("read_file", path="lib.py")), reporting()])
    cast(bench, ("correctness", hurried), allowance=dataclasses.replace(PLENTY, requests=2))

    coverage = result_of(bench.review(CHECK)).coverage

    assert [limit for limit in coverage.limits if "correctness" in limit] == [
        "correctness had to answer before it was done: the request budget of 2 (`budgets.requests`) was nearly spent"
    ]


def test_who_is_not_asked_is_part_of_the_coverage(bench: Bench) -> None:
    cast(bench, ("correctness", Actor([reporting()])), notes=("Not run: ruff",))

    assert "Not run: ruff" in result_of(bench.review(CHECK)).coverage.limits


def test_an_agent_that_is_not_done_in_time_has_failed(bench: Bench) -> None:
    cast(bench, ("correctness", Actor([reporting()])), at_once=0, allowance=dataclasses.replace(PLENTY, time_s=0.0))

    assert str(fail(bench)).startswith("correctness failed: not done after 0 minutes (`budgets.minutes`)")


def test_an_agent_reads_while_checks_do(bench: Bench) -> None:
    reads = calling(*(call("read_file", path=path) for path in ("lib.py", "notes.txt", "other.py")))
    agent = Actor([reads, reporting()])
    cast(bench, ("correctness", agent))

    bench.review(CHECK)

    assert "1| new\n2| second\n3| third" in agent.heard
    assert "1| a note" in agent.heard


# --- What was open in the round before -------------------------------------------------------------------------------


def test_what_nobody_decided_stays_open_though_the_agent_does_not_say_it_again(bench: Bench) -> None:
    critic = Actor([judging(verdict(1, "confirmed"))])
    cast(bench, ("correctness", finds()), critic=critic)
    bench.review(CHECK)
    again = Actor([reporting()])
    cast(bench, ("correctness", again), critic=critic)
    bench.push({"lib.py": "one more line\nnew\nsecond\nthird\n"})

    session = bench.review(CHECK)

    kept = found_in(session)[CLAIM]
    assert (kept.from_round, kept.sources, kept.caught_by) == (1, ("correctness",), "review/1/standard")
    assert (kept.anchor.line, kept.evidence and kept.evidence.lines) == (2, ("new",))
    assert len(critic.talks) == 1
    assert CLAIM in again.talks[0].opening.task
    assert session.undecided == ()


def test_what_was_open_is_gone_with_the_lines_it_quotes(bench: Bench) -> None:
    cast(bench, ("correctness", finds()))
    bench.review(CHECK)
    cast(bench, ("correctness", Actor([reporting()])))
    bench.push({"lib.py": "mended\nsecond\nthird\n"})

    session = bench.review(CHECK)

    assert CLAIM not in found_in(session)
    assert ("gone", CLAIM, "open since round 1") in [
        (each.reason, each.subject, each.why) for each in result_of(session).dropped
    ]


def test_what_an_earlier_round_showed_is_held_to_no_threshold_again(bench: Bench) -> None:
    cast(bench, ("correctness", finds()))
    bench.review(CHECK)
    cast(bench, ("correctness", Actor([reporting()])))
    bench.settings["policy"] = Policy(dict.fromkeys(Severity, 100), 1)
    bench.push({"more.py": "y = 2\n"})

    assert CLAIM in found_in(bench.review())


def test_one_concern_that_is_found_again_keeps_its_earlier_words(bench: Bench) -> None:
    cast(bench, ("correctness", finds()))
    bench.review(CHECK)
    cast(bench, ("correctness", finds(item(body="In other words.", confidence=99))))
    bench.push({"more.py": "y = 2\n"})

    session = bench.review(CHECK)

    assert [shown.finding.from_round for shown in result_of(session).findings if shown.finding.check is None] == [1]
    assert found_in(session)[CLAIM].body != "In other words."


def test_what_a_person_ended_is_not_open_any_more(bench: Bench) -> None:
    cast(bench, ("correctness", finds()))
    session = bench.review(CHECK)
    bench.reviewer().journal.advance(session, Phase.ABORTED)
    cast(bench, ("correctness", Actor([reporting()])))
    bench.push({"more.py": "y = 2\n"})

    assert CLAIM not in found_in(bench.review(CHECK))
