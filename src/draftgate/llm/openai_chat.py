"""OpenAI's Chat Completions, which most gateways and servers of one's own speak too.

https://platform.openai.com/docs/api-reference/chat. What only OpenAI itself knows is sent to its own host alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import assert_never

from draftgate.llm.base import Opening, OutputMode, Stop, ToolCall, ToolResult, ToolSpec, Turn, Usage
from draftgate.llm.loose import Json, count_of, object_of, objects_of, text_of
from draftgate.llm.wire import Asking, Choice, Reading, Target, Wire, offered

_OWN_HOST = "api.openai.com"
_STOPS = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}


def _endpoint(base: str) -> str:
    return f"{base}/chat/completions"


def _catalogue(base: str) -> str:
    return f"{base}/models"


def _headers(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _user(text: str) -> Json:
    return {"role": "user", "content": text}


def _results(results: Sequence[ToolResult]) -> tuple[Json, ...]:
    return tuple({"role": "tool", "tool_call_id": result.call.id, "content": result.text} for result in results)


def _body(target: Target, opening: Opening, items: Sequence[Json], asking: Asking) -> Json:
    is_own = target.host == _OWN_HOST
    # Models that reason take the first name only, most other servers know the second only:
    # https://platform.openai.com/docs/api-reference/chat/create#chat_create-max_completion_tokens
    body: Json = {
        "model": target.model,
        "max_completion_tokens" if is_own else "max_tokens": asking.output_tokens,
        **({"reasoning_effort": target.effort} if target.effort else {}),
        **_tools(target, opening, asking.choice, is_own=is_own),
    }
    if target.output is OutputMode.NATIVE:
        schema = {"name": opening.answer.name, "strict": True, "schema": opening.answer.parameters}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body | {"messages": [{"role": "system", "content": opening.instructions}, *_joined(items)]}


def _tools(target: Target, opening: Opening, choice: Choice, *, is_own: bool) -> Json:
    tools = offered(target.output, opening, choice)
    if not tools:  # an empty list is refused
        return {}
    return {
        "tools": [_tool(tool, is_own=is_own) for tool in tools],
        "tool_choice": _tool_choice(target.output, opening.answer, choice),
    }


def _tool(tool: ToolSpec, *, is_own: bool) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function | ({"strict": True} if is_own else {})}


def _tool_choice(output: OutputMode, answer: ToolSpec, choice: Choice) -> str | Json:
    """Never "required", which several servers do not know."""
    match choice:
        case Choice.FREE | Choice.ALONE:
            return "auto"
        case Choice.ANSWER:
            forced = {"type": "function", "function": {"name": answer.name}}
            return forced if output is OutputMode.TOOL else "none"
        case _:
            assert_never(choice)


def _joined(items: Sequence[Json]) -> list[Json]:
    """Messages of the user that follow one another as one: templates of several open models refuse two in a row.

    Their text is one string, the form that every server takes.
    """
    messages: list[Json] = []
    for item in items:
        if messages and messages[-1]["role"] == item["role"] == "user":
            messages[-1] = _user(f"{messages[-1]['content']}\n\n{item['content']}")
        else:
            messages.append(item)
    return messages


def _read(answer: Json) -> Reading | None:
    if "choices" not in answer:
        return None
    choice = next(iter(objects_of(answer["choices"])), {})
    message = object_of(choice.get("message"))
    refusal = text_of(message.get("refusal"))
    turn = Turn(
        text=_text(message.get("content")),
        calls=tuple(_call(call) for call in objects_of(message.get("tool_calls"))),
        stop=Stop.REFUSED if refusal else _STOPS.get(text_of(choice.get("finish_reason")), Stop.END),
        usage=_usage(object_of(answer.get("usage"))),
        model=text_of(answer.get("model")),
        refusal=refusal,
    )
    # A message that holds nothing is refused when it comes back.
    has_content = turn.text or turn.calls or refusal
    return Reading(turn, ({"role": "assistant"} | message,) if has_content else ())


def _text(content: object) -> str:
    """The content, which some servers send in parts."""
    return text_of(content) or "".join(text_of(part.get("text")) for part in objects_of(content))


def _call(call: Json) -> ToolCall:
    function = object_of(call.get("function"))
    arguments = function.get("arguments")
    if not isinstance(arguments, str):  # some servers send the object itself
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(text_of(call.get("id")), text_of(function.get("name")), arguments)


def _usage(usage: Json) -> Usage:
    details = object_of(usage.get("prompt_tokens_details"))
    return Usage(
        input=count_of(usage.get("prompt_tokens")),
        output=count_of(usage.get("completion_tokens")),
        cached=count_of(details.get("cached_tokens")),
        written=count_of(details.get("cache_write_tokens")),
    )


WIRE = Wire(
    base_url=f"https://{_OWN_HOST}/v1",
    endpoint=_endpoint,
    headers=_headers,
    user=_user,
    results=_results,
    body=_body,
    read=_read,
    catalogue=_catalogue,
)
