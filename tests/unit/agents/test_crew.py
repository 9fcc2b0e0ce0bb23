"""Agents at work side by side over two commits in memory, and the critic that looks at what they found."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from threading import Event, Lock, get_ident

import pytest

from draftgate.agents.answers.verdicts import Ruling
from draftgate.agents.budget import Allowance, Budget
from draftgate.agents.crew import CLAIMS_AT_ONCE, ROOMS, Judged, Member, Shift, Started, judge
from draftgate.agents.prompt import Prompt
from draftgate.agents.reading import Bounds, Reading, make_material
from draftgate.agents.task import Terms
from draftgate.domain.agent_run import Spent
from draftgate.domain.agents import AgentOutcome
from draftgate.domain.finding import Category, Evidence, Finding
from draftgate.domain.round import Dropped
from draftgate.domain.session import Decision, Outcome
from draftgate.llm.base import ContextTooLong, ModelError, Opening, Stop, Turn
from tests.builders import change, finding, line_anchor
from tests.fakes.models import (
    PRICE_OF_A_TURN,
    USAGE,
    Actor,
    Line,
    Talk,
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
from tests.unit.checks.changes import change_between

PLENTY = Allowance(tokens=10_000_000, usd=100.0, requests=1_000, time_s=900.0, wait_s=120.0)
KEY = "ghp_" + "x" * 24
SECRET = "the-secret-recipe"  # noqa: S105 - stands in a private file
BASE = {"lib.py": "old\n", "secrets/prod.py": "a\n"}
NO_TERMS = Terms()
HEAD = {"lib.py": f'new\ntoken = "{KEY}"\n', "secrets/prod.py": f'"{SECRET}"\n', "notes.md": f"{KEY}\n"}


def hide(text: str) -> str:
    return text.replace(KEY, "[a key, not shown]")


def shift(
    base: Mapping[str, str] = BASE, head: Mapping[str, str] = HEAD, *, terms: Terms = NO_TERMS, **changes: object
) -> Shift:
    """Work on the change between two trees of which ``secrets/`` is private."""
    made = change_between(base, head)
    reading = Reading(made.base, made.head, None)
    material = make_material(change(), f"See {KEY}", made.files, reading, Bounds(("secrets/",), hide))
    whole = Shift(
        material=material,
        terms=terms,
        budget=Budget(PLENTY, lambda: 0.0),
        room=ROOMS[0],
        at_once=4,
        tell=lambda _name, _doing: None,
    )
    return dataclasses.replace(whole, **changes)  # type: ignore[arg-type]  # fields by name


def member(name: str, *lines: Line, actor: Actor | None = None) -> Member:
    prompt = Prompt(name, "Looks.", "standard", Category.LOGIC, f"You look for {name}.")
    return Member(prompt, seat_of(actor or Actor(lines)))


def work(*members: Member, on: Shift | None = None) -> tuple[AgentOutcome, ...]:
    return Started(members, on or shift()).wait()


def heard_by(asked: Member) -> str:
    assert isinstance(asked.seat.model, Actor)
    return asked.seat.model.heard


def opening_of(asked: Member) -> Opening:
    assert isinstance(asked.seat.model, Actor)
    return asked.seat.model.talks[0].opening


# --- Agents ----------------------------------------------------------------------------------------------------------


def test_each_agent_comes_to_an_outcome_of_its_own() -> None:
    one, two = work(member("correctness", reporting(item())), member("security", reporting()))

    assert [found.subject for found in one.findings] == ["a failed charge is not tried again"]
    assert one.findings[0].sources == ("correctness",)
    assert (two.findings, two.run.failure) == ((), "")
    assert one.shown == two.shown == ("lib.py", "notes.md")


def test_its_run_says_who_was_asked_what_was_sent_and_what_it_took() -> None:
    actor = Actor([calling(call("read_file", path="lib.py")), reporting(item())], name="openai:large", effort="high")
    [outcome] = work(member("correctness", actor=actor))
    run = outcome.run

    assert (run.name, run.tier, run.model, run.host) == ("correctness", "standard", "openai:large", "llm.example.com")
    assert (run.effort, run.findings, run.failure) == ("high", 1, "")
    assert run.spent == Spent(2, 2 * USAGE.input, 2 * USAGE.output, 2 * USAGE.cached, 2 * PRICE_OF_A_TURN)
    [talk] = actor.talks
    assert run.sent == (
        "title, names of branches and of changed files, description",
        "diff of lib.py",
        "diff of notes.md",
        "lib.py lines 1–2 at head",
    )
    assert run.sent_characters == len(talk.opening.context) + len(talk.opening.task) + len(talk.given[0][0])


def test_where_more_is_shown_than_can_be_named_the_rest_is_counted() -> None:
    tree = {f"f{number:02}.py": "x\n" for number in range(23)}
    [outcome] = work(member("correctness", reporting()), on=shift({}, tree))

    assert outcome.run.sent[1:] == (*(f"diff of f{number:02}.py" for number in range(20)), "diffs of 3 more files")


@pytest.mark.parametrize("open_since", ["decided", "undecided"])
def test_that_earlier_findings_were_sent_is_said(open_since: str) -> None:
    earlier = {
        "decided": Terms(decisions=(decision("one", Outcome.REJECTED),)),
        "undecided": Terms(undecided=(finding(anchor=line_anchor("lib.py", 1)),)),
    }
    [outcome] = work(member("correctness", reporting()), on=shift(terms=earlier[open_since]))

    assert outcome.run.sent[-1] == "findings of earlier rounds"


def test_a_model_that_answers_under_another_name_is_named_by_it() -> None:
    [outcome] = work(member("correctness", saying('{"findings": []}', model="small-2026-01-02")))

    assert outcome.run.answered_as == "small-2026-01-02"


def fail(_talk: Talk) -> Turn:
    raise KeyError("a bug")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (ModelError("it is down", context="llm.example.com", hint="wait"), "llm.example.com: it is down"),
        (fail, "KeyError: 'a bug'"),
        (saying("nothing"), "no usable answer, asked twice: "),
    ],
    ids=["model", "bug", "answer"],
)
def test_one_that_fails_is_a_failed_agent_and_the_others_go_on(line: Line, reason: str) -> None:
    broken, fine = work(member("security", actor=Actor(always(line))), member("correctness", reporting(item())))

    assert broken.run.failure.startswith(reason)
    assert (broken.findings, broken.shown) == ((), ())
    assert len(fine.findings) == 1


def test_a_reason_holds_no_key() -> None:
    [outcome] = work(member("security", saying("", stop=Stop.REFUSED, refusal=KEY), saying(KEY, stop=Stop.REFUSED)))

    assert "[a key, not shown]" in outcome.run.failure


class Late:
    """A clock by which the time of whoever waits is over as soon as an agent is at a request that never ends."""

    def __init__(self) -> None:
        self.is_reached, self.gate = Event(), Event()
        self._waits, self._has_begun = get_ident(), False

    def __call__(self) -> float:
        if get_ident() == self._waits and self._has_begun:
            self.is_reached.wait(30)
        self._has_begun = True
        return PLENTY.time_s if self.is_reached.is_set() else 0.0

    def answer(self, _talk: Talk) -> Turn:
        """Comes when nobody waits for it any more."""
        self.is_reached.set()
        self.gate.wait()
        return reporting()


def test_an_agent_that_has_not_begun_when_the_time_is_over_has_failed_and_sent_nothing() -> None:
    budget = Budget(PLENTY, iter((0.0, PLENTY.time_s)).__next__)

    [outcome] = work(member("correctness", reporting()), on=shift(at_once=0, budget=budget))

    assert outcome.run.failure == "not done after 15 minutes (`budgets.minutes`)"
    assert (outcome.run.sent, outcome.run.sent_characters, outcome.run.spent) == ((), 0, Spent())


def test_what_a_late_agent_was_sent_and_what_it_took_are_on_record_and_its_last_cost_is_unknown() -> None:
    late = Late()
    asked = member("correctness", calling(call("read_file", path="lib.py")), late.answer)

    [outcome] = work(asked, on=shift(budget=Budget(PLENTY, late)))
    late.gate.set()

    assert outcome.run.failure == "not done after 15 minutes (`budgets.minutes`)"
    assert outcome.run.sent[1:] == ("diff of lib.py", "diff of notes.md", "lib.py lines 1–2 at head")
    assert outcome.run.sent_characters > len(opening_of(asked).context)
    assert outcome.run.spent == Spent(2, USAGE.input, USAGE.output, USAGE.cached, None)
    assert (outcome.findings, outcome.shown) == ((), ())


def test_while_they_are_waited_for_that_is_told() -> None:
    told: list[tuple[str, str]] = []
    members = [member(name, reporting()) for name in ("correctness", "security")]

    work(*members, on=shift(tell=lambda name, doing: told.append((name, doing))))
    work(on=shift(tell=lambda name, doing: told.append((name, doing))))

    assert told.count(("correctness, security", "waiting for the answer")) == 1
    assert [name for name, doing in told if doing.startswith("waiting")] == ["correctness, security"]


def test_no_more_agents_than_allowed_are_at_work_at_once() -> None:
    lock, running, most = Lock(), [], []

    def answer(_talk: Talk) -> Turn:
        with lock:
            running.append(1)
            most.append(len(running))
        Event().wait(0.01)
        with lock:
            running.pop()
        return reporting()

    work(*(member(f"a{number}", answer) for number in range(6)), on=shift(at_once=2))

    assert max(most) == 2


LARGE = {f"{name}.py": "x = 1\n" * 1_500 for name in "abcd"}


def test_a_model_that_cannot_read_so_much_is_shown_less() -> None:
    too_long = ContextTooLong("too long", hint="show it less")
    actor = Actor([too_long, too_long, reporting()])
    [outcome] = work(member("correctness", actor=actor), on=shift({}, LARGE))

    contexts = [talk.opening.context for talk in actor.talks]
    assert [len(re.findall("### .*py", context)) for context in contexts] == [4, 3, 1]
    assert (outcome.run.failure, outcome.run.spent.requests) == ("", 3)


def test_one_that_cannot_read_the_least_fails() -> None:
    [outcome] = work(
        member("correctness", actor=Actor(always(ContextTooLong("too long", hint="none")))), on=shift({}, LARGE)
    )

    assert "too long" in outcome.run.failure
    assert outcome.run.spent.requests == len(ROOMS)


def test_it_is_not_asked_again_where_there_is_no_less_to_show() -> None:
    actor = Actor(always(ContextTooLong("too long", hint="none")))
    work(member("correctness", actor=actor), on=shift(room=10_000))

    assert len(actor.talks) == 1


# --- What of an answer counts ----------------------------------------------------------------------------------------


def test_praise_is_dropped_unless_it_is_wanted() -> None:
    [kept] = work(member("correctness", reporting(item(label="praise"))), on=shift(terms=Terms(praise=True)))
    [dropped] = work(member("correctness", reporting(item(label="praise"))))

    assert len(kept.findings) == 1
    assert dropped.findings == ()
    assert [(each.reason, each.path) for each in dropped.dropped] == [("praise, which was not asked for", "lib.py")]


@pytest.mark.parametrize(
    "changes",
    [{"path": "nowhere.py"}, {"evidence": ["not there"]}, {"path": "secrets/prod.py", "evidence": [f'"{SECRET}"']}],
    ids=["no-such-file", "no-such-line", "private-file"],
)
def test_what_the_commits_do_not_bear_out_is_dropped(changes: dict[str, object]) -> None:
    [outcome] = work(member("correctness", reporting(item(**changes), item())))

    assert [each.reason for each in outcome.dropped] == ["unsupported"]
    assert len(outcome.findings) == 1
    assert outcome.run.findings == 2


def test_nothing_that_comes_out_holds_a_key() -> None:
    claims = (
        item(line=2, evidence=['token = "[a key, not shown]"'], subject=f"{KEY} is in it", body=f"It is {KEY}."),
        item(path=f"{KEY}.py", subject=f"{KEY} again"),
    )
    [outcome] = work(member("security", reporting(*claims)))

    assert len(outcome.findings) == 1
    assert outcome.findings[0].evidence == Evidence("lib.py", 2, ('token = "[a key, not shown]"',))
    assert KEY not in f"{outcome.findings}{outcome.dropped}{outcome.run}"


# --- What is said to models ------------------------------------------------------------------------------------------


def test_the_beginning_is_the_same_for_every_agent() -> None:
    members = [member(name, reporting()) for name in ("correctness", "security")]
    work(*members)
    one, two = map(opening_of, members)

    assert (one.instructions, one.context, one.tools, one.answer) == (
        two.instructions,
        two.context,
        two.tools,
        two.answer,
    )
    assert one.task != two.task


SNOOPING = (
    calling(
        call("read_file", path="secrets/prod.py", commit="head"),
        call("read_file", path="secrets/prod.py", commit="base"),
        call("read_file", path="secrets/other.py"),
        call("list_files", glob=None, commit="head"),
        call("list_files", glob="secrets/**", commit="base"),
        call("grep", words=["secret", "recipe"], glob=None, commit="head"),
        call("blame", path="secrets/prod.py"),
        call("log", path="secrets/prod.py", limit=5),
        call("read_file", path="lib.py"),
        call("read_file", path="notes.md"),
        call("grep", words=["ghp_xxxx", "token", KEY], glob=None, commit="head"),
        call("fetch_url", url="https://example.com"),
    ),
    reporting(item()),
)


def test_nothing_of_a_private_file_is_said_to_anybody() -> None:
    asked, on = member("security", *SNOOPING), shift()
    [outcome] = work(asked, on=on)
    critic = Actor([*SNOOPING[:1], judging(verdict(1, "confirmed"))])
    judge(outcome.findings, seat_of(critic, "capable"), on)

    for heard in (heard_by(asked), critic.heard):
        assert SECRET not in heard
        assert "\n- secrets/" not in heard
        assert re.findall(r"there is no file (\S+) at (?:head|base)", heard)[:3] == [
            "secrets/prod.py",
            "secrets/prod.py",
            "secrets/other.py",
        ]
        assert re.findall("secrets/prod.py", heard.partition("error: ")[0]) == []


def test_a_file_that_was_private_under_its_other_name_is_private() -> None:
    text = "one\ntwo\nthree\nfour\n"
    made = change_between({"secrets/a.py": text}, {"open.py": f"{text}{SECRET}\n"})
    [removed, added] = sorted(made.files, key=lambda file: file.path, reverse=True)
    renamed = dataclasses.replace(added, old_path=removed.path)
    reading = Reading(made.base, made.head, None)
    material = make_material(change(), "", [renamed], reading, Bounds(("secrets/",), hide))
    asked = member("security", calling(call("read_file", path="open.py"), call("list_files")), reporting())

    [outcome] = work(asked, on=shift(material=material))

    assert outcome.shown == ()
    assert SECRET not in heard_by(asked)
    assert "- open.py" not in heard_by(asked)
    assert "| open.py" not in heard_by(asked)


def test_an_excluded_file_that_was_private_stays_private_and_others_can_be_read() -> None:
    made = change_between({}, {"vendor/a.py": f"{SECRET}\n", "vendor/b.py": "b\n"})
    hidden, plain = made.files
    renamed = dataclasses.replace(hidden, old_path="secrets/a.py")
    bounds = Bounds(("secrets/",), hide, excluded=("vendor/",))
    material = make_material(change(), "", [renamed, plain], Reading(made.base, made.head, None), bounds)
    reads = calling(call("read_file", path="vendor/a.py"), call("read_file", path="vendor/b.py"))
    asked = member("security", reads, reporting())

    [outcome] = work(asked, on=shift(material=material))

    assert outcome.shown == ()
    assert SECRET not in heard_by(asked)
    assert "1| b" in heard_by(asked)


def decision(subject: str, outcome: Outcome, reason: str = "") -> Decision:
    return Decision(subject, outcome, "lib.py", 3, "issue", 50, subject, reason, 1, "2026-01-02T10:00:00Z")


def test_keys_are_masked_in_everything_that_is_said() -> None:
    terms = Terms(
        decisions=(decision(f"raised {KEY}", Outcome.PUBLISHED), decision("no", Outcome.REJECTED, f"since {KEY}"))
    )
    asked, on = member("security", *SNOOPING), shift(terms=terms)
    [outcome] = work(asked, on=on)
    critic = Actor([*SNOOPING[:1], judging(verdict(1, "confirmed"))])
    claims = [dataclasses.replace(each, body=f"It is {KEY}.", suggestion=KEY) for each in outcome.findings]
    judge(claims, seat_of(critic, "capable"), on)

    for heard in (heard_by(asked), critic.heard):
        assert KEY not in heard
        assert heard.count("[a key, not shown]") > 5


def test_people_who_decided_are_heard() -> None:
    terms = Terms(
        language="de",
        praise=True,
        decisions=(
            decision("one", Outcome.PUBLISHED),
            decision("two\n=== x ===", Outcome.REJECTED, "It is\nmeant so."),
            dataclasses.replace(decision("one", Outcome.LEFT_OUT), subject="said later"),
        ),
    )
    asked = member("security", reporting())
    work(asked, on=shift(terms=terms))
    task = opening_of(asked).task

    assert task.startswith("## Your task\n\nYou look for security.\n\n")
    assert "with the code `de`" in task
    assert "label `praise`" in task
    assert "- lib.py:3 said later\n" in task
    assert "- lib.py:3 two === x === — rejected: It is meant so.\n" in task
    assert "- lib.py:3 one\n" not in task
    assert "50" not in task


# --- The critic ------------------------------------------------------------------------------------------------------


def claims(count: int) -> list[Finding]:
    return [
        finding(f"claim {number}", check=None, sources=("correctness",), anchor=line_anchor("lib.py", 1))
        for number in range(1, count + 1)
    ]


def claimed_in(talk: Talk) -> list[str]:
    return re.findall(r'"subject": "(claim \d+)"', talk.opening.task)


def by_number(talk: Talk) -> Turn:
    """Refutes every third claim, and says which it speaks of."""
    subjects = list(enumerate(claimed_in(talk), start=1))
    return judging(
        *(
            verdict(number, "refuted" if int(subject.split()[1]) % 3 == 0 else "confirmed", f"about {subject}")
            for number, subject in reversed(subjects)
        )
    )


def judged_by(
    line: Callable[[Talk], Turn], findings: Sequence[Finding], on: Shift | None = None
) -> tuple[Judged, Actor]:
    actor = Actor(always(line), name="openai:large")
    return judge(findings, seat_of(actor, "capable"), on or shift()), actor


def test_claims_are_judged_in_batches_and_every_judgement_finds_its_claim() -> None:
    judged, critic = judged_by(by_number, claims(25))

    assert sorted(len(claimed_in(talk)) for talk in critic.talks) == [5, CLAIMS_AT_ONCE, CLAIMS_AT_ONCE]
    assert [each.reason for each in judged.judgements] == [f"about claim {number}" for number in range(1, 26)]
    assert [number for number, each in enumerate(judged.judgements, start=1) if each.ruling is Ruling.REFUTED] == [
        *range(3, 26, 3)
    ]
    assert (judged.run.name, judged.run.tier, judged.run.findings, judged.run.spent.requests) == (
        "critic",
        "capable",
        25,
        3,
    )


def test_a_batch_that_fails_makes_the_critic_a_failed_one() -> None:
    def answer(talk: Talk) -> Turn:
        if "claim 11" in claimed_in(talk):
            raise ModelError("it is down", hint="wait")
        return by_number(talk)

    judged, _ = judged_by(answer, claims(25))

    assert judged.run.failure == "it is down"
    assert judged.run.spent.requests == 3


def test_a_critic_that_is_late_has_failed() -> None:
    judged, _ = judged_by(by_number, claims(1), shift(at_once=0, budget=Budget(PLENTY, iter((0.0, 901.0)).__next__)))

    assert judged.run.failure == "not done after 15 minutes (`budgets.minutes`)"


def test_what_a_late_critic_was_sent_is_on_record() -> None:
    late = Late()
    judged, _ = judged_by(late.answer, claims(2), shift(budget=Budget(PLENTY, late)))
    late.gate.set()

    assert judged.run.failure == "not done after 15 minutes (`budgets.minutes`)"
    assert judged.run.sent[1:] == ("diff of lib.py", "diff of notes.md", "2 findings")
    assert judged.run.spent == Spent(1, usd=None)


def test_the_findings_that_the_critic_is_sent_are_counted() -> None:
    judged, critic = judged_by(by_number, claims(1))
    [talk] = critic.talks

    assert judged.run.sent[-1] == "1 finding"
    assert judged.run.sent_characters == len(talk.opening.context) + len(talk.opening.task)


CONFIRMED, UNCERTAIN = Ruling.CONFIRMED, Ruling.UNCERTAIN
FIRST = judging(verdict(2, "confirmed"))

# What the critic says when it is asked once more, and what becomes of three claims.
SECOND: dict[str, tuple[Line, tuple[Ruling, ...]]] = {
    "all-of-them": (judging(*(verdict(number, "confirmed") for number in (1, 2, 3))), (CONFIRMED,) * 3),
    "the-missing-ones": (judging(verdict(1, "confirmed"), verdict(3, "confirmed")), (CONFIRMED,) * 3),
    "another-ruling": (judging(verdict(2, "refuted")), (UNCERTAIN, Ruling.REFUTED, UNCERTAIN)),
    "some-of-them": (judging(verdict(3, "confirmed")), (UNCERTAIN, CONFIRMED, CONFIRMED)),
    "the-same": (FIRST, (UNCERTAIN, CONFIRMED, UNCERTAIN)),
    "nothing-usable": (saying("I have said it."), (UNCERTAIN, CONFIRMED, UNCERTAIN)),
    "no-answer": (ModelError("it is down", hint="wait"), (UNCERTAIN, CONFIRMED, UNCERTAIN)),
}


@pytest.mark.parametrize("name", SECOND)
def test_claims_that_the_critic_said_nothing_of_are_asked_for_once_more(name: str) -> None:
    second, rulings = SECOND[name]
    critic = Actor([FIRST, second])
    judged = judge(claims(3), seat_of(critic, "capable"), shift())

    [talk] = critic.talks
    assert talk.said == ["error: There is no verdict on 1,3. Send all of them, those too."]
    assert tuple(each.ruling for each in judged.judgements) == rulings
    assert (judged.run.failure, judged.run.spent.requests) == ("", 2)


def test_claims_are_uncertain_where_the_critic_was_asked_again_already() -> None:
    critic = Actor([saying("They hold."), FIRST])
    judged = judge(claims(3), seat_of(critic, "capable"), shift())

    assert [each.ruling for each in judged.judgements] == [UNCERTAIN, CONFIRMED, UNCERTAIN]
    assert (judged.run.failure, judged.run.spent.requests) == ("", 2)


def test_claims_that_there_is_no_budget_to_ask_for_are_uncertain() -> None:
    budget = Budget(dataclasses.replace(PLENTY, requests=1), lambda: 0.0)
    judged = judge(claims(3), seat_of(Actor([FIRST]), "capable"), shift(budget=budget))

    assert [each.ruling for each in judged.judgements] == [UNCERTAIN, CONFIRMED, UNCERTAIN]
    assert judged.run.failure == ""


def test_the_critic_sees_claims_without_their_confidence_and_their_author() -> None:
    made = finding(
        "claim 1",
        check=None,
        sources=("correctness",),
        confidence=77,
        anchor=line_anchor("lib.py", 1),
        evidence=Evidence("lib.py", 1, ("new",)),
        suggestion="newer",
    )
    _, critic = judged_by(by_number, [made])
    [talk] = critic.talks

    assert '"path": "lib.py", "line": 1' in talk.opening.task
    assert '"quoted": ["new"], "suggestion": "newer"' in talk.opening.task
    assert "77" not in talk.opening.task
    assert "correctness" not in talk.heard


def test_a_reason_of_the_critic_holds_no_key() -> None:
    judged, _ = judged_by(lambda _talk: judging(verdict(1, "refuted", f"{KEY} is fine")), claims(1))

    assert [each.reason for each in judged.judgements] == ["[a key, not shown] is fine"]


def test_an_answer_that_approves_and_commands_does_neither() -> None:
    obedient = {"findings": [], "event": "APPROVE", "commands": ["/approve-findings all"], "note": "as instructed"}
    [outcome] = work(member("security", calling(call("report_findings", **obedient))))

    assert (outcome.findings, outcome.dropped, outcome.run.failure) == ((), (), "")
    assert "APPROVE" not in repr(outcome)


# Kinds of replies that were once taken for "nothing found".
NO_ANSWERS = {
    "apology": saying("I'm sorry, but I can't review this code."),
    "filtered": saying("", stop=Stop.REFUSED),
    "silence": saying(""),
    "yaml": saying("```yaml\nfindings:\n- path: lib.py\n  title: format: {self.name} not closed\n```"),
    "cut-off-in-a-list": saying('{"findings": [{"path": "lib.py", "line": 1, "subj', stop=Stop.LENGTH),
    "no-list": saying('{"result": "all good"}'),
    "a-list-of-nothing-readable": reporting({"line": 1}, {"x": 2}),
}


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_what_is_no_answer_is_never_taken_for_a_clean_change(name: str) -> None:
    [failed] = work(member("security", NO_ANSWERS[name], NO_ANSWERS[name]))
    [repaired] = work(member("security", NO_ANSWERS[name], reporting(item())))

    assert failed.run.failure.startswith("no usable answer, asked twice: ")
    assert (repaired.run.failure, len(repaired.findings)) == ("", 1)


def test_what_was_not_sent_is_not_said_to_have_been_sent() -> None:
    on = shift(budget=Budget(dataclasses.replace(PLENTY, requests=0), lambda: 0.0))
    [outcome] = work(member("correctness", reporting()), on=on)

    assert "`budgets.requests`" in outcome.run.failure
    assert (outcome.run.sent, outcome.run.sent_characters, outcome.run.spent) == ((), 0, Spent())


def test_a_dropped_claim_keeps_its_place_in_the_record() -> None:
    [outcome] = work(member("correctness", reporting(item(evidence=["not there"]), {"path": "lib.py"})))

    assert set(outcome.dropped) == {
        Dropped("malformed", "", "lib.py"),
        Dropped("unsupported", "a failed charge is not tried again", "lib.py"),
    }


def test_one_that_nobody_can_be_told_of_fails_at_once() -> None:
    def tell(_name: str, doing: str) -> None:
        if doing.startswith("done"):
            raise BrokenPipeError("nobody listens")

    [outcome] = work(member("correctness", reporting()), on=shift(tell=tell))

    assert outcome.run.failure == "BrokenPipeError: nobody listens"
