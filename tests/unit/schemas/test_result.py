"""The published JSON: its keys and shapes are a promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Evidence, Label, Place
from draftgate.domain.round import Coverage, Dropped, EarlierFinding, LeftOut
from draftgate.domain.session import Session
from draftgate.schemas.result import ResultModel, json_schema, result_json
from tests.builders import BASE, HEAD, amended, blocker, finding, line_anchor, result, session

PUBLISHED = Path(__file__).parents[3] / "docs/reference/result.schema.json"


def document_of(source: Session, *changed: AmendedFinding) -> dict[str, Any]:
    assert source.result is not None
    text = result_json(source, source.result, amended(source, changed=changed), base_sha=BASE, head_sha=HEAD)
    document: dict[str, Any] = json.loads(text)
    return document


def test_a_round_is_published_in_this_form() -> None:
    shown = blocker(
        "rows can repeat",
        check="db.unique-index",
        category=Category.DATABASE,
        body="The index is not unique.",
        anchor=line_anchor("db/m.rb", 7),
        evidence=Evidence("db/m.rb", 7, ("add_index :a, :b",)),
        related=(Place("app/x.rb", 3),),
    )
    source = session(
        [shown],
        result=result(
            [shown],
            dropped=(Dropped("unsupported", "not there", "x.py"),),
            coverage=Coverage(12, 11, (LeftOut("a.lock", "lock file"),)),
            addressed=(EarlierFinding("was unsafe", "x.rb", 3, 1),),
        ),
    )

    assert document_of(source) == {
        "schema": "draftgate/result/v1",
        "change": {
            "forge": "local",
            "repository": "rooms",
            "number": None,
            "title": "Add invitations to teams",
            "url": None,
        },
        "base_sha": BASE,
        "head_sha": HEAD,
        "round": 1,
        "findings": [
            {
                "number": 1,
                "id": "f" * 64,
                "check": "db.unique-index",
                "source": ["builtin"],
                "label": "issue",
                "decorations": ["blocking"],
                "severity": "blocker",
                "confidence": 90,
                "category": "database",
                "subject": "rows can repeat",
                "body": "The index is not unique.",
                "anchor": {"kind": "line", "path": "db/m.rb", "side": "RIGHT", "start_line": None, "line": 7},
                "evidence": {"path": "db/m.rb", "start_line": 7, "lines": ["add_index :a, :b"]},
                "related": [{"path": "app/x.rb", "line": 3}],
                "suggestion": None,
                "scope": "in-diff",
                "previously_raised": False,
                "caught_by": "review/1/builtin",
            }
        ],
        "dropped": [{"reason": "unsupported", "subject": "not there"}],
        "requirements": [],
        "previous": {
            "addressed": [{"subject": "was unsafe", "path": "x.rb", "line": 3, "round": 1}],
            "unresolved": [],
        },
        "recommended_verdict": "request-changes",
        "coverage": {"files": 12, "reviewed": 11, "left_out": [{"path": "a.lock", "reason": "lock file"}]},
        "usage": {"requests": {"forge": 0, "llm": 0}, "tokens": {"input": 0, "output": 0}, "usd": 0.0},
        "timing": {"automated_s": 0.8},
    }


@pytest.mark.parametrize(
    ("anchor", "written"),
    [
        (
            Anchor(AnchorKind.FILE, "a.py"),
            {"kind": "file", "path": "a.py", "side": None, "start_line": None, "line": None},
        ),
        (Anchor(AnchorKind.NONE), {"kind": "none", "path": None, "side": None, "start_line": None, "line": None}),
        (
            Anchor(AnchorKind.LINE, "a.py", Side.LEFT, 2, 4),
            {"kind": "line", "path": "a.py", "side": "LEFT", "start_line": 2, "line": 4},
        ),
    ],
    ids=["file", "none", "range"],
)
def test_an_anchor_always_has_all_its_keys(anchor: Anchor, written: dict[str, Any]) -> None:
    assert document_of(session([finding(anchor=anchor)]))["findings"][0]["anchor"] == written


@pytest.mark.parametrize("suggestion", ["", "x = 1", None], ids=["delete", "replace", "none"])
def test_an_empty_suggestion_is_not_a_missing_one(suggestion: str | None) -> None:
    assert document_of(session([finding(suggestion=suggestion)]))["findings"][0]["suggestion"] == suggestion


def test_commands_show_in_what_is_kept_and_dropped() -> None:
    first, second, third = blocker("rows can repeat"), finding("callers break"), finding("slow")
    relabelled = finding("callers break", label=Label.NITPICK)

    document = document_of(
        session([first, second, third]),
        AmendedFinding(1, first, dropped=True, reason="see ADR-12"),
        AmendedFinding(2, relabelled, text="my words"),
    )

    assert [(each["number"], each["severity"], each["body"]) for each in document["findings"]] == [
        (2, "nitpick", "my words"),
        (3, "important", "`role` became required here."),
    ]
    assert document["dropped"] == [{"reason": "rejected", "subject": "rows can repeat"}]
    assert document["recommended_verdict"] == "comment"


def test_bytes_that_are_no_text_do_not_break_the_document() -> None:
    anchor = line_anchor("caf\udce9.py", 1)

    document = document_of(
        session([finding("x\ud800", anchor=anchor, evidence=Evidence("caf\udce9.py", 1, ("\udcff",)))])
    )

    assert document["findings"][0]["anchor"]["path"] == "caf\\udce9.py"


def test_a_document_reads_back_through_the_model() -> None:
    document = document_of(session([finding()]))

    assert ResultModel.model_validate(document, by_alias=True).model_dump(mode="json") == document


def test_the_published_schema_is_the_one_the_code_writes() -> None:
    """When it is stale: ``make docs``, or write `json_schema` there with an indent of two."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == json_schema()
