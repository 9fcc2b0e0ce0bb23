"""Streams that are closed, full or narrow, and a folder that is gone: a sentence at most, and the work is done once."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.git_builder import Repo
from tests.program import PROGRAM, TIMEOUT_S, Done, draftgate, program_environment

CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-"}
FULL = {"stdout-full": ">/dev/full", "stderr-full": "2>/dev/full", "both-full": ">/dev/full 2>/dev/full"}
STREAMS = CLOSED | FULL


def run(*arguments: str, cwd: Path, streams: str = "", **environment: str) -> Done:
    """Run the program with its streams redirected by a shell; what it wrote is read as Latin-1, which all bytes are."""
    ran = subprocess.run(
        ["sh", "-c", f'exec "$@" {streams}', "sh", *PROGRAM, *arguments],
        cwd=cwd,
        env=program_environment(**environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="latin-1",
        timeout=TIMEOUT_S,
        check=False,
    )
    return Done(ran.returncode, ran.stdout, ran.stderr)


def assert_no_bug(done: Done) -> None:
    assert done.code != 70, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception ignored" not in done.stdout + done.stderr


def reviews(repo: Repo) -> list[Path]:
    return list((repo.path / ".draftgate").glob("review-*.json"))


@pytest.mark.parametrize("streams", STREAMS)
def test_an_approval_is_done_once_whatever_becomes_of_the_streams(reviewed: Repo, streams: str) -> None:
    first = run("approve", "1", cwd=reviewed.path, streams=STREAMS[streams])
    published = {page: page.read_bytes() for page in reviews(reviewed)}
    again = run("approve", "1", cwd=reviewed.path, streams=STREAMS[streams])

    assert_no_bug(first)
    assert_no_bug(again)
    assert len(published) == 1
    assert {page: page.read_bytes() for page in reviews(reviewed)} == published
    assert draftgate("status", "--format", "json", cwd=reviewed.path).document["phase"] == "submitted"


@pytest.mark.parametrize("streams", [name for name in STREAMS if "full" not in name])
def test_a_stream_that_is_closed_is_no_failure(flawed: Repo, streams: str) -> None:
    done = [run(command, cwd=flawed.path, streams=STREAMS[streams]) for command in ("review", "status", "finalize")]

    assert [each.code for each in done] == [0, 0, 0], done
    for each in done:
        assert_no_bug(each)


@pytest.mark.parametrize("streams", ["stdout-full", "both-full"])
@pytest.mark.parametrize("arguments", [("review",), ("status", "--format", "json")], ids=["review", "status"])
def test_a_full_device_is_not_taken_for_success(reviewed: Repo, arguments: tuple[str, ...], streams: str) -> None:
    done = run(*arguments, cwd=reviewed.path, streams=STREAMS[streams])

    assert_no_bug(done)
    assert done.code == 4
    if streams == "stdout-full":
        assert "No space left on device" in done.stderr


def test_a_full_device_for_notes_spoils_no_result(flawed: Repo) -> None:
    flawed.write({"rooms/mail.py": "x = 1\n"})  # so that there is something to note

    done = run("review", "--format", "json", cwd=flawed.path, streams=FULL["stderr-full"])

    assert_no_bug(done)
    assert done.code in {0, 4}
    assert len(json.loads(draftgate("review", "--format", "json", cwd=flawed.path).stdout)["findings"]) == 3


def test_a_refusal_on_closed_streams_keeps_its_exit_code(flawed: Repo) -> None:
    names = ("all", "both-full")

    done = {name: run("approve", cwd=flawed.path, streams=STREAMS[name]) for name in names}

    assert {name: each.code for name, each in done.items()} == dict.fromkeys(names, 2)


@pytest.mark.parametrize("errors", ["latin-1", "ascii:strict"])
def test_streams_that_know_few_characters_show_the_rest_as_marks(flawed: Repo, errors: str) -> None:
    """The signs and rules of a card are in neither."""
    done = [
        run(*arguments, cwd=flawed.path, PYTHONIOENCODING=errors, PYTHONUTF8="0")
        for arguments in (
            ("review",),
            ("review", "--format", "markdown"),
            ("approve", "1"),
            ("status",),
            ("approve", "2"),
        )
    ]

    for each in done:
        assert_no_bug(each)
    assert [each.code for each in done] == [0, 0, 0, 0, 2], done
    assert "issue (blocking)" in done[0].stdout
    assert len(reviews(flawed)) == 1


def test_a_reader_that_goes_away_is_no_failure(reviewed: Repo) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*PROGRAM, "review"], cwd=reviewed.path, env=program_environment(), stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    _, stderr = process.communicate(timeout=TIMEOUT_S)

    assert (process.returncode, stderr) == (0, b"")


@pytest.mark.parametrize("command", ["review", "status", "approve", "finalize", "demo", "--version"])
def test_a_folder_that_was_deleted_gets_a_sentence(tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    ran = subprocess.run(
        ["sh", "-c", 'rmdir "$0"; exec "$@"', str(gone), *PROGRAM, command],
        cwd=gone,
        env=program_environment(TMPDIR=str(tmp_path)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    done = Done(ran.returncode, ran.stdout, ran.stderr)

    assert_no_bug(done)
    assert done.code in ({0} if command in {"--version", "demo"} else {2, 4}), done
    assert "→" in done.stderr or done.code == 0
