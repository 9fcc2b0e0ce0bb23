"""That the scripted model refuses what the providers refuse, so that a test against it says something."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
import requests

from draftgate.llm.base import RequestRefused, ToolResult
from tests.fakes.llm.rig import KEY, LIMITS, OPENING, WIRES, stage
from tests.fakes.llm.script import Call, Reply
from tests.fakes.llm.server import FakeModel

Body = dict[str, Any]
MARK = {"cache_control": {"type": "ephemeral"}}


def _body(wire: str) -> tuple[str, Body]:
    """The path and the body of the second request of a conversation, after a call and its result."""
    with stage(WIRES[wire]) as play:
        rig = play(Reply("so", calls=(Call("search", {"words": "a"}),), thought="hm"), "end")
        conversation = rig.open()
        conversation.give([ToolResult(call, "found") for call in conversation.ask(LIMITS).calls])
        conversation.ask(LIMITS)
        return rig.server.requests[1].path, copy.deepcopy(rig.body())


def _put(*path: str | int, value: object) -> Callable[[Body], None]:
    def change(body: Any) -> None:  # noqa: ANN401 - whatever a path leads through
        for step in path[:-1]:
            body = body[step]
        body[path[-1]] = value

    return change


def _drop(*path: str | int) -> Callable[[Body], None]:
    def change(body: Any) -> None:  # noqa: ANN401 - whatever a path leads through
        for step in path[:-1]:
            body = body[step]
        del body[path[-1]]

    return change


def _mark_all(body: Body) -> None:
    for tool in body["tools"]:
        tool.update(MARK)


BROKEN: dict[str, list[Callable[[Body], None]]] = {
    "chat": [
        _put("colour", value=1),
        _put("messages", -1, "tool_call_id", value="another"),
        _drop("messages", -1),
        _put("messages", 0, "role", value="user"),
        _put("tools", value=[]),
        _put("tool_choice", value={"type": "function", "function": {"name": "unknown"}}),
        _put("max_tokens", value=0),
        _put("messages", 2, "tool_calls", value=[]),
    ],
    "responses": [
        _put("colour", value=1),
        _put("input", -1, "call_id", value="another"),
        _drop("input", -1),
        _put("store", value=True),
        _put("tools", 0, "parameters", "additionalProperties", value=True),
        _drop("input", 2, "encrypted_content"),
        _put("tool_choice", value={"type": "function", "name": "unknown"}),
    ],
    "messages": [
        _put("colour", value=1),
        _put("messages", -1, "content", 0, "tool_use_id", value="another"),
        _drop("messages", -1),
        _drop("max_tokens"),
        _put("messages", 0, "role", value="assistant"),
        _put("messages", 1, "content", 0, "signature", value="forged"),
        _put("messages", 0, "content", 0, "text", value=" "),
        _mark_all,
    ],
}


@pytest.mark.parametrize(
    ("wire", "number"), [(wire, n) for wire, changes in BROKEN.items() for n in range(len(changes))]
)
def test_a_broken_request_is_refused_in_the_provider_s_form(wire: str, number: int) -> None:
    path, body = _body(wire)
    headers = {"authorization": f"Bearer {KEY}", "x-api-key": KEY, "anthropic-version": "2023-06-01"}
    with FakeModel(["fine", "fine"]) as server:
        url = f"http://{server.host}{path}"
        whole = requests.post(url, json=body, headers=headers, timeout=5)
        BROKEN[wire][number](body)
        broken = requests.post(url, json=body, headers=headers, timeout=5)

    assert (whole.status_code, broken.status_code) == (200, 400)
    assert broken.json()["error"]["message"]
    assert len(server.violations) == 1


def test_a_script_that_is_over_is_a_violation() -> None:
    with stage(WIRES["chat"]) as play:
        rig = play()
        with pytest.raises(RequestRefused):
            rig.open().ask(LIMITS)

        assert rig.server.violations == ["/v1/chat/completions: the script is over"]


@pytest.mark.parametrize("wire", WIRES)
def test_what_was_sent_before_counts_as_cached(wire: str) -> None:
    with stage(WIRES[wire]) as play:
        rig = play("a", "b")
        first, second = (rig.model().open(OPENING).ask(LIMITS).usage for _ in range(2))

    assert (first.cached, first.output) == (0, 1)
    assert 0 < second.cached <= second.input == first.input
    assert json.dumps(rig.server.requests[1].body) == json.dumps(rig.server.requests[0].body)
