"""Input that cannot be reviewed gets a sentence, a hint and the right exit code; and hostile input costs little."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.flawed_change import BRANCH
from tests.git_builder import Link, Repo
from tests.program import PROGRAM, draftgate, program_environment

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024

CONFIGURATIONS = {
    "not-yaml": ("version: 1\n  checks: [\n", "draftgate.yml:2:9"),
    "unknown-key": ("version: 1\nfrobnicate: yes\n", "draftgate.yml:2:1"),
    "wrong-type": ("version: 1\ncode_review:\n  max_findings: many\n", "draftgate.yml:3:17"),
    "unknown-check": ("version: 1\nchecks:\n  db.no-such: {enabled: true}\n", "draftgate.yml:3:3"),
    "duplicate-key": ("version: 1\nversion: 1\n", "draftgate.yml:2:1"),
    "python-tag": ("version: !!python/object/apply:os.system ['touch pwned']\n", "draftgate.yml:1:10"),
    "billion-laughs": (
        "version: 1\na: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
        "draftgate.yml:",
    ),
    "deeply-nested": ("version: 1\nchecks: " + "[" * 5000 + "]" * 5000 + "\n", "draftgate.yml:"),
    "nul-byte": ("version: 1\nchecks: \0\n", "draftgate.yml:"),
    "not-utf-8": (b"version: 1\nchecks: \xff\n", "draftgate.yml"),
    "a-list": ("- version: 1\n", "draftgate.yml:1:1"),
}


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    for command in ("review", "status", "approve", "finalize"):
        done = draftgate(command, cwd=tmp_path, expect=2)

        assert "is not in a git repository" in done.stderr
        assert "→" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", [".git", ".git/refs/heads"])
@pytest.mark.parametrize("command", ["review", "status", "approve", "finalize"])
def test_the_inside_of_a_git_directory_is_no_work_tree(reviewed: Repo, command: str, folder: str) -> None:
    """Taken for a bare repository, it would get a state of its own that nobody finds again."""
    done = draftgate(command, cwd=reviewed.path / folder, expect=2)

    assert "the inside of a git directory" in done.stderr
    assert "work tree" in done.stderr.partition("→")[2]
    assert not (reviewed.path / ".git" / ".draftgate").exists()


def test_a_repository_without_commits_is_refused(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)

    done = draftgate("review", cwd=repo.path, expect=2)

    assert "the repository has no commits" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("--base", "mian"), ("--head", "no-such-ref"), ("--base", "--output=x"), ("--base", "main\x1b[31m")],
    ids=["base", "head", "option", "escape"],
)
def test_a_ref_that_names_nothing_is_refused(flawed: Repo, arguments: tuple[str, str]) -> None:
    done = draftgate("review", *arguments, cwd=flawed.path, expect=2)

    assert "\x1b" not in done.stderr
    assert "→" in done.stderr
    assert not (flawed.path / ".draftgate").exists()


def test_a_ref_that_is_nearly_right_gets_a_suggestion(flawed: Repo) -> None:
    done = draftgate("review", "--base", "mian", cwd=flawed.path, expect=2)

    assert "did you mean main?" in done.stderr


def test_a_repository_without_default_branch_asks_for_a_base(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path, branch="trunk")
    repo.commit({"a.py": "x = 1\n"})
    repo.branch("work")
    repo.commit({"a.py": "x = 2\n"})

    done = draftgate("review", cwd=tmp_path, expect=2)

    assert "draftgate review --base REF" in done.stderr


def test_histories_that_never_meet_are_refused(flawed: Repo) -> None:
    flawed.git("checkout", "--quiet", "--orphan", "alone")
    flawed.commit()

    done = draftgate("review", cwd=flawed.path)

    assert done.code in {2, 5}, done.stderr
    assert "→" in done.stderr


@pytest.mark.parametrize("case", CONFIGURATIONS)
def test_a_broken_configuration_is_refused_with_its_place(flawed: Repo, case: str) -> None:
    content, place = CONFIGURATIONS[case]
    flawed.write({"draftgate.yml": content})

    done = draftgate("review", cwd=flawed.path, expect=2)

    assert place in done.stderr
    assert "in the configuration" in done.stderr
    assert not (flawed.path / "pwned").exists()
    assert not (flawed.path / ".draftgate").exists()


def test_every_problem_of_a_configuration_is_named_at_once(flawed: Repo) -> None:
    flawed.write({"draftgate.yml": "version: 1\nfrobnicate: 1\ncode_review:\n  max_findings: many\n"})

    done = draftgate("review", cwd=flawed.path, expect=2)

    assert "draftgate.yml:2:1" in done.stderr
    assert "draftgate.yml:4:17" in done.stderr
    assert "2 problems in the configuration" in done.stderr


def test_a_configuration_that_is_a_link_is_not_followed(flawed: Repo, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password: hunter2\n", encoding="utf-8")
    flawed.write({"draftgate.yml": Link(str(tmp_path / "secret"))})

    done = draftgate("review", cwd=flawed.path, expect=2)

    assert "symbolic link" in done.stderr
    assert "hunter2" not in done.stderr


_MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""
"""A process of its own, because a child's figure begins with the size of the process that started it."""


def test_a_line_of_100_megabytes_is_left_out_in_bounded_time_and_memory(flawed: Repo) -> None:
    flawed.write({"rooms/huge.py": b"x = '" + b"a" * 100_000_000 + b"'\n"})
    flawed.git("add", "rooms/huge.py")
    flawed.git("-c", "core.bigFileThreshold=1m", "commit", "--quiet", "-m", "huge")
    begun = time.monotonic()

    command = [sys.executable, "-c", _MEASURED, *PROGRAM, "review", "-o", "page"]
    process = subprocess.run(command, cwd=flawed.path, env=program_environment(), stdout=subprocess.PIPE, check=False)
    took_s = time.monotonic() - begun

    result = draftgate("review", "--format", "json", cwd=flawed.path, expect=0).document
    assert (process.returncode, result["findings"] != []) == (0, True)
    assert result["coverage"]["left_out"] == [{"path": "rooms/huge.py", "reason": "larger than 10 MiB"}]
    assert took_s < 30
    assert int(process.stdout) * MAXRSS_UNIT < 250_000_000  # git's included


def test_names_that_would_write_to_the_terminal_are_spelled_out(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"a.py": "def join(team):\n    return team\n", "b\x1b[31m.py": "from a import join\n\njoin(1)\n"})
    repo.branch("evil")
    repo.commit({"a.py": "def join(team, role):\n    return team\n"}, "title \x1b]0;owned\x07")

    for format_ in ("cards", "markdown", "json", "sarif"):
        done = draftgate("review", "--format", format_, cwd=tmp_path, expect=0)

        assert "\x1b" not in done.stdout
        assert "\x07" not in done.stdout


def test_a_later_subcommand_says_so(flawed: Repo) -> None:
    done = draftgate("sweep", "--org", "x", cwd=flawed.path, expect=2)

    assert "is not in this release" in done.stderr


def test_an_unknown_branch_has_no_review_to_approve(flawed: Repo) -> None:
    done = draftgate("approve", "--head", BRANCH + "x", cwd=flawed.path, expect=2)

    assert "draftgate review" in done.stderr
