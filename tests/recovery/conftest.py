"""The program, loaded once for each worker of the test run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.recovery.crashing import Program


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    running = Program.open(tmp_path_factory.mktemp("outputs"))
    yield running
    running.close()
