"""Two runs on one change at the same moment: one waits before each of its requests in turn, the other goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.domain.event import Event, ReviewAsked, SweepDue
from tests.fakes.forge_http.faults import HOLD
from tests.recovery.hosted import oracle
from tests.recovery.hosted.flows import JUST_IN_TIME, Flow, done, on_stage, reviewed
from tests.recovery.hosted.forge import Forge
from tests.recovery.hosted.stage import Stage

SETTINGS = pytest.mark.parametrize("settings", [{}, JUST_IN_TIME], ids=["held", "just-in-time"])
ALL, SOME, OTHERS = ("1", "2", "3"), ("1", "3"), ("2",)
CHANGES, COMMENT = "request-changes", "comment"
_ANSWERS = {"rocket", "confused"}
_AT_ONE_INSTANT = ("the status says", "2 replies to one comment")

Meanwhile = Callable[[Stage], Event | None]
"""What happens while the first run waits; the event of a second run, if it makes one."""


@dataclass(frozen=True)
class Moment:
    """How it ended when the first run waited before its request `at`: exit codes and sentences of both runs.

    Attributes:
        second: ``None`` if something else happened than a second run.
    """

    at: int
    request: str
    first: tuple[int, str]
    second: tuple[int, str] | None


class Race:
    """A stage on which two runs meet."""

    def __init__(self, stage: Stage, workers: Executor) -> None:
        self.stage = stage
        self._workers = workers

    def moments(self, meanwhile: Meanwhile) -> Iterator[Moment]:
        """Each moment of the stage's own event at which something else can happen; the stage is as both left it."""
        stage = self.stage
        stage.begin()
        requests = [entry.line for entry in stage.run(stage.event).log]
        for at, request in enumerate(requests):
            stage.begin()
            yield self._meet(at, request, meanwhile)
            stage.simulator.faults.clear()

    def _meet(self, at: int, request: str, meanwhile: Meanwhile) -> Moment:
        stage, faults = self.stage, self.stage.simulator.faults
        faults.add(HOLD, skip=at)
        first = stage.start(stage.event, self._workers)
        assert faults.wait_until_held(), first.result()
        with stage.simulator.lock:
            event = meanwhile(stage)
        second = None if event is None else stage.start(event, self._workers).result()
        faults.release()
        return Moment(at, request, first.result(), second)

    def crossings(self, meanwhile: Meanwhile) -> Iterator[Moment]:
        """Both runs wait once: the first before a write, then the second before one of its own, then the first goes on.

        Requests that only read need no moment of their own here: they see what the write before them left.
        """
        stage = self.stage
        stage.begin()
        writes = [entry.line for entry in stage.run(stage.event).log if entry.is_write]
        for at, write in enumerate(writes):
            second_at, is_there = 0, True
            while is_there:
                stage.begin()
                moment, is_there = self._cross(at, second_at, write, meanwhile)
                yield moment
                stage.simulator.faults.clear()
                second_at += 1

    def _cross(self, at: int, second_at: int, write: str, meanwhile: Meanwhile) -> tuple[Moment, bool]:
        stage, faults = self.stage, self.stage.simulator.faults
        faults.add(HOLD, writes_only=True, skip=at, name="first")
        first = stage.start(stage.event, self._workers)
        assert faults.wait_until_held("first"), first.result()
        with stage.simulator.lock:
            event = meanwhile(stage)
        assert event is not None
        faults.add(HOLD, writes_only=True, skip=second_at, name="second")
        second = stage.start(event, self._workers)
        while not second.done() and not faults.wait_until_held("second", timeout=0.02):
            pass
        is_held = not second.done()
        if not is_held:
            faults.release("second")  # it had no such write, and must not wait for one of the first run's
        faults.release("first")
        ended = first.result()
        faults.release("second")
        return Moment(at, f"{write} / {second_at}", ended, second.result()), is_held

    def settle(self) -> None:
        """What a schedule does later: whatever was left is taken up."""
        for event in (SweepDue(), ReviewAsked(self.stage.world.number)):
            code, said = self.stage.start(event, self._workers).result()
            assert code in {0, 5}, said


@pytest.fixture
def race(tmp_path: Path, workers: Executor, forge: Forge) -> Iterator[Callable[..., Race]]:
    """Sets up a race from what brings the change to where it begins."""
    with ExitStack() as opened:

        def make(prepare: Callable[[Stage], Event], settings: dict[str, str] | None = None) -> Race:
            flow = Flow("race", prepare, settings=settings or {})
            return Race(opened.enter_context(on_stage(flow, tmp_path, forge)), workers)

        yield make


def _saying(*texts: str, login: str = "maintainer") -> Callable[[Stage], Event]:
    """A review that waits, commands that were done, and one more that is about to be."""

    def prepare(stage: Stage) -> Event:
        reviewed(stage)
        for text in texts[:-1]:
            done(stage, text)
        return stage.say(texts[-1], login)

    return prepare


def _unanswered(stage: Stage) -> list[str]:
    """Commands without exactly one answer."""
    given = [comment for comment in stage.seen.comments if comment.body.startswith("/")]
    answers = {comment.body: _ANSWERS.intersection(oracle.reactions(stage.seen, str(comment.id))) for comment in given}
    return [f"{text!r} is answered by {sorted(found)}" for text, found in answers.items() if len(found) != 1]


def _check(race: Race, moment: Moment, *allowed: list[tuple[str, tuple[str, ...]]], codes: set[int]) -> list[str]:
    """What is wrong at the end of a moment.

    Two things are not held against it, since no forge has a way to write something only if nobody else did: a word in
    the list of checks that came late, and a second reply of two runs that refuse one command at the same instant.
    """
    found = [f"exit {run}" for run in (moment.first, moment.second) if run is not None and run[0] not in codes]
    race.settle()
    found += [*oracle.wrongs(race.stage.seen), *_unanswered(race.stage)]
    published = oracle.published(race.stage.seen)
    found = [wrong for wrong in found if not wrong.startswith(_AT_ONE_INSTANT)]
    return found if published in allowed else [*found, f"published: {published}"]


def _wrong_moments(
    race: Race,
    meanwhile: Meanwhile,
    *allowed: list[tuple[str, tuple[str, ...]]],
    codes: set[int] = frozenset({0}),
    crossing: bool = False,
) -> dict[str, object]:
    wrong: dict[str, object] = {}
    for moment in race.crossings(meanwhile) if crossing else race.moments(meanwhile):
        found = _check(race, moment, *allowed, codes=codes)
        if found:
            wrong[f"{moment.at}: {moment.request}"] = [*found, moment.first, moment.second]
    return wrong


# --- Two approvals ---------------------------------------------------------------------------------------------------


@SETTINGS
def test_two_approvals_of_one_set_make_one_review(race: Callable[..., Race], settings: dict[str, str]) -> None:
    approving = race(_saying("/approve-findings 1,3"), settings)

    wrong = _wrong_moments(approving, lambda stage: stage.say("/approve-findings 1,3", "admin"), [(CHANGES, SOME)])

    assert wrong == {}


@SETTINGS
def test_two_approvals_of_different_sets_publish_one_of_them(
    race: Callable[..., Race], settings: dict[str, str]
) -> None:
    approving = race(_saying("/approve-findings 1,3"), settings)

    wrong = _wrong_moments(
        approving,
        lambda stage: stage.say("/approve-findings 2", "admin"),
        [(CHANGES, SOME)],
        [(COMMENT, OTHERS)],
        codes={0, 5},
    )

    assert wrong == {}


@SETTINGS
def test_two_approvals_that_take_turns_make_one_review(race: Callable[..., Race], settings: dict[str, str]) -> None:
    approving = race(_saying("/approve-findings 1,3"), settings)

    wrong = _wrong_moments(
        approving,
        lambda stage: stage.say("/approve-findings 2", "admin"),
        [(CHANGES, SOME)],
        [(COMMENT, OTHERS)],
        codes={0, 5},
        crossing=True,
    )

    assert wrong == {}


def test_an_approval_and_a_review_that_take_turns(race: Callable[..., Race]) -> None:
    approving = race(_saying("/approve-findings 1,3"))

    wrong = _wrong_moments(
        approving,
        lambda stage: stage.say("/draftgate review", "admin"),
        [],
        [(CHANGES, SOME)],
        codes={0, 5},
        crossing=True,
    )

    assert wrong == {}


def test_two_reviews_that_take_turns_leave_one_checkpoint(race: Callable[..., Race]) -> None:
    reviewing = race(Stage.opened)

    wrong = _wrong_moments(reviewing, Stage.opened, [], crossing=True)

    assert wrong == {}


@SETTINGS
def test_an_event_that_is_delivered_again_while_it_is_done_is_done_once(
    race: Callable[..., Race], settings: dict[str, str]
) -> None:
    approving = race(_saying("/approve-findings 1,3"), settings)

    wrong = _wrong_moments(approving, lambda stage: stage.event, [(CHANGES, SOME)])

    assert wrong == {}


def test_two_amendments_at_once_never_publish_what_one_of_them_dropped(race: Callable[..., Race]) -> None:
    """Where one write went over the other's, nothing can be approved that was dropped."""
    dropping = race(_saying("/drop-finding 2"))
    wrong = {}

    for moment in dropping.moments(lambda stage: stage.say("/drop-finding 3", "admin")):
        went_over = moment.request.startswith(dropping.stage.forge.edits)
        approval = dropping.stage.run(dropping.stage.say("/approve-findings"))
        ended = (moment.first[0], moment.second and moment.second[0], approval.code)
        published = oracle.published(dropping.stage.seen)
        found = [*oracle.wrongs(dropping.stage.seen), *_unanswered(dropping.stage)]
        kept_both = (ended, published) == ((0, 0, 0), [(CHANGES, ("1",))])
        if found or not (kept_both or (went_over and not published)):
            wrong[f"{moment.at}: {moment.request}"] = [*found, moment, approval, published]

    assert wrong == {}


# --- Approvals and reviews ----------------------------------------------------------------------------------------


def test_an_approval_during_a_review_of_the_same_head(race: Callable[..., Race]) -> None:
    reviewing = race(_saying("/draftgate review"))

    wrong = _wrong_moments(
        reviewing, lambda stage: stage.say("/approve-findings 1,3"), [], [(CHANGES, SOME)], codes={0, 5}
    )

    assert wrong == {}


def test_a_review_that_ends_while_a_submission_runs(race: Callable[..., Race]) -> None:
    approving = race(_saying("/approve-findings 1,3"))

    wrong = _wrong_moments(
        approving, lambda stage: stage.say("/draftgate review", "admin"), [], [(CHANGES, SOME)], codes={0, 5}
    )

    assert wrong == {}


def test_an_approval_during_a_review_of_a_new_head_publishes_only_what_was_shown(race: Callable[..., Race]) -> None:
    def prepare(stage: Stage) -> Event:
        reviewed(stage)
        return stage.push()

    reviewing = race(prepare)
    shown = {}

    def approve(stage: Stage) -> Event:
        shown["head"] = (oracle.checkpoint_head(stage.seen), oracle.phase(stage.seen))
        return stage.say("/approve-findings")

    wrong = {}
    for moment in reviewing.moments(approve):
        is_shown = shown["head"] == (reviewing.stage.world.head, oracle.OPEN)
        allowed = [(CHANGES, ("1", "2"))] if is_shown else []
        found = _check(reviewing, moment, allowed, codes={0, 5})
        if found:
            wrong[f"{moment.at}: {moment.request}"] = [*found, moment]

    assert wrong == {}


# --- Pushes ----------------------------------------------------------------------------------------------------------


@SETTINGS
def test_a_push_during_a_submission_ends_it_published_once_or_not_at_all(
    race: Callable[..., Race], settings: dict[str, str]
) -> None:
    approving = race(_saying("/approve-findings 1,3"), settings)

    def push(stage: Stage) -> None:
        stage.push()

    wrong = _wrong_moments(approving, push, [], [(CHANGES, SOME)], codes={0, 5})

    assert wrong == {}


def test_a_push_and_its_review_during_a_submission(race: Callable[..., Race]) -> None:
    approving = race(_saying("/approve-findings 1,3"))

    wrong = _wrong_moments(approving, Stage.push, [], [(CHANGES, SOME)], codes={0, 5})

    assert wrong == {}


def test_two_reviews_of_one_head_leave_one_checkpoint(race: Callable[..., Race]) -> None:
    reviewing = race(Stage.opened)

    wrong = _wrong_moments(reviewing, Stage.opened, [])

    assert wrong == {}


def test_a_review_of_an_old_head_that_ends_last_leaves_the_new_one_alone(race: Callable[..., Race]) -> None:
    reviewing = race(Stage.opened)
    heads: dict[int, str] = {}

    def push(stage: Stage) -> Event:
        event = stage.push()
        heads[0] = str(event.head)
        return event

    wrong = {}
    for moment in reviewing.moments(push):
        found = _check(reviewing, moment, [], codes={0})
        head = oracle.checkpoint_head(reviewing.stage.seen)
        if found or (head, oracle.phase(reviewing.stage.seen)) != (heads[0], oracle.OPEN):
            wrong[f"{moment.at}: {moment.request}"] = [*found, moment, head, oracle.phase(reviewing.stage.seen)]

    assert wrong == {}


# --- People who change their words --------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["/approve-findings", "/drop-finding 2"])
@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "edited"])
def test_a_command_that_is_taken_back_while_it_is_done(
    race: Callable[..., Race], which: str, *, is_deleted: bool
) -> None:
    approving = race(_saying("/drop-finding 2", "/approve-findings"))

    def take_back(stage: Stage) -> None:
        [comment] = [comment for comment in stage.seen.comments if comment.body == which]
        if is_deleted:
            stage.world.delete(comment, "maintainer")
        else:
            stage.world.edit(comment, "never mind", "maintainer")

    wrong = {}
    for moment in approving.moments(take_back):
        published = oracle.published(approving.stage.seen)
        if (
            moment.first[0] not in {0, 3, 5}
            or published not in ([], [(CHANGES, SOME)])
            or oracle.wrongs(approving.stage.seen)
        ):
            wrong[f"{moment.at}: {moment.request}"] = [moment.first, published, oracle.wrongs(approving.stage.seen)]

    assert wrong == {}
