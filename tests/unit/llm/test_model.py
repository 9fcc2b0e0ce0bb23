"""A model before anything is sent: where it is, and what cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.errors import UsageError
from draftgate.llm import anthropic, openai_chat
from draftgate.llm.base import OutputMode
from draftgate.llm.conversation import HttpModel
from draftgate.llm.http import Http
from draftgate.llm.wire import Wire
from tests.fakes.llm.rig import LIMITS, OPENING


def _model(base_url: str, wire: Wire = openai_chat.WIRE) -> HttpModel:
    return HttpModel(wire, "own", "small", base_url, "k" * 20, "low", OutputMode.TOOL, str, Http(sleep=lambda _s: None))


@pytest.mark.parametrize(
    ("base_url", "wire", "host", "address"),
    [
        ("", openai_chat.WIRE, "api.openai.com", "https://api.openai.com/v1"),
        ("", anthropic.WIRE, "api.anthropic.com", "https://api.anthropic.com"),
        ("http://127.0.0.1:8000/v1/", openai_chat.WIRE, "127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
    ],
)
def test_it_knows_where_it_is(base_url: str, wire: Wire, host: str, address: str) -> None:
    model = _model(base_url, wire)

    assert (model.name, model.host, model.address, model.effort) == ("own:small", host, address, "low")


@pytest.mark.parametrize("base_url", ["llm.example/v1", "file:///v1", "https://", "https://me:word@llm.example/v1"])
def test_what_is_no_address_is_refused(base_url: str) -> None:
    with pytest.raises(UsageError) as caught:
        _model(base_url)

    assert "word" not in str(caught.value)


def test_a_missing_file_of_authorities_is_named(tmp_path: Path) -> None:
    http = Http(sleep=lambda _s: None, ca_file=str(tmp_path / "none.pem"))
    model = HttpModel(openai_chat.WIRE, "own", "m", "https://127.0.0.1:9", "", "", OutputMode.TOOL, str, http)

    with pytest.raises(UsageError, match="certificate authorities"):
        model.open(OPENING).ask(LIMITS)


def test_its_key_is_not_shown() -> None:
    assert "kkkk" not in repr(_model(""))
