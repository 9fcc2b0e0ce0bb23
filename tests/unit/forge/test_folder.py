"""The state folder: whole files, never through a link, nothing left behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from draftgate.errors import IntegrityError, Unavailable, UsageError
from draftgate.forge.local.folder import SIZE_LIMIT, StateFolder


def never() -> None:
    raise AssertionError("nobody else holds the lock")


def test_what_was_written_is_read_back_and_git_ignores_it(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)

    folder.write("session-a.json", b"one")
    folder.write("session-a.json", b"two")

    assert folder.read("session-a.json") == b"two"
    assert folder.names() == ("session-a.json",)
    assert (tmp_path / ".draftgate" / ".gitignore").read_text().endswith("*\n")


def test_a_missing_file_is_absent_and_reading_creates_nothing(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)

    assert folder.read("session-a.json") is None
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_refused_on_read_and_on_write(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    folder.write("other.json", b"x")
    secret = tmp_path / "secret"
    secret.write_text("private")
    (folder.path / "session-a.json").symlink_to(secret)

    with pytest.raises(IntegrityError, match="symbolic link"):
        folder.read("session-a.json")
    with pytest.raises(IntegrityError, match="not a regular file"):
        folder.write("session-a.json", b"overwritten")

    assert secret.read_text() == "private"


def test_a_linked_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / ".draftgate").symlink_to(elsewhere)

    with pytest.raises(IntegrityError, match="not a folder"):
        StateFolder(tmp_path).write("session-a.json", b"x")

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", "a\0b", "x" * 300])
def test_only_plain_names_are_files_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = StateFolder(tmp_path)

    with pytest.raises(IntegrityError, match="plain file name"):
        folder.write(name, b"x")


def test_a_pipe_in_a_files_place_does_not_hang(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    folder.write("other.json", b"x")
    os.mkfifo(folder.path / "session-a.json")

    with pytest.raises(IntegrityError, match="not a regular file"):
        folder.read("session-a.json")


def test_what_a_killed_write_left_is_swept_under_the_lock(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    folder.write("session-a.json", b"x")
    (folder.path / ".tmp-deadbeef").write_bytes(b"half")

    with folder.locked(never):
        assert not (folder.path / ".tmp-deadbeef").exists()

    assert folder.read("session-a.json") == b"x"


def test_a_place_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be read or written") as caught:
        StateFolder(tmp_path / "absent").write("session-a.json", b"x")

    assert "give the command again" in caught.value.hint


def test_more_than_can_be_read_again_is_not_written(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    folder.write("a.json", b"old")

    with pytest.raises(UsageError, match="would be larger") as caught:
        folder.write("a.json", b"x" * (SIZE_LIMIT.value + 1))

    assert "a.json" in str(caught.value)
    assert folder.read("a.json") == b"old"
    assert list(folder.path.glob(".tmp-*")) == []
