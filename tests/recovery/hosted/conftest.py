"""Two processes beside the tests, in which runs can be at work at the same moment."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor

import pytest

from tests.recovery.hosted.everywhere import FORGES
from tests.recovery.hosted.forge import Forge


@pytest.fixture(scope="session")
def workers() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.fixture(params=FORGES, ids=str)
def forge(request: pytest.FixtureRequest) -> Forge:
    assert isinstance(request.param, Forge)
    return request.param
