"""Anthropic's Messages: https://docs.anthropic.com/en/api/messages, its cache marks and thinking blocks included."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from draftgate.llm.base import Stop
from tests.fakes.llm.script import Call, Json
from tests.fakes.llm.shape import Refused, a_choice, a_function, a_list, a_number, a_schema, a_text, an_object, require
from tests.fakes.llm.speech import Speech, Told, no_tool_choice, said

_KEYS = (
    "system tools tool_choice output_config thinking temperature top_p top_k stop_sequences metadata service_tier"
    " cache_control"
)
_MOST_MARKS = 4
_REASONS = {Stop.LENGTH: "max_tokens", Stop.REFUSED: "refusal"}
_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _key(headers: Mapping[str, str]) -> str:
    return headers.get("x-api-key", "")


def _check(headers: Mapping[str, str], body: Json) -> None:
    require(headers.get("anthropic-version") == "2023-06-01", "anthropic-version: header is required")
    an_object(body, "body", required="model max_tokens messages", optional=_KEYS)
    a_text(body["model"], "model")
    a_number(body["max_tokens"], "max_tokens")
    for block in a_list(body["system"], "system") if "system" in body else ():
        _check_text(an_object(block, "system", required="type text", optional="cache_control"), "system")
    _check_tools(body)
    _check_config(an_object(body.get("output_config", {}), "output_config", optional="effort format"))
    _check_messages(a_list(body["messages"], "messages"))
    marks = sum(1 for _ in _marks(body))
    require(
        marks <= _MOST_MARKS, f"A maximum of {_MOST_MARKS} blocks with cache_control may be provided. Found {marks}."
    )


def _check_tools(body: Json) -> None:
    no_tool_choice(body)
    if "tools" not in body:
        return
    for number, tool in enumerate(a_list(body["tools"], "tools")):
        at = f"tools[{number}]"
        about = an_object(tool, at, required="name input_schema", optional="description cache_control strict type")
        a_function(about, at, schema_key="input_schema")
    choice = an_object(
        body.get("tool_choice", {"type": "auto"}),
        "tool_choice",
        required="type",
        optional="name disable_parallel_tool_use",
    )
    require(choice["type"] in {"auto", "any", "none", "tool"}, "tool_choice.type")
    if choice["type"] == "tool":
        a_choice(choice.get("name"), _tools(body), "tool_choice.name")


def _check_config(config: Json) -> None:
    if "effort" in config:
        a_text(config["effort"], "output_config.effort")
    if "format" in config:
        form = an_object(config["format"], "output_config.format", required="type schema")
        require(form["type"] == "json_schema", "output_config.format.type")
        a_schema(form["schema"], "output_config.format.schema", is_strict=True)


def _check_messages(messages: list[object]) -> None:
    waiting: list[str] = []
    for number, entry in enumerate(messages):
        at = f"messages.{number}"
        message = an_object(entry, at, required="role content")
        require(message["role"] == ("user", "assistant")[number % 2], f"{at}: roles must alternate, the user's first")
        blocks = [block if isinstance(block, dict) else {} for block in a_list(message["content"], at)]
        if message["role"] == "user":
            _check_results(blocks, waiting, at)
            waiting = []
        else:
            require(
                blocks[-1].get("type") not in {"thinking", "redacted_thinking"}, f"{at}: the final block is thinking"
            )
            waiting = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]
        for block in blocks:
            _check_block(block, message["role"], at)
    require(len(messages) % 2, "the last message must be the user's")


def _check_results(blocks: list[Json], waiting: list[str], at: str) -> None:
    first = blocks[: len(waiting)]
    answered = [block.get("tool_use_id") for block in first if block.get("type") == "tool_result"]
    require(
        sorted(map(str, answered)) == sorted(waiting),
        f"{at}: `tool_use` ids were found without `tool_result` blocks immediately after: {waiting}",
    )
    others = [block for block in blocks[len(waiting) :] if block.get("type") == "tool_result"]
    require(not others, f"{at}: unexpected `tool_use_id` found in `tool_result` blocks")


def _check_block(block: Json, role: str, at: str) -> None:
    match block.get("type"), role:
        case "text", _:
            _check_text(an_object(block, at, required="type text", optional="cache_control citations"), at)
        case "tool_result", "user":
            an_object(block, at, required="type tool_use_id content", optional="cache_control is_error")
            a_text(block["content"], at, may_be_empty=True)
        case "tool_use", "assistant":
            an_object(block, at, required="type id name input", optional="cache_control")
            an_object(block["input"], at, optional=" ".join(block["input"]))
        case "thinking", "assistant":
            an_object(block, at, required="type thinking signature")
            require(block["signature"] == _sign(block["thinking"]), f"{at}: Invalid `signature` in `thinking` block")
        case kind, _:
            raise Refused(f"{at}: Input tag {kind!r} does not match any of the expected tags")


def _check_text(block: Json, at: str) -> None:
    require(a_text(block["text"], at).strip(), f"{at}: text content blocks must contain non-whitespace text")


def _sign(thought: str) -> str:
    return f"signature of {len(thought)}"


def _blocks(body: Json) -> Iterator[Json]:
    yield from body.get("tools", ())
    yield from body.get("system", ())
    for message in body["messages"]:
        yield from message["content"]


def _marks(body: Json) -> Iterator[Json]:
    return (block for block in _blocks(body) if "cache_control" in block)


def _text(body: Json) -> str:
    instructions = "".join(said("system", block["text"]) for block in body.get("system", ()))
    return instructions + "".join(
        _said(message["role"], block) for message in body["messages"] for block in message["content"]
    )


def _said(role: str, block: Json) -> str:
    match block["type"]:
        case "tool_use":
            return said(role, f"{block['name']}({json.dumps(block['input'])})")
        case "tool_result":
            return said("tool", block["content"])
        case "text":
            return said(role, block["text"])
        case _:
            return ""


def _tools(body: Json) -> tuple[str, ...]:
    return tuple(tool["name"] for tool in body.get("tools", ()))


def _may_call(body: Json) -> bool:
    return bool(body.get("tool_choice", {"type": "auto"})["type"] in {"auto", "any"})


def _answer(told: Told) -> Json:
    reply, usage = told.reply, told.usage
    reason = "refusal" if reply.refusal else _REASONS.get(reply.stop, "tool_use" if reply.calls else "end_turn")
    details = {"type": "refusal", "category": None, "explanation": reply.refusal or None}
    return {
        "id": f"msg_{told.serial}",
        "type": "message",
        "role": "assistant",
        "model": told.model,
        "content": list(_content(told)),
        "stop_reason": reason,
        "stop_sequence": None,
        "stop_details": details if reason == "refusal" else None,
        "usage": {
            "input_tokens": usage.input - usage.cached - usage.written,
            "cache_read_input_tokens": usage.cached,
            "cache_creation_input_tokens": usage.written,
            "output_tokens": usage.output,
        },
    }


def _content(told: Told) -> Iterator[Json]:
    reply = told.reply
    if reply.thought:
        yield {"type": "thinking", "thinking": reply.thought, "signature": _sign(reply.thought)}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for number, call in enumerate(reply.calls):
        yield {
            "type": "tool_use",
            "id": call.id or f"toolu_{told.serial}_{number}",
            "name": call.name,
            "input": _input(call),
        }


def _input(call: Call) -> object:
    return json.loads(call.arguments) if isinstance(call.arguments, str) else dict(call.arguments)


def _error(status: int, message: str, code: str) -> Json:
    kind = code or _ERRORS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


MESSAGES = Speech(
    name="messages",
    path="/v1/messages",
    key=_key,
    check=_check,
    text=_text,
    tools=_tools,
    may_call=_may_call,
    has_cache=lambda body: any(True for _ in _marks(body)),
    answer=_answer,
    error=_error,
)
