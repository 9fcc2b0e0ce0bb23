"""A merge request, its conversation and the configuration in one GraphQL query, where the server answers it.

REST needs a request for each of them, and one more for the reactions on each comment. What is read here is put into
the form that REST has, so that the rest of the adapter knows one form. A server that does not answer (an older one, one
that finds the query too complex) costs one request, and REST is asked then.

Field names are those of https://docs.gitlab.com/api/graphql/reference/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from draftgate.domain.conversation import Reaction
from draftgate.errors import PermissionDenied, Unavailable
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.facts import Note
from draftgate.forge.gitlab.troubles import Refused

_NOTE: Final = """
fragment NoteParts on Note {
  id body createdAt updatedAt lastEditedAt system internal
  author { id username bot }
  position { positionType }
}
"""
_CHANGE: Final = """
fragment ChangeParts on MergeRequest {
  iid title description state draft webUrl sourceBranch targetBranch diffHeadSha
  diffRefs { baseSha headSha startSha }
  diffStatsSummary { fileCount }
  author { id username bot }
  labels(first: 100) { nodes { title } }
  reviewers(first: 100) { nodes { id } }
}
"""
_BUNDLE: Final = (
    """
query Bundle($path: ID!, $iid: String!, $paths: [String!]!, $ref: String!, $after: String) {
  currentUser { id username bot }
  project(fullPath: $path) {
    repository { blobs(paths: $paths, ref: $ref) { nodes { path rawTextBlob } } }
    mergeRequest(iid: $iid) {
      ...ChangeParts
      discussions(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id notes(first: 1) { nodes { ...NoteParts awardEmoji(first: 100) { nodes { name user { id } } } } } }
      }
    }
  }
}
"""
    + _CHANGE
    + _NOTE
)
_STANDING: Final = (
    """
query Standing($path: ID!, $iid: String!, $note: NoteID!, $hasNote: Boolean!, $withRecent: Boolean!) {
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      ...ChangeParts
      notes(last: 50, filter: ONLY_COMMENTS) @include(if: $withRecent) { nodes { ...NoteParts } }
    }
  }
  note(id: $note) @include(if: $hasNote) { ...NoteParts }
}
"""
    + _CHANGE
    + _NOTE
)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one query said.

    Attributes:
        user, merge_request: As REST gives them.
        comments: The first note of each discussion that stands in no diff, oldest first.
        edited: Those of them whose text was changed.
        reactions: The bot's own, by the note that they are on.
        files: Path to text of the configuration files; a path that is not here has to be asked for.
    """

    user: Json
    merge_request: Json
    comments: tuple[Note, ...]
    edited: frozenset[int]
    reactions: Mapping[int, frozenset[Reaction]]
    files: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Glance:
    """What moves, as one query said it.

    Attributes:
        merge_request: As REST gives it.
        note: The one that was asked for; ``None`` if it is not there.
        recent: The last comments, oldest first, where they were asked for.
    """

    merge_request: Json
    note: Note | None
    recent: tuple[Note, ...]


@facts.reads_answers
def ask_bundle(connection: Connection, path: str, number: int, *, paths: Sequence[str], revision: str) -> Bundle | None:
    """Ask for everything; ``None`` if the server does not answer that.

    Args:
        connection: To GitLab.
        path: The full path of the project.
        number: Of the merge request.
        paths: Of the configuration files.
        revision: Where they are read.
    """
    asked = {"path": path, "iid": str(number), "paths": list(dict.fromkeys(paths)), "ref": revision}
    discussions: list[Json] = []
    after: str | None = None
    while True:
        data = _ask(connection, _BUNDLE, {**asked, "after": after})
        found = None if data is None else ((data.get("project") or {}).get("mergeRequest"))
        if data is None or found is None or not data.get("currentUser"):
            return None
        discussions += _nodes(found.get("discussions"))
        page = (found.get("discussions") or {}).get("pageInfo") or {}
        after = page.get("endCursor") if page.get("hasNextPage") else None
        if after is None:
            break
    user = _person(data["currentUser"])
    notes = [(entry, _note(entry, str(one.get("id", "")))) for one in discussions for entry in _nodes(one.get("notes"))]
    top = [(entry, note) for entry, note in notes if note.is_top_level]
    blobs = _nodes((data["project"].get("repository") or {}).get("blobs"))
    texts = {str(blob["path"]): blob.get("rawTextBlob") for blob in blobs}
    return Bundle(
        user=user,
        merge_request=_merge_request(found),
        comments=tuple(sorted((note for _, note in top), key=lambda note: note.id)),
        edited=frozenset(note.id for _, note in top if note.is_edited),
        reactions={note.id: frozenset(_own_reactions(entry, user["id"])) for entry, note in top},
        files={path: texts.get(path) for path in paths if path not in texts or texts[path] is not None},
    )


@facts.reads_answers
def ask_glance(connection: Connection, path: str, number: int, *, note: str, with_recent: bool) -> Glance | None:
    """Ask for what moves; ``None`` if the server does not answer that, or says that the note is gone."""
    asked = {
        "path": path,
        "iid": str(number),
        "note": f"gid://gitlab/Note/{note or 0}",
        "hasNote": bool(note),
        "withRecent": with_recent,
    }
    data = _ask(connection, _STANDING, asked)
    found = None if data is None else ((data.get("project") or {}).get("mergeRequest"))
    if data is None or found is None or (note and not data.get("note")):
        return None
    recent = (_note(entry) for entry in _nodes(found.get("notes")))
    return Glance(
        merge_request=_merge_request(found),
        note=_note(data["note"]) if note else None,
        recent=tuple(one for one in recent if one.is_top_level),
    )


def _ask(connection: Connection, document: str, variables: Mapping[str, object]) -> Json | None:
    if not connection.asks_graphql:
        return None
    try:
        return connection.read(lambda: connection.query(document.strip(), **variables))
    except PermissionDenied:
        raise
    except (Refused, Unavailable):
        connection.asks_graphql = False
        return None


def _merge_request(node: Json) -> Json:
    refs = node.get("diffRefs") or {}
    counted = (node.get("diffStatsSummary") or {}).get("fileCount")
    return {
        "iid": int(facts.need(node, "iid")),
        "title": node.get("title"),
        "description": node.get("description"),
        "state": node.get("state"),
        "draft": node.get("draft"),
        "web_url": node.get("webUrl"),
        "source_branch": node.get("sourceBranch"),
        "target_branch": node.get("targetBranch"),
        "sha": node.get("diffHeadSha"),
        "diff_refs": {
            "base_sha": refs.get("baseSha"),
            "start_sha": refs.get("startSha"),
            "head_sha": refs.get("headSha"),
        },
        "changes_count": "" if counted is None else str(counted),
        "author": None if node.get("author") is None else _person(node["author"]),
        "labels": [label.get("title") for label in _nodes(node.get("labels"))],
        "reviewers": [_person(user) for user in _nodes(node.get("reviewers"))],
    }


def _note(node: Json, discussion: str = "") -> Note:
    author = node.get("author")
    return facts.note(
        {
            "id": _number(node.get("id")),
            "body": node.get("body"),
            "author": None if author is None else _person(author),
            "created_at": node.get("createdAt"),
            "updated_at": node.get("lastEditedAt") or node.get("createdAt"),
            "system": node.get("system"),
            "internal": node.get("internal"),
            "edited": node.get("lastEditedAt") is not None,
            "position": node.get("position"),
        },
        discussion,
    )


def _person(node: Json) -> dict[str, Any]:
    return {"id": _number(node.get("id")), "username": node.get("username"), "bot": node.get("bot")}


def _own_reactions(node: Json, account_id: int) -> Iterator[Reaction]:
    for emoji in _nodes(node.get("awardEmoji")):
        if _number((emoji.get("user") or {}).get("id")) == account_id and emoji.get("name") in set(Reaction):
            yield Reaction(emoji["name"])


def _nodes(connection: Json | None) -> list[Json]:
    return [node for node in (connection or {}).get("nodes") or [] if node is not None]


def _number(gid: object) -> int:
    """The number at the end of a global id: ``gid://gitlab/User/12``."""
    text = str(gid or "").rpartition("/")[2]
    if not text.isdecimal():
        raise Unavailable("GitLab gave an id that cannot be read", hint="try again; this is no answer to build on")
    return int(text)
