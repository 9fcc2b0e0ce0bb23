"""``draftgate config`` as people, editors and jobs call it: what is printed, where, and with which exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.git_builder import Link, Repo
from tests.program import Done, draftgate, program_environment

# The inputs that users broke bots with, under our keys: tabs, empty files, text where a list belongs, wrong types,
# aliases that multiply, tags, several documents, bytes that are no text, numbers of every wrong kind.
REPORTED: Mapping[str, tuple[bytes, tuple[str, ...]]] = {
    "tabs": (b"code_review:\n\tmax_findings: 10\n\tpraise: true\n", ("2:1: tabs are not allowed",)),
    "tab-before-comment": (b"code_review:\n  max_findings: 10\t# ten\n", ("2:19: tabs are not allowed",)),
    "empty": (b"", ()),
    "comments": (b"# nothing yet\n# max: 3\n", ()),
    "dashes": (b"---\n", ()),
    "byte-order-mark": (b"\xef\xbb\xbf", ()),
    "text-for-lists": (
        b"code_review: {paths: {exclude: docs/**}}\nskip: {labels: a, b: c}\nchecks: migrations\n",
        (
            "1:32  code_review.paths.exclude: expected a list, got the text 'docs/**' — write `exclude: [\"docs/**\"]`",
            "2:16  skip.labels: expected a list, got the text 'a' — write `labels: [a]`",
            "2:19  skip.b: there is no key 'b' here",
            "3:9  checks: expected keys with values, got the text 'migrations'",
        ),
    ),
    "wrong-types": (
        b"code_review: {max_findings: [10], paths: {exclude: {docs: true}}, critic: 'false'}\n",
        (
            "1:29  code_review.max_findings: expected a whole number, got a list",
            "1:52  code_review.paths.exclude: expected a list, got a mapping",
            "1:75  code_review.critic: expected true or false, got the text 'false' — write `critic: false`",
        ),
    ),
    "alias": (b"skip:\n  labels: &c ['*.lock', dist/**]\n  authors: *c\n", ()),
    "alias-bomb": (
        b"a: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 9)) for n in b"bcdefghi"),
        ("5:8: there are more than 10000 values",),
    ),
    "recursive": (b"skip: &a\n  - *a\n", ("2:5: this alias stands inside the block it repeats",)),
    "undefined-alias": (b"skip: *nope\n", ("1:7: the alias *nope has no anchor",)),
    "two-documents": (b"skip: {drafts: true}\n---\nskip: {drafts: false}\n", ("2:1: a second document begins here",)),
    "a-list": (b"- skip\n- draft\n", ("1:1: expected keys, got a list",)),
    "a-word": (b"enabled\n", ("1:1: expected keys, got the text 'enabled'",)),
    "tag": (
        b"draft: !!python/object/apply:os.system ['touch pwned']\n",
        ("1:8: tags are not read", "1:8  draft: expected"),
    ),
    "nul": (b"draft: h\x00ld\n", ("1:9: the character U+0000 is not allowed",)),
    "latin-1": (b"language: caf\xe9\n", ("1:14: this is not UTF-8 text",)),
    "utf-16": ("draft: held\n".encode("utf-16"), ("1:1: this is not UTF-8 text",)),
    "unclosed": (b"skip: {labels: ['a', 'b'\nx: 1\n", ("the list that opens at 1:16 is not closed",)),
    "numbers": (
        b"budgets: {tokens: '10', requests: -1, minutes: 0.5, usd: 1e99, wait_s: true, concurrency: 1e400}\n",
        (
            "1:19  budgets.tokens: expected a whole number, got the text '10' — write `tokens: 10`",
            "1:35  budgets.requests: expected at least 1, got the number -1",
            "1:48  budgets.minutes: expected a whole number, got the number 0.5",
            "1:58  budgets.usd: expected at most 100000, got the number 1e+99",
            "1:72  budgets.wait_s: expected a whole number, got true",
            "1:91  budgets.concurrency: expected a whole number, got the number inf",
        ),
    ),
    "a-huge-number": (
        b"code_review: {max_findings: 99999999999999999999}\n",
        ("1:29  code_review.max_findings: expected at most 10000, got the number 99999999999999999999",),
    ),
    "windows": (b"\xef\xbb\xbfskip:\r\n  labels:\r\n    - 'docs'\r\nbudgets: {minutes: 5}\r\n", ()),
    "merge-key": (b"skip: &s {drafts: true}\ncheckpoint:\n  <<: *s\n", ("3:3: merge keys are not read",)),
    "duplicate": (b"draft: held\ndraft: held\n", ("2:1: the key 'draft' is written twice, on line 1 and here",)),
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.create(tmp_path / "repository")


def _lines(done: Done) -> list[str]:
    return [
        line.removeprefix("draftgate.yml:") for line in done.stderr.splitlines() if line.startswith("draftgate.yml")
    ]


@pytest.mark.parametrize("name", REPORTED)
def test_reported_files_load_or_get_every_problem_with_its_place(name: str, repo: Repo) -> None:
    content, problems = REPORTED[name]
    repo.write({"draftgate.yml": content})

    done = draftgate("config", "check", cwd=repo.path, expect=2 if problems else 0)

    assert len(_lines(done)) == len(problems)
    for line, problem in zip(_lines(done), problems, strict=True):
        assert problem in line
    assert not (repo.path / "pwned").exists()


def test_the_check_answers_programs_in_json(repo: Repo) -> None:
    repo.write({"draftgate.yml": "skip: {draft: true}\nmodels: {standard: gpt-x}\n"})

    done = draftgate("config", "check", "--format", "json", cwd=repo.path, expect=2)

    assert done.document["ok"] is False
    assert done.document["problems"] == [
        {
            "file": "draftgate.yml",
            "line": 1,
            "column": 8,
            "key": "skip.draft",
            "wrong": "there is no key 'draft' here",
            "write": "did you mean `drafts`?",
        },
        {
            "file": "draftgate.yml",
            "line": 2,
            "column": 20,
            "key": "models.standard",
            "wrong": "expected a model as provider:model, got the text 'gpt-x'",
            "write": "write `standard: openai:gpt-x`",
        },
    ]


def test_the_check_says_which_file_it_read_and_what_does_nothing(repo: Repo) -> None:
    repo.write({".github/draftgate.yml": "gates: {max_rounds: 3}\n", "docs/a.md": "a\n"})

    done = draftgate("config", "check", cwd=repo.path / "docs", expect=0)

    assert done.stdout == (".github/draftgate.yml is fine.\nRead, and without effect in this release: gates.\n")


def test_no_file_is_fine_and_said(repo: Repo) -> None:
    done = draftgate("config", "check", cwd=repo.path, expect=0)

    assert done.stdout == (
        "There is no configuration file (draftgate.yml, .github/draftgate.yml, .gitlab/draftgate.yml); "
        "the defaults apply.\n"
    )


@pytest.mark.parametrize(
    "arguments", [("other.yml",), ("--config", "other.yml"), ("--config=missing.yml", "other.yml")]
)
def test_a_file_can_be_named(arguments: tuple[str, ...], repo: Repo) -> None:
    repo.write({"draftgate.yml": "broken: 1\n", "other.yml": "draft: held\n"})

    assert "other.yml is fine." in draftgate("config", "check", *arguments, cwd=repo.path, expect=0).stdout


def test_a_variable_can_name_the_file(repo: Repo) -> None:
    repo.write({"draftgate.yml": "broken: 1\n", "ci/review.yml": "draft: held\n"})
    environment = program_environment(DRAFTGATE_CONFIG="ci/review.yml")

    done = draftgate("config", "check", cwd=repo.path, environment=environment, expect=0)

    assert "ci/review.yml is fine." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("missing.yml",), "'missing.yml' is not there"),
        ((".",), "'.' is a folder"),
        (("link.yml",), "it is a symbolic link"),
        (("x" * 500,), "the file cannot be read"),
        (("-C", "nowhere"), "there is no folder 'nowhere'"),
        (("--format", "xml"), "there is no format 'xml'"),
    ],
    ids=["missing", "folder", "link", "long", "no-repository", "format"],
)
@pytest.mark.parametrize("command", ["check", "show"])
def test_what_cannot_be_read_is_said(command: str, arguments: tuple[str, ...], says: str, repo: Repo) -> None:
    repo.write({"link.yml": Link("/etc/hostname")})

    done = draftgate("config", command, *arguments, cwd=repo.path, expect=2)

    assert says in done.stderr
    assert done.stdout == ""


def test_show_says_where_each_value_comes_from_and_no_secret(repo: Repo) -> None:
    repo.write({"draftgate.yml": "version: 1\nskip:\n  labels: [wip]\n"})
    environment = program_environment() | {
        "DRAFTGATE_BUDGETS__MINUTES": "5",
        "DRAFTGATE_WORKTREE__ENV__MY_TOKEN": "hunter22",
        "DRAFTGATE_SIKP": "1",
    }

    text = draftgate("config", "show", cwd=repo.path, environment=environment, expect=0)
    document = draftgate("config", "show", "--format", "json", cwd=repo.path, environment=environment).document

    lines = text.stdout.splitlines()
    assert "skip.labels: [wip]  # draftgate.yml:3" in lines
    assert "budgets.minutes: 5  # DRAFTGATE_BUDGETS__MINUTES" in lines
    assert "draft: held  # default" in lines
    assert "DRAFTGATE_SIKP is no setting of Draftgate; did you mean DRAFTGATE_SKIP?" in text.stderr
    assert "hunter22" not in text.stdout + json.dumps(document)
    assert {"key": "skip.labels", "value": ["wip"], "origin": "draftgate.yml:3"} in document["settings"]
    assert len(document["settings"]) == len(lines)


def test_show_of_a_broken_file_shows_its_problems_and_nothing_else(repo: Repo) -> None:
    repo.write({"draftgate.yml": "draft: hold\n"})

    done = draftgate("config", "show", cwd=repo.path, expect=2)

    assert done.stdout == ""
    assert "draftgate.yml:1:8  draft: expected held or just-in-time, got the text 'hold' — write `draft: held`" in (
        done.stderr
    )


def test_the_schema_is_one(repo: Repo) -> None:
    Draft7Validator.check_schema(draftgate("config", "schema", cwd=repo.path, expect=0).document)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200)
    | st.text("{}[]:,-&*!?|>'\"#%@`<~. \t\r\n\\ab01", max_size=200).map(str.encode)
    | st.sampled_from(sorted(REPORTED))
    .map(lambda name: REPORTED[name][0])
    .flatmap(lambda content: st.integers(0, len(content)).map(lambda cut: content[:cut] + b"\xf0" + content[cut:]))
)
def test_no_file_ends_in_a_traceback_or_hangs(content: bytes, repo: Repo) -> None:
    repo.write({"draftgate.yml": content})

    done = draftgate("config", "check", cwd=repo.path)

    assert done.code in {0, 2}
    assert "Traceback" not in done.stderr
    assert (done.code == 2) is bool(_lines(done))
