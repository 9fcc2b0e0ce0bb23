"""A connection to a scripted server, whose time passes only by waiting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.transport import Access
from tests.unit.forge.github.scripted_api import ScriptedApi, Time

TOKEN = "glpat-0123456789abcdefghij"  # noqa: S105 - made up


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    scripted = ScriptedApi()
    yield scripted
    scripted.close()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connection(api: ScriptedApi, time: Time) -> Connection:
    access = Access(TOKEN, "7", f"{api.url}/api/v4")
    return Connection(access, wait_s=120, clock=time.clock, sleep=time.sleep)
