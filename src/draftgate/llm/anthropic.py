"""Anthropic's Messages, with its cache: what was sent before is marked, so that it is read from there.

https://docs.anthropic.com/en/api/messages. The marks move from turn to turn; everything else stays as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import assert_never

from draftgate.llm.base import Opening, OutputMode, Stop, ToolCall, ToolResult, ToolSpec, Turn, Usage
from draftgate.llm.loose import Json, count_of, object_of, objects_of, text_of
from draftgate.llm.wire import Asking, Choice, Reading, Target, Wire, offered, sendable

_VERSION = "2023-06-01"
_STOPS = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}
_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_MARK = {"cache_control": {"type": "ephemeral"}}


def _endpoint(base: str) -> str:
    return f"{base.removesuffix('/v1')}/v1/messages"


def _catalogue(base: str) -> str:
    """One page, of the largest size: https://docs.anthropic.com/en/api/models-list."""
    return f"{base.removesuffix('/v1')}/v1/models?limit=1000"


def _headers(key: str) -> Mapping[str, str]:
    return {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})


def _user(text: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def _results(results: Sequence[ToolResult]) -> tuple[Json, ...]:
    blocks = [{"type": "tool_result", "tool_use_id": result.call.id, "content": result.text} for result in results]
    return ({"role": "user", "content": blocks},)


def _body(target: Target, opening: Opening, items: Sequence[Json], asking: Asking) -> Json:
    body: Json = {
        "model": target.model,
        "max_tokens": asking.output_tokens,
        **_output_config(target, opening.answer),
        **_tools(target, opening, asking.choice),
    }
    if opening.instructions:  # an empty text is refused
        body["system"] = [{"type": "text", "text": opening.instructions} | _MARK]
    return body | {"messages": _marked(_joined(items), has_context=bool(opening.context))}


def _output_config(target: Target, answer: ToolSpec) -> Json:
    config: Json = {"effort": target.effort} if target.effort else {}
    if target.output is OutputMode.NATIVE:
        config["format"] = {"type": "json_schema", "schema": answer.parameters}
    return {"output_config": config} if config else {}


def _tools(target: Target, opening: Opening, choice: Choice) -> Json:
    tools = offered(target.output, opening, choice)
    if not tools:
        return {}
    return {
        "tools": [_tool(tool) for tool in tools],
        "tool_choice": _tool_choice(target.output, opening.answer, choice),
    }


def _tool(tool: ToolSpec) -> Json:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _tool_choice(output: OutputMode, answer: ToolSpec, choice: Choice) -> Json:
    match choice:
        case Choice.FREE | Choice.ALONE:
            return {"type": "auto"}
        case Choice.ANSWER:
            return {"type": "tool", "name": answer.name} if output is OutputMode.TOOL else {"type": "none"}
        case _:
            assert_never(choice)


def _joined(items: Sequence[Json]) -> list[Json]:
    """The messages, those of one role that follow one another as one: roles take turns."""
    messages: list[Json] = []
    for item in items:
        if messages and messages[-1]["role"] == item["role"]:
            messages[-1] = {"role": item["role"], "content": [*messages[-1]["content"], *item["content"]]}
        else:
            messages.append(item)
    return messages


def _marked(messages: list[Json], *, has_context: bool) -> list[Json]:
    """The messages with their cache marks: after the context, and at the ends of the user's last two messages.

    The last mark writes; the one before it is where the request before wrote, so it is found however many blocks
    lie between them. With the one on the instructions they are the four that are allowed:
    https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
    """
    users = [number for number, message in enumerate(messages) if message["role"] == "user"]
    marks = {(number, len(messages[number]["content"]) - 1) for number in users[-2:]}
    if has_context:
        marks.add((0, 0))
    return [_mark(message, {block for at, block in marks if at == number}) for number, message in enumerate(messages)]


def _mark(message: Json, marks: set[int]) -> Json:
    blocks = [block | _MARK if number in marks else block for number, block in enumerate(message["content"])]
    return {"role": message["role"], "content": blocks}


def _read(answer: Json) -> Reading | None:
    if "content" not in answer:
        return None
    blocks = objects_of(answer["content"])
    turn = Turn(
        text="".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text"),
        calls=tuple(_call(block) for block in blocks if block.get("type") == "tool_use"),
        stop=_STOPS.get(text_of(answer.get("stop_reason")), Stop.END),
        usage=_usage(object_of(answer.get("usage"))),
        model=text_of(answer.get("model")),
        refusal=text_of(object_of(answer.get("stop_details")).get("explanation")),
    )
    kept = sendable([block for block in blocks if not _is_blank(block)], _THOUGHTS)
    return Reading(turn, ({"role": "assistant", "content": list(kept)},) if kept else ())


def _is_blank(block: Json) -> bool:
    """A text of nothing but space, which the model may write and the API then refuses."""
    return block.get("type") == "text" and not text_of(block.get("text")).strip()


def _call(block: Json) -> ToolCall:
    arguments = json.dumps(object_of(block.get("input")), ensure_ascii=False)
    return ToolCall(text_of(block.get("id")), text_of(block.get("name")), arguments)


def _usage(usage: Json) -> Usage:
    """The provider counts what it reads from and writes to its cache beside the input."""
    cached = count_of(usage.get("cache_read_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens"))
    return Usage(
        input=count_of(usage.get("input_tokens")) + cached + written,
        output=count_of(usage.get("output_tokens")),
        cached=cached,
        written=written,
    )


WIRE = Wire(
    base_url="https://api.anthropic.com",
    endpoint=_endpoint,
    headers=_headers,
    user=_user,
    results=_results,
    body=_body,
    read=_read,
    catalogue=_catalogue,
)
