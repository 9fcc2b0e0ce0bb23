"""What a review may spend, counted over agents that run side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import Event, Thread

import pytest

from draftgate.agents.budget import Allowance, Budget, BudgetSpent, estimate_tokens, room_for
from draftgate.domain.agent_run import Spent

ALLOWANCE = Allowance(tokens=1_000, usd=2.0, requests=10, time_s=60.0, wait_s=5.0)


@dataclasses.dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def budget(clock: Callable[[], float] = lambda: 0.0, **changes: float) -> Budget:
    return Budget(dataclasses.replace(ALLOWANCE, **changes), clock)  # type: ignore[arg-type]  # fields by name


def used(tokens: int = 0, *, usd: float | None = 0.0, requests: int = 1) -> Spent:
    return Spent(requests, input_tokens=tokens, usd=usd)


def test_what_is_reserved_is_gone_until_it_is_settled() -> None:
    made = budget()
    made.reserve(600)

    with pytest.raises(
        BudgetSpent, match=r"of 1,000 is too small: 400 are left, and the next request may take 401 \(raise `"
    ):
        made.reserve(401)
    made.settle(600, used(100))
    made.reserve(900)

    assert made.tokens_left == 0


def test_a_request_may_take_more_than_was_reserved() -> None:
    made = budget()
    made.reserve(600)
    made.settle(600, used(1_200))

    assert made.tokens_left == -200
    with pytest.raises(BudgetSpent, match=r": 0 are left, and the next request may take 1 \(raise `budgets\.tokens`\)"):
        made.reserve(1)


def test_repeated_requests_count_and_those_that_were_never_sent_do_not() -> None:
    made = budget(requests=3)
    made.reserve(1)
    made.settle(1, used(requests=3))
    with pytest.raises(BudgetSpent, match=r"the request budget of 3 is spent \(raise `budgets.requests`\)"):
        made.reserve(1)

    other = budget(requests=1)
    other.reserve(1)
    other.settle(1, used(requests=0))
    other.reserve(1)


def test_money_counts_where_it_is_known() -> None:
    made = budget(usd=0.5)
    made.settle(0, used(usd=None))
    made.reserve(1)
    made.settle(1, used(usd=0.5))

    with pytest.raises(BudgetSpent, match=r"the money budget of \$0.5 is spent \(raise `budgets.usd`\)"):
        made.reserve(1)


def test_time_runs_from_the_start_on() -> None:
    clock = Clock()
    made = budget(clock, time_s=120.0)
    clock.now += 119
    made.reserve(1)
    clock.now += 1

    assert made.time_left_s == 0.0
    with pytest.raises(BudgetSpent, match=r"not done after 2 min \(`budgets.minutes`\)"):
        made.reserve(1)


def test_in_a_closed_budget_nothing_begins() -> None:
    made = budget()
    made.close()

    assert made.time_left_s == 0.0
    with pytest.raises(BudgetSpent):
        made.reserve(1)


@pytest.mark.parametrize(
    ("spent", "setting"),
    [
        (used(799), ""),
        (used(801), "budgets.tokens"),
        (used(requests=9), "budgets.requests"),
        (used(usd=1.8), ""),
        (used(usd=1.81), "budgets.usd"),
        (used(usd=None), ""),
    ],
    ids=["enough", "tokens", "requests", "money-enough", "money", "price-unknown"],
)
def test_a_budget_that_has_room_for_one_more_request_is_nearly_spent(spent: Spent, setting: str) -> None:
    made = budget()
    made.reserve(0)
    made.settle(0, spent)

    reason = made.why_nearly_spent(100)
    assert setting in reason if setting else not reason


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


def side_by_side(job: Callable[[], None]) -> None:
    threads = [Thread(target=job) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(("each", "most"), [(1, 10), (9, 7)], ids=["requests", "tokens"])
def test_agents_side_by_side_never_reserve_the_same_rest_twice(each: int, most: int) -> None:
    made = Budget(Slow(), lambda: 0.0)  # type: ignore[arg-type]  # as good as one
    granted: list[int] = []

    def work() -> None:
        for _ in range(3):
            try:
                made.reserve(each)
            except BudgetSpent:
                continue
            granted.append(each)

    side_by_side(work)

    assert len(granted) == most


def test_settling_side_by_side_loses_nothing() -> None:
    made = budget(tokens=10_000, requests=10**9)

    def work() -> None:
        for _ in range(100):
            made.reserve(5)
            made.settle(5, used(1))

    side_by_side(work)

    assert made.tokens_left == 10_000 - 800


def test_an_estimate_is_rather_more_than_less() -> None:
    assert [estimate_tokens(characters) for characters in (0, 1, 7, 8)] == [0, 1, 2, 3]


def test_half_of_the_tokens_is_left_for_what_follows_the_diffs() -> None:
    assert estimate_tokens(room_for(100_000, 4)) * 4 == 50_000
    assert room_for(100_000, 0) == room_for(100_000, 1)
