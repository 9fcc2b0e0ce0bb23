"""What is said of workflow files: the examples are fine, and each thing that can be wrong with one has its row."""

from __future__ import annotations

import pytest

from draftgate.bootstrap.doctor.workflow_files import judge_texts
from draftgate.doctor.base import Area, Outcome, Verdict
from draftgate.doctor.examine import examine
from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import Fact, seen, unseen
from tests.fakes.doctor_room import WORKFLOW, example

MINIMAL, RECOMMENDED = example("minimal"), example("recommended")


def facts_of(*texts: str, permissions: Fact[str] | None = None, minutes: int = 15) -> WorkflowFacts:
    """Of a checkout that is also what the default branch holds."""
    files = {WORKFLOW if not number else f".github/workflows/{number}.yml": text for number, text in enumerate(texts)}
    return judge_texts(files, seen(files), permissions or seen("read"), minutes)


def verdicts(facts: WorkflowFacts) -> dict[str, list[Verdict]]:
    """By the name of the check."""
    found: dict[str, list[Verdict]] = {}
    for row in examine(Area.WORKFLOW, "", facts).rows:
        found.setdefault(row.check.removeprefix("workflow."), []).append(row.verdict)
    return found


def bad(facts: WorkflowFacts) -> dict[str, Outcome]:
    """What is not fine, by the name of the check."""
    return {
        name: verdict.outcome
        for name, said in verdicts(facts).items()
        for verdict in said
        if verdict.outcome is not Outcome.OK
    }


@pytest.mark.parametrize("text", [MINIMAL, RECOMMENDED], ids=["minimal", "recommended"])
def test_an_example_is_fine(text: str) -> None:
    assert bad(facts_of(text)) == {}


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


CASES = {
    "no comments": (changed(MINIMAL, "  issue_comment:", "  issues:"), {"events": Outcome.WRONG}),
    "no pull requests": (changed(MINIMAL, "  pull_request:\n", "  push_request:\n"), {"events": Outcome.WRONG}),
    "both kinds of pull requests": (
        changed(MINIMAL, "  pull_request:\n", "  pull_request_target:\n  pull_request:\n").replace(
            "github.event_name == 'pull_request'",
            "github.event_name == 'pull_request' || github.event_name == 'pull_request_target'",
        ),
        {"events": Outcome.WARNING},
    ),
    "a kind of event is missing": (changed(MINIMAL, ", closed]", "]"), {"events": Outcome.WARNING}),
    "no types, so that GitHub's three count": (
        changed(MINIMAL, "    types: [opened, reopened, synchronize, ready_for_review, labeled, closed]\n", ""),
        {"events": Outcome.WARNING},
    ),
    "a permission is missing": (
        changed(MINIMAL, "      checks: write", "      statuses: write"),
        {"permissions": Outcome.WRONG},
    ),
    "a permission only reads": (
        changed(MINIMAL, "pull-requests: write # to submit", "pull-requests: read # to submit"),
        {"permissions": Outcome.WRONG},
    ),
    "reactions cannot be written": (
        changed(MINIMAL, "      issues: write", "      issues: read"),
        {"permissions": Outcome.WRONG},
    ),
    "everything may be written": (
        MINIMAL.replace("permissions: {}", "permissions: write-all").replace("    permissions:\n", "    x:\n"),
        {"permissions": Outcome.WARNING},
    ),
    "no permissions are named": (
        MINIMAL.replace("permissions: {}", "x: {}").replace("    permissions:\n", "    x:\n"),
        {"permissions": Outcome.WRONG},
    ),
    "the example as it was copied": (changed(MINIMAL, "acme/draftgate", "OWNER/draftgate"), {"pinned": Outcome.WRONG}),
    "a commit of zeros": (
        changed(MINIMAL, "0123456789abcdef0123456789abcdef01234567", "0" * 40),
        {"pinned": Outcome.WRONG},
    ),
    "a tag": (changed(MINIMAL, "0123456789abcdef0123456789abcdef01234567", "v1"), {"pinned": Outcome.WARNING}),
    "commands in a group": (
        changed(MINIMAL, "  commands:\n", "  commands:\n    concurrency: commands\n"),
        {"concurrency": Outcome.WRONG},
    ),
    "a group around everything": (
        changed(MINIMAL, "jobs:\n", "concurrency: all\njobs:\n"),
        {"concurrency": Outcome.WRONG},
    ),
    "too little time": (changed(MINIMAL, "timeout-minutes: 20", "timeout-minutes: 15"), {"timeout": Outcome.WARNING}),
}


@pytest.mark.parametrize("case", CASES)
def test_one_thing_that_is_not_as_it_should_be(case: str) -> None:
    text, expected = CASES[case]

    found = bad(facts_of(text))

    if case == "both kinds of pull requests":
        assert any("two reviews of every push" in verdict.says for verdict in verdicts(facts_of(text))["events"])
    assert found == expected


def with_steps(text: str, *lines: str) -> str:
    """The workflow with further steps before each step of Draftgate."""
    steps = "".join(f"      {line}\n" for line in lines)
    return text.replace("    steps:\n", f"    steps:\n{steps}")


@pytest.mark.parametrize(
    "lines",
    [
        ("- uses: actions/checkout@v4", "  with:", "    ref: ${{ github.event.pull_request.head.sha }}"),
        ("- uses: actions/checkout@v4", "  with:", "    ref: refs/pull/${{ github.event.number }}/merge"),
        (
            "- uses: actions/checkout@v4",
            "  with:",
            "    repository: ${{ github.event.pull_request.head.repo.full_name }}",
        ),
        ('- run: gh pr checkout "$NUMBER"',),
        ("- run: git fetch origin pull/7/head && git checkout FETCH_HEAD",),
    ],
    ids=["head", "merge", "repository", "gh", "git"],
)
def test_a_checkout_of_the_change_where_secrets_are(lines: tuple[str, ...]) -> None:
    assert bad(facts_of(with_steps(RECOMMENDED, *lines)))["checkout"] is Outcome.WRONG


def test_a_checkout_of_the_base_that_is_whole_and_leaves_nothing_behind_is_fine() -> None:
    lines = ("- uses: actions/checkout@v4", "  with:", "    fetch-depth: 0", "    persist-credentials: false")

    assert bad(facts_of(with_steps(RECOMMENDED, *lines))) == {}


def test_a_shallow_checkout_that_leaves_its_token_behind_is_two_warnings() -> None:
    said = verdicts(facts_of(with_steps(MINIMAL, "- uses: actions/checkout@v4")))["checkout"]

    assert {verdict.outcome for verdict in said} == {Outcome.WARNING}
    assert {line for verdict in said for line in verdict.lines} >= {"  persist-credentials: false", "  fetch-depth: 0"}


@pytest.mark.parametrize(
    ("step", "name"),
    [
        ("uses: Codium-ai/pr-agent@main", "PR-Agent"),
        ("uses: docker://codiumai/pr-agent:latest", "PR-Agent"),
        ("uses: reviewdog/action-eslint@v1", "reviewdog"),
        ("run: rubocop | reviewdog -f=rubocop -reporter=github-pr-review", "reviewdog"),
        ("uses: danger/danger-js@12", "Danger"),
        ("run: npx danger ci", "Danger"),
        ("uses: anthropics/claude-code-action@v1", "Claude Code"),
        ("uses: coderabbitai/ai-pr-reviewer@latest", "CodeRabbit"),
        ('run: gh pr review "$N" --comment -b "hello"', "a script that writes reviews"),
    ],
)
def test_another_bot_is_known_by_its_name(step: str, name: str) -> None:
    other = f"on: pull_request\njobs:\n  it:\n    steps:\n      - {step}\n"

    shared = verdicts(facts_of(MINIMAL, other))["other-bots"]
    own = verdicts(facts_of(RECOMMENDED, other))["other-bots"]

    assert [verdict.outcome for verdict in shared] == [Outcome.WARNING]
    assert f"{name} in .github/workflows/1.yml" in shared[0].says
    assert [verdict.outcome for verdict in own] == [Outcome.OK]


def test_what_the_settings_give_counts_where_a_file_names_nothing() -> None:
    text = CASES["no permissions are named"][0]

    assert bad(facts_of(text, permissions=seen("write"))) == {"permissions": Outcome.WARNING}
    assert bad(facts_of(text, permissions=unseen("403"))) == {"permissions": Outcome.UNSEEN}


def test_no_workflow_with_draftgate_is_one_warning() -> None:
    assert bad(facts_of("on: push\njobs: {test: {steps: [{run: make}]}}")) == {"present": Outcome.WARNING}
    assert bad(facts_of()) == {"present": Outcome.WARNING}


@pytest.mark.parametrize(
    "text",
    ["on: [", "- a\n- b\n", "", "a: 1\n---\nb: 2\n", "x" * 600_000, "[" * 5_000, "a: &a [*a]\n- b", "\t:\x00"],
    ids=["cut", "list", "empty", "two", "huge", "deep", "loop", "tab"],
)
def test_a_file_that_is_no_workflow(text: str) -> None:
    assert bad(facts_of(MINIMAL, text)) == {"present": Outcome.WRONG}


@pytest.mark.parametrize(
    "text",
    [
        "on: 7\njobs: 7\npermissions: [a]",
        "on: {pull_request: [a], issue_comment: {types: {a: b}}}\njobs: {a: {steps: {uses: draftgate}}, b: 3, c: []}",
        "on: {issue_comment: }\njobs: {a: {if: [x], permissions: 4, steps: [7, [], {uses: [acme/draftgate@v1]}]}}",
        "on: issue_comment\njobs: {a: {timeout-minutes: 1e9, environment: [x], steps: [{uses: acme/draftgate@v1}]}}",
    ],
)
def test_a_file_of_another_form_is_judged_all_the_same(text: str) -> None:
    assert verdicts(facts_of(text))["present"]


def test_files_that_nobody_could_see_are_nothing_good() -> None:
    facts = judge_texts(None, unseen("GitHub did not answer"), unseen("it did not"), 15)

    assert {verdict.outcome for said in verdicts(facts).values() for verdict in said} == {Outcome.UNSEEN}


def test_a_file_that_is_another_one_on_the_default_branch() -> None:
    absent = judge_texts({WORKFLOW: MINIMAL}, seen({}), seen("read"), 15)
    other = judge_texts({WORKFLOW: MINIMAL}, seen({WORKFLOW: RECOMMENDED}), seen("read"), 15)

    assert bad(absent) == bad(other) == {"default-branch": Outcome.WARNING}
    assert "not on the default branch yet" in verdicts(absent)["default-branch"][0].says
    assert "another one on the default branch" in verdicts(other)["default-branch"][0].says
