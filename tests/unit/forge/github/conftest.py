"""A connection to a scripted server, whose time passes only by waiting."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from draftgate.forge.github.connection import Connection
from draftgate.forge.github.transport import Access
from tests.unit.forge.github.scripted_api import TOKEN, ScriptedApi, Time


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    scripted = ScriptedApi()
    yield scripted
    scripted.close()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connection(api: ScriptedApi, time: Time) -> Iterator[Connection]:
    access = Access(token=TOKEN, repository="owner/name", api_url=api.url)
    with Connection(access, wait_s=120, clock=time.clock, sleep=time.sleep) as connected:
        yield connected
