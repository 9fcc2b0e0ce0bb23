"""The port to a model when there is no answer, one suite for every wire format; what is said is in `test_llm.py`."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.llm.base import (
    ContextTooLong,
    Limits,
    ModelRefusesKey,
    ModelUnavailable,
    NothingThere,
    RequestRefused,
    UnreadableAnswer,
)
from tests.fakes.llm.rig import KEY, LIMITS, OPENING, SECRET, WIRES, Play, stage
from tests.fakes.llm.script import Cut, Drip, Fault, Hang, NotJson, Raw, Reply, Step


@pytest.fixture(params=WIRES)
def play(request: pytest.FixtureRequest) -> Iterator[Play]:
    """Starts a scripted model, for the wire of this run."""
    with stage(WIRES[request.param]) as start:
        yield start


# --- When it does not answer ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:25 GMT"}, 5.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:15 GMT"}, 0.0),
        ({"Retry-After": "soon"}, 0.5),
        ({}, 0.5),
    ],
    ids=str,
)
def test_it_waits_as_it_is_told(play: Play, headers: dict[str, str], wait_s: float) -> None:
    rig = play(Fault(429, headers), "fine")
    conversation = rig.open()

    assert conversation.ask(LIMITS).text == "fine"
    assert rig.waits == [pytest.approx(wait_s)]
    assert conversation.requests == 2
    assert rig.server.requests[0].payload == rig.server.requests[1].payload


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_trouble_that_passes_is_waited_for_twice(play: Play, status: int) -> None:
    rig = play(Fault(status), Fault(status), "fine")

    assert rig.open().ask(LIMITS).text == "fine"
    assert rig.waits == [0.5, 1.0]


def test_three_troubles_are_the_end(play: Play) -> None:
    rig = play(Fault(500, message="boiler\x1b broken"), Fault(502), Fault(503, message="no steam"))

    error = rig.fail()

    assert isinstance(error, ModelUnavailable)
    assert str(error) == f"{rig.server.host}: it answered 503: no steam; 3 requests were sent"
    assert len(rig.server.requests) == 3


@pytest.mark.parametrize("told", ["61", "999999999"])
def test_a_longer_wait_than_there_is_fails_at_once_and_is_named(play: Play, told: str) -> None:
    rig = play(Fault(429, {"Retry-After": told}, message="slow down"))

    error = rig.fail()

    assert isinstance(error, ModelUnavailable)
    until = {"61": "2023-11-14 22:14:21", "999999999": "2055-07-23 23:59:59"}[told]
    assert f"it answered 429: slow down, and asks to wait {told} s, until {until}" in str(error)
    assert rig.waits == []


def test_waits_add_up(play: Play) -> None:
    rig = play(Fault(429, {"Retry-After": "40"}), Fault(429, {"Retry-After": "40"}))

    assert isinstance(rig.fail(Limits(output_tokens=10, time_s=600, wait_s=60)), ModelUnavailable)
    assert rig.waits == [40.0]


def test_no_wait_outlasts_the_time(play: Play) -> None:
    rig = play(Fault(429, {"Retry-After": "5"}))

    assert isinstance(rig.fail(Limits(output_tokens=10, time_s=4, wait_s=60)), ModelUnavailable)
    assert rig.waits == []


def test_without_time_nothing_is_sent(play: Play) -> None:
    rig = play("late")

    assert "no time left" in str(rig.fail(Limits(output_tokens=10, time_s=0, wait_s=60)))
    assert rig.server.requests == []


def test_a_cut_connection_is_tried_again(play: Play) -> None:
    rig = play(Cut(), Cut(), "whole")

    assert rig.open().ask(LIMITS).text == "whole"


SHORT = Limits(output_tokens=10, time_s=0.25, wait_s=60)


@pytest.mark.parametrize(
    "step",
    [Hang(30), Drip(20), Drip(20, all_of_it=True), Drip(200, Reply("x" * 500))],
    ids=["silence", "a slow body", "slow headers", "a long body"],
)
def test_the_time_holds_whatever_the_server_does(play: Play, step: Step) -> None:
    rig = play(step)
    begun = time.monotonic()

    error = rig.fail(SHORT)

    assert isinstance(error, ModelUnavailable)
    assert "did not answer within 0.25 s" in str(error)
    assert time.monotonic() - begun < 5


def test_the_conversation_can_be_asked_again_after_silence(play: Play) -> None:
    rig = play(Hang(30), "here")
    conversation = rig.open()
    with pytest.raises(ModelUnavailable):
        conversation.ask(SHORT)

    assert conversation.ask(LIMITS).text == "here"
    assert [request.asked.attempt for request in rig.server.requests if request.asked] == [1, 2]


def test_nobody_there_is_said(play: Play) -> None:
    rig = play()
    rig.server.__exit__(None, None, None)

    error = rig.fail()

    assert isinstance(error, ModelUnavailable)
    assert "could not be reached" in str(error)
    assert rig.waits == [0.5, 1.0]


# --- When it will not ----------------------------------------------------------------------------

TOO_LONG = {
    "a code": Fault(400, code="context_length_exceeded", message="Your input exceeds."),
    "Anthropic's words": Fault(400, message="prompt is too long: 201342 tokens > 200000 maximum"),
    "Anthropic's other words": Fault(400, message="input length and `max_tokens` exceed context limit: 1 + 2 > 3"),
    "vLLM's words": Fault(400, message="This model's maximum context length is 16384 tokens. However, you asked"),
    "llama.cpp's words": Fault(400, message="the request exceeds the available context size, try increasing it"),
    "a status": Fault(413, message="Request exceeds the maximum size"),
}


@pytest.mark.parametrize("fault", TOO_LONG.values(), ids=TOO_LONG.keys())
def test_a_conversation_that_is_too_long_is_named_so(play: Play, fault: Fault) -> None:
    rig = play(fault)

    assert isinstance(rig.fail(), ContextTooLong)
    assert len(rig.server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_not_taken_is_named_so(play: Play, status: int) -> None:
    error = play(Fault(status, message=f"no such key {KEY}")).fail()

    assert isinstance(error, ModelRefusesKey)
    assert "[the key]" in str(error)


def test_the_key_is_sent(play: Play) -> None:
    assert isinstance(play("a", key="another").fail(), ModelRefusesKey)


def test_an_account_without_credit_is_not_asked_again(play: Play) -> None:
    rig = play(Fault(429, code="insufficient_quota", message="You exceeded your current quota"))

    error = rig.fail()

    assert isinstance(error, RequestRefused)
    assert "credit" in error.hint
    assert len(rig.server.requests) == 1


def test_other_refusals_are_in_the_provider_s_words(play: Play) -> None:
    error = play(Fault(404, message=f"no model\r\n\x1b[31m{SECRET} " + "y" * 1000)).fail()

    assert type(error) is NothingThere
    assert isinstance(error, RequestRefused)
    assert "no model ⟨U+001B⟩[31m[hidden] yyy" in str(error)
    assert len(str(error)) < 400
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "body", [{"error": "gone"}, {"detail": "gone"}, {"object": "error", "message": "gone", "code": 400}]
)
def test_other_forms_of_errors_are_read_too(play: Play, body: dict[str, object]) -> None:
    assert "(400: gone)" in str(play(Fault(400, body=body)).fail())


def test_a_redirect_is_not_followed(play: Play) -> None:
    elsewhere = play("taken")
    rig = play(Fault(307, {"Location": f"{elsewhere.server.base_url}/messages"}))

    error = rig.fail()

    assert type(error) is RequestRefused
    assert "redirect (307)" in str(error)
    assert elsewhere.server.requests == []


@pytest.mark.parametrize(
    "step", [NotJson(), NotJson("[1]", "application/json"), NotJson('{"a": NaN}'), NotJson("[" * 100_000), NotJson("")]
)
def test_what_is_no_json_object_is_unreadable(play: Play, step: Step) -> None:
    assert isinstance(play(step).fail(), UnreadableAnswer)


def test_an_endless_answer_is_unreadable(play: Play) -> None:
    error = play(NotJson(" " * (32 * 1024 * 1024 + 10))).fail()

    assert "more than 32 MiB" in str(error)


@pytest.mark.parametrize(
    ("error", "waits"),
    [
        ({"code": 429, "message": "busy"}, [0.5]),
        ({"code": "server_error", "message": "busy"}, [0.5]),
        ({"type": "overloaded_error", "message": "busy"}, [0.5]),
    ],
)
def test_an_error_that_comes_as_a_success_is_an_error(play: Play, error: object, waits: list[float]) -> None:
    rig = play(Raw({"error": error, "status": "failed", "output": [], "choices": [], "content": []}), "fine")

    assert rig.open().ask(LIMITS).text == "fine"
    assert rig.waits == waits


def test_a_refusal_that_comes_as_a_success_is_a_refusal(play: Play) -> None:
    error = play(Raw({"error": {"code": "invalid_prompt", "message": "not this"}, "choices": [], "output": []})).fail()

    assert "(400: not this)" in str(error)


# --- The key -------------------------------------------------------------------------------------


def test_the_key_is_in_no_text_but_the_header(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    rig = play("a", Fault(500, {"X-Note": KEY}, message=KEY), Fault(400, message=KEY))
    model = rig.model()
    conversation = model.open(OPENING)

    turn = conversation.ask(LIMITS)
    with pytest.raises(RequestRefused) as caught:
        conversation.ask(LIMITS)

    shown = [repr(model), str(model), repr(conversation), repr(turn), str(caught.value), repr(caught.value)]
    shown += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    assert caplog.records
    assert not [text for text in shown if KEY in text]


@pytest.mark.parametrize("key", ["sk-a b", "sk-a\n", "sk-é", "sk-\x00"])
def test_a_key_that_cannot_stand_in_a_header_is_refused_unseen(play: Play, key: str) -> None:
    with pytest.raises(ModelRefusesKey) as caught:
        play().model(key=key)

    assert key not in str(caught.value)


def test_netrc_is_not_used(play: Play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password elsewhere\n")
    monkeypatch.setenv("NETRC", str(netrc))
    rig = play("a", key="")

    rig.model(key="").open(OPENING).ask(LIMITS)

    assert "authorization" not in rig.server.requests[0].headers


def test_the_proxy_of_the_environment_is_used(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address leads nowhere, so that the program can be seen to go there."""
    monkeypatch.setenv("HTTP_PROXY", "http://user:secret@127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    error = play("a").fail()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    assert "through the proxy" in str(error)
    assert "secret" not in str(error)
    assert play("a").open().ask(LIMITS).text == "a"
