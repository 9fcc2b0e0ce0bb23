"""What the simulated GitHub reads from its bare repositories: commits, trees, blobs and names."""

from __future__ import annotations

from dataclasses import dataclass

from tests.git_builder import Repo

_FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"


@dataclass(frozen=True)
class Signature:
    name: str
    email: str
    date: str


@dataclass(frozen=True)
class Commit:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True)
class TreeEntry:
    """An entry of a tree; `size` is there for blobs alone."""

    mode: str
    kind: str
    sha: str
    size: int | None
    path: str


def find(git: Repo, name: str, kind: str = "commit") -> str | None:
    """The object of this kind that a branch, a full ref or an id stands for; ``None`` if there is none."""
    names = (f"refs/heads/{name}", f"refs/tags/{name}", name)
    lines = "".join(f"{full}^{{{kind}}}\n" for full in names)
    found = git.git("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=lines.encode()).decode().splitlines()
    return next((line.split(" ")[0] for line in found if line.endswith(f" {kind}")), None)


def find_ref(git: Repo, name: str) -> list[tuple[str, str]]:
    """The refs that begin with ``refs/`` and `name`, with what they point to."""
    lines = git.git("for-each-ref", "--format=%(refname) %(objectname)").decode().splitlines()
    pairs = (line.split(" ") for line in lines)
    return [(ref, sha) for ref, sha in pairs if ref.startswith(f"refs/{name}")]


def read_commits(git: Repo, *selection: str) -> list[Commit]:
    """Commits as ``git log`` selects them, in its order."""
    text = git.git("log", f"--format=tformat:{_FORMAT}", *selection, "--").decode("utf-8", "replace")
    return [_commit(record.lstrip("\n")) for record in text.split("\x01")[:-1]]


def read_tree(git: Repo, tree: str, *options: str) -> list[TreeEntry]:
    """The entries of a tree (``-r -t`` for all levels), or of one path in it (``-- path``)."""
    rows = git.git("ls-tree", "-z", "--long", tree, *options).decode("utf-8", "surrogateescape").split("\0")
    return [_entry(row) for row in rows[:-1]]


def read_blob(git: Repo, sha: str) -> bytes:
    return git.git("cat-file", "blob", sha)


def read_diff(git: Repo, base: str, head: str) -> bytes:
    """The patch between two commits, byte for byte as the diff media type has it."""
    return git.git("diff", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color", base, head)


def count_commits(git: Repo, base: str, head: str) -> int:
    return int(git.git("rev-list", "--count", f"{base}..{head}"))


def _commit(record: str) -> Commit:
    sha, tree, parents, *people, message = record.split("\0")
    author, committer = Signature(*people[:3]), Signature(*people[3:])
    return Commit(sha, tree, tuple(parents.split()), author, committer, message.rstrip("\n"))


def _entry(row: str) -> TreeEntry:
    about, _, path = row.partition("\t")
    mode, kind, sha, size = about.split()
    return TreeEntry(mode, kind, sha, int(size) if size != "-" else None, path)
