"""Two runs on one pull request at the same moment, one held at each of its requests while the other goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from draftgate.domain.event import Event, SweepDue
from tests.fakes.github import comments
from tests.fakes.github.faults import HOLD
from tests.recovery.github import oracle
from tests.recovery.github.flows import JUST_IN_TIME, Flow, on_stage, reviewed
from tests.recovery.github.stage import Ran, Stage

Meanwhile = Callable[[Stage], Event | None]
"""What happens while the first run is held; the event of a second run, if there is one."""


def _none(_stage: Stage) -> None:
    return None


@contextmanager
def held(stage: Stage, event: Event, at: int, name: str = "first") -> Iterator[Callable[[], Ran]]:
    """A run that waits before its request `at`; what is yielded lets it go on and returns how it ended."""
    faults = stage.simulator.faults
    faults.add(HOLD, skip=at, name=name)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(stage.handle, event)
        assert faults.wait_until_held(name), running.result()

        def go_on() -> Ran:
            faults.release(name)
            return running.result()

        try:
            yield go_on
        finally:
            faults.release(name)


def each_moment(stage: Stage, meanwhile: Meanwhile) -> Iterator[tuple[int, Ran, Ran | None]]:
    """The stage's own event, held at each of its requests while something else happens, and how both runs ended."""
    stage.begin()
    requests = len(stage.run(stage.event).log)
    for at in range(requests):
        stage.begin()
        with held(stage, stage.event, at) as go_on:
            with stage.simulator.lock:
                event = meanwhile(stage)
            second = None if event is None else stage.handle(event)
            first = go_on()
        stage.simulator.faults.clear()
        yield at, first, second


@pytest.fixture
def stages(tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Makes the stage of a flow that begins with what a function returns."""
    from contextlib import ExitStack

    with ExitStack() as opened:

        def make(prepare: Callable[[Stage], Event], **fields: object) -> Stage:
            return opened.enter_context(on_stage(Flow("race", prepare, **fields), tmp_path))

        yield make


def _settle(stage: Stage, *events: Event) -> None:
    """Deliver what was left for the next run, as a schedule would."""
    for event in (*events, SweepDue()):
        ran = stage.run(event)
        assert ran.code in {0, 5}, ran


def _approve(text: str, login: str = "maintainer") -> Callable[[Stage], Event]:
    def prepare(stage: Stage) -> Event:
        reviewed(stage)
        return stage.say(text, login)

    return prepare


SETTINGS = pytest.mark.parametrize("settings", [{}, JUST_IN_TIME], ids=["held", "just-in-time"])


@SETTINGS
def test_two_approvals_of_one_set_make_one_review(stages: Callable[..., Stage], settings: dict[str, str]) -> None:
    stage = stages(_approve("/approve-findings 1,3"), settings=settings)
    wrong = {}

    for at, first, second in each_moment(stage, lambda stage: stage.say("/approve-findings 1,3", "admin")):
        codes = (first.code, second and second.code)
        _settle(stage)
        found = [*oracle.wrongs(stage.pull), *unanswered(stage)]
        found += [f"exits {codes}"] if set(codes) - {0} else []
        found += [f"{oracle.published(stage.pull)}"] if oracle.published(stage.pull) != [("CHANGES_REQUESTED", ("1", "3"))] else []
        if found:
            wrong[at] = found, first.said, second and second.said

    assert wrong == {}


def unanswered(stage: Stage) -> list[str]:
    """Commands without exactly one answer."""
    mine = [comment for comment in stage.pull.comments if comment.body.startswith("/")]
    answers = {comment.id: set(oracle.reactions(stage.pull, str(comment.id))) & {"rocket", "confused"} for comment in mine}
    return [f"comment {number}: {sorted(given)}" for number, given in answers.items() if len(given) != 1]


@SETTINGS
def test_two_approvals_of_different_sets_publish_one_of_them(stages: Callable[..., Stage], settings: dict[str, str]) -> None:
    stage = stages(_approve("/approve-findings 1,3"), settings=settings)
    wrong = {}

    for at, first, second in each_moment(stage, lambda stage: stage.say("/approve-findings 2", "admin")):
        codes = (first.code, second and second.code)
        _settle(stage)
        found = [*oracle.wrongs(stage.pull), *unanswered(stage)]
        found += [f"{oracle.published(stage.pull)}"] if oracle.published(stage.pull) not in ([("CHANGES_REQUESTED", ("1", "3"))], [("COMMENTED", ("2",))]) else []
        if found:
            wrong[at] = found, codes, first.said, second and second.said

    assert wrong == {}
