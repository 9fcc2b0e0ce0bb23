"""The form of both answers as JSON Schema, in the part of it that every provider can hold a model to.

Every property is required and no other is allowed; what may be missing is null. What the schema cannot say, such as
the length of a subject, is read tolerantly where the answer is read.
"""

from __future__ import annotations

from collections.abc import Mapping

from draftgate.agents.answers.verdicts import Ruling
from draftgate.domain.diff import Side
from draftgate.domain.finding import Category, Decoration, Label
from draftgate.llm.base import ToolSpec

Schema = Mapping[str, object]


def _closed(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Schema, description: str) -> Schema:
    return {"type": "array", "items": items, "description": description}


def _value(kind: str, description: str) -> Schema:
    return {"type": kind, "description": description}


def _optional(kind: str, description: str) -> Schema:
    return {"type": [kind, "null"], "description": description}


def _one_of(words: type[Category | Decoration | Label | Ruling], description: str) -> Schema:
    return {"type": "string", "enum": [word.value for word in words], "description": description}


_FINDING = _closed(
    {
        "path": _value("string", "The file, exactly as listed in the change."),
        "line": _optional("integer", "The line, or the last line of a range."),
        "start_line": _optional("integer", "The first line of a range; null for a single line."),
        "side": {
            "type": ["string", "null"],
            "enum": [Side.RIGHT.value, Side.LEFT.value, None],
            "description": "RIGHT: numbers of the new file. LEFT: of the old file, for removed code.",
        },
        "label": _one_of(Label, "What kind of remark it is."),
        "decorations": _list(_one_of(Decoration, "How it bears on merging."), "Often empty."),
        "subject": _value("string", "One plain sentence of at most 80 characters: what goes wrong."),
        "body": _value("string", "Markdown: what happens, for which input, and what to do instead."),
        "evidence": _list(_value("string", "One line."), "The 1 to 7 lines it is about, exactly as in the file."),
        "confidence": _value("integer", "0 to 100."),
        "category": _one_of(Category, "What it is about."),
        "suggestion": _optional("string", "What replaces the lines; an empty text deletes them, null offers nothing."),
    }
)

_VERDICT = _closed(
    {
        "number": _value("integer", "The number of the claim."),
        "verdict": _one_of(Ruling, "What you found out."),
        "confidence": _optional("integer", "0 to 100; null leaves it as it is."),
        "reason": _value("string", "One or two sentences."),
    }
)

REPORT_FINDINGS = ToolSpec(
    name="report_findings",
    description="Report what you found and end the review. An empty list says that there is nothing to report.",
    parameters=_closed({"findings": _list(_FINDING, "The most serious first; empty if there is nothing to report.")}),
)

REPORT_VERDICTS = ToolSpec(
    name="report_verdicts",
    description="Report what you found out about the claims, and end.",
    parameters=_closed({"verdicts": _list(_VERDICT, "One for each claim.")}),
)
