"""Whatever somebody makes of the hidden marks by hand, a run ends in words, and the change stays reviewable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from draftgate.forge.hidden import pack
from tests.fakes.github.entities import Review
from tests.fakes.github_forgery import rewrite
from tests.fakes.github_run import Runner

NO_NUMBER = "9" * 5_000


def with_state(state: bytes) -> Callable[[Review], None]:
    def spoil(review: Review) -> None:
        review.body = re.sub(r"data=\S+", f"data={pack(state)}", review.body)

    return spoil


def spoil_numbers(review: Review) -> None:
    review.body = re.sub(r" numbers=\S+", f" numbers={NO_NUMBER}", review.body)


def spoil_comment(review: Review) -> None:
    made = review.comments[0]
    made.body = re.sub(r" number=\d+", f" number={NO_NUMBER}", made.body)


SPOILT: dict[str, Callable[[Review], None]] = {
    "a state that is none": with_state(b"none"),
    "a nested state": with_state(b"[" * 100_000),
    "an infinite length": with_state(b'{"seal":[],"unthreaded":[],"language":"en","length":1e999}'),
    "numbers that are none": spoil_numbers,
    "a comment whose number is none": spoil_comment,
}


def test_a_round_that_is_no_number_is_no_dead_end(reviewed: Runner) -> None:
    rewrite(reviewed, re.sub(r" round=\d+", f" round={NO_NUMBER}", reviewed.checkpoint.body))

    again = reviewed.command("maintainer", "/draftgate review --force")
    ran = reviewed.command("maintainer", "/approve-findings 1")

    assert again.ended == (0, "awaiting-approval")
    assert ran.ended == (0, "submitted")


@pytest.mark.parametrize("kind", SPOILT)
def test_a_review_that_was_edited_is_recorded_and_not_published_again(kind: str, reviewed: Runner) -> None:
    """Cut off right after the submission, so that the next run has nothing but the review itself."""
    reviewed.simulator.faults.add("502", match="PATCH .*/issues/comments", skip=1, times=None)
    cut_off = reviewed.command("maintainer", "/approve-findings 1")
    reviewed.simulator.faults.clear()
    SPOILT[kind](reviewed.pull.reviews[-1])

    reviewed.push()
    ran = reviewed.review("synchronize")

    assert cut_off.ended == (4, "submitting")
    assert ran.ended == (0, "awaiting-approval")
    assert "could not be trusted" not in ran.log
    assert len(reviewed.reviews) == 1
