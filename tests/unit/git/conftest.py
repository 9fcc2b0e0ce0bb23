"""A repository to build in, and one to read; both are real."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.git.repository import Repository
from tests.git_builder import Repo, git_environment


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "repo")


@pytest.fixture
def open_repository() -> Callable[[Repo], Repository]:
    """Opens what was built, with nothing of this machine in the environment."""
    return lambda built: Repository.open(built.path, git_environment())
