"""A conversation with a model, from the question to an answer or to the reason why there is none."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Thread

import pytest

from draftgate.agents.answers.claim import UnusableAnswer
from draftgate.agents.ask import MOST_CALLS, MOST_TURNS, AgentFailure, Question, Seat
from draftgate.agents.budget import Allowance, Budget
from draftgate.agents.estimate import estimate_tokens
from draftgate.domain.agent_run import Spent
from draftgate.llm.base import ModelError, Opening, Stop, ToolCall, ToolSpec, Turn, Usage
from tests.fakes.models import PRICE_OF_A_TURN, USAGE, Actor, Line, Talk, always, call, calling, saying, seat_of

READ, ANSWER = (ToolSpec(name, f"To {name}.", {"type": "object", "properties": {}}) for name in ("read", "answer"))
OPENING = Opening("Rules.", "The change.", "Your task.", (READ,), ANSWER)
PLENTY = Allowance(tokens=1_000_000, usd=10.0, requests=100, time_s=900.0, wait_s=120.0)


@dataclass
class Tools:
    """Answers every call and remembers which."""

    ran: list[str] = field(default_factory=list)

    def run(self, called: ToolCall) -> str:
        self.ran.append(called.name)
        return f"result of {called.name}" if called.name == "read" else f"error: there is no tool {called.name}"


@dataclass
class Desk:
    """A question to an actor that plays these lines."""

    actor: Actor
    allowance: Allowance = PLENTY
    price: float | None = PRICE_OF_A_TURN
    tools: Tools = field(default_factory=Tools)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = Budget(self.allowance, lambda: 0.0)
        seat = seat_of(self.actor, price=self.price)
        self.question = Question(seat, OPENING, self.tools, read_yes, self.budget, self.told.append)

    def ask(self) -> str:
        return self.question.ask()

    @property
    def talk(self) -> Talk:
        [talk] = self.actor.talks
        return talk

    @property
    def spent(self) -> Spent:
        return self.question.ledger.spent


def desk(*lines: Line, **budgets: float) -> Desk:
    return Desk(Actor(lines), dataclasses.replace(PLENTY, **budgets))  # type: ignore[arg-type]  # fields by name


def read_yes(text: str) -> str:
    if not text.startswith("yes"):
        raise UnusableAnswer("It does not begin with yes.")
    return text


def answer(text: str = "yes") -> ToolCall:
    return ToolCall("answer", "answer", text)


def read() -> ToolCall:
    return call("read")


# --- To an answer ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turn",
    [calling(answer()), saying("yes"), calling(answer(), text="Here it is."), calling(read(), answer(), read())],
    ids=["by-call", "by-text", "call-with-words", "beside-other-calls"],
)
def test_an_answer_is_read_and_ends_it(turn: Turn) -> None:
    asked = desk(turn)

    assert asked.ask() == "yes"
    assert len(asked.talk.asked) == 1
    assert asked.tools.ran == []


def test_calls_are_answered_in_order_until_there_is_an_answer() -> None:
    asked = desk(calling(read(), read()), calling(read(), text="One more."), calling(answer()))

    assert asked.ask() == "yes"
    assert asked.talk.given == [["result of read"] * 2, ["result of read"]]
    assert asked.told == ["request 1", "read", "read", "request 2", "read", "request 3"]


def test_a_tool_that_is_not_there_is_an_error_for_the_model_and_its_name_is_told_to_nobody() -> None:
    asked = desk(calling(call("rm\n::error::")), saying("yes"))

    assert asked.ask() == "yes"
    assert asked.talk.given == [["error: there is no tool rm\n::error::"]]
    assert asked.told == ["request 1", "a tool that is not offered", "request 2"]


def test_calls_beyond_the_most_are_refused_and_not_done() -> None:
    asked = desk(calling(*(read() for _ in range(MOST_CALLS + 2))), saying("yes"))

    assert asked.ask() == "yes"
    [given] = asked.talk.given
    assert given[:MOST_CALLS] == ["result of read"] * MOST_CALLS
    assert [text.startswith("error: more than 20 calls") for text in given[MOST_CALLS:]] == [True, True]
    assert len(asked.tools.ran) == MOST_CALLS


# --- One repair ------------------------------------------------------------------------------------------------------

NOT_IN_FORM = (
    "the answer was not in the form that was asked for; another model, or another `output` of it, may do better$"
)

# The name of what is wrong: the turn, what the model is told, and what a person is told if it does it again.
USELESS: dict[str, tuple[Turn, str, str]] = {
    "invalid": (saying("no"), "It does not begin with yes.", NOT_IN_FORM),
    "invalid-by-call": (calling(answer("no")), "error: It does not begin with yes.", NOT_IN_FORM),
    "cut-off": (saying("yes", stop=Stop.LENGTH), "shorter", "the answer was cut off at the output limit"),
    "cut-off-call": (calling(answer(), stop=Stop.LENGTH), "error: Your answer was cut off", "cut off"),
    "cut-off-among-calls": (calling(read(), read(), stop=Stop.LENGTH), "error: Your answer was cut off", "cut off"),
    "refused": (saying("yes", stop=Stop.REFUSED), "its maintainers asked for", r"the model refused \(yes\)"),
    "refused-in-words": (
        saying("", stop=Stop.REFUSED, refusal="I  will\nnot"),
        "its maintainers asked for",
        r"the model refused \(I will not\)",
    ),
    "refused-in-silence": (saying("", stop=Stop.REFUSED), "its maintainers asked for", "the model refused$"),
    "empty": (saying(" \n"), "The answer was empty", "the answer was empty$"),
    "empty-call": (calling(answer("")), "error: The answer was empty", NOT_IN_FORM),
    "several-answers": (calling(answer(), answer()), "error: `answer` was called 2 times", NOT_IN_FORM),
}


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_answer_is_asked_for_once_more_with_what_was_wrong(name: str) -> None:
    useless, told, _ = USELESS[name]
    asked = desk(useless, saying("yes"))

    assert asked.ask() == "yes"
    assert told in asked.talk.said[0]
    assert len(asked.talk.said) == max(len(useless.calls), 1)
    assert "asked again: the answer could not be used" in asked.told
    assert asked.tools.ran == []


@pytest.mark.parametrize("name", USELESS)
def test_a_second_useless_answer_is_a_failure_with_its_reason(name: str) -> None:
    useless, _, reason = USELESS[name]
    asked = desk(saying("no"), useless, saying("yes"))

    with pytest.raises(AgentFailure, match=f"no usable answer, asked twice: .*{reason}"):
        asked.ask()

    assert len(asked.talk.asked) == 2


def test_calls_after_a_repair_do_not_earn_another_one() -> None:
    asked = desk(saying("no"), calling(read()), saying(""), saying("yes"))

    with pytest.raises(AgentFailure, match="asked twice: the answer was empty"):
        asked.ask()


def test_a_long_refusal_is_cut() -> None:
    refused = saying("no " * 1000, stop=Stop.REFUSED)

    with pytest.raises(AgentFailure) as caught:
        desk(refused, refused).ask()

    assert len(str(caught.value)) < 300


# --- Bounds ----------------------------------------------------------------------------------------------------------


def may_call(talk: Talk) -> list[bool]:
    return [asked.may_call for asked in talk.asked]


def test_the_last_turns_are_for_the_answer_alone() -> None:
    asked = desk(*(calling(read()) for _ in range(MOST_TURNS - 2)), saying("no"), saying("yes"))

    assert asked.ask() == "yes"
    assert may_call(asked.talk) == [True] * (MOST_TURNS - 2) + [False, False]
    assert asked.talk.asked[-1].offered == (ANSWER,)
    assert asked.question.ledger.stopped_early == "30 turns were taken"
    assert [text.startswith("Answer now") for text in asked.talk.said].count(True) == 1


def test_a_model_that_never_answers_fails() -> None:
    asked = Desk(Actor(always(calling(read()))))

    with pytest.raises(AgentFailure, match="no answer after 30 turns"):
        asked.ask()

    assert len(asked.talk.asked) == MOST_TURNS


@pytest.mark.parametrize(
    ("budgets", "setting"),
    [({"tokens": 4_100}, "tokens"), ({"requests": 2}, "requests"), ({"usd": 0.025}, "usd")],
    ids=["tokens", "requests", "money"],
)
def test_shortly_before_the_budget_is_spent_the_model_is_told_to_answer(
    budgets: dict[str, float], setting: str
) -> None:
    asked = desk(calling(read()), saying("yes"), **budgets)

    assert asked.ask() == "yes"
    assert may_call(asked.talk) == [True, False]
    assert asked.talk.said[0] == "result of read"
    assert asked.talk.said[1].startswith("Answer now")
    assert f"`budgets.{setting}`) was nearly spent" in asked.question.ledger.stopped_early


def test_the_first_question_is_asked_with_tools_however_little_there_is() -> None:
    asked = desk(saying("yes"), requests=1)

    assert asked.ask() == "yes"
    assert may_call(asked.talk) == [True]
    assert asked.question.ledger.stopped_early == ""


@pytest.mark.parametrize(
    ("budgets", "reason"),
    [
        (
            {"tokens": 1_000},
            r"of 1,000 is too small: 1,000 are left, and the next request may take 2,\d{3} \(raise `budgets.tokens`",
        ),
        ({"requests": 1}, r"the request budget of 1 is spent \(raise `budgets.requests`\)"),
        (
            {"usd": 0.015},
            r"of \$0.015 is too small: \$0.0050 are left, and the next request may cost \$0.0100 \(raise `budgets.usd`",
        ),
        ({"time_s": 0.0}, r"not done after 0 min \(`budgets.minutes`\)"),
    ],
    ids=["tokens", "requests", "money", "time"],
)
def test_with_a_spent_budget_the_agent_fails_and_the_reason_names_the_setting(
    budgets: dict[str, float], reason: str
) -> None:
    asked = desk(calling(read()), saying("yes"), **budgets)

    with pytest.raises(AgentFailure, match=reason):
        asked.ask()


def test_a_request_takes_no_longer_than_is_left() -> None:
    asked = desk(saying("yes"), time_s=30.0)
    asked.ask()
    [request] = asked.talk.asked

    assert (request.limits.time_s, request.limits.wait_s) == (30.0, 30.0)


# --- Money -----------------------------------------------------------------------------------------------------------

A_TOKEN = 1e-4
"""Dollars that a token costs below; one that goes into the cache costs a half more."""


def list_price(usage: Usage) -> float:
    return A_TOKEN * (usage.input + usage.output + 0.5 * usage.written)


def priced(*lines: Line, usd: float, price: Callable[[Usage], float | None] = list_price) -> Desk:
    made = desk(*lines, usd=usd)
    made.question.seat = Seat("standard", made.actor, price)
    return made


PROMPT_USD = 15 * 1.5 * A_TOKEN
"""What the prompt of these tests may cost: 29 bytes, all of them into the cache."""


def test_before_a_request_its_price_is_reserved_and_then_what_it_really_cost_is_counted() -> None:
    left: list[float] = []

    def look(_talk: Talk) -> Turn:
        left.append(asked.budget.usd_left)
        return saying("yes", usage=Usage(input=10, output=5))

    asked = priced(look, usd=10.0)
    asked.ask()

    assert len(asked.talk.heard) == 29
    assert left == [pytest.approx(10.0 - PROMPT_USD - 16_000 * A_TOKEN)]
    assert asked.budget.usd_left == pytest.approx(10.0 - 15 * A_TOKEN)


@pytest.mark.parametrize(
    ("usd", "output"), [(10.0, 16_000), (1.0, 4_988), (0.21, 2_000)], ids=["plenty", "half", "the-least"]
)
def test_the_answer_is_no_longer_than_the_money_is_enough_for(usd: float, output: int) -> None:
    asked = priced(saying("yes"), usd=usd)

    assert asked.ask() == "yes"
    assert asked.talk.asked[0].limits.output_tokens == output


def test_a_request_that_could_pass_the_money_is_not_made() -> None:
    asked = priced(saying("yes"), usd=0.2)

    with pytest.raises(
        AgentFailure, match=r"\$0.20 are left, and the next request may cost \$0.20 \(raise `budgets.usd`"
    ):
        asked.ask()

    assert asked.talk.asked == []


def test_without_a_price_no_money_is_reserved() -> None:
    asked = priced(saying("yes"), usd=1e-9, price=lambda _usage: None)

    assert asked.ask() == "yes"
    assert asked.talk.asked[0].limits.output_tokens == 16_000


def test_once_the_provider_has_counted_a_prompt_no_caution_is_reserved_for_it_again() -> None:
    left: list[float] = []

    def look(_talk: Talk) -> Turn:
        left.append(asked.budget.usd_left)
        return saying("yes")

    asked = priced(calling(read(), usage=Usage(input=7, output=1)), look, usd=10.0)
    asked.ask()

    grown = len("\nresult of read")
    next_usd = (7 + (grown + 1) // 2) * 1.5 * A_TOKEN
    assert left == [pytest.approx(10.0 - 8 * A_TOKEN - next_usd - 16_000 * A_TOKEN)]


def test_where_the_provider_does_not_say_what_a_request_took_all_that_was_reserved_is_counted() -> None:
    asked = priced(saying("yes", usage=Usage()), usd=1.0)
    asked.ask()

    assert asked.budget.usd_left == pytest.approx(1.0 - PROMPT_USD - 4_988 * A_TOKEN)


def test_what_a_broken_request_had_reserved_is_given_back() -> None:
    asked = priced(ModelError("it is down", hint="wait"), usd=1.0)

    with pytest.raises(ModelError):
        asked.ask()

    assert asked.budget.usd_left == 1.0


def test_agents_side_by_side_take_turns_where_the_money_is_not_enough_for_all_at_once() -> None:
    """Six that each may cost most of the budget, and cost a tenth of it."""
    budget = Budget(dataclasses.replace(PLENTY, usd=1.0), time.monotonic)
    told: list[str] = []
    answers: list[str] = []
    usage = Usage(input=10, output=990)

    def answer_slowly(_talk: Talk) -> Turn:
        Event().wait(0.01)
        return saying("yes", usage=usage)

    def work() -> None:
        seat = Seat("standard", Actor([answer_slowly]), list_price)
        answers.append(Question(seat, OPENING, Tools(), read_yes, budget, told.append).ask())

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert answers == ["yes"] * 6
    assert "waits for room in the budget" in told
    assert budget.usd_left == pytest.approx(1.0 - 6 * list_price(usage))


# --- What it took ----------------------------------------------------------------------------------------------------


def test_every_turn_is_counted() -> None:
    asked = desk(calling(read()), saying("no"), saying("yes", model="small-2026"))
    asked.ask()

    assert asked.spent == Spent(3, 3 * USAGE.input, 3 * USAGE.output, 3 * USAGE.cached, 3 * PRICE_OF_A_TURN)
    assert asked.question.ledger.answered_as == "small-2026"
    assert asked.budget.tokens_left == PLENTY.tokens - asked.spent.tokens


def test_what_was_used_before_the_model_broke_is_counted_and_its_requests_are_too() -> None:
    asked = Desk(Actor([calling(read()), ModelError("it is down", hint="wait")], repeats=2))

    with pytest.raises(ModelError):
        asked.ask()

    assert asked.spent == Spent(6, USAGE.input, USAGE.output, USAGE.cached, PRICE_OF_A_TURN)
    assert asked.budget.tokens_left == PLENTY.tokens - asked.spent.tokens


def test_without_a_price_the_cost_is_unknown() -> None:
    asked = Desk(Actor([saying("yes")]), price=None)
    asked.ask()

    assert asked.spent == Spent(1, USAGE.input, USAGE.output, USAGE.cached, None)


@pytest.mark.parametrize(
    ("turn", "written"),
    [(saying("yes" * 40, usage=Usage()), 120), (calling(answer("yes" * 40), text="So:", usage=Usage()), 123)],
    ids=["words", "call"],
)
def test_where_the_provider_does_not_say_the_cost_is_unknown_and_the_estimate_counts(turn: Turn, written: int) -> None:
    asked = desk(turn)
    asked.ask()

    assert asked.spent == Spent(1, estimate_tokens(len(asked.talk.heard)), estimate_tokens(written), usd=None)
    assert asked.budget.tokens_left < PLENTY.tokens - 2_000


def test_a_request_is_in_flight_until_it_has_an_end() -> None:
    seen: list[int] = []

    def look(turn: Turn) -> Callable[[Talk], Turn]:
        def answer_now(_talk: Talk) -> Turn:
            seen.append(asked.question.ledger.in_flight)
            return turn

        return answer_now

    asked = desk(look(calling(read())), ModelError("it is down", hint="wait"))
    with pytest.raises(ModelError):
        asked.ask()

    assert seen == [1]
    assert asked.question.ledger.in_flight == 0


def test_a_server_that_counts_nothing_cannot_be_asked_without_end() -> None:
    asked = Desk(Actor(always(calling(read(), usage=Usage()))), dataclasses.replace(PLENTY, tokens=10_000))

    with pytest.raises(AgentFailure, match=r"budgets\.tokens"):
        asked.ask()
