"""The flawed repository, made and reviewed once for each worker of the test run and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo
from tests.program import draftgate


@pytest.fixture(scope="session")
def flawed_template(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make_flawed_repository(tmp_path_factory.mktemp("flawed") / "rooms")


@pytest.fixture(scope="session")
def reviewed_template(flawed_template: Repo, tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = _copy(flawed_template, tmp_path_factory.mktemp("reviewed"))
    draftgate("review", cwd=repo.path, expect=0)
    return repo


@pytest.fixture
def flawed(flawed_template: Repo, tmp_path: Path) -> Repo:
    """A branch with a flawed change, not reviewed yet."""
    return _copy(flawed_template, tmp_path)


@pytest.fixture
def reviewed(reviewed_template: Repo, tmp_path: Path) -> Repo:
    """The same, with three findings that wait for approval."""
    return _copy(reviewed_template, tmp_path)


def _copy(repo: Repo, folder: Path) -> Repo:
    shutil.copytree(repo.path, folder / repo.path.name, symlinks=True)
    return Repo(folder / repo.path.name, repo.commits)
