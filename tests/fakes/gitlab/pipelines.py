"""Pipelines of the simulated GitLab, none of which it runs, and the statuses that others post to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tests.fakes.gitlab.people import User


@dataclass(eq=False)
class Pipeline:
    id: int
    sha: str
    ref: str
    source: str
    created_at: datetime


@dataclass(eq=False, kw_only=True)
class CommitStatus:
    """A status that somebody outside posted: a job of an external pipeline."""

    id: int
    pipeline: Pipeline
    author: User
    name: str
    state: str
    ref: str
    created_at: datetime
    description: str | None = None
    target_url: str | None = None
    coverage: float | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
