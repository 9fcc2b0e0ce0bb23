"""Git's facts held against the forge's: what must agree, what may differ and is recorded, and who decides anchors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.diff import FileDiff, FileStatus
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.domain.round import LeftOut
from draftgate.domain.scope import Difference, Provenance, ScopeEvidence
from draftgate.errors import EvidenceError
from draftgate.git.repository import Repository
from draftgate.git.scope import NamedCommit, Scope, prove_scope
from draftgate.pipeline.prove import WITHHELD, prove_with_provider, trust_provider
from draftgate.schemas import state
from tests.git_builder import Executable, Link, Repo, git_environment

ROWS = "".join(f"row {number}\n" for number in range(1, 31))
OTHER = BlobId("1" * 40)


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    """One file of each kind."""
    repo = Repo.create(tmp_path / "repo")
    repo.commit(
        {
            "app.py": ROWS,
            "gone.py": "x = 1\n",
            "moved.py": ROWS + "here\n",
            "run.sh": "true\n",
            "logo.png": b"\0one",
            "link": "text\n",
        }
    )
    repo.branch("feature")
    repo.commit(
        {
            "app.py": ROWS.replace("row 3\n", "row three\n").replace("row 25\n", "row twenty-five\n"),
            "gone.py": None,
            "moved.py": None,
            "there.py": ROWS + "there\n",
            "new.py": "y = 1\n",
            "run.sh": Executable("true\n"),
            "logo.png": b"\0two",
            "link": Link("app.py"),
        }
    )
    return _prove(repo)


def _prove(repo: Repo, preferred: str | None = None) -> Scope:
    repository = Repository.open(repo.path, git_environment())
    ends = (NamedCommit(name, repository.resolve(name)) for name in ("main", "feature"))
    return prove_scope(repository, *ends, preferred=None if preferred is None else CommitSha(preferred))


def _as_the_forge_shows(scope: Scope) -> ProviderChange:
    evidence = scope.evidence
    files = tuple(
        ProviderFile(
            status=file.status,
            old_path=file.old_path,
            new_path=file.new_path,
            old_blob=file.old_blob,
            new_blob=file.new_blob,
            additions=listed.additions or 0,
            deletions=listed.deletions or 0,
            patch=None if file.status is FileStatus.TYPE_CHANGED else _patch(file),
        )
        for file, listed in zip(scope.files, evidence.files, strict=True)
    )
    return ProviderChange(evidence.base_tip, evidence.head, evidence.merge_base, 1, files, ("GET files", "GET compare"))


def _patch(file: FileDiff) -> str | None:
    """Hunks under another heading, and without the last newline, as GitHub gives them."""
    text = "".join(
        f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@ theirs\n"
        + hunk.body.decode("utf-8", "replace")
        for hunk in file.hunks
    )
    return text.removesuffix("\n") or None


def _with(change: ProviderChange, path: str, **facts: object) -> ProviderChange:
    assert any(file.path == path for file in change.files)
    files = (dataclasses.replace(file, **facts) if file.path == path else file for file in change.files)  # type: ignore[arg-type]
    return dataclasses.replace(change, files=tuple(files))


def _without(change: ProviderChange, *paths: str) -> tuple[ProviderFile, ...]:
    return tuple(file for file in change.files if file.path not in paths)


def _file(scope: Scope, path: str) -> FileDiff:
    return next(file for file in scope.files if file.path == path)


def test_a_forge_that_agrees_changes_nothing_but_who_vouches(scope: Scope) -> None:
    proved = prove_with_provider(scope, _as_the_forge_shows(scope))

    assert (proved.files, proved.left_out) == (scope.files, scope.left_out)
    assert proved.evidence == dataclasses.replace(
        scope.evidence,
        provenance=Provenance.GIT_AND_PROVIDER,
        sources=("GET files", "GET compare"),
        differences=(Difference("link", "patch", "-1,1 +0,0; -0,0 +1,1", "withheld or unreadable"),),
    )


def test_the_order_of_the_forges_list_does_not_matter(scope: Scope) -> None:
    change = _as_the_forge_shows(scope)

    proved = prove_with_provider(scope, dataclasses.replace(change, files=change.files[::-1]))

    assert proved.files == scope.files


def test_the_evidence_survives_being_stored(scope: Scope) -> None:
    evidence = prove_with_provider(scope, _with(_as_the_forge_shows(scope), "app.py", additions=9)).evidence

    stored = state.encode("draftgate/test/v1", evidence)

    assert state.decode("draftgate/test/v1", ScopeEvidence, stored, name="evidence") == evidence


@pytest.mark.parametrize(
    ("spoil", "path", "fact"),
    [
        pytest.param(lambda change: _with(change, "app.py", new_blob=OTHER), "app.py", "at the head", id="head blob"),
        pytest.param(
            lambda change: _with(change, "app.py", old_blob=OTHER), "app.py", "at the merge base", id="base blob"
        ),
        pytest.param(
            lambda change: _with(change, "there.py", old_blob=OTHER), "moved.py", "merge base", id="blob it moved from"
        ),
        pytest.param(
            lambda change: _with(change, "gone.py", old_blob=None),
            "gone.py",
            "does not say what the file holds",
            id="no id of a file that is gone",
        ),
        pytest.param(
            lambda change: _with(change, "new.py", new_blob=None), "new.py", "does not say", id="no id of a new file"
        ),
        pytest.param(
            lambda change: dataclasses.replace(change, files=_without(change, "new.py")),
            "new.py",
            "the forge does not list it",
            id="file missing from the list",
        ),
        pytest.param(
            lambda change: _with(change, "new.py", new_path="else.py"), "else.py", "git does not find", id="other path"
        ),
        pytest.param(
            lambda change: _with(change, "new.py", status=FileStatus.MODIFIED, old_path="new.py", old_blob=OTHER),
            "new.py",
            "git does not find",
            id="new file that is said to have been there",
        ),
        pytest.param(
            lambda change: _with(change, "there.py", status=FileStatus.COPIED),
            "moved.py",
            "the forge does not list it",
            id="moved file that is said to be a copy",
        ),
    ],
)
def test_another_change_than_gits_is_refused(
    scope: Scope, spoil: Callable[[ProviderChange], ProviderChange], path: str, fact: str
) -> None:
    change = spoil(_as_the_forge_shows(scope))

    with pytest.raises(EvidenceError) as refused:
        prove_with_provider(scope, change)

    assert (refused.value.context, fact in refused.value.message) == (path, True), refused.value.message


@pytest.mark.parametrize("fact", ["base_tip", "head", "merge_base"])
def test_another_range_than_gits_is_refused(scope: Scope, fact: str) -> None:
    change = dataclasses.replace(_as_the_forge_shows(scope), **{fact: CommitSha("2" * 40)})  # type: ignore[arg-type]

    with pytest.raises(EvidenceError, match=f"{'2' * 40}") as refused:
        prove_with_provider(scope, change)

    assert fact.replace("_", " ") in refused.value.message


def test_of_several_merge_bases_the_forges_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"a": "a\n", "b": "b\n"})
    repo.branch("feature")
    feature = repo.commit({"b": "feature\n"})
    repo.switch("main")
    main = repo.commit({"a": "main\n"})
    repo.merge("feature")
    repo.switch("feature")
    repo.merge(main)
    repo.commit({"c": "c\n"})

    for chosen, other in ((main, feature), (feature, main)):
        scope = _prove(repo, preferred=chosen)
        evidence = prove_with_provider(scope, _as_the_forge_shows(scope)).evidence

        assert (evidence.merge_base, evidence.other_merge_bases) == (chosen, (other,))


def test_counts_and_words_that_differ_are_recorded(scope: Scope) -> None:
    change = _with(_as_the_forge_shows(scope), "app.py", additions=0, deletions=7, status=FileStatus.TYPE_CHANGED)

    proved = prove_with_provider(scope, change)

    assert [one for one in proved.evidence.differences if one.path == "app.py"] == [
        Difference("app.py", "status", "modified", "type-changed"),
        Difference("app.py", "additions", "2", "0"),
        Difference("app.py", "deletions", "2", "7"),
    ]
    assert _file(proved, "app.py") == _file(scope, "app.py")


def test_lines_of_a_binary_file_are_counted_by_nobody(scope: Scope) -> None:
    proved = prove_with_provider(scope, _with(_as_the_forge_shows(scope), "logo.png", additions=5))

    assert "logo.png" not in {one.path for one in proved.evidence.differences}


def test_where_hunks_differ_the_forges_decide_the_anchors_and_gits_blobs_the_content(scope: Scope) -> None:
    only_first = "@@ -1,5 +1,5 @@\n row 1\n row 2\n-row 3\n+row three\n row 4\n row 5"

    proved = prove_with_provider(scope, _with(_as_the_forge_shows(scope), "app.py", patch=only_first))

    file = _file(proved, "app.py")
    assert (file.added_lines, len(file.hunks)) == (frozenset({3}), 1)
    assert (file.new_blob, file.new_mode) == (_file(scope, "app.py").new_blob, "100644")
    assert Difference("app.py", "hunks", "-1,6 +1,6; -22,7 +22,7", "-1,5 +1,5") in proved.evidence.differences


def test_bytes_that_json_cannot_carry_are_no_other_line(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"latin.py": b"# caf\xe9\n"})
    repo.branch("feature")
    repo.commit({"latin.py": b"# caf\xe9 noir\n"})
    scope = _prove(repo)

    proved = prove_with_provider(scope, _as_the_forge_shows(scope))

    assert (proved.files, proved.evidence.differences) == (scope.files, ())


@pytest.mark.parametrize(
    "patch", [None, "", "@@ -1 +1 @@\n-cut", "no hunk"], ids=["withheld", "empty", "cut off", "no hunks"]
)
def test_a_patch_that_the_forge_does_not_give_is_read_from_git(scope: Scope, patch: str | None) -> None:
    proved = prove_with_provider(scope, _with(_as_the_forge_shows(scope), "app.py", patch=patch))

    assert (_file(proved, "app.py"), proved.left_out) == (_file(scope, "app.py"), ())
    assert Difference("app.py", "patch", "-1,6 +1,6; -22,7 +22,7", "withheld or unreadable") in (
        proved.evidence.differences
    )


def _split_move(change: ProviderChange, patch: str | None) -> ProviderChange:
    """The forge does not see that a file moved."""
    moved = next(file for file in change.files if file.path == "there.py")
    gone = dataclasses.replace(
        moved, status=FileStatus.DELETED, new_path=None, new_blob=None, patch="@@ -1 +0,0 @@\n-here"
    )
    come = dataclasses.replace(moved, status=FileStatus.ADDED, old_path=None, old_blob=None, patch=patch)
    return dataclasses.replace(change, files=(*_without(change, "there.py"), gone, come))


def test_a_move_that_only_git_sees_is_shown_as_the_forge_shows_it(scope: Scope) -> None:
    change = _split_move(_as_the_forge_shows(scope), "@@ -0,0 +1 @@\n+row 1")

    proved = prove_with_provider(scope, change)

    gone, come = _file(proved, "moved.py"), _file(proved, "there.py")
    assert (gone.status, gone.new_path, gone.removed_lines) == (FileStatus.DELETED, None, frozenset({1}))
    assert (come.status, come.old_path, come.added_lines) == (FileStatus.ADDED, None, frozenset({1}))
    assert (come.new_mode, come.new_blob) == ("100644", _file(scope, "there.py").new_blob)
    assert Difference("there.py", "status", "renamed moved.py -> there.py", "added there.py") in (
        proved.evidence.differences
    )
    assert [file.path for file in proved.evidence.files] == [file.path for file in proved.files]


def test_a_move_that_only_the_forge_sees_is_shown_as_one(scope: Scope) -> None:
    change = _as_the_forge_shows(scope)
    moved = dataclasses.replace(
        next(file for file in change.files if file.path == "new.py"),
        status=FileStatus.RENAMED,
        old_path="gone.py",
        old_blob=_file(scope, "gone.py").old_blob,
        patch="@@ -1 +1 @@\n-x = 1\n+y = 1",
    )

    proved = prove_with_provider(
        scope, dataclasses.replace(change, files=(*_without(change, "new.py", "gone.py"), moved))
    )

    file = _file(proved, "new.py")
    assert (file.status, file.old_path, file.old_mode) == (FileStatus.RENAMED, "gone.py", "100644")
    assert (file.added_lines, file.removed_lines) == (frozenset({1}), frozenset({1}))
    assert Difference("new.py", "status", "added new.py, deleted gone.py", "renamed gone.py -> new.py") in (
        proved.evidence.differences
    )


def test_lines_that_neither_shows_for_another_pairing_are_named(scope: Scope) -> None:
    proved = prove_with_provider(scope, _split_move(_as_the_forge_shows(scope), None))

    assert proved.left_out == (LeftOut("there.py", WITHHELD),)
    assert _file(proved, "there.py").hunks == ()


def test_a_submodule_needs_no_blob(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"app.py": "x\n"})
    repo.branch("feature")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'a' * 40},libs/ext")
    repo.git("commit", "--quiet", "-m", "submodule")
    scope = _prove(repo)

    unnamed = prove_with_provider(scope, _with(_as_the_forge_shows(scope), "libs/ext", new_blob=None))

    assert unnamed.files == scope.files
    with pytest.raises(EvidenceError, match="at the head git has object a"):
        prove_with_provider(scope, _with(_as_the_forge_shows(scope), "libs/ext", new_blob=OTHER))


def test_a_file_above_the_size_limit_stays_unread(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.commit({"app.py": "x\n"})
    repo.branch("feature")
    repo.commit({"data.txt": "row\n" * 2_700_000})
    scope = _prove(repo)
    change = _with(_as_the_forge_shows(scope), "data.txt", additions=2_700_000, patch="@@ -0,0 +1 @@\n+row")

    proved = prove_with_provider(scope, change)

    assert (proved.files, proved.left_out) == (scope.files, scope.left_out)
    assert [left.path for left in proved.left_out] == ["data.txt"]


def test_without_git_the_forge_alone_is_believed_and_the_evidence_says_so(scope: Scope) -> None:
    change = _as_the_forge_shows(scope)

    trusted = trust_provider(change, base_ref="main", head_ref="feature")

    evidence = trusted.evidence
    assert (evidence.provenance, evidence.git_version) == (Provenance.PROVIDER_ONLY, "")
    assert (evidence.merge_base, evidence.head, evidence.object_format) == (change.merge_base, change.head, "sha1")
    assert [file.path for file in trusted.files] == [file.path for file in scope.files]
    assert _file(trusted, "app.py").added_lines == frozenset({3, 25})
    assert _file(trusted, "there.py").old_path == "moved.py"


def test_without_git_what_the_forge_withholds_is_coverage(scope: Scope) -> None:
    change = _with(_as_the_forge_shows(scope), "app.py", patch=None)

    trusted = trust_provider(change, base_ref="main", head_ref="feature")

    named = ("app.py", "link", "logo.png")
    assert trusted.left_out == tuple(LeftOut(path, WITHHELD) for path in named)
    assert not trusted.evidence.patch_complete


def test_without_git_a_file_without_an_id_is_refused(scope: Scope) -> None:
    with pytest.raises(EvidenceError, match="does not say what the file holds at the head"):
        trust_provider(_with(_as_the_forge_shows(scope), "app.py", new_blob=None), base_ref="main", head_ref="feature")
