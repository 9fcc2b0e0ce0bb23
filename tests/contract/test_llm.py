"""The port to a model, one suite for every wire format: against a server that is as strict as the providers.

What becomes of errors and silence is in `test_llm_troubles.py`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from draftgate.llm import anthropic
from draftgate.llm.base import Opening, OutputMode, Stop, ToolResult, UnreadableAnswer, Usage
from tests.fakes.llm.rig import ANSWER, KEY, LIMITS, OPENING, SEARCH, SECRET, WIRES, Play, Rig, stage
from tests.fakes.llm.script import Asked, Call, Fault, Raw, Reply, Step
from tests.fakes.llm.server import FakeModel


@pytest.fixture(params=WIRES)
def play(request: pytest.FixtureRequest) -> Iterator[Play]:
    """Starts a scripted model, for the wire of this run."""
    with stage(WIRES[request.param]) as start:
        yield start


# --- What is said --------------------------------------------------------------------------------


def test_a_tool_is_called_its_result_given_and_the_answer_read(play: Play) -> None:
    rig = play(
        Reply("I look.", calls=(Call("search", {"words": "é"}), Call("search", {"words": "b"})), thought="hmm"),
        Reply(calls=(Call("answer", {"findings": ["one"]}),)),
    )
    conversation = rig.open()

    first = conversation.ask(LIMITS)
    conversation.give([ToolResult(call, f"found {number}") for number, call in enumerate(first.calls)])
    second = conversation.ask(LIMITS)

    assert (first.text, [call.name for call in first.calls]) == ("I look.", ["search", "search"])
    assert [json.loads(call.arguments) for call in first.calls] == [{"words": "é"}, {"words": "b"}]
    assert [(call.name, json.loads(call.arguments)) for call in second.calls] == [("answer", {"findings": ["one"]})]
    assert (first.stop, second.stop) == (Stop.END, Stop.END)
    asked = rig.server.requests[1].asked
    assert asked is not None
    assert (asked.number, asked.tools, asked.may_call) == (2, ("search", "answer"), True)
    assert asked.text.index("found 0") < asked.text.index("found 1")
    assert conversation.requests == 2
    assert rig.server.violations == []


def test_a_text_is_an_answer(play: Play) -> None:
    rig = play('{"findings": []}')

    turn = rig.open(OutputMode.PROMPTED).ask(LIMITS)

    assert (turn.text, turn.calls, turn.stop, turn.refusal) == ('{"findings": []}', (), Stop.END, "")


@pytest.mark.parametrize("stop", Stop)
def test_every_reason_to_stop_is_told(play: Play, stop: Stop) -> None:
    rig = play(Reply("so far", stop=stop))

    assert rig.open().ask(LIMITS).stop is stop


def test_a_refusal_is_a_turn_with_its_words(play: Play) -> None:
    turn = play(Reply(refusal="I will not.", stop=Stop.REFUSED)).open().ask(LIMITS)

    assert (turn.text, turn.stop, turn.refusal) == ("", Stop.REFUSED, "I will not.")


def test_usage_and_model_are_told(play: Play) -> None:
    rig = play(Reply("x", usage=Usage(input=1000, output=20, cached=600, written=300), model="small-2026"))

    turn = rig.open().ask(LIMITS)

    assert turn.usage == Usage(input=1000, output=20, cached=600, written=300)
    assert turn.model == "small-2026"


EMPTY = {
    "chat": [
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"role": "assistant", "content": None}, "finish_reason": "stop"}], "usage": None},
        {"choices": [{"message": {"content": "", "tool_calls": []}}], "usage": {"prompt_tokens": None}},
    ],
    "responses": [
        {"output": []},
        {"output": None, "usage": None, "error": None},
        {"output": [{"type": "message", "content": None}, 7]},
        {"output": [{"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "e"}]},
    ],
    "messages": [
        {"content": []},
        {"content": None, "usage": None},
        {"content": [{"type": "text", "text": ""}]},
        {"content": [{"type": "thinking", "thinking": "so", "signature": "s"}], "stop_reason": "end_turn"},
    ],
}


@pytest.mark.parametrize(("wire", "body"), [(wire, body) for wire, bodies in EMPTY.items() for body in bodies])
def test_an_empty_answer_is_a_turn_and_the_conversation_goes_on(wire: str, body: object) -> None:
    """Also where the provider would refuse the empty answer if it came back."""
    with FakeModel([Raw(body), "now"]) as server:
        conversation = Rig(WIRES[wire], server).open()
        turn = conversation.ask(LIMITS)
        conversation.say("You said nothing.")

        assert (turn.text, turn.calls, turn.stop, turn.usage, turn.model) == ("", (), Stop.END, Usage(), "")
        assert conversation.ask(LIMITS).text == "now"
        assert "You said nothing." in json.dumps(server.requests[1].body)


def test_blanks_are_passed_on(play: Play) -> None:
    rig = play(Reply(" \n"), "now")
    conversation = rig.open()

    blank = conversation.ask(LIMITS)
    conversation.say("Again.")

    assert (blank.text.strip(), blank.calls) == ("", ())
    if rig.wire is anthropic.WIRE:  # what was blank is not sent back
        assert conversation.ask(LIMITS).text == "now"


def test_an_answer_of_another_format_is_unreadable(play: Play) -> None:
    error = play(Raw({"greeting": "hello"})).fail()

    assert isinstance(error, UnreadableAnswer)


# --- What is sent --------------------------------------------------------------------------------


def test_what_the_model_said_goes_back_as_it_came(play: Play) -> None:
    """With its thoughts, and in front of what follows."""
    rig = play(Reply("I look.", calls=(Call("search", {"words": "a"}),), thought="a thought"), "done")
    conversation = rig.open()

    turn = conversation.ask(LIMITS)
    conversation.give([ToolResult(turn.calls[0], "nothing")])
    conversation.ask(LIMITS)

    sent = json.dumps(rig.body())
    kept = {
        "chat": '"refusal": null, "annotations": [], "reasoning_content": "a thought", "tool_calls"',
        "responses": '{"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "~a thought~"}, {"id"',
        "messages": '{"type": "thinking", "thinking": "a thought", "signature": "signature of 9"}, {"type": "text"',
    }
    asked = rig.server.requests[0].asked
    assert asked is not None
    assert kept[asked.wire] in sent


def test_a_request_begins_as_the_one_before(play: Play) -> None:
    rig = play(
        Reply(calls=(Call("search", {"words": "a"}),)), Reply(calls=(Call("search", {"words": "b"}),)), "so", "end"
    )
    conversation = rig.open()
    sizes = [conversation.size]

    for result in ("one", "two"):
        turn = conversation.ask(LIMITS)
        conversation.give([ToolResult(turn.calls[0], result)])
        sizes.append(conversation.size)
    conversation.ask(LIMITS)
    conversation.say("Go on.")
    conversation.ask(LIMITS)

    payloads = [_without_marks(request.payload) for request in rig.server.requests]
    for earlier, later in pairwise(payloads):
        assert later.startswith(earlier.rstrip(b'"]}'))
    assert sizes == sorted(set(sizes))
    assert [request.asked.number for request in rig.server.requests if request.asked] == [1, 2, 3, 4]


def test_several_agents_share_all_but_their_task(play: Play) -> None:
    rig = play("a", "b")

    for task in ("Find bugs.", "Judge names."):
        rig.open(opening=Opening("You review.", "The change: " + "x" * 4000, task, (SEARCH,), ANSWER)).ask(LIMITS)

    shared = os.path.commonprefix([_without_marks(request.payload) for request in rig.server.requests])  # noqa: RUF071 - bytes of requests, no paths
    assert all(part in shared for part in (b"You review.", b"The change: " + b"x" * 4000, b"Finds words.", b"findings"))
    assert b"Find bugs." not in shared


def _without_marks(payload: bytes) -> bytes:
    return payload.replace(b',"cache_control":{"type":"ephemeral"}', b"")


def test_secrets_are_hidden_in_everything_that_is_sent(play: Play) -> None:
    rig = play(Reply(calls=(Call("search", {"words": "a"}),)), "so", "end")
    texts = (f"{where} {SECRET} {KEY}" for where in ("instructions", "context", "task"))
    conversation = rig.model(OutputMode.PROMPTED).open(Opening(*texts, (SEARCH,), ANSWER))

    turn = conversation.ask(LIMITS)
    conversation.give([ToolResult(turn.calls[0], f"result {SECRET} {KEY}")])
    conversation.ask(LIMITS)
    conversation.say(f"more {SECRET} {KEY}")
    conversation.ask(LIMITS)

    sent = rig.server.requests[-1].payload
    for where in (b"instructions", b"context", b"task", b"result", b"more"):
        assert where + b" [hidden] [the key]" in sent
    assert not any(SECRET.encode() in r.payload or KEY.encode() in r.payload for r in rig.server.requests)


def test_half_characters_become_question_marks(play: Play) -> None:
    rig = play("fine")

    rig.open(opening=Opening("r", "before \ud83d after", "t", (), ANSWER)).ask(LIMITS)

    assert b"before ? after" in rig.server.requests[0].payload


FORMS: dict[str, dict[OutputMode, dict[str, object]]] = {
    "chat": {
        OutputMode.TOOL: {"tool_choice": {"type": "function", "function": {"name": "answer"}}},
        OutputMode.NATIVE: {
            "tool_choice": "none",
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": ANSWER.parameters},
            },
        },
        OutputMode.PROMPTED: {},
    },
    "responses": {
        OutputMode.TOOL: {"tool_choice": {"type": "function", "name": "answer"}},
        OutputMode.NATIVE: {
            "tool_choice": "none",
            "text": {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": ANSWER.parameters}},
        },
        OutputMode.PROMPTED: {},
    },
    "messages": {
        OutputMode.TOOL: {"tool_choice": {"type": "tool", "name": "answer"}},
        OutputMode.NATIVE: {
            "tool_choice": {"type": "none"},
            "output_config": {"format": {"type": "json_schema", "schema": ANSWER.parameters}},
        },
        OutputMode.PROMPTED: {},
    },
}
OFFERED = {OutputMode.TOOL: ("search", "answer"), OutputMode.NATIVE: ("search",), OutputMode.PROMPTED: ()}
FORM_KEYS = ("tool_choice", "response_format", "text", "output_config")


@pytest.mark.parametrize("output", OutputMode)
def test_the_last_turn_allows_the_answer_only_and_shows_the_same_tools(play: Play, output: OutputMode) -> None:
    rig = play("a", "b")
    conversation = rig.open(output)

    conversation.ask(LIMITS)
    conversation.say("Answer now.")
    conversation.ask(LIMITS, may_call=False)

    asked = rig.server.requests[1].asked
    assert asked is not None
    assert asked.tools == OFFERED[output]
    assert not (asked.tools and asked.may_call)
    assert {key: rig.body()[key] for key in FORM_KEYS if key in rig.body()} == FORMS[asked.wire][output]
    assert rig.body(0).get("tools") == rig.body(1).get("tools")
    assert rig.body(0).get("tool_choice") in (("auto", {"type": "auto"}) if OFFERED[output] else (None,))
    assert ('"findings"' in asked.text) is (output is OutputMode.PROMPTED)


@pytest.mark.parametrize("output", OutputMode)
def test_without_tools_none_are_named(play: Play, output: OutputMode) -> None:
    rig = play("a")

    rig.open(output, Opening("r", "c", "t", (), ANSWER)).ask(LIMITS, may_call=False)

    assert ("tools" in rig.body()) is (output is OutputMode.TOOL)


@pytest.mark.parametrize("output", OutputMode)
def test_a_model_that_lets_nothing_be_forced_sees_the_answer_only(play: Play, output: OutputMode) -> None:
    """Those that think refuse a forced call; it is found out once in a conversation."""
    refusal = Fault(400, message="Thinking may not be enabled when tool_choice forces tool use.")
    rig = play("a", refusal, "b", "c")
    conversation = rig.open(output)
    conversation.ask(LIMITS)
    conversation.say("Answer now.")

    texts = [conversation.ask(LIMITS, may_call=False).text]
    conversation.say("Once more.")
    texts.append(conversation.ask(LIMITS, may_call=False).text)

    assert texts == ["b", "c"]
    assert conversation.requests == 4
    for request in rig.server.requests[2:]:
        assert request.asked is not None
        assert request.asked.tools == (("answer",) if output is OutputMode.TOOL else ())


def test_the_key_the_length_and_the_effort_are_where_they_belong(play: Play) -> None:
    rig = play("a")

    rig.model(effort="high").open(OPENING).ask(LIMITS)

    request = rig.server.requests[0]
    told: dict[str, tuple[object, object]] = {
        "/v1/chat/completions": (request.body.get("max_tokens"), request.body.get("reasoning_effort")),
        "/v1/responses": (request.body.get("max_output_tokens"), request.body.get("reasoning", {}).get("effort")),
        "/v1/messages": (request.body.get("max_tokens"), request.body.get("output_config", {}).get("effort")),
    }
    assert told[request.path] == (500, "high")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("draftgate/")


def test_a_server_without_a_key_is_asked_without_one(play: Play) -> None:
    rig = play("a", key="")

    assert rig.model(key="").open(OPENING).ask(LIMITS).text == "a"
    assert not {"authorization", "x-api-key"} & rig.server.requests[0].headers.keys()


def test_conversations_run_side_by_side(play: Play) -> None:
    def script(asked: Asked) -> Step | str:
        task = asked.text.split("task ")[1].split(".")[0]
        return f"answer {task}"

    rig = play(script=script, latency_s=0.2)
    model = rig.model()

    def ask(number: int) -> str:
        return model.open(Opening("r", "c", f"task {number}.", (), ANSWER)).ask(LIMITS).text

    begun = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))

    assert answers == [f"answer {number}" for number in range(8)]
    assert time.monotonic() - begun < 1.5
