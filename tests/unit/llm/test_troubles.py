"""What an answer is worth, where the contract suite does not look: the table itself."""

from __future__ import annotations

import json

import pytest

from draftgate.llm.base import ContextTooLong, ModelError, ModelRefusesKey, RequestRefused
from draftgate.llm.troubles import Answer, NotNow, judge

NOW = 1_700_000_000.0


def _judge(status: int, body: object, **headers: str) -> object:
    payload = json.dumps(body).encode()
    return judge(Answer(status, headers, payload), "llm.example", lambda text: text.replace("secret", "***"), NOW)


def test_a_body_without_an_error_is_the_answer() -> None:
    assert _judge(200, {"choices": [], "error": None}) == {"choices": [], "error": None}


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 520, 529])
def test_what_passes_may_be_asked_again(status: int) -> None:
    assert _judge(status, {"error": {"message": "a secret"}}) == NotNow(f"answered {status}: a ***")


def test_what_is_no_json_has_no_words() -> None:
    answer = Answer(503, {}, b"<html>\x1b[2J</html>")

    assert judge(answer, "llm.example", str, NOW) == NotNow("answered 503")


@pytest.mark.parametrize(
    ("told", "seconds"),
    [("7", 7.0), ("0.5", 0.5), (" 3 ", 3.0), ("-1", None), ("nan", None), ("1e9", None), ("", None), ("9" * 40, None)],
)
def test_the_wait_is_read_or_not_believed(told: str, seconds: float | None) -> None:
    outcome = _judge(429, {}, **{"retry-after": told})

    assert isinstance(outcome, NotNow)
    assert outcome.told_s == seconds


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, {}, ModelRefusesKey),
        (403, {"error": {"message": "no"}}, ModelRefusesKey),
        (413, {}, ContextTooLong),
        (400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "x"}}, ContextTooLong),
        (400, {"error": {"message": "Input length (9) exceeds model's maximum context length (8)."}}, ContextTooLong),
        (400, {"error": {"message": "Your input exceeds the context window of this model."}}, ContextTooLong),
        (400, {"error": {"message": "schema too complex"}}, RequestRefused),
        (402, {"error": {"message": "Insufficient Balance"}}, RequestRefused),
        (422, {"detail": [{"msg": "extra"}]}, RequestRefused),
        (429, {"error": {"code": "insufficient_quota"}}, RequestRefused),
        (301, {}, RequestRefused),
        (200, {"error": {"type": "authentication_error"}}, ModelRefusesKey),
        (200, {"error": "broken"}, RequestRefused),
    ],
)
def test_every_refusal_has_its_kind_and_a_hint(status: int, body: object, kind: type[ModelError]) -> None:
    with pytest.raises(ModelError) as caught:
        _judge(status, body)

    assert type(caught.value) is kind
    assert caught.value.context == "llm.example"
    assert caught.value.hint
