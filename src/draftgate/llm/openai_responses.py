"""OpenAI's Responses, without its memory: what was said, thoughts included, is sent again each time.

https://platform.openai.com/docs/api-reference/responses. Nothing is stored there, so thoughts come back encrypted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from draftgate.llm.base import Opening, OutputMode, Stop, ToolCall, ToolResult, ToolSpec, Turn, Usage
from draftgate.llm.loose import Json, count_of, object_of, objects_of, text_of
from draftgate.llm.wire import Asking, Choice, Reading, Target, Wire, offered, sendable

_STOPS = {"max_output_tokens": Stop.LENGTH, "content_filter": Stop.REFUSED}
_THOUGHTS = frozenset({"reasoning"})


def _endpoint(base: str) -> str:
    return f"{base}/responses"


def _catalogue(base: str) -> str:
    return f"{base}/models"


def _headers(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _user(text: str) -> Json:
    return {"role": "user", "content": text}


def _results(results: Sequence[ToolResult]) -> tuple[Json, ...]:
    return tuple(
        {"type": "function_call_output", "call_id": result.call.id, "output": result.text} for result in results
    )


def _body(target: Target, opening: Opening, items: Sequence[Json], asking: Asking) -> Json:
    body: Json = {
        "model": target.model,
        "max_output_tokens": asking.output_tokens,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        **({"reasoning": {"effort": target.effort}} if target.effort else {}),
        **_tools(target, opening, asking.choice),
    }
    if target.output is OutputMode.NATIVE:
        answer = opening.answer
        form = {"type": "json_schema", "name": answer.name, "strict": True, "schema": answer.parameters}
        body["text"] = {"format": form}
    return body | {"instructions": opening.instructions, "input": list(items)}


def _tools(target: Target, opening: Opening, choice: Choice) -> Json:
    tools = offered(target.output, opening, choice)
    if not tools:
        return {}
    return {
        "tools": [_tool(tool) for tool in tools],
        "tool_choice": _tool_choice(target.output, opening.answer, choice),
    }


def _tool(tool: ToolSpec) -> Json:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": True,
    }


def _tool_choice(output: OutputMode, answer: ToolSpec, choice: Choice) -> str | Json:
    match choice:
        case Choice.FREE | Choice.ALONE:
            return "auto"
        case Choice.ANSWER:
            return {"type": "function", "name": answer.name} if output is OutputMode.TOOL else "none"
        case _:
            assert_never(choice)


def _read(answer: Json) -> Reading | None:
    if "output" not in answer:
        return None
    output = objects_of(answer["output"])
    parts = [part for item in output if item.get("type") == "message" for part in objects_of(item.get("content"))]
    refusal = "".join(text_of(part.get("refusal")) for part in parts)
    reason = text_of(object_of(answer.get("incomplete_details")).get("reason"))
    turn = Turn(
        text="".join(text_of(part.get("text")) for part in parts),
        calls=tuple(_call(item) for item in output if item.get("type") == "function_call"),
        stop=Stop.REFUSED if refusal else _STOPS.get(reason, Stop.END),
        usage=_usage(object_of(answer.get("usage"))),
        model=text_of(answer.get("model")),
        refusal=refusal,
    )
    return Reading(turn, sendable([item for item in output if not _is_empty(item)], _THOUGHTS))


def _is_empty(item: Json) -> bool:
    """A message without a part, which is refused when it comes back."""
    return item.get("type") == "message" and not objects_of(item.get("content"))


def _call(item: Json) -> ToolCall:
    return ToolCall(text_of(item.get("call_id")), text_of(item.get("name")), text_of(item.get("arguments")))


def _usage(usage: Json) -> Usage:
    details = object_of(usage.get("input_tokens_details"))
    return Usage(
        input=count_of(usage.get("input_tokens")),
        output=count_of(usage.get("output_tokens")),
        cached=count_of(details.get("cached_tokens")),
        written=count_of(details.get("cache_write_tokens")),
    )


WIRE = Wire(
    base_url="https://api.openai.com/v1",
    endpoint=_endpoint,
    headers=_headers,
    user=_user,
    results=_results,
    body=_body,
    read=_read,
    catalogue=_catalogue,
)
