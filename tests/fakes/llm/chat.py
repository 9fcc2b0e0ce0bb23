"""OpenAI's Chat Completions, as strict as the strictest of those who serve them.

https://platform.openai.com/docs/api-reference/chat; that roles take turns is a rule of the templates of open models.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from draftgate.llm.base import Stop
from tests.fakes.llm.script import Call, Json
from tests.fakes.llm.shape import a_choice, a_function, a_list, a_number, a_schema, a_text, an_object, require
from tests.fakes.llm.speech import Speech, Told, bearer, no_tool_choice, openai_error, said

_KEYS = (
    "max_tokens max_completion_tokens tools tool_choice response_format reasoning_effort temperature top_p n seed stop"
    " parallel_tool_calls prompt_cache_key store metadata user verbosity"
)
_ASSISTANT_KEYS = "content refusal tool_calls name annotations audio function_call reasoning_content"
_REASONS = {Stop.LENGTH: "length", Stop.REFUSED: "content_filter"}


def _check(_headers: Mapping[str, str], body: Json) -> None:
    an_object(body, "body", required="model messages", optional=_KEYS)
    a_text(body["model"], "model")
    require(not {"max_tokens", "max_completion_tokens"} <= body.keys(), "max_tokens and max_completion_tokens are one")
    for key in body.keys() & {"max_tokens", "max_completion_tokens"}:
        a_number(body[key], key)
    _check_tools(body)
    if "response_format" in body:
        _check_format(body["response_format"])
    _check_messages(a_list(body["messages"], "messages"))


def _check_tools(body: Json) -> None:
    no_tool_choice(body)
    if "tools" not in body:
        return
    for number, tool in enumerate(a_list(body["tools"], "tools")):
        at = f"tools[{number}]"
        require(an_object(tool, at, required="type function")["type"] == "function", f"{at}.type")
        function = an_object(
            tool["function"] if isinstance(tool, dict) else None,
            at,
            required="name",
            optional="description parameters strict",
        )
        a_function(function, at, schema_key="parameters")
    choice = body.get("tool_choice", "auto")
    if isinstance(choice, str):
        require(choice in {"auto", "none", "required"}, f"tool_choice: {choice!r}")
        return
    named = an_object(choice, "tool_choice", required="type function")
    a_choice(an_object(named["function"], "tool_choice", required="name")["name"], _tools(body), "tool_choice")


def _check_format(form: object) -> None:
    about = an_object(form, "response_format", required="type json_schema")
    require(about["type"] == "json_schema", "response_format.type")
    schema = an_object(about["json_schema"], "json_schema", required="name", optional="description schema strict")
    a_schema(schema.get("schema"), "json_schema.schema", is_strict=schema.get("strict") is True)


def _check_messages(messages: list[object]) -> None:
    waiting: list[str] = []
    before = ""
    for number, entry in enumerate(messages):
        at = f"messages[{number}]"
        message = entry if isinstance(entry, dict) else {}
        role = message.get("role")
        if role == "tool":
            an_object(entry, at, required="role content tool_call_id")
            a_text(message["content"], at, may_be_empty=True)
            require(message["tool_call_id"] in waiting, f"{at}: no call with this tool_call_id precedes")
            waiting.remove(message["tool_call_id"])
        else:
            require(not waiting, f"{at}: an assistant message with 'tool_calls' must be followed by tool messages")
            require(role != before, f"{at}: Conversation roles must alternate user/assistant")
            waiting = _check_turn(message, at)
            require(role != "system" or number == 0, f"{at}: the system message must be the first")
        before = str(role)
    require(not waiting, f"An assistant message with 'tool_calls' must be followed by tool messages: {waiting}")
    require(before in {"user", "tool"}, "the last message must be the user's or a tool's")


def _check_turn(message: Json, at: str) -> list[str]:
    """The calls that wait for a result."""
    if message.get("role") in {"system", "user"}:
        an_object(message, at, required="role content", optional="name")
        a_text(message["content"], f"{at}.content", may_be_empty=message["role"] == "system")
        return []
    require(message.get("role") == "assistant", f"{at}.role: {message.get('role')!r}")
    an_object(message, at, required="role", optional=_ASSISTANT_KEYS)
    calls = message.get("tool_calls")
    if calls is None:
        content = message.get("content")
        require(content or message.get("refusal"), f"{at}: Invalid value for 'content': expected a string, got null.")
        return []
    return [_check_call(call, f"{at}.tool_calls") for call in a_list(calls, f"{at}.tool_calls")]


def _check_call(call: object, at: str) -> str:
    about = an_object(call, at, required="id type function")
    function = an_object(about["function"], at, required="name arguments")
    a_text(function["arguments"], at, may_be_empty=True)
    return a_text(about["id"], at)


def _text(body: Json) -> str:
    return "".join(_said(message) for message in body["messages"])


def _said(message: Json) -> str:
    calls = [f"{call['function']['name']}({call['function']['arguments']})" for call in message.get("tool_calls") or ()]
    return said(message["role"], " ".join([message.get("content") or message.get("refusal") or "", *calls]))


def _tools(body: Json) -> tuple[str, ...]:
    return tuple(tool["function"]["name"] for tool in body.get("tools", ()))


def _may_call(body: Json) -> bool:
    return body.get("tool_choice", "auto") in ("auto", "required")


def _answer(told: Told) -> Json:
    reply, usage = told.reply, told.usage
    message: Json = {"role": "assistant", "content": reply.text or None, "refusal": reply.refusal or None}
    message["annotations"] = []
    if reply.thought:
        message["reasoning_content"] = reply.thought
    if reply.calls:
        message["tool_calls"] = [_call(call, told.serial, number) for number, call in enumerate(reply.calls)]
    reason = "stop" if reply.refusal else _REASONS.get(reply.stop, "tool_calls" if reply.calls else "stop")
    return {
        "id": f"chatcmpl-{told.serial}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": told.model,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached, "cache_write_tokens": usage.written},
        },
    }


def _call(call: Call, serial: int, number: int) -> Json:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    return {
        "id": call.id or f"call_{serial}_{number}",
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


CHAT = Speech(
    name="chat",
    path="/v1/chat/completions",
    key=bearer,
    check=_check,
    text=_text,
    tools=_tools,
    may_call=_may_call,
    has_cache=lambda _body: True,
    answer=_answer,
    error=openai_error,
)
