"""Contents by id: what is absent, what is too large, and what is a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from draftgate.domain.change import BlobId
from draftgate.git.objects import MissingObject, ObjectInfo, ObjectTooLarge, measure_blobs, open_objects
from draftgate.git.repository import Repository
from draftgate.git.run import GitFailed, GitTimedOut
from tests.git_builder import Repo, git_environment

Open = Callable[[Repo], Repository]
ABSENT = BlobId("1" * 40)


def test_many_contents_come_through_one_process(repo: Repo, open_repository: Open) -> None:
    contents = {f"f{number}": b"\n".join([b"x"] * number) + b"\r\0\xff" for number in range(200)}
    repo.commit(dict(contents))
    blobs = {name: BlobId(repo.sha(f"HEAD:{name}")) for name in ("f0", "f1", "f199")}

    with open_objects(open_repository(repo)) as objects:
        for _ in range(3):
            assert {name: objects.read_blob(blob) for name, blob in blobs.items()} == {
                name: contents[name] for name in blobs
            }


def test_an_object_is_described_before_it_is_read(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "four"})
    blob = repo.sha("HEAD:a")

    with open_objects(open_repository(repo)) as objects:
        assert objects.look_up(blob) == ObjectInfo(blob, "blob", 4)
        assert objects.look_up(ABSENT) is None


def test_an_absent_object_is_an_error_and_the_next_one_is_still_read(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "a"})

    with open_objects(open_repository(repo)) as objects:
        with pytest.raises(MissingObject, match="not in this repository"):
            objects.read_blob(ABSENT)
        assert objects.read_blob(BlobId(repo.sha("HEAD:a"))) == b"a"


def test_a_file_above_the_limit_is_not_read(repo: Repo, open_repository: Open) -> None:
    limit = 10 * 1024 * 1024
    repo.commit({"exact": b"x" * limit, "above": b"x" * (limit + 1)})

    with open_objects(open_repository(repo)) as objects:
        assert len(objects.read_blob(BlobId(repo.sha("HEAD:exact")))) == limit
        with pytest.raises(ObjectTooLarge, match="above the limit of 10,485,760"):
            objects.read_blob(BlobId(repo.sha("HEAD:above")))


def test_a_damaged_object_is_a_failure_and_never_absent(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "content\n" * 100})
    blob = repo.sha("HEAD:a")
    place = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:12])

    with open_objects(open_repository(repo)) as objects, pytest.raises(GitFailed):
        objects.read_blob(BlobId(blob))


def test_a_process_that_died_is_a_failure_and_never_absent(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "a"})
    repository = Repository.open(repo.path, _with_cat_file(tmp_path, "exit 0"))

    with open_objects(repository) as objects, pytest.raises(GitFailed, match="ended before it answered"):
        objects.read_blob(ABSENT)


def test_a_process_that_is_silent_is_given_up(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "a"})
    repository = Repository.open(repo.path, _with_cat_file(tmp_path, "exec sleep 60"))
    impatient = replace(repository, git=replace(repository.git, timeout_s=0.2))

    with open_objects(impatient) as objects, pytest.raises(GitTimedOut):
        objects.read_blob(ABSENT)


@pytest.mark.parametrize("request_text", ["1\ncontents 2", "x\n"])
def test_a_request_cannot_hold_another_one(repo: Repo, open_repository: Open, request_text: str) -> None:
    repo.commit({"a": "a"})

    with open_objects(open_repository(repo)) as objects, pytest.raises(ValueError, match="is no object id"):
        objects.look_up(request_text)


def test_sizes_of_many_blobs_come_in_one_answer(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "12345", "empty": ""})
    five, empty = BlobId(repo.sha("HEAD:a")), BlobId(repo.sha("HEAD:empty"))
    git = open_repository(repo).git

    assert measure_blobs(git, [five, ABSENT, empty]) == {five: 5, ABSENT: None, empty: 0}
    assert measure_blobs(git, []) == {}


def _with_cat_file(tmp_path: Path, script: str) -> dict[str, str]:
    """An environment whose git does everything but `cat-file`."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git"
    path = git_environment()["PATH"]
    program.write_text(f'#!/bin/sh\ncase "$*" in *cat-file*) {script};; *) PATH={path} exec git "$@";; esac\n')
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{path}"}
