"""The forms that models are held to are closed, name the domain's words, and are what the readers read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import jsonschema  # type: ignore[import-untyped]  # it has no types
import pytest

from draftgate.agents.answers.findings import read_findings
from draftgate.agents.answers.schemas import REPORT_FINDINGS, REPORT_VERDICTS
from draftgate.agents.answers.verdicts import Ruling, read_verdicts
from draftgate.domain.diff import Side
from draftgate.domain.finding import Category, Decoration, Label
from draftgate.llm.base import ToolSpec

FINDING = {
    "path": "src/app.py",
    "line": 12,
    "start_line": None,
    "side": "RIGHT",
    "label": "issue",
    "decorations": ["blocking"],
    "subject": "the loop never ends",
    "body": "It never ends when `items` is empty.",
    "evidence": ["while items:"],
    "confidence": 80,
    "category": "logic",
    "suggestion": None,
}
VERDICT = {"number": 1, "verdict": "refuted", "confidence": None, "reason": "a guard stops it"}


def schemas(value: object) -> Iterator[Mapping[str, object]]:
    """Every schema inside a schema."""
    if isinstance(value, Mapping):
        if "type" in value:
            yield value
        for inner in value.values():
            yield from schemas(inner)


def words_of(tool: ToolSpec) -> dict[str, object]:
    return {
        name: schema.get("enum", schema.get("items", {}).get("enum"))
        for each in schemas(tool.parameters)
        for name, schema in each.get("properties", {}).items()  # type: ignore[attr-defined]  # a mapping of schemas
        if "enum" in schema or "enum" in schema.get("items", {})
    }


@pytest.mark.parametrize("tool", [REPORT_FINDINGS, REPORT_VERDICTS], ids=lambda tool: tool.name)
def test_every_object_is_closed_and_needs_all_it_has(tool: ToolSpec) -> None:
    objects = [schema for schema in schemas(tool.parameters) if schema["type"] == "object"]

    assert len(objects) == 2
    for schema in objects:
        assert schema["required"] == list(schema["properties"])  # type: ignore[call-overload]  # a mapping of schemas
        assert schema["additionalProperties"] is False
    jsonschema.Draft202012Validator.check_schema(tool.parameters)
    json.dumps(tool.parameters)


def test_the_words_are_those_of_the_domain() -> None:
    assert words_of(REPORT_FINDINGS) == {
        "side": [*sorted(Side, reverse=True), None],
        "label": list(Label),
        "decorations": list(Decoration),
        "category": list(Category),
    }
    assert words_of(REPORT_VERDICTS) == {"verdict": list(Ruling)}


def test_an_answer_in_its_form_is_read() -> None:
    findings, verdicts = {"findings": [FINDING]}, {"verdicts": [VERDICT]}
    jsonschema.validate(findings, REPORT_FINDINGS.parameters)
    jsonschema.validate(verdicts, REPORT_VERDICTS.parameters)

    [claim] = read_findings(json.dumps(findings), category=Category.OTHER).claims
    [judgement] = read_verdicts(json.dumps(verdicts), 1)

    assert (claim.path, claim.line, claim.category) == ("src/app.py", 12, Category.LOGIC)
    assert (judgement.ruling, judgement.reason) == (Ruling.REFUTED, "a guard stops it")
