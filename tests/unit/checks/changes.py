"""Changes between two trees of files, as the database checks see them: in memory, or in a real repository.

Most tests are about what the checks read, and take the trees from memory; the examples go through git.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draftgate.checks.base import Change, Check, Match
from draftgate.domain.finding import Finding
from draftgate.domain.patch import parse_patch
from draftgate.domain.paths import matches_any
from draftgate.git.diff import diff_commits
from draftgate.git.objects import open_objects
from draftgate.git.repository import Repository
from draftgate.git.snapshot import CommitSnapshot
from tests.git_builder import Repo, git_environment


@dataclass(frozen=True, slots=True)
class Tree:
    """A `Snapshot` of files in memory."""

    files: Mapping[str, str]

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        wanted = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words))})(?!\w)")
        for path in self.paths():
            if not globs or matches_any(path, globs):
                for number, line in enumerate(self.files[path].split("\n"), start=1):
                    if wanted.search(line):
                        yield Match(path, number, line)


def change_between(base: Mapping[str, str], head: Mapping[str, str]) -> Change:
    """The change from one tree to the other; what the second does not name is removed."""
    changed = sorted(path for path in base.keys() | head.keys() if base.get(path) != head.get(path))
    patch = "".join(_patch(path, base.get(path), head.get(path)) for path in changed)
    return Change(parse_patch(patch.encode()), Tree(base), Tree(head))


def findings_of(check: Check, base: Mapping[str, str], head: Mapping[str, str]) -> list[Finding]:
    """What the check reports on the change from one tree to the other."""
    return list(check.run(change_between(base, head)))


def _patch(path: str, old: str | None, new: str | None) -> str:
    header = f"diff --git a/{path} b/{path}\n"
    header += "new file mode 100644\n" if old is None else "deleted file mode 100644\n" if new is None else ""
    before = "/dev/null" if old is None else f"a/{path}"
    after = "/dev/null" if new is None else f"b/{path}"
    lines = difflib.unified_diff((old or "").splitlines(True), (new or "").splitlines(True), before, after)
    return header + "".join(lines)


@contextmanager
def change_in_git(folder: Path, base: Mapping[str, str], head: Mapping[str, str]) -> Iterator[Change]:
    """The same, between two commits of a new repository in the folder."""
    built = Repo.create(folder)
    old = built.commit({"README.md": "a project\n", **base})
    new = built.commit({**dict.fromkeys(base.keys() - head.keys()), **head})
    repository = Repository.open(folder, git_environment())
    ids = repository.resolve(old), repository.resolve(new)
    with open_objects(repository) as objects:
        snapshots = [CommitSnapshot(repository, objects, commit) for commit in ids]
        yield Change(diff_commits(repository, *ids).files, *snapshots)
