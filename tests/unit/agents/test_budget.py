"""What a review may spend, counted over agents that run side by side."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from random import Random
from threading import Event, Lock, Thread

import pytest

from draftgate.agents.budget import Allowance, Budget, BudgetSpent, Need, Reserved, room_for
from draftgate.agents.estimate import estimate_tokens
from draftgate.domain.agent_run import Spent

ALLOWANCE = Allowance(tokens=1_000, usd=2.0, requests=10, time_s=60.0, wait_s=5.0)
SOON_S = 5.0


@dataclasses.dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def budget(clock: Callable[[], float] = lambda: 0.0, **changes: float) -> Budget:
    return Budget(dataclasses.replace(ALLOWANCE, **changes), clock)  # type: ignore[arg-type]  # fields by name


def used(tokens: int = 0, *, usd: float | None = 0.0, requests: int = 1) -> Spent:
    return Spent(requests, input_tokens=tokens, usd=usd)


def spend(made: Budget, spent: Spent) -> None:
    """Let a request take that, which needed nothing."""
    made.settle(made.reserve(Need(0)), spent)


def costing(usd: float, *, likely: float = 0.0) -> Need:
    """A request that costs so much, however long the answer."""
    return Need(0, usd=lambda _output: usd, likely_usd=likely)


# --- Tokens, requests, time ------------------------------------------------------------------------------------------


def test_what_is_reserved_is_gone_until_it_is_settled() -> None:
    made = budget()
    reserved = made.reserve(Need(600))
    assert made.tokens_left == 400

    made.settle(reserved, used(100))

    assert made.tokens_left == 900


def test_what_does_not_fit_is_refused_with_what_is_left() -> None:
    made = budget()
    spend(made, used(600))

    with pytest.raises(
        BudgetSpent, match=r"of 1,000 is too small: 400 are left, and the next request may take 401 \(raise `"
    ):
        made.reserve(Need(400, least=1, most=9))


def test_a_request_may_take_more_than_was_reserved() -> None:
    made = budget()
    made.settle(made.reserve(Need(600)), used(1_200))

    assert made.tokens_left == -200
    with pytest.raises(BudgetSpent, match=r": 0 are left, and the next request may take 1 \(raise `budgets\.tokens`\)"):
        made.reserve(Need(1))


def test_repeated_requests_count_and_those_that_were_never_sent_do_not() -> None:
    made = budget(requests=3)
    spend(made, used(requests=3))
    with pytest.raises(BudgetSpent, match=r"the request budget of 3 is spent \(raise `budgets.requests`\)"):
        made.reserve(Need(1))

    other = budget(requests=1)
    spend(other, used(requests=0))
    other.reserve(Need(1))


def test_time_runs_from_the_start_on() -> None:
    clock = Clock()
    made = budget(clock, time_s=120.0)
    clock.now += 119
    made.reserve(Need(1))
    clock.now += 1

    assert made.time_left_s == 0.0
    with pytest.raises(BudgetSpent, match=r"not done after 2 min \(`budgets.minutes`\)"):
        made.reserve(Need(1))


def test_in_a_closed_budget_nothing_begins() -> None:
    made = budget()
    made.close()

    assert made.time_left_s == 0.0
    with pytest.raises(BudgetSpent):
        made.reserve(Need(1))


# --- Money -----------------------------------------------------------------------------------------------------------


def test_money_is_gone_until_it_is_settled_with_what_was_really_spent() -> None:
    made = budget(usd=0.5)
    reserved = made.reserve(costing(0.4))
    assert made.usd_left == pytest.approx(0.1)

    made.settle(reserved, used(usd=0.01))

    assert made.usd_left == pytest.approx(0.49)


def test_a_request_whose_price_does_not_fit_is_refused_before_it_is_made() -> None:
    made = budget(usd=0.5)
    spend(made, used(usd=0.45))

    with pytest.raises(
        BudgetSpent,
        match=r"the money budget of \$0\.5 is too small: \$0\.0500 are left, and the next request may cost \$0\.20 "
        r"\(raise `budgets\.usd`\)",
    ):
        made.reserve(costing(0.2))


def test_where_no_price_is_known_no_money_is_reserved_and_none_counts() -> None:
    made = budget(usd=0.5)
    spend(made, used(usd=None))

    assert made.usd_left == 0.5


def test_where_a_price_was_known_and_is_not_any_more_what_was_reserved_counts() -> None:
    made = budget(usd=0.5)
    made.settle(made.reserve(costing(0.2)), used(usd=None))

    assert made.usd_left == pytest.approx(0.3)


# --- How much may be written -----------------------------------------------------------------------------------------


def writing(prompt: int = 0, *, least: int = 2, enough: int = 8, most: int = 16, usd: float = 0.0) -> Need:
    """A request that costs so much a token of output, and twice of it for the prompt."""
    return Need(prompt, least, enough, most, usd=lambda output: usd * (2 + output), likely_usd=usd * (2 + least))


@pytest.mark.parametrize(
    ("tokens", "usd", "output"),
    [
        (1_000, 2.0, 16),
        (120, 2.0, 10),  # half of what the prompt leaves
        (103, 2.0, 2),
        (102, 2.0, 2),
        (1_000, 0.345, 16),
        (1_000, 0.225, 10),
        (1_000, 0.065, 2),
        (1_000, 0.0401, 2),
        (120, 0.125, 5),
    ],
)
def test_little_room_makes_the_answer_shorter(tokens: int, usd: float, output: int) -> None:
    made = budget(tokens=tokens, usd=usd)

    reserved = made.reserve(writing(100, usd=0.01))

    assert (reserved.output, reserved.tokens) == (output, 100 + output)
    assert reserved.usd == pytest.approx(0.01 * (2 + output))


@pytest.mark.parametrize(("tokens", "usd"), [(101, 2.0), (1_000, 0.039)], ids=["tokens", "money"])
def test_an_answer_is_not_made_shorter_than_the_least(tokens: int, usd: float) -> None:
    with pytest.raises(BudgetSpent, match="is too small"):
        budget(tokens=tokens, usd=usd).reserve(writing(100, usd=0.01))


def test_while_others_may_give_something_back_an_answer_is_long_enough() -> None:
    made = budget(usd=0.26)
    first = made.reserve(writing(usd=0.01))

    second = made.reserve(writing(usd=0.01))

    assert (first.output, second.output) == (12, 8)
    assert made.usd_left == pytest.approx(0.26 - 0.14 - 0.10)


# --- Nearly spent ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spent", "setting"),
    [
        (used(799), ""),
        (used(801), "budgets.tokens"),
        (used(requests=9), "budgets.requests"),
        (used(usd=1.7), ""),
        (used(usd=1.9), "budgets.usd"),
        (used(usd=None), ""),
    ],
    ids=["enough", "tokens", "requests", "money-enough", "money", "price-unknown"],
)
def test_a_budget_that_has_room_for_one_more_request_is_nearly_spent(spent: Spent, setting: str) -> None:
    made = budget()
    spend(made, spent)

    reason = made.why_nearly_spent(Need(98, least=2, usd=lambda output: 0.05 * output))
    assert setting in reason if setting else not reason


@pytest.mark.parametrize(("others", "setting"), [(1, ""), (3, "budgets.usd")])
def test_what_others_have_in_flight_counts_with_what_it_should_come_to(others: int, setting: str) -> None:
    made = budget()
    for _ in range(others):
        made.reserve(costing(0.6, likely=0.4))

    reason = made.why_nearly_spent(costing(0.5))
    assert setting in reason if setting else not reason


# --- Side by side ----------------------------------------------------------------------------------------------------


class Waiter:
    """A request that was asked for in a thread of its own."""

    def __init__(self, made: Budget, need: Need) -> None:
        self.result: Reserved | BudgetSpent | None = None
        self.has_to_wait, self._need, self._budget = Event(), need, made
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._budget.reserve(self._need, self.has_to_wait.set)
        except BudgetSpent as error:
            self.result = error

    def done(self) -> Reserved | BudgetSpent | None:
        self._thread.join(SOON_S)
        return self.result


def waiting(made: Budget, need: Need) -> Waiter:
    waiter = Waiter(made, need)
    assert waiter.has_to_wait.wait(SOON_S)
    return waiter


@pytest.mark.parametrize(
    ("need", "spent"), [(costing(1.5), used(usd=0.4)), (Need(800), used(100))], ids=["money", "tokens"]
)
def test_a_request_waits_until_another_one_gives_back_what_it_did_not_use(need: Need, spent: Spent) -> None:
    made = budget()
    first = made.reserve(need)
    second = waiting(made, need)

    made.settle(first, spent)

    assert isinstance(second.done(), Reserved)


def test_it_waits_for_all_of_them_and_is_refused_once_nothing_is_in_flight() -> None:
    made = budget()
    first, other = made.reserve(costing(0.8)), made.reserve(costing(0.8))
    second = waiting(made, costing(1.5))

    made.settle(first, used(usd=0.4))
    assert second.result is None
    made.settle(other, used(usd=0.4))

    assert "$1.20 are left, and the next request may cost $1.50" in str(second.done())


def test_whoever_came_first_is_served_first() -> None:
    made = budget()
    first = made.reserve(costing(1.5))
    large, small = waiting(made, costing(1.9)), waiting(made, costing(0.2))

    made.settle(first, used(usd=0.05))
    held = large.done()
    assert isinstance(held, Reserved)
    assert small.result is None
    made.settle(held, used(usd=0.05))

    assert isinstance(small.done(), Reserved)


def test_one_that_is_refused_lets_the_next_one_go_on() -> None:
    made = budget()
    first = made.reserve(costing(1.5))
    large, small = waiting(made, costing(1.9)), waiting(made, costing(0.2))

    made.settle(first, used(usd=0.5))

    assert isinstance(large.done(), BudgetSpent)
    assert isinstance(small.done(), Reserved)


def test_nobody_waits_longer_than_there_is_time() -> None:
    made = Budget(dataclasses.replace(ALLOWANCE, time_s=0.05), time.monotonic)
    made.reserve(costing(1.5))

    with pytest.raises(BudgetSpent, match=r"budgets\.minutes"):
        made.reserve(costing(1.0))


def test_nobody_waits_in_a_closed_budget() -> None:
    made = budget()
    made.reserve(costing(1.5))
    second = waiting(made, costing(1.0))

    made.close()

    assert isinstance(second.done(), BudgetSpent)


def side_by_side(job: Callable[[], None], count: int = 8) -> None:
    threads = [Thread(target=job, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


class Slow:
    """An allowance that takes its time to say how much there is, while others look as well."""

    usd, time_s, wait_s = 2.0, 60.0, 5.0

    @property
    def tokens(self) -> int:
        Event().wait(0.001)
        return 70

    @property
    def requests(self) -> int:
        Event().wait(0.001)
        return 10


@pytest.mark.parametrize(("each", "most"), [(1, 10), (9, 7)], ids=["requests", "tokens"])
def test_agents_side_by_side_never_reserve_the_same_rest_twice(each: int, most: int) -> None:
    made = Budget(Slow(), lambda: 0.0)  # type: ignore[arg-type]  # as good as one
    granted: list[int] = []

    def work() -> None:
        for _ in range(3):
            try:
                reserved = made.reserve(Need(each))
            except BudgetSpent:
                continue
            granted.append(each)
            made.settle(reserved, used(each))

    side_by_side(work)

    assert len(granted) == most


def test_settling_side_by_side_loses_nothing() -> None:
    made = budget(tokens=10_000, requests=10**9)

    def work() -> None:
        for _ in range(100):
            made.settle(made.reserve(Need(5)), used(1))

    side_by_side(work)

    assert made.tokens_left == 10_000 - 800


def test_what_agents_side_by_side_spend_never_passes_the_money_nor_fails_one_for_what_comes_back() -> None:
    """Each may cost 60 cents and costs 1 to 45; the sum of the default budget holds all of the first round."""
    made = budget(tokens=10**9, requests=10**9, usd=2.0)
    random, lock, spent, refused = Random(7), Lock(), [0.0], []  # noqa: S311 - an order of things

    def work() -> None:
        for number in range(6):
            try:
                reserved = made.reserve(writing(usd=0.6 / 18))
            except BudgetSpent as error:
                refused.append((number, str(error)))
                return
            with lock:
                price = min(random.uniform(0.01, 0.25 if number else 0.1), reserved.usd)
            Event().wait(0.002)
            with lock:
                spent[0] += price
            made.settle(reserved, used(usd=price))

    side_by_side(work, 6)

    assert spent[0] <= 2.0
    assert made.usd_left == pytest.approx(2.0 - spent[0])
    assert refused
    assert all(number and "budgets.usd" in reason for number, reason in refused)


# --- Room ------------------------------------------------------------------------------------------------------------


def test_half_of_the_tokens_is_left_for_what_follows_the_diffs() -> None:
    assert estimate_tokens(room_for(100_000, 4)) * 4 == 50_000
    assert room_for(100_000, 0) == room_for(100_000, 1)
