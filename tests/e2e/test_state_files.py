"""What stands in a state file's place and is none: refused with a sentence, at once, and removed where it can be."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.forge.local.folder import SIZE_LIMIT
from tests.forging import one
from tests.git_builder import Repo
from tests.program import Done, draftgate

KINDS = ("session", "draft", "scope")
DEEP = 5_000
TOO_DEEP = {
    "lists": b"[" * DEEP + b"]" * DEEP,
    "never-closed": b'{"content":' * DEEP,
    "in-its-content": b'{"schema": "draftgate/session/v1", "digest": "", "content": '
    + b"[" * DEEP
    + b"]" * DEEP
    + b"}",
    "less-deep": b'{"schema": "draftgate/session/v1", "digest": "", "content": ' + b"[" * 700 + b"]" * 700 + b"}",
}


def put_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def put_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def make_unreadable(file: Path) -> None:
    file.chmod(0)


def put_too_much(file: Path) -> None:
    os.truncate(file, SIZE_LIMIT.value + 1)


OBSTACLES = [
    put_folder,
    put_pipe,
    pytest.param(make_unreadable, marks=pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")),
    put_too_much,
]


def assert_refused(done: Done, *codes: int) -> None:
    assert done.code in codes, done
    assert "→" in done.stderr
    assert "Traceback" not in done.stderr


def published(repo: Repo) -> list[Path]:
    return list((repo.path / ".draftgate").glob("review-*"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("obstruct", OBSTACLES)
def test_nothing_is_approved_from_what_is_no_state_file(
    reviewed: Repo, obstruct: Callable[[Path], None], kind: str
) -> None:
    file = one(reviewed, kind)
    obstruct(file)

    done = draftgate("approve", cwd=reviewed.path)

    assert_refused(done, 4, 5)
    assert file.name in done.stderr
    assert published(reviewed) == []


@pytest.mark.parametrize("command", ["status", "review", "finalize"])
def test_every_command_names_what_it_cannot_read_and_leaves_it(reviewed: Repo, command: str) -> None:
    file = one(reviewed, "session")
    put_folder(file)

    done = draftgate(command, cwd=reviewed.path)

    assert_refused(done, 4, 5)
    assert file.name in done.stderr
    assert file.exists()


def test_a_folder_in_the_place_of_the_page_of_a_review_is_not_published_over(reviewed: Repo) -> None:
    checkpoint = next((reviewed.path / ".draftgate").glob("checkpoint-*"))
    put_folder(checkpoint)

    done = draftgate("approve", "1", cwd=reviewed.path)

    assert_refused(done, 4, 5)
    assert published(reviewed) == []


@pytest.mark.parametrize("case", TOO_DEEP)
def test_a_session_that_is_nested_too_deep_is_refused_and_can_be_removed(reviewed: Repo, case: str) -> None:
    one(reviewed, "session").write_bytes(TOO_DEEP[case])

    refused = [draftgate(command, cwd=reviewed.path) for command in ("status", "review", "approve")]
    removed = draftgate("finalize", cwd=reviewed.path, expect=0)
    again = draftgate("review", "--format", "json", cwd=reviewed.path, expect=0).document

    for done in refused:
        assert_refused(done, 5)
        assert len(done.stderr) < 1_000
    assert "could not be read" in removed.stdout
    assert (again["round"], len(again["findings"])) == (1, 3)


@pytest.mark.parametrize("kind", ["draft", "scope"])
def test_a_draft_or_scope_that_is_nested_too_deep_is_refused(reviewed: Repo, kind: str) -> None:
    one(reviewed, kind).write_bytes(TOO_DEEP["lists"])

    assert_refused(draftgate("approve", cwd=reviewed.path), 5)
    assert published(reviewed) == []


def test_a_published_review_that_is_nested_too_deep_is_refused(reviewed: Repo) -> None:
    draftgate("approve", "1", cwd=reviewed.path, expect=0)
    one(reviewed, "review").write_bytes(TOO_DEEP["lists"])

    assert_refused(draftgate("approve", "1", cwd=reviewed.path), 5)


def test_a_number_that_is_too_long_to_be_read_is_refused(reviewed: Repo) -> None:
    """Python reads at most 4,300 digits (https://docs.python.org/3/library/stdtypes.html#int-max-str-digits)."""
    session = one(reviewed, "session")
    session.write_bytes(session.read_bytes().replace(b'"round":1', b'"round":' + b"1" * 5_000, 1))

    assert_refused(draftgate("status", cwd=reviewed.path), 5)
    draftgate("finalize", cwd=reviewed.path, expect=0)


@pytest.mark.parametrize("word", ["NaN", "1.0", "true"])
def test_a_number_that_is_written_in_another_way_is_refused(reviewed: Repo, word: str) -> None:
    session = one(reviewed, "session")
    document = json.loads(session.read_text(encoding="utf-8"))
    assert document["content"]["round"] == 1
    session.write_bytes(session.read_bytes().replace(b'"round":1', f'"round":{word}'.encode(), 1))

    assert_refused(draftgate("approve", cwd=reviewed.path), 5)
    assert published(reviewed) == []
