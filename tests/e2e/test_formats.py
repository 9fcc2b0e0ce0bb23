"""The result in every format, where it is written, and the exit codes that depend on it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.flawed_change import BRANCH, COLUMN, REMINDER, TITLE, WELCOME
from tests.git_builder import Repo
from tests.program import PROGRAM, draftgate, program_environment

RESULT_KEYS = set(
    "schema change base_sha head_sha round findings dropped requirements previous recommended_verdict coverage usage"
    " timing".split()
)
FINDING_KEYS = set(
    "number id check source label decorations severity confidence category subject body anchor evidence related"
    " suggestion scope previously_raised caught_by".split()
)


def test_json_has_exactly_the_published_keys(reviewed: Repo) -> None:
    result = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    assert set(result) == RESULT_KEYS
    assert [set(finding) for finding in result["findings"]] == [FINDING_KEYS] * 3
    assert set(result["change"]) == {"forge", "repository", "number", "title", "url"}
    assert set(result["findings"][0]["anchor"]) == {"kind", "path", "side", "start_line", "line"}
    assert set(result["findings"][0]["evidence"]) == {"path", "start_line", "lines"}
    assert set(result["findings"][0]["related"][0]) == {"path", "line"}
    assert set(result["coverage"]) == {"files", "reviewed", "left_out"}
    assert result["usage"] == {
        "requests": {"forge": 0, "llm": 0},
        "tokens": {"input": 0, "output": 0},
        "usd": 0.0,
    }
    assert set(result["timing"]) == {"automated_s"}
    assert set(result["previous"]) == {"addressed", "unresolved"}


def test_json_says_what_was_found(reviewed: Repo) -> None:
    result = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    blocker, welcome, reminder = result["findings"]
    assert (result["schema"], result["round"]) == ("draftgate/result/v1", 1)
    assert result["base_sha"] == reviewed.sha("main")
    assert result["head_sha"] == reviewed.head
    assert result["recommended_verdict"] == "request-changes"
    assert [each["number"] for each in result["findings"]] == [COLUMN, WELCOME, REMINDER]
    assert (blocker["check"], blocker["severity"], blocker["decorations"]) == (
        "db.column-removed",
        "blocker",
        ["blocking"],
    )
    assert (welcome["severity"], welcome["source"], welcome["caught_by"]) == (
        "important",
        ["builtin"],
        "review/1/builtin",
    )
    assert welcome["anchor"] == {
        "kind": "line",
        "path": "rooms/mail.py",
        "side": "RIGHT",
        "start_line": None,
        "line": 1,
    }
    assert reminder["related"] == [{"path": "rooms/jobs.py", "line": 9}]
    assert len({each["id"] for each in result["findings"]}) == 3


def test_sarif_is_version_2_1_0_with_a_rule_and_a_place_for_each_result(reviewed: Repo) -> None:
    log = draftgate("review", "--format", "sarif", cwd=reviewed.path, expect=0).document

    [run] = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    places = [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for result in run["results"]
    ]
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    assert {rule for rule, *_ in places} <= rules
    assert places == [
        ("db.column-removed", "error", "rooms/migrations/0002_remove_plan.py", 8),
        ("impact.callers", "warning", "rooms/mail.py", 1),
        ("impact.callers", "warning", "rooms/mail.py", 5),
    ]


def test_markdown_is_the_checkpoint(reviewed: Repo) -> None:
    page = draftgate("review", "--format", "markdown", cwd=reviewed.path, expect=0).stdout

    [kept] = (reviewed.path / ".draftgate").glob("checkpoint-*.md")
    assert page == kept.read_text(encoding="utf-8")
    assert page.startswith("### Draftgate · 3 findings wait for your approval")
    assert f"**{TITLE}** · `{BRANCH}` against `main`" in page
    assert page.count("- [ ] **") == 3


def test_cards_show_every_finding_in_order_and_what_to_do_next(reviewed: Repo) -> None:
    done = draftgate("review", cwd=reviewed.path, expect=0)

    places = [done.stdout.index(f"══ {number} of 3 ══") for number in (1, 2, 3)]
    assert places == sorted(places)
    assert "Nothing has been posted. Recommended: request changes" in done.stdout
    assert "draftgate approve" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("format_", ["json", "sarif"])
def test_a_result_is_written_to_a_file_and_nothing_to_stdout(reviewed: Repo, tmp_path: Path, format_: str) -> None:
    done = draftgate("review", "--format", format_, "-o", str(tmp_path / "result"), cwd=reviewed.path, expect=0)

    assert done.stdout == ""
    assert json.loads((tmp_path / "result").read_text(encoding="utf-8"))


def test_a_file_that_cannot_be_written_is_refused(reviewed: Repo) -> None:
    done = draftgate("review", "-o", "no/such/folder/result", cwd=reviewed.path, expect=2)

    assert "no/such/folder/result" in done.stderr


@pytest.mark.parametrize(("level", "code"), [("none", 0), ("blocker", 1), ("any", 1)], ids=["none", "blocker", "any"])
def test_findings_fail_the_run_only_when_asked_to(reviewed: Repo, level: str, code: int) -> None:
    draftgate("review", "--fail-on", level, cwd=reviewed.path, expect=code)


def test_a_blocker_that_is_not_there_fails_nothing(flawed: Repo) -> None:
    flawed.write({"draftgate.yml": "version: 1\nchecks:\n  db.column-removed: {enabled: false}\n"})

    draftgate("review", "--fail-on", "blocker", cwd=flawed.path, expect=0)
    draftgate("review", "--fail-on", "any", cwd=flawed.path, expect=1)


REFUSED_OPTIONS = {
    "own": ("--own", "not in this release"),
    "issue": ("--issue", "ENG-302", "not in this release"),
    "agent": ("--agents", "builtin,corectness", "did you mean `correctness`?"),
    "later-format": ("--format", "html", "write one of cards, json, markdown, sarif"),
    "unknown-format": ("--format", "xml", "there is no format 'xml'"),
    "fail-on": ("--fail-on", "warnings", "none, blocker, any"),
    "worktree-and-head": ("--worktree", "--head", "main", "leave one of them out"),
    "number": ("17", "on a forge is not in this release"),
    "url": ("https://example.invalid/owner/name/pull/1", "on a forge is not in this release"),
    "no-such-folder": ("no-such-folder", "there is no folder 'no-such-folder'"),
}


@pytest.mark.parametrize("case", REFUSED_OPTIONS)
def test_an_option_that_is_not_possible_is_refused_with_a_sentence(reviewed: Repo, case: str) -> None:
    *arguments, message = REFUSED_OPTIONS[case]

    done = draftgate("review", *arguments, cwd=reviewed.path, expect=2)

    assert message in done.stderr
    assert done.stdout == ""


def test_agents_builtin_is_what_runs_anyway(reviewed: Repo) -> None:
    draftgate("review", "--agents", "builtin", cwd=reviewed.path, expect=0)


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["terminal", "no-color", "dumb"],
)
def test_only_a_terminal_that_wants_colours_gets_them(
    reviewed: Repo, variables: dict[str, str], *, is_coloured: bool
) -> None:
    ours, theirs = os.openpty()
    ran = subprocess.run(
        [*PROGRAM, "status"], cwd=reviewed.path, env=program_environment(**variables), stdout=theirs, check=True
    )
    os.close(theirs)
    written = os.read(ours, 65536)
    os.close(ours)

    assert ran.returncode == 0
    assert b"Phase: awaiting-approval" in written
    assert (b"\x1b[" in written) is is_coloured
