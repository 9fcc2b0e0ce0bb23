"""The git objects that GraphQL shows, read from the real repository each time.

Refs by name, commits, trees and blobs; notes, signatures and annotated tags themselves are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from tests.fakes.github import objects
from tests.fakes.github.entities import PullRequest, Repository
from tests.fakes.github.graphql_call import Call, Fields
from tests.fakes.github.world import World

LONGEST_TEXT: Final = 512 * 1024
"""How much of a blob's text is answered."""


@dataclass(frozen=True)
class GitObject:
    """Something with an object id in a repository."""

    repository: Repository
    oid: str


@dataclass(frozen=True)
class Blob(GitObject):
    @cached_property
    def content(self) -> bytes:
        return objects.read_blob(self.repository.git, self.oid)

    @property
    def is_binary(self) -> bool:
        """By git's own rule."""
        return b"\0" in self.content[:8000]

    @property
    def text(self) -> str | None:
        return None if self.is_binary else self.content[:LONGEST_TEXT].decode("utf-8", "replace")


@dataclass(frozen=True)
class Tree(GitObject):
    pass


@dataclass(frozen=True)
class Commit(GitObject):
    @cached_property
    def facts(self) -> objects.Commit:
        [commit] = objects.read_commits(self.repository.git, "--max-count=1", self.oid)
        return commit


@dataclass(frozen=True)
class TreeEntry:
    """An entry of a tree; `facts` has its path from the root of the tree that was asked."""

    repository: Repository
    facts: objects.TreeEntry

    @property
    def object(self) -> GitObject | None:
        """``None`` for a submodule, whose commit is elsewhere."""
        return None if self.facts.kind == "commit" else find_object(self.repository, self.facts.sha)


@dataclass(frozen=True)
class Ref:
    """A ref by its full name."""

    repository: Repository
    name: str


def find_object(repository: Repository, expression: str) -> GitObject | None:
    """What a revision expression stands for, ``None`` for nothing."""
    kinds: Mapping[str, type[GitObject]] = {"commit": Commit, "tree": Tree, "blob": Blob}
    request = f"{expression}\n{expression}^{{}}\n".encode()
    found = repository.git.git("cat-file", "--batch-check", stdin=request).decode().splitlines()
    for row in found:
        oid, *facts = row.split(" ")
        if len(facts) == 2 and facts[0] in kinds:
            return kinds[facts[0]](repository, oid)
    return None


def find_ref(repository: Repository, name: str) -> Ref | None:
    """A ref by its full name or as a branch, ``None`` where there is none."""
    names = {ref for ref, _ in objects.find_ref(repository.git, "")}
    return next((Ref(repository, full) for full in (name, f"refs/heads/{name}") if full in names), None)


def commits_of(pull: PullRequest, world: World) -> list[Commit]:
    """The commits of a pull request, oldest first."""
    span = f"{world.merge_base(pull)}..{world.head_sha(pull)}"
    return [Commit(pull.repository, each.sha) for each in objects.read_commits(pull.repository.git, "--reverse", span)]


def _entries(tree: GitObject, *options: str) -> list[TreeEntry]:
    entries = objects.read_tree(tree.repository.git, tree.oid, *options)
    return [TreeEntry(tree.repository, entry) for entry in entries]


def _file(commit: Commit, path: str) -> TreeEntry | None:
    return next(iter(_entries(commit, "--", path)), None)


def _actor(signature: objects.Signature, call: Call) -> Mapping[str, object]:
    """Somebody in a commit, with the account where GitHub's own kind of address names one."""
    named = re.fullmatch(r"(?:\d+\+)?([^+@]+)@users\.noreply\.github\.com", signature.email)
    account = call.world.accounts.get(named[1].lower()) if named else None
    user = account if account is not None and account.app is None else None
    return {"name": signature.name, "email": signature.email, "date": signature.date, "user": user}


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


# --- Fields --------------------------------------------------------------------------------------

GIT_OBJECT: Fields[GitObject] = {
    "id": lambda it, _: f"{type(it).__name__[0]}_{it.repository.id}_{it.oid}",
    "oid": lambda it, _: it.oid,
    "abbreviatedOid": lambda it, _: it.oid[:7],
    "repository": lambda it, _: it.repository,
    "commitUrl": lambda it, call: f"{call.web}/{it.repository.full_name}/commit/{it.oid}",
    "commitResourcePath": lambda it, _: f"/{it.repository.full_name}/commit/{it.oid}",
}
BLOB: Fields[Blob] = {
    "byteSize": lambda blob, _: len(blob.content),
    "isBinary": lambda blob, _: blob.is_binary,
    "isTruncated": lambda blob, _: len(blob.content) > LONGEST_TEXT,
    "text": lambda blob, _: blob.text,
}
TREE: Fields[Tree] = {
    "entries": lambda tree, _: _entries(tree),
}
TREE_ENTRY: Fields[TreeEntry] = {
    "mode": lambda entry, _: int(entry.facts.mode, 8),
    "name": lambda entry, _: PurePosixPath(entry.facts.path).name,
    "object": lambda entry, _: entry.object,
    "oid": lambda entry, _: entry.facts.sha,
    "path": lambda entry, _: entry.facts.path,
    "repository": lambda entry, _: entry.repository,
    "size": lambda entry, _: entry.facts.size or 0,
    "type": lambda entry, _: entry.facts.kind,
}
COMMIT: Fields[Commit] = {
    "author": lambda commit, call: _actor(commit.facts.author, call),
    "committer": lambda commit, call: _actor(commit.facts.committer, call),
    "authoredDate": lambda commit, _: _date(commit.facts.author.date),
    "committedDate": lambda commit, _: _date(commit.facts.committer.date),
    "file": lambda commit, call: _file(commit, call.arguments["path"]),
    "message": lambda commit, _: commit.facts.message,
    "messageHeadline": lambda commit, _: commit.facts.message.partition("\n")[0],
    "parents": lambda commit, call: call.page(Commit(commit.repository, oid) for oid in commit.facts.parents),
    "tree": lambda commit, _: Tree(commit.repository, commit.facts.tree),
    "url": lambda commit, call: f"{call.web}/{commit.repository.full_name}/commit/{commit.oid}",
}
REF: Fields[Ref] = {
    "id": lambda ref, _: f"REF_{ref.repository.id}_{ref.name}",
    "name": lambda ref, _: ref.name.split("/", 2)[2],
    "prefix": lambda ref, _: "/".join(ref.name.split("/", 2)[:2]) + "/",
    "repository": lambda ref, _: ref.repository,
    "target": lambda ref, _: find_object(ref.repository, ref.name),
}
