"""Every flow that writes, stopped at every write: the same command again ends as if nothing had happened.

A run is killed before a write, killed after it, or the write is refused as on a full disk. What remains is then
looked at (nothing is published that was not approved, and the state can be read), the command is given again, and the
folder must hold what an undisturbed run leaves.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.forge.local.folder import FOLDER_NAME
from tests.flawed_change import commit_welcome_fixed, make_flawed_repository
from tests.recovery.crashing import How, Program, Ran, Stop
from tests.recovery.state import files_of, reviews_of

REVIEW = ("review",)
UNAVAILABLE = 4
KILLED = -9


@dataclass(frozen=True, slots=True)
class Flow:
    """A command, and what was done before it is given.

    Attributes:
        again: The exit codes of the command where it was done already, besides 0.
        posts: The number of reviews that are there at the end.
        is_on_new_head: A commit follows on what was done before.
    """

    name: str
    command: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    is_on_new_head: bool = False
    posts: int = 0
    again: frozenset[int] = frozenset()


REFUSED_AS_DONE = frozenset({2})
"""A comment command is answered by what is possible now; the reader sees that it was done."""

FLOWS = (
    Flow("review", REVIEW),
    Flow(
        "review-of-a-new-head",
        REVIEW,
        before=(
            REVIEW,
            ("approve", "1,3"),
            ("review", "--force"),
            ("do", "/drop-finding 1 on purpose\n/relabel-finding 2 todo\n/edit-finding 2\nWho is reminded?"),
        ),
        is_on_new_head=True,
        posts=1,
    ),
    Flow("drop", ("do", "/drop-finding 3 known"), before=(REVIEW,), again=REFUSED_AS_DONE),
    Flow("edit", ("do", "/edit-finding 2\nWho is welcomed?"), before=(REVIEW, ("do", "/drop-finding 3 known"))),
    Flow("approve-a-subset", ("approve", "1,3"), before=(REVIEW,), posts=1),
    Flow(
        "approve-with-a-verdict",
        ("approve", "--as", "comment"),
        before=(REVIEW, ("do", "/drop-finding 1 on purpose\n/edit-finding 2\nWho is welcomed?")),
        posts=1,
    ),
    Flow(
        "discard",
        ("do", "/discard-findings"),
        before=(REVIEW, ("do", "/drop-finding 3 known")),
        again=REFUSED_AS_DONE,
    ),
    Flow("finalize", ("finalize",), before=(REVIEW,)),
)


@dataclass(frozen=True, slots=True)
class Stage:
    """A repository in which a flow can be begun any number of times."""

    flow: Flow
    program: Program
    repository: Path
    kept: Path

    def set_up(self) -> None:
        """Do what comes before the flow, and keep the state that it leaves."""
        repo = make_flawed_repository(self.repository)
        for command in self.flow.before:
            assert self.program.run(*command, cwd=self.repository).code == 0
        if self.flow.is_on_new_head:
            commit_welcome_fixed(repo)
        _copy(self.repository / FOLDER_NAME, self.kept)

    def begin(self) -> None:
        """Put the state back to what it was before the flow; the flows change nothing else."""
        _copy(self.kept, self.repository / FOLDER_NAME)

    def run(self, stop: Stop | None = None) -> Ran:
        """Give the command of the flow."""
        return self.program.run(*self.flow.command, cwd=self.repository, stop=stop)

    def is_readable(self) -> bool:
        """Whether the state can be shown."""
        return self.program.run("status", cwd=self.repository).code == 0


def _copy(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    if source.exists():
        shutil.copytree(source, target)


@pytest.fixture(params=FLOWS, ids=lambda flow: flow.name)
def stage(request: pytest.FixtureRequest, program: Program, tmp_path: Path) -> Stage:
    made = Stage(request.param, program, tmp_path / "repository", tmp_path / "kept")
    made.set_up()
    return made


def _points(writes: tuple[str, ...], how: How) -> Iterator[int]:
    """The writes at which a run is stopped.

    Left out is what would be the same stop twice: a temporary file counts only once it is put in its place, and what
    a killed process wrote stays whether or not it was made durable.
    """
    for at, write in enumerate(writes):
        same = write == "open (temporary)" or (how is not How.REFUSED and write.startswith("fsync"))
        if not same:
            yield at


@pytest.mark.parametrize("how", [How.KILLED_BEFORE, How.KILLED_AFTER, How.REFUSED], ids=str)
def test_the_same_command_again_ends_as_if_nothing_had_happened(stage: Stage, how: How) -> None:
    undisturbed = stage.run()
    expected, posted = files_of(stage.repository), reviews_of(stage.repository)
    assert (undisturbed.code, len(posted)) == (0, stage.flow.posts)
    wrong: dict[str, object] = {}

    for at in _points(undisturbed.writes, how):
        stage.begin()
        earlier = reviews_of(stage.repository)
        stopped = stage.run(Stop(at, how))
        found = [f"exit {stopped.code}: {stopped.stderr}"] if stopped.code != _expected_exit(how) else []
        found += ["published something else"] if reviews_of(stage.repository) not in (earlier, posted) else []
        found += ["cannot be shown"] if how is How.KILLED_BEFORE and not stage.is_readable() else []
        again = stage.run()
        found += [f"again: exit {again.code}: {again.stderr}"] if again.code not in {0, *stage.flow.again} else []
        found += _differences(files_of(stage.repository), expected)
        if found:
            wrong[f"{at}: {how} {undisturbed.writes[at]}"] = found

    assert wrong == {}


def _expected_exit(how: How) -> int:
    return UNAVAILABLE if how is How.REFUSED else KILLED


def _differences(present: object, expected: object, place: str = "") -> list[str]:
    if isinstance(present, dict) and isinstance(expected, dict):
        return [
            difference
            for key in sorted({*present, *expected})
            for difference in _differences(present.get(key, "absent"), expected.get(key, "absent"), f"{place}/{key}")
        ]
    return [] if present == expected else [f"{place}: {str(present)[:200]!r} is not {str(expected)[:200]!r}"]


def test_the_matrix_knows_every_write(stage: Stage) -> None:
    """Nothing is written but by the calls that are counted, and a run has no write after the last one that was seen."""
    undisturbed = stage.run()
    stage.begin()
    beyond = stage.run(Stop(len(undisturbed.writes), How.KILLED_BEFORE))

    assert len(list(_points(undisturbed.writes, How.KILLED_BEFORE))) > 0
    assert undisturbed.unnoticed == ()
    assert beyond.code == 0
