"""What one wire format does that the others do not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from draftgate.llm import anthropic, openai_chat, openai_responses
from draftgate.llm.base import OutputMode, Stop, ToolCall, ToolResult, Usage
from draftgate.llm.wire import Asking, Choice, Target
from tests.fakes.llm.rig import OPENING

ASKING = Asking(100, Choice.FREE)


def _target(host: str) -> Target:
    return Target("m", host, "", OutputMode.TOOL)


# --- Chat Completions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "key", "is_strict"),
    [("api.openai.com", "max_completion_tokens", True), ("llm.example:8000", "max_tokens", False)],
)
def test_what_only_openai_knows_is_sent_to_openai_only(host: str, key: str, *, is_strict: bool) -> None:
    body = openai_chat.WIRE.body(_target(host), OPENING, [], ASKING)

    assert body[key] == 100
    assert [tool["function"].get("strict", False) for tool in body["tools"]] == [is_strict, is_strict]


def test_the_user_never_speaks_twice_in_a_row() -> None:
    items = [openai_chat.WIRE.user("the change"), openai_chat.WIRE.user("the task")]

    messages = openai_chat.WIRE.body(_target("h"), OPENING, items, ASKING)["messages"]

    assert messages[1:] == [{"role": "user", "content": "the change\n\nthe task"}]


def _chat(message: dict[str, Any], **choice: object) -> dict[str, Any]:
    return {"choices": [{"message": message, **choice}]}


def test_content_may_come_in_parts() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, 7]

    reading = openai_chat.WIRE.read(_chat({"content": parts}))

    assert reading is not None
    assert reading.turn.text == "ab"
    assert reading.items == ({"role": "assistant", "content": parts},)


@pytest.mark.parametrize(
    ("arguments", "text"), [({"a": "é"}, '{"a": "é"}'), ('{"a": 1}', '{"a": 1}'), (None, ""), ("", ""), ([1], "[1]")]
)
def test_arguments_may_come_as_an_object(arguments: object, text: str) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}

    reading = openai_chat.WIRE.read(_chat({"content": None, "tool_calls": [call, "odd"]}))

    assert reading is not None
    assert reading.turn.calls == (ToolCall("c", "f", text),)


def test_a_filter_refuses() -> None:
    reading = openai_chat.WIRE.read(_chat({"content": ""}, finish_reason="content_filter"))

    assert reading is not None
    assert reading.turn.stop is Stop.REFUSED


# --- Responses -----------------------------------------------------------------------------------


def test_nothing_is_stored_and_thoughts_come_back() -> None:
    body = openai_responses.WIRE.body(_target("api.openai.com"), OPENING, [], ASKING)

    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])


def test_a_thought_that_was_cut_off_is_not_sent_back() -> None:
    """The API refuses it without what follows."""
    thought = {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "e"}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    answer = {"output": [thought, call, thought], "incomplete_details": {"reason": "max_output_tokens"}}

    reading = openai_responses.WIRE.read(answer)

    assert reading is not None
    assert reading.items == (thought, call)
    assert reading.turn.stop is Stop.LENGTH


# --- Messages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["https://api.anthropic.com", "https://api.anthropic.com/v1"])
def test_the_base_may_hold_the_version(base: str) -> None:
    assert anthropic.WIRE.endpoint(base) == "https://api.anthropic.com/v1/messages"


def _marked(body: dict[str, Any]) -> list[str]:
    blocks = [*body["system"], *(block for message in body["messages"] for block in message["content"])]
    return [block.get("text", block.get("content")) for block in blocks if "cache_control" in block]


def test_the_cache_marks_move_and_are_four_at_most() -> None:
    items = [anthropic.WIRE.user("context"), anthropic.WIRE.user("task")]
    opening, marked = OPENING, []
    for number in range(3):
        marked.append(_marked(anthropic.WIRE.body(_target("h"), opening, items, ASKING)))
        call = ToolCall(f"c{number}", "search", "{}")
        items.append({"role": "assistant", "content": [{"type": "tool_use", "id": call.id, "name": "f", "input": {}}]})
        items += anthropic.WIRE.results([ToolResult(call, f"result {number}")])

    assert marked == [
        ["You review.", "context", "task"],
        ["You review.", "context", "task", "result 0"],
        ["You review.", "context", "result 0", "result 1"],
    ]
    assert "cache_control" not in json.dumps(items)


def test_results_and_words_are_one_message() -> None:
    call = ToolCall("c", "f", "{}")
    items = [*anthropic.WIRE.results([ToolResult(call, "r")]), anthropic.WIRE.user("more")]

    messages = anthropic.WIRE.body(_target("h"), OPENING, items, ASKING)["messages"]

    assert [block["type"] for block in messages[0]["content"]] == ["tool_result", "text"]
    assert len(messages) == 1


def test_a_blank_text_is_not_sent_back() -> None:
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {"b": 1, "a": 2}}

    reading = anthropic.WIRE.read({"content": [{"type": "text", "text": "\n"}, use]})

    assert reading is not None
    assert reading.items == ({"role": "assistant", "content": [use]},)
    assert reading.turn.calls == (ToolCall("t", "f", '{"b": 1, "a": 2}'),)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", Stop.END),
        ("tool_use", Stop.END),
        ("max_tokens", Stop.LENGTH),
        ("model_context_window_exceeded", Stop.LENGTH),
        ("refusal", Stop.REFUSED),
        (None, Stop.END),
    ],
)
def test_every_reason_has_its_stop(reason: str | None, stop: Stop) -> None:
    reading = anthropic.WIRE.read({"content": [], "stop_reason": reason})

    assert reading is not None
    assert reading.turn.stop is stop


def test_what_the_cache_took_and_gave_is_input_too() -> None:
    usage = {"input_tokens": 1, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300, "output_tokens": 4}

    reading = anthropic.WIRE.read({"content": [], "usage": usage})

    assert reading is not None
    assert reading.turn.usage == Usage(input=321, output=4, cached=20, written=300)
