"""What GitLab says a merge request changes: its list of diffs to the end, and what each of them shows.

Sources: https://docs.gitlab.com/api/merge_requests/#list-merge-request-diffs and ``raw_diffs`` below it. The list names
no object ids: the commits do, and whether any of it is true is for `draftgate.pipeline.prove`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import NoReturn

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import FileDiff, FileStatus, Hunk, LineKind
from draftgate.domain.patch import parse_hunks, parse_patch
from draftgate.domain.provider import ProviderChange, ProviderFile
from draftgate.errors import DraftgateError, EvidenceError
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.facts import need
from draftgate.forge.gitlab.view import View

_ABSENT_MODES = frozenset({"0", "000000", "", "None"})


class ListedDiff:
    """The diff of one merge request as GitLab shows it, read once."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._files: tuple[ProviderFile, ...] | None = None
        self._shown: tuple[FileDiff, ...] | None = None
        self._withheld: frozenset[str] = frozenset()
        self._entries = 0

    def change(self, *, base_tip: CommitSha, head: CommitSha) -> ProviderChange:
        """The change as GitLab lists it: of a very large one not all files, where git alone knows the others.

        https://docs.gitlab.com/administration/diff_limits/

        Raises:
            EvidenceError: GitLab does not list what it promises of each.
        """
        files, view = self.files(), self._view
        return ProviderChange(
            base_tip=base_tip,
            head=head,
            merge_base=view.now().refs.base,
            distance=None,
            files=files,
            sources=(
                f"GET /projects/{view.place.repository}/merge_requests/{view.place.number}",
                f"GET /projects/{view.place.repository}/merge_requests/{view.place.number}/diffs",
            ),
            names_objects=False,
            is_complete=self._entries >= view.facts.changed_files,
        )

    def files(self) -> tuple[ProviderFile, ...]:
        """The changed files, in GitLab's order."""
        if self._files is None:
            entries = list(self._connection.pages(f"{self._view.path}/diffs"))
            listed = [_file(entry) for entry in entries]
            self._entries, self._files = len(listed), tuple(_merged(listed))
            self._withheld = frozenset(
                file.path for file, entry in zip(listed, entries, strict=True) if _is_withheld(file, entry)
            )
        return self._files

    def shown(self) -> tuple[FileDiff, ...]:
        """What positions can be made on: the files with their hunks, from the whole diff where some are left out."""
        if self._shown is None:
            files = self.files()
            self._shown = tuple(_diff(file) for file in (self._completed(files) if self._withheld else files))
        return self._shown

    def _completed(self, files: Sequence[ProviderFile]) -> tuple[ProviderFile, ...]:
        """The list leaves out what is large; the whole diff as one text, which servers since 17.9 give, does not."""
        try:
            whole = parse_patch(self._connection.text(f"{self._view.path}/raw_diffs").encode("utf-8", "replace"))
        except (DraftgateError, ValueError):
            return tuple(files)
        hunks = {(file.old_path, file.new_path): file.hunks for file in whole}
        return tuple(
            dataclasses.replace(file, patch=_print(hunks.get((file.old_path, file.new_path), ())) or None)
            if file.path in self._withheld
            else file
            for file in files
        )


def _file(entry: Json) -> ProviderFile:
    old, new = _path(need(entry, "old_path")), _path(need(entry, "new_path"))
    is_new, is_gone = bool(entry.get("new_file")), bool(entry.get("deleted_file"))
    status = FileStatus.MODIFIED
    if is_new or is_gone:
        status = FileStatus.ADDED if is_new else FileStatus.DELETED
    elif entry.get("renamed_file") or old != new:
        status = FileStatus.RENAMED
    elif _kind(entry.get("a_mode")) != _kind(entry.get("b_mode")):
        status = FileStatus.TYPE_CHANGED
    text = str(entry.get("diff") or "")
    hunks = _hunks(text)
    return ProviderFile(
        status=status,
        old_path=None if is_new else old,
        new_path=None if is_gone else new,
        old_blob=None,
        new_blob=None,
        additions=_count(hunks, LineKind.ADDED),
        deletions=_count(hunks, LineKind.REMOVED),
        patch=text or None,
        old_mode=_mode(entry.get("a_mode")),
        new_mode=_mode(entry.get("b_mode")),
    )


def _is_withheld(file: ProviderFile, entry: Json) -> bool:
    """Whether the diff was left out for its size; servers before 18.4 do not say, and there it may have been.

    https://docs.gitlab.com/api/merge_requests/#list-merge-request-diffs
    """
    if file.patch is not None:
        return False
    if "collapsed" in entry or "too_large" in entry:
        return bool(entry.get("collapsed") or entry.get("too_large"))
    has_moved = file.status is FileStatus.RENAMED
    return not has_moved and (file.status is not FileStatus.MODIFIED or file.old_mode == file.new_mode)


def _merged(files: Sequence[ProviderFile]) -> Iterator[ProviderFile]:
    """GitLab lists a file that became a link as one that went and one that came; git calls it one."""
    gone = {file.old_path: file for file in files if file.status is FileStatus.DELETED}
    came = {file.new_path: file for file in files if file.status is FileStatus.ADDED}
    for file in files:
        if file.status is FileStatus.DELETED and file.old_path in came:
            continue
        before = gone.get(file.new_path) if file.status is FileStatus.ADDED else None
        if before is None:
            yield file
            continue
        yield dataclasses.replace(
            file,
            status=FileStatus.TYPE_CHANGED,
            old_path=before.old_path,
            old_mode=before.old_mode,
            deletions=before.deletions,
            patch="".join(_ended(part) for part in (before.patch, file.patch) if part) or None,
        )


def _ended(patch: str) -> str:
    return patch if patch.endswith("\n") else f"{patch}\n"


def _hunks(text: str) -> tuple[Hunk, ...] | None:
    try:
        return parse_hunks(text.encode("utf-8", "replace")) if text else None
    except EvidenceError:
        return None


def _count(hunks: Sequence[Hunk] | None, kind: LineKind) -> int | None:
    """GitLab counts no lines; of a file whose diff it leaves out nobody can tell."""
    if hunks is None:
        return None
    return sum(line.kind is kind for hunk in hunks for line in hunk.lines)


def _diff(file: ProviderFile) -> FileDiff:
    return FileDiff(
        old_path=file.old_path,
        new_path=file.new_path,
        status=file.status,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        hunks=_hunks(file.patch or "") or (),
    )


def _print(hunks: Sequence[Hunk]) -> str:
    """Hunks as GitLab lists them."""
    return "".join(
        f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@\n"
        + hunk.body.decode("utf-8", "replace")
        for hunk in hunks
    )


def _mode(mode: object) -> str | None:
    text = str(mode or "")
    return None if text in _ABSENT_MODES else text


def _kind(mode: object) -> str | None:
    """File, link or submodule; ``None`` where it is not said."""
    return (_mode(mode) or "")[:3] or None


def _path(path: str) -> str:
    if "\0" in path or not path or any("\ud800" <= char <= "\udfff" for char in path):
        _refuse(repr(path), "GitLab names a path that no file can have")
    return path


def _refuse(path: str, message: str) -> NoReturn:
    raise EvidenceError(message, context=path, hint="rename the file, or review a range without it")
