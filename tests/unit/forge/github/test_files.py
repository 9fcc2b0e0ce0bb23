"""What GitHub lists of a change, read to the end, and held against git."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.domain.diff import FileStatus
from draftgate.domain.scope import Provenance
from draftgate.errors import EvidenceError
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.files import name_blobs, read_change
from draftgate.forge.github.view import Place
from draftgate.git.fetch import Remote, Wanted, open_change
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.pipeline.gather import gather_from_git
from draftgate.pipeline.request import ReviewRequest
from tests.git_builder import Repo, git_environment
from tests.unit.forge.github.change_on_github import OnGitHub, flawed_source, on_github
from tests.unit.forge.github.scripted_api import Answer, ScriptedApi

BASE, HEAD = CommitSha("b" * 40), CommitSha("c" * 40)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[OnGitHub]:
    with on_github(tmp_path / "github", flawed_source(tmp_path / "source")) as found:
        yield found


def test_each_file_is_listed_with_paths_ids_and_patch(github: OnGitHub) -> None:
    source = github.scenario.repository.git

    change = name_blobs(github.connection, github.place, github.read())

    files = {file.path: file for file in change.files}
    assert {path: file.status.value for path, file in files.items()} == {
        "app.py": "modified",
        "docs/Größe 1.md": "modified",
        "empty.txt": "added",
        "gone.py": "deleted",
        "libs/ext": "added",
        "link": "type-changed",
        "logo.png": "modified",
        "new.py": "added",
        "run.sh": "modified",
        "there.py": "renamed",
    }
    assert (files["there.py"].old_path, files["there.py"].new_path) == ("moved.py", "there.py")
    assert (files["gone.py"].new_path, files["gone.py"].new_blob) == (None, None)
    assert files["gone.py"].old_blob == source.sha(f"{github.merge_base}:gone.py")
    assert files["there.py"].old_blob == source.sha(f"{github.merge_base}:moved.py")
    assert files["docs/Größe 1.md"].old_blob == source.sha(f"{github.merge_base}:docs/Größe 1.md")
    assert files["app.py"].new_blob == source.sha("feature:app.py")
    assert (files["app.py"].additions, files["app.py"].deletions) == (2, 2)
    assert (files["logo.png"].patch, files["run.sh"].patch) == (None, None)
    assert (change.merge_base, change.distance) == (github.merge_base, 2)


def test_reading_costs_one_request_for_each_kind_of_fact(github: OnGitHub) -> None:
    change = name_blobs(github.connection, github.place, github.read())

    assert github.asked() == [
        f"GET /repos/acme/rooms/compare/{github.base_tip}...{github.head}",
        f"GET /repos/acme/rooms/pulls/{github.place.number}/files",
        "POST /graphql",
    ]
    assert len(change.sources) == 3
    assert github.simulator.violations == []


def test_git_and_github_agree_on_every_file(github: OnGitHub, tmp_path: Path) -> None:
    change = name_blobs(github.connection, github.place, github.read())
    remote = Remote(
        f"{github.simulator.git_url}/acme/rooms.git",
        "refs/heads/main",
        f"refs/pull/{github.place.number}/head",
        github.token,
    )
    wanted = Wanted(github.base_tip, github.head, change.distance)

    with open_change(
        None, wanted, remote, temp=tmp_path, environment=git_environment(), clock=time.monotonic
    ) as repository:
        assert isinstance(repository, Repository)
        with open_objects(repository) as objects:
            gathered = gather_from_git(repository, objects, _request(github), provider=change)
            text = gathered.change.head.read("there.py")

    assert gathered.evidence.provenance is Provenance.GIT_AND_PROVIDER
    assert {one.path for one in gathered.evidence.differences} == {"link"}
    assert (len(gathered.files), gathered.unread) == (10, {})
    assert text is not None
    assert text.endswith("there\n")


def _request(github: OnGitHub) -> ReviewRequest:
    change = ChangeRequest("github", "acme/rooms", 1, "A change", None, "main", "feature", "author")
    return ReviewRequest(
        key="1",
        instance="default",
        change=change,
        base_tip=github.base_tip,
        head=github.head,
        base_named="refs/heads/main",
        head_named="refs/pull/1/head",
    )


def test_the_list_is_read_to_its_last_page(tmp_path: Path) -> None:
    """P03: files after the first page were never reviewed, and nobody was told."""
    source = Repo.create(tmp_path / "source")
    source.commit({"a.txt": "a\n"})
    source.branch("feature")
    source.commit({f"f{number:03}.py": "x\n" for number in range(203)})

    with on_github(tmp_path / "github", source) as github:
        change = github.read(changed_files=203)
        asked = github.asked()

    assert [file.path for file in change.files] == [f"f{number:03}.py" for number in range(203)]
    assert len(asked) == 1 + 3


def _entry(**facts: object) -> dict[str, object]:
    return {
        "sha": "1" * 40,
        "filename": "app.py",
        "status": "modified",
        "additions": 1,
        "deletions": 1,
        "changes": 2,
        "patch": "@@ -1 +1 @@\n-x\n+y",
        **facts,
    }


COMPARED = {"merge_base_commit": {"sha": BASE}, "ahead_by": 1, "behind_by": 4}
PLACE = Place("owner/name", 7, "https://forge.example.invalid/owner/name")


def test_a_list_that_ends_early_is_refused(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(body=COMPARED), Answer(body=[_entry()]))

    with pytest.raises(EvidenceError, match="lists 1 of 2 changed files") as refused:
        read_change(connection, PLACE, base_tip=BASE, head=HEAD, changed_files=2)

    assert refused.value.context == "pull request #7"


def test_the_cap_of_the_list_is_named(api: ScriptedApi, connection: Connection) -> None:
    api.script(Answer(body=COMPARED), Answer(body=[_entry(filename=f"{number}.py") for number in range(3000)]))

    with pytest.raises(EvidenceError, match=r"lists 3,000 of 3,100 changed files; it never lists more than 3,000"):
        read_change(connection, PLACE, base_tip=BASE, head=HEAD, changed_files=3100)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"status": "renamed"}, "does not say from where"),
        ({"status": "melted"}, "a status that is not known"),
        ({"filename": "a\0b"}, "a path that no file can have"),
        ({"filename": "\ud800.py"}, "a path that no file can have"),
    ],
    ids=["renamed from nowhere", "unknown status", "NUL", "lone surrogate"],
)
def test_an_entry_that_cannot_be_meant_is_refused(
    api: ScriptedApi, connection: Connection, facts: dict[str, object], message: str
) -> None:
    api.script(Answer(body=COMPARED), Answer(body=[_entry(**facts)]))

    with pytest.raises(EvidenceError, match=message):
        read_change(connection, PLACE, base_tip=BASE, head=HEAD, changed_files=1)


def test_a_list_without_an_id_is_completed_at_both_commits(api: ScriptedApi, connection: Connection) -> None:
    ids = {"f0": {"oid": "2" * 40}, "f1": {"oid": "3" * 40}}
    api.script(
        Answer(body=COMPARED),
        Answer(body=[_entry(sha=None, status="unchanged")]),
        Answer(body={"data": {"repository": ids}}),
    )

    change = read_change(connection, PLACE, base_tip=BASE, head=HEAD, changed_files=1)
    (file,) = name_blobs(connection, PLACE, change).files

    assert (file.status, file.old_blob, file.new_blob) == (FileStatus.MODIFIED, "2" * 40, "3" * 40)
    sent = api.received[-1].body
    assert sent["variables"] == {"owner": "owner", "name": "name", "e0": f"{BASE}:app.py", "e1": f"{HEAD}:app.py"}
    assert "app.py" not in sent["query"]
