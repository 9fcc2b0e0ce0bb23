"""OpenAI's Responses: https://platform.openai.com/docs/api-reference/responses, for those who let nothing be stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise

from draftgate.llm.base import Stop
from tests.fakes.llm.script import Call, Json
from tests.fakes.llm.shape import Refused, a_choice, a_function, a_list, a_number, a_schema, a_text, an_object, require
from tests.fakes.llm.speech import Speech, Told, bearer, no_tool_choice, openai_error, said

_KEYS = (
    "instructions max_output_tokens tools tool_choice text reasoning store include temperature top_p metadata"
    " parallel_tool_calls prompt_cache_key previous_response_id truncation user"
)
_REASONS = {Stop.LENGTH: "max_output_tokens", Stop.REFUSED: "content_filter"}
_CALL_KEYS = "type call_id name arguments"


def _check(_headers: Mapping[str, str], body: Json) -> None:
    an_object(body, "body", required="model input", optional=_KEYS)
    a_text(body["model"], "model")
    a_text(body.get("instructions", ""), "instructions", may_be_empty=True)
    a_number(body.get("max_output_tokens", 1), "max_output_tokens")
    require(body.get("store") is False, "store: these tests keep nothing at the provider")
    require("reasoning.encrypted_content" in body.get("include", ()), "include: thoughts would be lost without storage")
    if "reasoning" in body:
        an_object(body["reasoning"], "reasoning", optional="effort summary")
    _check_tools(body)
    if "text" in body:
        _check_format(an_object(body["text"], "text", required="format", optional="verbosity")["format"])
    _check_input(a_list(body["input"], "input"))


def _check_tools(body: Json) -> None:
    no_tool_choice(body)
    if "tools" not in body:
        return
    for number, tool in enumerate(a_list(body["tools"], "tools")):
        at = f"tools[{number}]"
        function = an_object(tool, at, required="type name parameters strict", optional="description")
        require(function["type"] == "function", f"{at}.type")
        a_function(function, at, schema_key="parameters")
    choice = body.get("tool_choice", "auto")
    if isinstance(choice, str):
        require(choice in {"auto", "none", "required"}, f"tool_choice: {choice!r}")
    else:
        a_choice(an_object(choice, "tool_choice", required="type name")["name"], _tools(body), "tool_choice")


def _check_format(form: object) -> None:
    about = an_object(form, "text.format", required="type name schema", optional="strict description")
    require(about["type"] == "json_schema", "text.format.type")
    a_schema(about["schema"], "text.format.schema", is_strict=about.get("strict") is True)


def _check_input(entries: list[object]) -> None:
    items = [entry if isinstance(entry, dict) else {} for entry in entries]
    waiting: list[str] = []
    for number, item in enumerate(items):
        at = f"input[{number}]"
        kind = item.get("type", "message")
        if kind == "function_call":
            an_object(item, at, required=_CALL_KEYS, optional="id status")
            waiting.append(a_text(item["call_id"], at))
        elif kind == "function_call_output":
            an_object(item, at, required="type call_id output")
            a_text(item["output"], at, may_be_empty=True)
            require(item["call_id"] in waiting, f"{at}: No tool call found for function call output")
            waiting.remove(item["call_id"])
        else:
            require(not waiting or kind != "message", f"{at}: No tool output found for function call {waiting}")
            _check_item(item, kind, at)
    require(not waiting, f"No tool output found for function call {waiting}")
    _check_thoughts(items)


def _check_item(item: Json, kind: object, at: str) -> None:
    if kind == "reasoning":
        an_object(item, at, required="type id summary encrypted_content", optional="status content")
        a_text(item["encrypted_content"], at)
    elif kind == "message" and item.get("role") == "assistant":
        an_object(item, at, required="type id role content status", optional="phase")
        for part in a_list(item["content"], at):
            an_object(part, at, required="type", optional="text refusal annotations logprobs")
    elif kind == "message":
        an_object(item, at, required="role content", optional="type")
        require(item["role"] in {"user", "system", "developer"}, f"{at}.role")
        a_text(item["content"], at)
    else:
        raise Refused(f"{at}.type: {kind!r}")


def _check_thoughts(items: list[Json]) -> None:
    for item, following in pairwise([*items, {}]):
        is_followed = following.get("type") in {"reasoning", "function_call"} or following.get("role") == "assistant"
        require(
            item.get("type") != "reasoning" or is_followed,
            "Item of type 'reasoning' was provided without its required following item.",
        )


def _text(body: Json) -> str:
    return said("instructions", body.get("instructions", "")) + "".join(_said(item) for item in body["input"])


def _said(item: Json) -> str:
    match item.get("type", "message"):
        case "function_call":
            return said("assistant", f"{item['name']}({item['arguments']})")
        case "function_call_output":
            return said("tool", item["output"])
        case "message" if isinstance(item["content"], list):
            return said("assistant", "".join(part.get("text") or part.get("refusal", "") for part in item["content"]))
        case "message":
            return said(item["role"], item["content"])
        case _:
            return ""


def _tools(body: Json) -> tuple[str, ...]:
    return tuple(tool["name"] for tool in body.get("tools", ()))


def _may_call(body: Json) -> bool:
    return body.get("tool_choice", "auto") in ("auto", "required")


def _answer(told: Told) -> Json:
    usage, reason = told.usage, _REASONS.get(told.reply.stop)
    return {
        "id": f"resp_{told.serial}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "incomplete" if reason else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if reason else None,
        "model": told.model,
        "output": _output(told),
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        },
    }


def _output(told: Told) -> list[Json]:
    reply, serial = told.reply, told.serial
    output: list[Json] = []
    if reply.thought:
        thought = {"id": f"rs_{serial}", "type": "reasoning", "summary": [], "encrypted_content": f"~{reply.thought}~"}
        output.append(thought)
    parts: list[Json] = []
    if reply.text:
        parts.append({"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []})
    if reply.refusal:
        parts.append({"type": "refusal", "refusal": reply.refusal})
    if parts:
        output.append(
            {"id": f"msg_{serial}", "type": "message", "role": "assistant", "status": "completed", "content": parts}
        )
    return [*output, *(_call(call, serial, number) for number, call in enumerate(reply.calls))]


def _call(call: Call, serial: int, number: int) -> Json:
    return {
        "id": f"fc_{serial}_{number}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id or f"call_{serial}_{number}",
        "name": call.name,
        "arguments": call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
    }


RESPONSES = Speech(
    name="responses",
    path="/v1/responses",
    key=bearer,
    check=_check,
    text=_text,
    tools=_tools,
    may_call=_may_call,
    has_cache=lambda _body: True,
    answer=_answer,
    error=openai_error,
)
