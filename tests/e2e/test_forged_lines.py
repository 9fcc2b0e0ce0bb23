"""A file name may hold newlines, colours and marks that turn the direction: none of them writes a line of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git_builder import Repo
from tests.program import Done, draftgate

LINE = "FORGED"
FOLDER = f"t\n{LINE}\r\n\x1b[2K\u202e"  # short, so that no line is wrapped before the word
BEFORE = {
    f"{FOLDER}/mail.py": "def send(team):\n    return team\n",
    f"{FOLDER}/jobs.py": "from .mail import send\n\nsend(1)\n",
}
AFTER = {f"{FOLDER}/mail.py": "def send(team, role):\n    return team\n", f"{FOLDER}/n\n{LINE}\x85\u2028.txt": "x\n"}

NEVER = "\x1b\x07\r\u202e\x85\u2028\u2029"


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A finding in a file of such a name, a file of such a name that is left out, and an uncommitted one."""
    repo = Repo.create(tmp_path_factory.mktemp("forged") / "rooms")
    repo.commit(BEFORE)
    repo.branch("work")
    repo.commit(AFTER, f"title\x1b[31m\u202e\r{LINE}\x07")
    repo.write({f"{FOLDER}/jobs.py": "x = 1\n"})
    done = draftgate("review", "--format", "json", cwd=repo.path, expect=0)
    assert [finding["anchor"]["path"] for finding in done.document["findings"]] == [f"{FOLDER}/mail.py"]
    return repo


def assert_not_forged(text: str) -> None:
    assert LINE in text
    assert [line for line in text.splitlines() if line.lstrip("│┃ >-#*").startswith(LINE)] == []
    assert [character for character in NEVER if character in text] == []


COMMANDS = {
    "cards": ("review",),
    "forced": ("review", "--force"),
    "markdown": ("review", "--format", "markdown"),
    "status": ("status",),
    "preview": ("do", "/preview-findings"),
    "counts": ("do", "/relabel-finding 1 todo"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_output_holds_a_forged_line(forged: Repo, command: str) -> None:
    done = draftgate(*COMMANDS[command], cwd=forged.path, expect=0)

    assert_not_forged(done.stdout)


def test_notes_are_one_line_each(forged: Repo) -> None:
    done = draftgate("review", cwd=forged.path, expect=0)

    assert_not_forged(done.stderr)
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("format_", ["json", "sarif"])
def test_a_document_spells_such_characters_out(forged: Repo, format_: str) -> None:
    done = draftgate("review", "--format", format_, cwd=forged.path, expect=0)

    assert [character for character in NEVER if character in done.stdout] == []


def test_the_checkpoint_holds_no_forged_line(forged: Repo) -> None:
    [checkpoint] = (forged.path / ".draftgate").glob("checkpoint-*.md")

    assert_not_forged(_text(checkpoint))


def test_the_submitted_review_holds_no_forged_line(forged: Repo) -> None:
    submitted = draftgate("approve", "1", cwd=forged.path, expect=0)
    status = draftgate("status", cwd=forged.path, expect=0)
    again = draftgate("approve", "1", cwd=forged.path, expect=0)

    [page] = (forged.path / ".draftgate").glob("review-*.md")
    for text in (submitted.stdout, status.stdout, again.stdout, _text(page)):
        assert_not_forged(text)


@pytest.mark.parametrize("option", ["--base", "--head", "--format", "--config"])
def test_a_refusal_repeats_what_was_written_in_one_line(forged: Repo, option: str) -> None:
    done = draftgate("review", option, f"x\n{LINE}\x1b[31m\u202e", cwd=forged.path, expect=2)

    _assert_two_lines(done)


def test_a_path_that_is_refused_is_repeated_in_one_line(forged: Repo) -> None:
    done = draftgate("review", FOLDER, cwd=forged.path / ".git", expect=2)

    _assert_two_lines(done)


def _assert_two_lines(done: Done) -> None:
    """What is wrong, and what to do."""
    assert [line[:4] for line in done.stderr.splitlines()] == ["draf", "  → "]
    assert [character for character in NEVER if character in done.stderr] == []


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8")
