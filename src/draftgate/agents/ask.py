"""One conversation with a model, from the question to an answer that can be read, or to the reason why there is none.

The model may call tools until it answers. An answer that is invalid, cut off, refused or empty is asked for once more;
the second one fails the agent. Silence is never an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from draftgate.agents.answers.claim import UnusableAnswer
from draftgate.agents.budget import Budget, BudgetSpent, Need, Reserved
from draftgate.agents.estimate import PromptTokens, estimate_tokens
from draftgate.domain.agent_run import NOTHING_SPENT, Spent
from draftgate.llm.base import Conversation, Limits, Model, Opening, Stop, ToolCall, ToolResult, Turn, Usage
from draftgate.render.visible import one_line

T = TypeVar("T")

MOST_TURNS = 30
"""Turns of one conversation; the last of them must be the answer."""

MOST_CALLS = 20
"""Calls of one turn that are answered."""

_OUTPUT_TOKENS = 16_000
_ENOUGH_OUTPUT_TOKENS = 8_000
"""Less would cut a model off that thinks, so it is given less only where there is nothing to wait for."""

_USUAL_OUTPUT_TOKENS = 2_000
_LONGEST_REQUEST_S = 300.0
_LONGEST_REFUSAL = 200
_LONGEST_NAME = 100

_CUT_OFF = "Your answer was cut off at the output limit. Answer again, shorter: only what matters most, in fewer words."
_REFUSED = (
    "This is a review of source code that its maintainers asked for, and only findings about the code are wanted. "
    "Answer in the form that was described."
)
_ANSWER_NOW = "Answer now, in the form that was described, with what you know. There is no room for further calls."
_UNKNOWN_CALLS = "error: the answer was not read, so this was not done"


class AgentFailure(Exception):
    """There is no answer; the message is one sentence part."""


class Answers(Protocol):
    """Runs a call of a tool and gives text for the model; never raises for what a model wrote."""

    def run(self, call: ToolCall) -> str:
        """See the class."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A model in its place.

    Attributes:
        tier: ``standard``, ``capable`` or ``frontier``.
        model: What is asked.
        price: US dollars of a usage; ``None`` where no price is known.
    """

    tier: str
    model: Model
    price: Callable[[Usage], float | None]


@dataclass(slots=True)
class Ledger:
    """What a conversation has used so far; it counts on while it runs, also where it fails.

    Attributes:
        in_flight: Requests that were begun and have no end yet.
    """

    spent: Spent = NOTHING_SPENT
    answered_as: str = ""
    stopped_early: str = ""
    in_flight: int = 0


@dataclass(slots=True)
class Question(Generic[T]):
    """One question to one model.

    Attributes:
        seat: Whom to ask.
        opening: What it is told.
        tools: Answers its calls.
        read: Makes an answer of the text; raises `UnusableAnswer` with what was wrong.
        budget: Shared with others.
        tell: Told, in a few words, what is going on.
        ledger: What it took.
    """

    seat: Seat
    opening: Opening
    tools: Answers
    read: Callable[[str], T]
    budget: Budget
    tell: Callable[[str], None]
    ledger: Ledger = field(default_factory=Ledger)
    _tokens: PromptTokens = field(default_factory=PromptTokens)

    def ask(self) -> T:
        """Go on until there is an answer.

        Raises:
            AgentFailure: there will be none.
            ModelError: the model gave none.
        """
        conversation = self.seat.model.open(self.opening)
        was_repaired = False
        for number in range(1, MOST_TURNS + 1):
            turn = self._turn(conversation, number)
            if self._goes_on(turn):
                self._answer_calls(conversation, turn.calls)
                continue
            try:
                return self._read(turn)
            except UnusableAnswer as error:
                if was_repaired:
                    raise AgentFailure(f"no usable answer, asked twice: {_what_was_wrong(turn)}") from error
                was_repaired = True
                self.tell("asked again: the answer could not be used")
                _ask_again(conversation, turn, str(error))
        raise AgentFailure(f"no answer after {MOST_TURNS} turns")

    def _turn(self, conversation: Conversation, number: int) -> Turn:
        must_answer = self.budget.why_nearly_spent(self._need(conversation))
        if number == MOST_TURNS - 1:  # one more is left to ask for a usable one
            must_answer = must_answer or f"{MOST_TURNS} turns were taken"
        if must_answer and number > 1 and not self.ledger.stopped_early:
            self.ledger.stopped_early = must_answer
            conversation.say(_ANSWER_NOW)
        self.tell(f"request {number}")
        try:
            reserved = self.budget.reserve(self._need(conversation), lambda: self.tell("waits for room in the budget"))
        except BudgetSpent as error:
            raise AgentFailure(str(error)) from error
        before, size = conversation.requests, conversation.size
        turn = None
        self.ledger.in_flight = 1
        try:
            turn = conversation.ask(self._limits(reserved.output), may_call=not self.ledger.stopped_early)
            self.ledger.answered_as = one_line(turn.model, _LONGEST_NAME) or self.ledger.answered_as
            self._tokens.learn(size, turn.usage.input)
        finally:
            self.ledger.in_flight = 0
            self._count(reserved, turn, conversation.requests - before)
        return turn

    def _need(self, conversation: Conversation) -> Need:
        about, at_most = self._tokens.about(conversation.size), self._tokens.at_most(conversation.size)

        def usd(output: int) -> float:
            """Not less than it will cost: what goes into a provider's cache can be dearer than what does not."""
            plain, cached = (Usage(at_most, output, written=written) for written in (0, at_most))
            return max(self.seat.price(plain) or 0.0, self.seat.price(cached) or 0.0)

        return Need(
            prompt=about,
            least=_USUAL_OUTPUT_TOKENS,
            enough=_ENOUGH_OUTPUT_TOKENS,
            most=_OUTPUT_TOKENS,
            usd=usd,
            likely_usd=self.seat.price(Usage(about, _USUAL_OUTPUT_TOKENS)) or 0.0,
        )

    def _limits(self, output_tokens: int) -> Limits:
        budget = self.budget
        return Limits(
            output_tokens=output_tokens,
            time_s=min(budget.time_left_s, _LONGEST_REQUEST_S),
            wait_s=min(budget.allowance.wait_s, budget.time_left_s),
        )

    def _count(self, reserved: Reserved, turn: Turn | None, requests: int) -> None:
        usage = Usage() if turn is None else turn.usage
        prompt, output = reserved.need.prompt, reserved.output
        if turn is not None and usage == Usage():  # the provider does not say, so the estimate stands for it
            written = estimate_tokens(len(turn.text) + sum(len(call.arguments) for call in turn.calls))
            self.ledger.spent += Spent(requests, prompt, written, usd=None)
            self.budget.settle(reserved, Spent(requests, prompt, output, usd=None))
            return
        price = self.seat.price(usage) if turn is not None else 0.0
        spent = Spent(requests, usage.input, usage.output, usage.cached, price)
        self.ledger.spent += spent
        self.budget.settle(reserved, spent)

    def _goes_on(self, turn: Turn) -> bool:
        """Whether the turn only asks for something: tools, and no answer beside them."""
        is_whole = turn.stop is Stop.END and bool(turn.calls)
        return is_whole and all(call.name != self.opening.answer.name for call in turn.calls)

    def _answer_calls(self, conversation: Conversation, calls: tuple[ToolCall, ...]) -> None:
        results, known = [], {tool.name for tool in self.opening.tools}
        for call in calls[:MOST_CALLS]:
            self.tell(call.name if call.name in known else "a tool that is not offered")
            results.append(ToolResult(call, self.tools.run(call)))
        late = f"error: more than {MOST_CALLS} calls at once; make this one again"
        results += [ToolResult(call, late) for call in calls[MOST_CALLS:]]
        conversation.give(results)

    def _read(self, turn: Turn) -> T:
        if turn.stop is Stop.LENGTH:
            raise UnusableAnswer(_CUT_OFF)
        if turn.stop is Stop.REFUSED:
            raise UnusableAnswer(_REFUSED)
        answers = [call.arguments for call in turn.calls if call.name == self.opening.answer.name]
        if len(answers) > 1:
            raise UnusableAnswer(
                f"`{self.opening.answer.name}` was called {len(answers)} times. Call it once, with all."
            )
        text = answers[0] if answers else turn.text
        if not text.strip():
            raise UnusableAnswer("The answer was empty. Nothing to say is said in the form that was described.")
        return self.read(text)


def _ask_again(conversation: Conversation, turn: Turn, wrong: str) -> None:
    """The one repair; every call of a turn has to have a result before anything else is said."""
    if not turn.calls:
        conversation.say(wrong)
        return
    conversation.give(
        [ToolResult(call, f"error: {wrong}" if index == 0 else _UNKNOWN_CALLS) for index, call in enumerate(turn.calls)]
    )


def _what_was_wrong(turn: Turn) -> str:
    """For a person, who cannot do what the model was told to."""
    if turn.stop is Stop.LENGTH:
        return "the answer was cut off at the output limit"
    if turn.stop is Stop.REFUSED:
        words = " ".join((turn.refusal or turn.text).split())[:_LONGEST_REFUSAL]
        return f"the model refused{f' ({words})' if words else ''}"
    if not turn.text.strip() and not turn.calls:
        return "the answer was empty"
    return "the answer was not in the form that was asked for; another model, or another `output` of it, may do better"
