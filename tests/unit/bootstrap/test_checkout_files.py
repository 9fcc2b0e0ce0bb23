"""Files of a checkout: whole ones, never through a link, and never over what changed meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from draftgate.bootstrap.checkout_files import SIZE_LIMIT, CheckoutFiles, NotPlain
from draftgate.errors import Unavailable, UsageError


def test_a_file_is_made_with_its_folders_and_the_mode_that_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "other").touch()

    CheckoutFiles(tmp_path).replace("a/b/c.yml", None, b"x\n")

    assert (tmp_path / "a/b/c.yml").read_bytes() == b"x\n"
    assert (tmp_path / "a/b/c.yml").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert os.listdir(tmp_path / "a/b") == ["c.yml"]  # noqa: PTH208 - hidden files too


def test_a_file_that_is_added_to_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "f").chmod(0o640)

    CheckoutFiles(tmp_path).replace("f", b"x", b"xy")

    assert (tmp_path / "f").read_bytes() == b"xy"
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("there", [b"other", None])
def test_a_file_that_changed_meanwhile_stays(there: bytes | None, tmp_path: Path) -> None:
    if there is not None:
        (tmp_path / "f").write_bytes(there)

    with pytest.raises(UsageError, match="changed meanwhile"):
        CheckoutFiles(tmp_path).replace("f", b"x", b"xy")

    assert ((tmp_path / "f").read_bytes() if there is not None else None) == there


@pytest.mark.parametrize("path", ["link/f", "file-link", "file/f", "folder", "pipe", "own/f"])
def test_nothing_is_read_or_written_through_what_is_no_plain_file_or_folder(path: str, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "f").write_bytes(b"theirs")
    (root / "link").symlink_to(outside)
    (root / "file-link").symlink_to(outside / "f")
    (root / "file").touch()
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    (root / "own/.git").mkdir(parents=True)
    files = CheckoutFiles(root)

    with pytest.raises(NotPlain):
        files.read(path)
    with pytest.raises(NotPlain):
        files.replace(path, None, b"ours")

    assert (outside / "f").read_bytes() == b"theirs"
    assert [entry.name for entry in outside.iterdir()] == ["f"]


def test_what_a_killed_run_left_is_taken_away_by_the_next(tmp_path: Path) -> None:
    (tmp_path / ".f.draftgate-new").write_bytes(b"half")

    CheckoutFiles(tmp_path).replace("f", None, b"whole")

    assert [entry.name for entry in tmp_path.iterdir()] == ["f"]


def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / ".f.draftgate-new").symlink_to(tmp_path / "theirs")

    CheckoutFiles(tmp_path).replace("f", None, b"ours")

    assert (tmp_path / "theirs").read_bytes() == b"theirs"
    assert not (tmp_path / "f").is_symlink()


def test_a_file_that_is_not_there_is_nothing_and_one_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (SIZE_LIMIT.value + 1))

    assert CheckoutFiles(tmp_path).read("a/b") is None
    with pytest.raises(UsageError, match="larger than"):
        CheckoutFiles(tmp_path).read("large")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(Unavailable, match="Permission denied"):
        CheckoutFiles(tmp_path).replace("f", None, b"x")
