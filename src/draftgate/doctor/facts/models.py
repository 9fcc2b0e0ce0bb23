"""The models that a review would ask, and what their servers say of themselves."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.doctor.seen import Fact, Stop
from draftgate.errors import Problem


@dataclass(frozen=True, slots=True)
class Server:
    """A server that models are asked of.

    Attributes:
        host: With the port if there is one.
        models: That a review would ask there, as configured.
        names: The same in the server's spelling.
        listed: What it says that it serves.
        stop: Why it does not say; ``None`` if it does.
        is_absent: It has no such list, and may serve models all the same.
    """

    host: str
    models: tuple[str, ...]
    names: tuple[str, ...]
    listed: Fact[tuple[str, ...]]
    stop: Stop | None
    is_absent: bool


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """All of it.

    Attributes:
        agents: Who would be asked, the critic among them; empty if nobody would.
        has_key: Some key or server was given.
        missing: Keys that the configuration needs and nobody gave.
        servers: Not seen where they were not to be asked.
        notes: What the configuration names and this release does not ask.
    """

    agents: tuple[str, ...]
    has_key: bool
    missing: tuple[Problem, ...]
    servers: Fact[tuple[Server, ...]]
    notes: tuple[str, ...] = ()
