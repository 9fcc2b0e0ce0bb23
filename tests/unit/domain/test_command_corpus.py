"""Comments that were misread by other bots, and near relations of them, against six findings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.commands.registry import load_grammar
from draftgate.commands.verbs.approve_findings import ApproveFindings
from draftgate.commands.verbs.drop_finding import DropFinding
from draftgate.domain.command import Bare, ParsedComment, parse_comment
from draftgate.domain.selection import check
from draftgate.errors import CommandRefused

CORPUS = Path(__file__).parents[2] / "corpus" / "comments" / "known.json"
FINDINGS = (1, 2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    text: str
    expect: object


CASES = [Case(**case) for case in json.loads(CORPUS.read_text(encoding="utf-8"))]


def outcome(comment: ParsedComment) -> object:
    """What the corpus says about a comment: `ignored`, `refused`, or the commands with the numbers they reach."""
    if comment.refusals:
        return "refused"
    try:
        return [described(command.name, command.parsed) for command in comment.commands] or "ignored"
    except CommandRefused:
        return "refused"


def described(name: str, parsed: object) -> dict[str, object]:
    assert isinstance(parsed, ApproveFindings | DropFinding)
    numbers = {"name": name, "numbers": list(check(parsed.selection, FINDINGS))}
    severity = parsed.skip_below if isinstance(parsed, ApproveFindings) else None
    return {**numbers, "skip_below": severity.value} if severity else numbers


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_known_comment_is_read_as_a_person_would(case: Case) -> None:
    comment = parse_comment(case.text, load_grammar(Bare.OWN))

    assert outcome(comment) == case.expect
