"""Stored state: read back as it was written, or refused with the field that is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from draftgate.domain.canonical import digest
from draftgate.domain.phase import Phase
from draftgate.domain.review import DraftReview
from draftgate.domain.session import AcceptedCommand, Failure, Session
from draftgate.errors import IntegrityError
from draftgate.render.draft import comments_of
from draftgate.schemas.state import decode, encode
from tests.builders import HEAD, blocker, finding, line_anchor, result, session

SCHEMA = "draftgate/session/v1"
STORED = session(
    [blocker("caf\udce9 \u202e"), finding(anchor=line_anchor(start_line=40))],
    commands=(AcceptedCommand("1", "a maintainer", "/drop-finding 2", "2026-01-02T10:00:02Z"),),
    failure=Failure(Phase.SCORING, "why", recoverable=True, at="2026-01-02T10:00:02Z"),
)

Content = dict[str, Any]


def changed(change: Callable[[Content], object]) -> bytes:
    """The stored session after somebody changed it and mended its digest."""
    document = json.loads(encode(SCHEMA, STORED))
    change(document["content"])
    document["digest"] = digest(document["content"])
    return json.dumps(document).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(IntegrityError) as caught:
        decode(SCHEMA, Session, data, name="session.json")
    assert caught.value.context == "session.json"
    assert "nothing was published" in caught.value.hint
    return caught.value.message


def test_a_session_is_read_back_as_it_was_written() -> None:
    assert decode(SCHEMA, Session, encode(SCHEMA, STORED), name="session.json") == STORED


def test_a_draft_is_read_back_as_it_was_written() -> None:
    draft = DraftReview((("head", "0" * 64),), HEAD, "body", comments_of(result([blocker()])))

    assert decode("draftgate/draft/v1", DraftReview, encode("draftgate/draft/v1", draft), name="draft.json") == draft


def test_what_is_written_is_ascii_on_one_line() -> None:
    written = encode(SCHEMA, STORED)

    assert written.isascii()
    assert written.count(b"\n") == 1


FIELDS: dict[str, tuple[Callable[[Content], object], str]] = {
    "unknown": (lambda content: content.update(approved=True), "field approved"),
    "unknown-deep-down": (
        lambda content: content["result"]["findings"][0]["finding"].update(approved=1),
        "field result.findings.0.finding.approved",
    ),
    "missing": (lambda content: content.pop("key"), "field key"),
    "missing-with-a-default": (lambda content: content.pop("seal"), "field seal"),
    "missing-deep-down": (lambda content: content["change"].pop("author"), "field change.author"),
    "another-type": (lambda content: content.update(round="one"), "field round"),
    "a-number-as-text": (lambda content: content.update(round="1"), "field round"),
    "a-number-as-truth": (lambda content: content.update(round=True), "field round"),
    "a-fraction": (lambda content: content.update(revision=3.0), "field revision"),
    "nothing": (lambda content: content.update(key=None), "field key"),
    "an-unknown-word": (lambda content: content.update(phase="published"), "field phase"),
    "a-truth-as-text": (lambda content: content.update(holds_draft="true"), "field holds_draft"),
    "a-list-as-text": (lambda content: content.update(commands="none"), "field commands"),
}


@pytest.mark.parametrize("case", FIELDS)
def test_the_field_that_is_wrong_is_named(case: str) -> None:
    change, named = FIELDS[case]

    assert named in refusal(changed(change))


def test_a_changed_content_does_not_match_its_digest() -> None:
    data = encode(SCHEMA, STORED).replace(b"/drop-finding 2", b"/drop-finding 1")

    assert "does not match its digest" in refusal(data)


def test_another_version_is_named() -> None:
    message = refusal(encode("draftgate/session/v2", STORED))

    assert "wrote the stored state as draftgate/session/v2" in message
    assert "reads draftgate/session/v1" in message


def test_another_kind_of_document_is_refused() -> None:
    assert "draftgate/draft/v1" in refusal(encode("draftgate/draft/v1", STORED))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"schema": "draftgate/session/v1"}', b'{"a": NaN}'],
    ids=["empty", "cut-off", "a-list", "null", "not-text", "deep", "no-content", "not-a-number"],
)
def test_what_is_no_document_is_refused(data: bytes) -> None:
    assert refusal(data).startswith("the stored state cannot be used")


def test_a_document_with_more_in_its_envelope_is_refused() -> None:
    document = json.loads(encode(SCHEMA, STORED))

    assert "not a document of this program" in refusal(json.dumps({**document, "approved": True}).encode())
