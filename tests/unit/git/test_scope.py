"""The proof of a range: its base, its files, and what stops it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.domain.diff import FileStatus
from draftgate.errors import EvidenceError
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, Scope, prove_scope
from tests.git_builder import Repo

Open = Callable[[Repo], Repository]


def _prove(repository: Repository, base: str, head: str) -> Scope:
    return prove_scope(
        repository, NamedCommit(base, repository.resolve(base)), NamedCommit(head, repository.resolve(head))
    )


def _fork(repo: Repo) -> tuple[str, str]:
    """A feature branch, and a main branch that has moved on since; the fork point and the head."""
    fork = repo.commit({"app.py": "row 1\nrow 2\nrow 3\n", "lib.py": "old\n"})
    repo.branch("feature")
    head = repo.commit({"app.py": "row 1\nrow 2\nrow three\n"})
    repo.switch("main")
    repo.commit({"lib.py": "new\n", "new_on_main.py": "x\n"})
    return fork, head


def test_only_the_changes_since_the_fork_point_count(repo: Repo, open_repository: Open) -> None:
    """D35: against the tip of the target, its newer commits would look removed."""
    fork, head = _fork(repo)

    scope = _prove(open_repository(repo), "main", "feature")

    assert [(file.path, file.added_lines) for file in scope.files] == [("app.py", frozenset({3}))]
    assert (scope.evidence.merge_base, scope.evidence.head) == (fork, head)
    assert scope.evidence.base_tip == repo.sha("main")
    assert (scope.evidence.base_ref, scope.evidence.head_ref) == ("main", "feature")


def test_evidence_names_every_file_by_blob(repo: Repo, open_repository: Open) -> None:
    _fork(repo)

    (file,) = _prove(open_repository(repo), "main", "feature").evidence.files

    assert (file.status, file.additions, file.deletions) == (FileStatus.MODIFIED, 1, 1)
    assert file.old_blob == repo.sha("main~1:app.py")
    assert file.new_blob == repo.sha("feature:app.py")


def test_evidence_is_the_same_every_time(repo: Repo, open_repository: Open) -> None:
    _fork(repo)
    repository = open_repository(repo)

    assert _prove(repository, "main", "feature").evidence == _prove(repository, "main", "feature").evidence


def test_a_criss_cross_history_names_the_other_merge_bases(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a": "a\n", "b": "b\n"})
    repo.branch("side")
    side = repo.commit({"b": "side\n"})
    repo.switch("main")
    main = repo.commit({"a": "main\n"})
    repo.merge("side")
    repo.switch("side")
    repo.merge(main)
    repo.commit({"c": "c\n"})

    evidence = _prove(open_repository(repo), "main", "side").evidence

    assert {evidence.merge_base, *evidence.other_merge_bases} == {main, side}
    assert evidence.merge_base == repo.git("merge-base", "main", "side").decode().strip()


def test_unrelated_histories_have_no_scope(repo: Repo, open_repository: Open) -> None:
    repo.commit({"a.py": "a\n"})
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit({"a.py": "b\n"})

    with pytest.raises(EvidenceError, match="no common commit"):
        _prove(open_repository(repo), "main", "other")


def test_a_shallow_clone_without_the_fork_point_is_refused(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    _fork(repo)
    clone = repo.clone(tmp_path / "clone", "--depth=1", "--no-single-branch")

    with pytest.raises(EvidenceError, match="no merge base within the history") as refusal:
        _prove(open_repository(clone), "origin/main", "origin/feature")

    assert "--unshallow" in refusal.value.hint


def test_a_shallow_history_that_may_hide_a_better_base_is_refused(repo: Repo, open_repository: Open) -> None:
    """An old common commit is in sight, but the parents of the commit that was merged into main are not."""
    old = repo.commit({"a": "0\n"})
    repo.branch("side")
    better = repo.commit({"b": "1\n"})
    repo.branch("merged")
    merged = repo.commit({"c": "1\n"})
    repo.switch("side")
    repo.commit({"b": "2\n"})
    repo.switch("main")
    repo.commit({"a": "1\n"})
    repo.merge("merged")
    assert repo.git("merge-base", "main", "side").decode().strip() == better
    (repo.path / ".git" / "shallow").write_text(f"{merged}\n")
    assert repo.git("merge-base", "main", "side").decode().strip() == old

    with pytest.raises(EvidenceError, match="cut off before the merge base is certain") as refusal:
        _prove(open_repository(repo), "main", "side")

    assert "--unshallow" in refusal.value.hint


def test_a_shallow_clone_that_holds_all_between_is_enough(repo: Repo, tmp_path: Path, open_repository: Open) -> None:
    repo.commit({"a.py": "0\n"})
    fork, _ = _fork(repo)
    clone = repo.clone(tmp_path / "clone", "--depth=2", "--no-single-branch")

    assert _prove(open_repository(clone), "origin/main", "origin/feature").evidence.merge_base == fork


def test_a_replaced_object_stops_the_review(repo: Repo, open_repository: Open) -> None:
    fork, head = _fork(repo)
    repo.git("replace", head, fork)

    with pytest.raises(EvidenceError, match="objects are replaced"):
        _prove(open_repository(repo), "main", "feature")


def test_replaced_objects_are_not_even_seen(repo: Repo, open_repository: Open) -> None:
    fork, head = _fork(repo)
    repo.git("replace", "-f", repo.sha(f"{head}:app.py"), repo.sha(f"{fork}:lib.py"))
    repository = open_repository(repo)

    assert repository.git.run("cat-file", "blob", repo.sha(f"{head}:app.py")) == b"row 1\nrow 2\nrow three\n"


@pytest.mark.parametrize(("name", "content"), [("grafts", "{head}\n"), ("attributes", "*.py -diff\n")])
def test_a_file_beside_the_commits_that_bends_them_stops_the_review(
    repo: Repo, open_repository: Open, name: str, content: str
) -> None:
    _, head = _fork(repo)
    (repo.path / ".git" / "info" / name).write_text(content.format(head=head))

    with pytest.raises(EvidenceError, match=f"info/{name}"):
        _prove(open_repository(repo), "main", "feature")


def test_empty_files_beside_the_commits_are_no_obstacle(repo: Repo, open_repository: Open) -> None:
    _fork(repo)
    (repo.path / ".git" / "info" / "attributes").write_text("")

    assert _prove(open_repository(repo), "main", "feature").files


def test_a_forged_commit_graph_does_not_move_the_base(repo: Repo, open_repository: Open) -> None:
    """Git believes the graph file over the commits."""
    fork, head = _fork(repo)
    repo.git("commit-graph", "write", "--reachable")
    graph = repo.path / ".git" / "objects" / "info" / "commit-graph"
    graph.chmod(0o644)
    graph.write_bytes(_without_parents(graph.read_bytes(), bytes.fromhex(head)))
    assert repo.git("rev-list", "--count", "feature") == b"1\n"

    assert _prove(open_repository(repo), "main", "feature").evidence.merge_base == fork


def _without_parents(graph: bytes, commit: bytes) -> bytes:
    """The file with one commit made a root (https://git-scm.com/docs/gitformat-commit-graph)."""
    chunks = {graph[at : at + 4]: int.from_bytes(graph[at + 4 : at + 12]) for at in range(8, 8 + 12 * graph[6], 12)}
    number = (graph.index(commit, chunks[b"OIDL"]) - chunks[b"OIDL"]) // 20
    at = chunks[b"CDAT"] + number * 36 + 20
    return graph[:at] + b"\x70\x00\x00\x00" + graph[at + 4 :]
