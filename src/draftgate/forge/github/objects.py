"""Files of a repository at a commit, many in one GraphQL request.

A document is made for the number of files; commits and paths travel as variables, so that no name of the change can
become a part of it. Field names are those of GitHub's GraphQL schema: ``Repository.object``, ``Commit.file``, ``Blob``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from draftgate.domain.change import BlobId, CommitSha
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.facts import Json, need
from draftgate.forge.github.view import Place

IDS_AT_ONCE = 200
"""Both sides of a hundred files."""

TEXTS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class At:
    """A path in a commit."""

    commit: CommitSha
    path: str


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """What GitHub holds at a path.

    Attributes:
        blob: ``None`` if there is no blob there (a submodule, or nothing).
        mode: Git's, ``None`` if GitHub does not say.
        text: ``None`` if it is no text, or GitHub cuts it.
        is_binary: GitHub takes it for binary.
    """

    blob: BlobId | None
    mode: str | None
    text: str | None
    is_binary: bool


def read_ids(connection: Connection, place: Place, wanted: Sequence[At]) -> Iterator[BlobId | None]:
    """The object id at each path, ``None`` where there is none."""
    for part in _parts(wanted, IDS_AT_ONCE):
        variables = {f"e{number}": f"{at.commit}:{at.path}" for number, at in enumerate(part)}
        repository = _ask(connection, place, _ids_document(len(part)), variables)
        for number in range(len(part)):
            yield _id(repository.get(f"f{number}"))


def read_files(connection: Connection, place: Place, wanted: Sequence[At]) -> Iterator[RemoteFile]:
    """Id, mode and text at each path."""
    for part in _parts(wanted, TEXTS_AT_ONCE):
        variables: dict[str, str] = {}
        for number, at in enumerate(part):
            variables |= {f"e{number}": f"{at.commit}:{at.path}", f"c{number}": at.commit, f"p{number}": at.path}
        repository = _ask(connection, place, _files_document(len(part)), variables)
        for number in range(len(part)):
            yield _file(repository.get(f"f{number}"), repository.get(f"m{number}"))


def _parts(wanted: Sequence[At], size: int) -> Iterator[Sequence[At]]:
    return (wanted[start : start + size] for start in range(0, len(wanted), size))


def _ask(connection: Connection, place: Place, document: str, variables: dict[str, str]) -> Json:
    owner, _, name = place.repository.partition("/")
    data = connection.query_made("objects", document, {"owner": owner, "name": name, **variables})
    repository: Json = need(data, "repository")
    return repository


def _ids_document(count: int) -> str:
    return _document(
        count,
        lambda number: f"$e{number}: String!",
        lambda number: f"f{number}: object(expression: $e{number}) {{ oid }}",
    )


def _files_document(count: int) -> str:
    blob = "oid ... on Blob { text isBinary isTruncated }"
    return _document(
        count,
        lambda number: f"$e{number}: String!, $c{number}: GitObjectID!, $p{number}: String!",
        lambda number: (
            f"f{number}: object(expression: $e{number}) {{ {blob} }}\n"
            f"m{number}: object(oid: $c{number}) {{ ... on Commit {{ file(path: $p{number}) {{ mode }} }} }}"
        ),
    )


def _document(count: int, declare: Callable[[int], str], select: Callable[[int], str]) -> str:
    declared = ", ".join(map(declare, range(count)))
    selected = "\n".join(map(select, range(count)))
    return (
        f"query Objects($owner: String!, $name: String!, {declared}) {{\n"
        f"repository(owner: $owner, name: $name) {{\n{selected}\n}}\n}}\n"
    )


def _id(node: Json | None) -> BlobId | None:
    return None if node is None else BlobId(need(node, "oid"))


def _file(node: Json | None, commit: Json | None) -> RemoteFile:
    entry = (commit or {}).get("file")
    is_whole = node is not None and node.get("isTruncated") is False
    return RemoteFile(
        blob=_id(node),
        mode=None if entry is None else f"{need(entry, 'mode'):06o}",
        text=node.get("text") if node is not None and is_whole else None,
        is_binary=node is not None and node.get("isBinary") is True,
    )
