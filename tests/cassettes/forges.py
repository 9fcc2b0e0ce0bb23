"""The forges whose adapters are on tape: their calls, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.cassettes import calls, gitlab_calls, gitlab_stage, stage
from tests.cassettes.calls import Call
from tests.cassettes.stage import Moment
from tests.cassettes.tape import FOLDER
from tests.fakes.forge_http.faults import FaultPlan
from tests.git_builder import Repo


class Simulator(Protocol):
    """A simulator that runs."""

    @property
    def faults(self) -> FaultPlan:
        """What goes wrong."""

    @property
    def violations(self) -> list[str]:
        """What the forge does not have."""

    @property
    def git_url(self) -> str:
        """Its address; whoever records sends everything there."""


@dataclass(frozen=True)
class Forge:
    """One of them.

    Attributes:
        name: Of its folder.
        calls: By the name of the cassette.
        simulate: Runs a simulator with a change to begin with.
        open: The adapter on it, wherever requests go.
        advance: Brings the review to a moment.
    """

    name: str
    calls: Mapping[str, Call[Any]]
    simulate: Callable[[Path, Repo], AbstractContextManager[Simulator]]
    open: Callable[[], AbstractContextManager[Any]]
    advance: Callable[[Moment], None]

    def tape(self, name: str, root: Path = FOLDER) -> Path:
        """The file of a cassette."""
        return root / self.name / f"{name}.yaml"


FORGES = (
    Forge("github", calls.CALLS, stage.simulated, stage.open_stage, stage.advance),
    Forge("gitlab", gitlab_calls.CALLS, gitlab_stage.simulated, gitlab_stage.open_stage, gitlab_stage.advance),
)
