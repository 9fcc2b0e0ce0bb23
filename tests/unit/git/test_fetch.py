"""The objects of a change: from the workspace where it holds them, over HTTP where it does not."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from draftgate.domain.change import CommitSha
from draftgate.git.fetch import NoObjects, Remote, Wanted, open_change
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, Scope, prove_scope
from tests.git_builder import Repo, git_environment
from tests.unit.git.http_server import GitServer, read_all, read_command_lines, serve

TOKEN = "example-token-of-this-test"  # noqa: S105 - no server knows it


@dataclass
class Forge:
    """A pull request on a server: ``main`` went on by two commits, the change has two of its own.

    Attributes:
        server: Serves `origin`.
        origin: The bare repository behind it; `refs/pull/7/head` and `refs/pull/7/merge` are there.
        fork: Where the two parted.
        wanted: Both ends.
        remote: Where they are fetched.
    """

    server: GitServer
    origin: Repo
    fork: str
    wanted: Wanted
    remote: Remote
    temp: Path

    def open(
        self, workspace: Path | None, *, limit_s: float = 10.0, **environment: str
    ) -> AbstractContextManager[Repository | NoObjects]:
        return open_change(
            workspace,
            self.wanted,
            self.remote,
            temp=self.temp,
            environment={**git_environment(), **environment},
            clock=time.monotonic,
            limit_s=limit_s,
        )

    def checkout(self, path: Path, *commands: tuple[str, ...]) -> Repo:
        """A workspace as actions/checkout makes it: ``init``, a remote, fetches, a detached head."""
        workspace = Repo.create(path)
        workspace.git("remote", "add", "origin", self.remote.url)
        for command in commands:
            workspace.git(*command)
        return workspace


@pytest.fixture
def forge(tmp_path: Path) -> Iterator[Forge]:
    built = Repo.create(tmp_path / "built")
    for number in range(6):
        built.commit({"app.py": f"row {number}\n", "lib/big.txt": "the same\n" * 50})
    fork = built.head
    built.branch("feature")
    built.commit({"app.py": "feature 1\n"})
    head = built.commit({"app.py": "feature 2\n", "new.py": "x = 1\n"})
    built.switch("main")
    built.commit({"main.py": "1\n"})
    base_tip = built.commit({"main.py": "2\n"})
    built.switch("--detach")
    built.merge("feature")
    built.git("update-ref", "refs/pull/7/merge", "HEAD")
    built.git("update-ref", "refs/pull/7/head", head)
    built.switch("main")
    built.git("branch", "--quiet", "-D", "feature")
    origin = built.clone(tmp_path / "served" / "team" / "project.git", "--mirror")
    temp = tmp_path / "temp"
    temp.mkdir()
    with serve(tmp_path / "served") as server:
        yield Forge(
            server,
            origin,
            fork,
            Wanted(CommitSha(base_tip), CommitSha(head), distance=2),
            Remote(f"{server.url}/team/project.git", "refs/heads/main", "refs/pull/7/head", TOKEN),
            temp,
        )


def _prove(repository: Repository | NoObjects, wanted: Wanted) -> Scope:
    assert isinstance(repository, Repository), repository
    return prove_scope(repository, NamedCommit("main", wanted.base_tip), NamedCommit("feature", wanted.head))


def _paths(scope: Scope) -> list[str]:
    return [file.path for file in scope.files]


def test_a_complete_workspace_is_read_in_place(forge: Forge, tmp_path: Path) -> None:
    workspace = forge.checkout(tmp_path / "work", ("fetch", "--quiet", "origin", "+refs/*:refs/remotes/origin/*"))
    forge.server.authorizations.clear()

    with forge.open(workspace.path) as repository:
        scope = _prove(repository, forge.wanted)
        used = list(forge.temp.iterdir())

    assert isinstance(repository, Repository)
    assert repository.git_dir == workspace.path / ".git"
    assert (scope.evidence.merge_base, _paths(scope)) == (forge.fork, ["app.py", "new.py"])
    assert (used, forge.server.authorizations) == ([], [])


@pytest.mark.parametrize("depth", [1, 2, 4], ids="depth {}".format)
def test_the_checkout_of_a_test_merge_lends_its_objects(forge: Forge, tmp_path: Path, depth: int) -> None:
    merge = "+refs/pull/7/merge:refs/remotes/pull/7/merge"
    workspace = forge.checkout(
        tmp_path / "work",
        ("fetch", "--quiet", f"--depth={depth}", "origin", merge),
        ("checkout", "--quiet", "--detach", "refs/remotes/pull/7/merge"),
    )
    before = read_all(workspace.path)

    with forge.open(workspace.path) as repository:
        scope = _prove(repository, forge.wanted)
        in_place = isinstance(repository, Repository) and repository.git_dir == workspace.path / ".git"
        own = subprocess.run(
            ["git", f"--git-dir={repository.git_dir}", "count-objects", "-v"],  # type: ignore[union-attr]
            capture_output=True,
            check=True,
            env=git_environment(),
        ).stdout

    assert (scope.evidence.merge_base, _paths(scope)) == (forge.fork, ["app.py", "new.py"])
    assert (scope.evidence.other_merge_bases, scope.left_out) == ((), ())
    assert in_place is (depth == 4)
    assert in_place or b"alternate: " in own
    assert read_all(workspace.path) == before
    assert list(forge.temp.iterdir()) == []


@pytest.mark.parametrize(
    "distance", [pytest.param(2, id="as the forge counts"), pytest.param(None, id="not counted"), 1000]
)
def test_without_a_workspace_everything_is_fetched(forge: Forge, distance: int | None) -> None:
    forge.wanted = replace(forge.wanted, distance=distance)

    with forge.open(None) as repository:
        scope = _prove(repository, forge.wanted)
        assert isinstance(repository, Repository)
        is_shallow = repository.is_shallow

    assert (scope.evidence.merge_base, _paths(scope)) == (forge.fork, ["app.py", "new.py"])
    assert is_shallow is (distance == 2)


def test_a_bound_that_is_too_small_is_lifted(forge: Forge) -> None:
    forge.wanted = replace(forge.wanted, distance=0)

    with forge.open(None) as repository:
        scope = _prove(repository, forge.wanted)

    assert scope.evidence.merge_base == forge.fork


def test_an_old_branch_that_both_sides_merged_is_not_taken_for_a_second_merge_base(
    forge: Forge, tmp_path: Path
) -> None:
    """Within the bound both ends see the old fork point, and not that the true merge base descends from it."""
    built = Repo.create(tmp_path / "crossed")
    built.commit({"old.txt": "1\n"})
    for name in ("side", "other"):
        built.branch(name, "main")
        built.commit({f"{name}.txt": "1\n"})
    built.switch("main")
    for number in range(20):
        built.commit({"main.txt": f"{number}\n"})
    fork = built.head
    built.branch("feature")
    built.merge("side")
    built.switch("main")
    built.merge("other")
    built.clone(tmp_path / "served" / "team" / "crossed.git", "--mirror")
    forge.remote = replace(forge.remote, url=f"{forge.server.url}/team/crossed.git")
    forge.wanted = Wanted(CommitSha(built.sha("main")), CommitSha(built.sha("feature")), distance=2)

    with forge.open(None) as repository:
        evidence = _prove(repository, forge.wanted).evidence

    assert (evidence.merge_base, evidence.other_merge_bases) == (fork, ())


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(("--filter=blob:none", "+refs/*:refs/remotes/origin/*"), id="partial clone"),
        pytest.param(("+refs/heads/main:refs/remotes/origin/main",), id="target branch alone"),
        pytest.param(("--depth=1", "+refs/pull/7/head:refs/remotes/head"), id="head at depth 1"),
        pytest.param(("--depth=1", "+refs/heads/main:refs/remotes/origin/main"), id="target at depth 1"),
    ],
)
def test_a_workspace_that_holds_a_part_is_completed_elsewhere(
    forge: Forge, tmp_path: Path, options: tuple[str, ...]
) -> None:
    forge.origin.git("config", "uploadpack.allowFilter", "true")
    workspace = forge.checkout(tmp_path / "work", ("fetch", "--quiet", *options[:-1], "origin", options[-1]))
    before = read_all(workspace.path)

    with forge.open(workspace.path) as repository:
        scope = _prove(repository, forge.wanted)
        assert isinstance(repository, Repository)
        text = repository.git.run("cat-file", "blob", f"{forge.wanted.head}:lib/big.txt")

    assert (scope.evidence.merge_base, _paths(scope)) == (forge.fork, ["app.py", "new.py"])
    assert text == b"the same\n" * 50
    assert read_all(workspace.path) == before


def test_a_server_that_wants_names_is_asked_by_name(forge: Forge) -> None:
    forge.server.speaks_v2 = False
    forge.wanted = replace(forge.wanted, base_tip=CommitSha(forge.origin.sha("refs/heads/main~1")))

    with forge.open(None) as repository:
        scope = _prove(repository, forge.wanted)

    assert scope.evidence.merge_base == forge.fork


def test_a_head_that_was_replaced_meanwhile_is_still_fetched_by_its_id(forge: Forge) -> None:
    forge.origin.git("update-ref", "refs/pull/7/head", "refs/heads/main")

    with forge.open(None) as repository:
        scope = _prove(repository, forge.wanted)

    assert scope.evidence.head == forge.wanted.head


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_workspace_of_somebody_else_is_read(forge: Forge, tmp_path: Path) -> None:
    workspace = forge.checkout(
        tmp_path / "work", ("fetch", "--quiet", "--depth=1", "origin", "+refs/pull/7/merge:refs/remotes/merge")
    )
    for path in (workspace.path, *workspace.path.rglob("*")):
        os.chown(path, 12345, 12345, follow_symlinks=False)

    with forge.open(workspace.path) as repository:
        scope = _prove(repository, forge.wanted)
        assert isinstance(repository, Repository)
        lent = (repository.object_directory / "info" / "alternates").exists()

    assert (_paths(scope), lent) == (["app.py", "new.py"], True)


def test_the_token_is_sent_and_left_nowhere(forge: Forge) -> None:
    credentials = base64.b64encode(f"x-access-token:{TOKEN}".encode())

    with forge.open(None) as repository:
        kept = read_all(forge.temp)

    assert isinstance(repository, Repository)
    assert set(forge.server.authorizations) == {f"basic {credentials.decode()}"}
    assert b"[core]" in kept
    assert TOKEN.encode() not in kept
    assert credentials not in kept
    assert TOKEN not in repr(forge.remote)


def test_while_git_waits_no_process_shows_the_token_and_the_limit_ends_it(forge: Forge) -> None:
    forge.server.hangs = threading.Event()
    seen: list[str] = []

    def watch() -> None:
        forge.server.asked.wait()
        seen.extend(read_command_lines())

    watcher = threading.Thread(target=watch)
    watcher.start()
    begun = time.monotonic()

    with forge.open(None, limit_s=1.0) as answer:
        took = time.monotonic() - begun
        on_disk = read_all(forge.temp)
    watcher.join()

    assert answer == NoObjects("git did not fetch the change within 1 s")
    assert 0.9 < took < 3
    credentials = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    fetching = [line for line in seen if forge.remote.url in line]
    assert fetching
    assert not [line for line in fetching if TOKEN in line or credentials in line]
    assert TOKEN.encode() not in on_disk
    assert credentials.encode() not in on_disk
    assert list(forge.temp.iterdir()) == []


def test_the_token_does_not_follow_a_redirect(forge: Forge, tmp_path: Path) -> None:
    with serve(tmp_path / "served") as elsewhere:
        forge.server.redirect = elsewhere.url

        with forge.open(None) as answer:
            pass

    assert isinstance(answer, NoObjects)
    assert elsewhere.authorizations == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"url": "http://127.0.0.1:9/team/project.git"}, "unable to access", id="nobody listens"),
        pytest.param({"url": "ssh://127.0.0.1/team/project.git"}, "not fetched over ssh", id="another protocol"),
        pytest.param({"url": "ext::sh -c true"}, "not fetched over ext", id="a program"),
        pytest.param({"url": "/team/project.git"}, "not fetched over a path", id="a folder"),
        pytest.param({"url": "http://user:word@127.0.0.1/p.git"}, "plaintext credentials", id="a user in the address"),
    ],
)
def test_what_cannot_be_fetched_is_an_answer(forge: Forge, change: dict[str, str], reason: str) -> None:
    forge.remote = replace(forge.remote, **change)

    with forge.open(None) as answer:
        pass

    assert isinstance(answer, NoObjects)
    assert reason in answer.reason


def test_an_unknown_repository_is_an_answer(forge: Forge) -> None:
    forge.remote = replace(forge.remote, url=f"{forge.server.url}/team/nothing.git")

    with forge.open(None) as answer:
        pass

    assert isinstance(answer, NoObjects)
    assert "not found" in answer.reason


def test_commits_that_the_server_does_not_hold_are_an_answer(forge: Forge) -> None:
    forge.wanted = replace(forge.wanted, head=CommitSha("1" * 40))

    with forge.open(None) as answer:
        pass

    assert answer == NoObjects("the server does not hold the commits of the change")


def test_a_machine_without_git_is_an_answer(forge: Forge, tmp_path: Path) -> None:
    with forge.open(tmp_path, PATH=str(tmp_path)) as answer:
        pass

    assert isinstance(answer, NoObjects)
    assert "`git` was not found" in answer.reason


def test_a_proxy_is_used(forge: Forge) -> None:
    forge.remote = replace(forge.remote, url="http://forge.example.invalid/team/project.git")

    with forge.open(None, HTTP_PROXY="http://127.0.0.1:9") as answer:
        pass

    assert isinstance(answer, NoObjects)
    assert "127.0.0.1 port 9" in answer.reason


def test_two_at_once_do_not_share_a_folder(forge: Forge) -> None:
    with forge.open(None) as first, forge.open(None) as second:
        scopes = (_prove(first, forge.wanted), _prove(second, forge.wanted))

    assert scopes[0].evidence == scopes[1].evidence
    assert list(forge.temp.iterdir()) == []
