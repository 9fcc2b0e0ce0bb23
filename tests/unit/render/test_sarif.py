"""SARIF as code hosts take it.

The official schema (OASIS, not under a free licence) is not part of this repository; these tests hold the
structure that it and the code hosts ask for.
"""

from __future__ import annotations

from typing import Any

import pytest

from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Finding, Label, Place, Severity
from draftgate.domain.round import NumberedFinding
from draftgate.render.sarif import Rule, sarif
from tests.builders import HEAD, blocker, finding, line_anchor, session

RULES = (Rule("impact.callers", "Callers that a change breaks", Severity.IMPORTANT, Category.IMPACT),)


def run_of(*findings: Finding, repository_uri: str | None = None) -> dict[str, Any]:
    shown = tuple(NumberedFinding(number, each) for number, each in enumerate(findings, start=1))
    log = sarif(session(findings), shown, rules=RULES, version="0.1.0", repository_uri=repository_uri)
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    run: dict[str, Any] = log["runs"][0]
    return run


def test_a_finding_becomes_a_result() -> None:
    shown = blocker("callers break", body="Two of them.", anchor=line_anchor("a.py", 9, start_line=7))

    (result,) = run_of(shown)["results"]

    assert result == {
        "ruleId": "impact.callers",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "callers break\n\nTwo of them.", "markdown": result["message"]["markdown"]},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 7, "endLine": 9},
                }
            }
        ],
        "partialFingerprints": {"draftgate/v1": "f" * 64},
        "rank": 90.0,
        "properties": {
            "number": 1,
            "label": "issue",
            "decorations": ["blocking"],
            "severity": "blocker",
            "confidence": 90,
            "category": "impact",
            "scope": "in-diff",
            "source": ["builtin"],
            "tags": ["impact"],
        },
    }
    assert result["message"]["markdown"].startswith("**issue (blocking):** callers break")


def test_rules_describe_the_checks_and_every_result_points_at_its_rule() -> None:
    run = run_of(finding(), finding(check=None, sources=("correctness",)))

    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["impact.callers", "agent"]
    assert rules[0]["shortDescription"] == {"text": "Callers that a change breaks"}
    assert rules[0]["defaultConfiguration"] == {"level": "warning"}
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["impact.callers", "agent"]


@pytest.mark.parametrize(
    ("label", "level"),
    [(Label.ISSUE, "warning"), (Label.SUGGESTION, "note"), (Label.NITPICK, "note"), (Label.QUESTION, "note")],
)
def test_the_level_follows_the_severity(label: Label, level: str) -> None:
    (result,) = run_of(finding(label=label))["results"]

    assert result["level"] == level


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("docs/Größe 説明.md", "docs/Gr%C3%B6%C3%9Fe%20%E8%AA%AC%E6%98%8E.md"),
        ("a#b?c%d:e.py", "a%23b%3Fc%25d%3Ae.py"),
        ("caf\udce9.py", "caf%E9.py"),
    ],
)
def test_paths_are_encoded_as_uris(path: str, uri: str) -> None:
    (result,) = run_of(finding(anchor=line_anchor(path, 1)))["results"]

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


@pytest.mark.parametrize(
    "anchor",
    [Anchor(AnchorKind.FILE, "a.py"), Anchor(AnchorKind.LINE, "a.py", Side.LEFT, None, 3)],
    ids=["file", "removed line"],
)
def test_what_is_no_line_of_the_head_commit_has_no_region(anchor: Anchor) -> None:
    (result,) = run_of(finding(anchor=anchor, suggestion="x"))["results"]

    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "a.py", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert "fixes" not in result


def test_a_finding_without_a_place_has_no_location() -> None:
    (result,) = run_of(finding(anchor=Anchor(AnchorKind.NONE)))["results"]

    assert result["locations"] == []


def test_other_places_are_related_locations() -> None:
    (result,) = run_of(finding(related=(Place("b.py", 3), Place("c.py", 4))))["results"]

    assert [each["id"] for each in result["relatedLocations"]] == [1, 2]
    assert result["relatedLocations"][1]["physicalLocation"]["region"] == {"startLine": 4}


@pytest.mark.parametrize(("suggestion", "inserted"), [("x = 1", "x = 1\n"), ("", ""), ("a\n", "a\n")])
def test_a_suggestion_is_a_fix_of_whole_lines(suggestion: str, inserted: str) -> None:
    (result,) = run_of(finding(anchor=line_anchor("a.py", 9, start_line=7), suggestion=suggestion))["results"]

    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 7, "startColumn": 1, "endLine": 10, "endColumn": 1},
            "insertedContent": {"text": inserted},
        }
    ]


def test_messages_hold_no_embedded_link_placeholder_or_control_character() -> None:
    (result,) = run_of(finding("see [x](http://a.example) {0} \x1b[31m", body=""))["results"]

    assert result["message"]["text"] == r"see \[x](http://a.example) {{0} ⟨U+001B⟩[31m"


def test_provenance_names_repository_commit_and_branch_where_the_repository_has_a_place() -> None:
    uri = "https://forge.example/acme/rooms"

    assert "versionControlProvenance" not in run_of(finding())
    assert run_of(finding(), repository_uri=uri)["versionControlProvenance"] == [
        {
            "repositoryUri": uri,
            "revisionId": HEAD,
            "branch": "feature/invitations",
            "mappedTo": {"uriBaseId": "%SRCROOT%"},
        }
    ]
    assert run_of(finding())["properties"]["headSha"] == HEAD
