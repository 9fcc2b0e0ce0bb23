"""The changed files at both commits without a clone, read through GitLab's API."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileStatus
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.errors import EvidenceError, PermissionDenied
from draftgate.forge.gitlab import contents as module
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.contents import FILES_LIMIT, read_contents
from tests.git_builder import Repo
from tests.unit.forge.github.change_on_github import HEAD, ROWS, flawed_source
from tests.unit.forge.github.scripted_api import Answer, ScriptedApi
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab

BASE_SHA, HEAD_SHA = CommitSha("b" * 40), CommitSha("c" * 40)


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path / "gitlab", flawed_source(tmp_path / "source")) as found:
        yield found


def test_both_sides_of_every_file_are_read_with_their_ids(gitlab: OnGitLab) -> None:
    git = gitlab.scenario.project.git
    contents = read_contents(gitlab.connect(), gitlab.change())

    files = {file.path: file for file in contents.change.files}
    assert contents.base.read("app.py") == ROWS
    assert contents.head.read("app.py") == HEAD["app.py"]
    assert (contents.base.read("moved.py"), contents.head.read("moved.py")) == (f"{ROWS}here\n", None)
    assert contents.head.read("there.py") == f"{ROWS}there\n"
    assert (contents.base.read("gone.py"), contents.head.read("gone.py")) == ("x = 1\n", None)
    assert contents.head.read("docs/Größe 1.md") == "two"
    assert contents.head.read("empty.txt") == ""
    assert files["app.py"].old_blob == git.sha(f"{gitlab.merge_base}:app.py")
    assert files["there.py"].old_blob == git.sha(f"{gitlab.merge_base}:moved.py")
    assert files["gone.py"].new_blob is None
    assert contents.change.names_objects


def test_what_is_no_source_is_not_read_as_one(gitlab: OnGitLab) -> None:
    contents = read_contents(gitlab.connect(), gitlab.change())

    assert contents.unread == {"logo.png": "binary"}
    assert (contents.base.read("link"), contents.head.read("link")) == ("text\n", None)
    assert contents.head.read("libs/ext") is None
    assert contents.head.read("untouched.py") is None
    assert contents.head.read("logo.png") is None
    assert not [line for line in gitlab.asked() if "libs" in line]


def test_it_costs_one_request_for_each_side(gitlab: OnGitLab) -> None:
    change = gitlab.change()
    before = len(gitlab.simulator.log)

    read_contents(gitlab.connect(), change)

    sides = [path for file in change.files for path in (file.old_path, file.new_path) if path not in {None, "libs/ext"}]
    assert len(gitlab.asked(before)) == len(sides)


def one_file(path: str = "a.py") -> ProviderChange:
    file = ProviderFile(FileStatus.MODIFIED, path, path, None, None, additions=1, deletions=1, patch=None)
    return ProviderChange(BASE_SHA, HEAD_SHA, merge_base=BASE_SHA, distance=None, files=(file,), sources=())


def blob(content: bytes, **more: object) -> Answer:
    return Answer(200, {"blob_id": "1" * 40, "content": base64.b64encode(content).decode(), **more})


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (blob(b"x = 1\r\n"), "x = 1\r\n"),
        (blob(b""), ""),
        (blob("Größe".encode()), "Größe"),
        (blob("Größe".encode("latin-1")), "Gr\ufffd\ufffde"),
        (blob(b"\0one"), None),
        (blob(b"x" * 7999 + b"\0"), None),
        (Answer(200, {"blob_id": "1" * 40, "content": "A"}), None),
        (Answer(200, {"blob_id": "1" * 40, "content": None}), ""),
    ],
    ids=["CRLF", "empty", "UTF-8", "Latin-1", "binary", "binary further down", "no base64", "no content"],
)
def test_a_blob_is_the_text_that_it_is(
    answer: Answer, text: str | None, api: ScriptedApi, connection: Connection
) -> None:
    api.script(answer, blob(b"new"))

    contents = read_contents(connection, one_file())

    assert contents.base.read("a.py") == text
    assert contents.unread == ({"a.py": "binary"} if text is None else {})


def test_a_path_is_one_part_of_the_address(api: ScriptedApi, connection: Connection) -> None:
    api.script(blob(b"old"), blob(b"new"))

    read_contents(connection, one_file("docs/Größe 1?.md"))

    assert [request.path for request in api.received] == [
        f"/api/v4/projects/7/repository/files/docs%2FGr%C3%B6%C3%9Fe%201%3F.md?ref={commit}"
        for commit in (BASE_SHA, HEAD_SHA)
    ]


def test_a_side_that_is_not_there_is_absent_and_one_that_may_not_be_read_is_an_error(
    api: ScriptedApi, connection: Connection
) -> None:
    api.script(Answer(404, {"message": "404 File Not Found"}), blob(b"new"), Answer(403, {"message": "403 Forbidden"}))

    contents = read_contents(connection, one_file())

    assert (contents.base.read("a.py"), contents.head.read("a.py")) == (None, "new")
    assert contents.change.files[0].old_blob is None
    with pytest.raises(PermissionDenied):
        read_contents(connection, one_file())


def test_text_beyond_the_limit_is_named_and_counts_as_absent(
    api: ScriptedApi, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TEXT_LIMIT", dataclasses.replace(module.TEXT_LIMIT, value=10))
    api.script(blob(b"x" * 8), blob(b"y" * 8))

    contents = read_contents(connection, one_file())

    assert (contents.base.read("a.py"), contents.head.read("a.py")) == ("x" * 8, None)
    assert "beyond the first" in contents.unread["a.py"]


def test_too_many_files_are_refused_before_anything_is_asked(api: ScriptedApi, connection: Connection) -> None:
    [file] = one_file().files
    change = dataclasses.replace(one_file(), files=(file,) * (FILES_LIMIT.value + 1))

    with pytest.raises(EvidenceError, match="at most 500, and this change has 501") as refused:
        read_contents(connection, change)

    assert "fetch" in refused.value.hint
    assert api.received == []


def test_an_edit_in_a_renamed_file_is_read_under_both_names(tmp_path: Path) -> None:
    source = Repo.create(tmp_path / "source")
    source.commit({"a b/old#1.py": ROWS})
    source.branch("feature")
    source.commit({"a b/old#1.py": None, "neu/größer.py": f"{ROWS}more\n"})

    with on_gitlab(tmp_path / "gitlab", source) as gitlab:
        contents = read_contents(gitlab.connect(), gitlab.change())

    assert contents.base.read("a b/old#1.py") == ROWS
    assert contents.head.read("neu/größer.py") == f"{ROWS}more\n"
