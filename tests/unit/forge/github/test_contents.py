"""The changed files without a clone: read through the API, what cannot be read named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.domain.change import ChangeRequest
from draftgate.domain.diff import SYMLINK_MODE, FileStatus
from draftgate.domain.match import Match
from draftgate.domain.scope import Provenance
from draftgate.errors import EvidenceError
from draftgate.forge.github.contents import read_contents
from draftgate.forge.known_files import KnownFiles
from draftgate.pipeline.gather import gather_from_provider
from draftgate.pipeline.request import ReviewRequest
from tests.fakes.github.scenario import push
from tests.git_builder import Repo
from tests.unit.forge.github.change_on_github import HEAD, ROWS, OnGitHub, flawed_source, on_github


@pytest.fixture
def github(tmp_path: Path) -> Iterator[OnGitHub]:
    with on_github(tmp_path / "github", flawed_source(tmp_path / "source")) as found:
        yield found


def test_changed_files_are_read_at_both_commits(github: OnGitHub) -> None:
    contents = read_contents(github.connection, github.place, github.read())

    assert contents.base.paths() == ("app.py", "docs/Größe 1.md", "gone.py", "link", "moved.py", "run.sh")
    assert contents.head.paths() == ("app.py", "docs/Größe 1.md", "empty.txt", "new.py", "run.sh", "there.py")
    assert (contents.base.read("app.py"), contents.head.read("app.py")) == (ROWS, HEAD["app.py"])
    assert (contents.head.read("docs/Größe 1.md"), contents.head.read("empty.txt")) == ("two", "")
    assert contents.head.read("untouched.py") is None


def test_what_is_no_source_is_known_by_its_mode(github: OnGitHub) -> None:
    contents = read_contents(github.connection, github.place, github.read())

    files = {file.path: file for file in contents.change.files}
    assert (files["link"].old_mode, files["link"].new_mode) == ("100644", SYMLINK_MODE)
    assert (files["run.sh"].old_mode, files["run.sh"].new_mode) == ("100644", "100755")
    assert (files["libs/ext"].new_mode, files["libs/ext"].new_blob) == ("160000", "a" * 40)
    assert contents.unread == {"logo.png": "binary"}


def test_a_round_without_a_clone_says_so(github: OnGitHub) -> None:
    contents = read_contents(github.connection, github.place, github.read())
    change = ChangeRequest("github", "acme/rooms", 1, "A change", None, "main", "feature", "author")
    request = ReviewRequest("1", "default", change, github.base_tip, github.head, "refs/heads/main", "refs/pull/1/head")

    gathered = gather_from_provider(
        request,
        contents.change,
        contents.base,
        contents.head,
        unread=contents.unread,
        reason="git did not fetch the change within 10 s",
    )

    assert gathered.evidence.provenance is Provenance.PROVIDER_ONLY
    assert gathered.limits() == (
        "limited: no clone (git did not fetch the change within 10 s); only the changed files could be read",
    )
    assert [file.status for file in gathered.files if file.path == "link"] == [FileStatus.TYPE_CHANGED]
    assert {path for path, reason in gathered.unread.items() if reason == "binary"} == {"logo.png"}
    assert next(file.added_lines for file in gathered.files if file.path == "app.py") == {3, 25}


def test_fifty_files_are_read_by_one_request(tmp_path: Path) -> None:
    source = Repo.create(tmp_path / "source")
    source.commit({f"f{number:02}.py": "x\n" for number in range(30)})
    source.branch("feature")
    source.commit({f"f{number:02}.py": "y\n" for number in range(30)})

    with on_github(tmp_path / "github", source) as github:
        contents = read_contents(github.connection, github.place, github.read())
        asked = github.asked()

    assert {contents.base.read(path) for path in contents.base.paths()} == {"x\n"}
    assert {contents.head.read(path) for path in contents.head.paths()} == {"y\n"}
    assert asked.count("POST /graphql") == 2


def test_a_text_that_github_cuts_counts_as_absent_and_is_named(tmp_path: Path) -> None:
    source = Repo.create(tmp_path / "source")
    source.commit({"app.py": "x\n"})
    source.branch("feature")
    source.commit({"app.py": "x = 1\n" * 200_000})

    with on_github(tmp_path / "github", source) as github:
        contents = read_contents(github.connection, github.place, github.read())

    assert (contents.base.read("app.py"), contents.head.read("app.py")) == ("x\n", None)
    assert contents.unread == {"app.py": "GitHub does not send it as one text"}


def test_a_list_of_another_head_than_the_contents_is_refused(github: OnGitHub) -> None:
    push(github.scenario.world, github.scenario.pull, {"app.py": "pushed\n"})

    with pytest.raises(EvidenceError, match="GitHub lists object ") as refused:
        read_contents(github.connection, github.place, github.read())

    assert refused.value.context == "app.py"


def test_a_search_finds_whole_words_in_the_known_files() -> None:
    known = KnownFiles({"b.py": "import app\r\nappend = 1\napp.run(app)\n", "a.py": "x = app\n", "a.md": "app\n"})

    found = list(known.grep({"app", "run"}, globs={"*.py"}))

    assert found == [Match("a.py", 1, "x = app"), Match("b.py", 1, "import app"), Match("b.py", 3, "app.run(app)")]
    assert [match.path for match in known.grep({"app"})] == ["a.md", "a.py", "b.py", "b.py"]
    assert list(known.grep({""})) == []
