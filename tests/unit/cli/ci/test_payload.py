"""The event file is bounded and checked before anything in it is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftgate.cli.ci.payload import PAYLOAD_LIMIT, read_payload
from draftgate.errors import UsageError


def test_reads_an_object(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(b'{"a": {"b": "\xff"}, "c": null}')

    payload = read_payload(str(file))

    assert payload.text("a.b") == "\N{REPLACEMENT CHARACTER}"
    assert payload.text("c.d") is None


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "no JSON", id="empty"),
        pytest.param(b"[1]", "no JSON object", id="a list"),
        pytest.param(b'{"a": ', "no JSON", id="cut off"),
        pytest.param(b"[" * 100_000, "no JSON", id="nested without end"),
        pytest.param(b'{"a": ' + b"9" * 5_000 + b"}", "no JSON", id="a number without end"),
        pytest.param(b'{"a": "' + b"x" * PAYLOAD_LIMIT.value + b'"}', "larger than", id="huge"),
    ],
)
def test_refuses_what_no_platform_sends(content: bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(content)

    with pytest.raises(UsageError, match=says) as refused:
        read_payload(str(file))

    assert "GITHUB_EVENT_PATH" in refused.value.hint


@pytest.mark.parametrize("name", ["missing.json", ".", "nul\0l"], ids=["missing", "a folder", "no path"])
def test_refuses_what_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_payload(f"{tmp_path}/{name}")
