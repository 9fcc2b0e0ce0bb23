"""A merge request, its conversation and the configuration in one GraphQL query, where the server answers it.

What moves is one more such query: alone, with the whole conversation, or with what the bot may say about merging.

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
_FILES: Final = """
query Files($path: ID!, $paths: [String!]!, $ref: String!) {
  project(fullPath: $path) {
    repository { blobs(paths: $paths, ref: $ref) { nodes { path rawTextBlob } } }
  }
}
"""
_STANDING: Final = (
    """
query Standing(
  $path: ID!, $iid: String!, $note: NoteID!, $hasNote: Boolean!, $withRecent: Boolean!, $withFirst: Boolean!
  $after: String
) {
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      ...ChangeParts
      notes(last: 50, filter: ONLY_COMMENTS) @include(if: $withRecent) { nodes { ...NoteParts } }
      discussions(first: 100, after: $after) @include(if: $withFirst) {
        pageInfo { hasNextPage endCursor }
        nodes { id notes(first: 1) { nodes { ...NoteParts } } }
      }
    }
  }
  note(id: $note) @include(if: $hasNote) { ...NoteParts }
}
"""
    + _CHANGE
    + _NOTE
)
REVIEWERS: Final = "reviewers(first: 100) { nodes { id mergeRequestInteraction { reviewState } } }"
"""Of a merge request: its reviewers with what each of them said, for `read_states`."""

_STANCE: Final = (
    """
query Stance($path: ID!, $iid: String!, $note: NoteID!, $hasNote: Boolean!) {
  metadata { version }
  currentUser { id }
  project(fullPath: $path) {
    mergeRequest(iid: $iid) {
      ...ChangeParts
      userPermissions { canApprove }
      approvedBy(first: 100) { pageInfo { hasNextPage } nodes { id } }
      commits(first: 100) { pageInfo { hasNextPage } nodes { authorEmail committerEmail } }
    }
  }
  note(id: $note) @include(if: $hasNote) { ...NoteParts }
}
"""
    + _CHANGE
    + _NOTE
)


_MOST_PAGES: Final = 500
"""Of discussions; no merge request has as many, and a list that names itself as its next page has more."""
_ADDRESSES: Final = ("authorEmail", "committerEmail")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one query said.

    Attributes:
        user, merge_request: As REST gives them.
        firsts: The first note of each discussion, oldest first.
        edited: Those of them whose text was changed.
        reactions: The bot's own, by the note that they are on.
        files: Path to text of the configuration files; a path that is not here has to be asked for.
    """

    user: Json
    merge_request: Json
    firsts: tuple[Note, ...]
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
        firsts: The first note of each discussion, oldest first, where they were asked for.
    """

    merge_request: Json
    note: Note | None
    recent: tuple[Note, ...] = ()
    firsts: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Stance:
    """What the bot has said about merging, and may say.

    Attributes:
        glance: What moves, at that moment.
        has_approved: Its approval stands.
        may_approve: GitLab lets it approve; ``False`` also where it has.
        addresses: Of the authors and committers of the change, in lower case; ``None`` where there are more than were
            given.
        version: Of the server.
    """

    glance: Glance
    has_approved: bool
    may_approve: bool
    addresses: frozenset[str] | None
    version: str


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
    data, discussions = _ask_to_the_end(connection, _BUNDLE, asked)
    if data is None or not data.get("currentUser"):
        return None
    found = data["project"]["mergeRequest"]
    user = _person(data["currentUser"])
    notes = sorted(_first_notes(discussions), key=lambda one: one[1].id)
    top = [(entry, note) for entry, note in notes if note.is_top_level]
    return Bundle(
        user=user,
        merge_request=_merge_request(found),
        firsts=tuple(note for _, note in notes),
        edited=frozenset(note.id for _, note in top if note.is_edited),
        reactions={note.id: frozenset(_own_reactions(entry, user["id"])) for entry, note in top},
        files=_texts(data["project"], paths),
    )


@facts.reads_answers
def ask_files(connection: Connection, path: str, *, paths: Sequence[str], revision: str) -> Mapping[str, str | None]:
    """Path to text of files at a commit; a path that is not there has to be asked for by REST."""
    data = _ask(connection, _FILES, {"path": path, "paths": list(dict.fromkeys(paths)), "ref": revision})
    project = None if data is None else data.get("project")
    return {} if project is None else _texts(project, paths)


def _texts(project: Json, paths: Sequence[str]) -> Mapping[str, str | None]:
    """``None`` where there is no such file; one without a text is left out."""
    blobs = _nodes((project.get("repository") or {}).get("blobs"))
    texts = {str(blob["path"]): blob.get("rawTextBlob") for blob in blobs}
    return {path: texts.get(path) for path in paths if path not in texts or texts[path] is not None}


@facts.reads_answers
def ask_glance(
    connection: Connection, path: str, number: int, *, note: str, with_recent: bool, with_firsts: bool = False
) -> Glance | None:
    """Ask for what moves; ``None`` if the server does not answer that, or says that the note is gone."""
    asked = {**_about(path, number, note), "withRecent": with_recent, "withFirst": with_firsts}
    data, discussions = _ask_to_the_end(connection, _STANDING, asked)
    if data is None or (note and not data.get("note")):
        return None
    found = data["project"]["mergeRequest"]
    recent = (_note(entry) for entry in _nodes(found.get("notes")))
    return Glance(
        merge_request=_merge_request(found),
        note=_note(data["note"]) if note else None,
        recent=tuple(one for one in recent if one.is_top_level),
        firsts=tuple(sorted((one for _, one in _first_notes(discussions)), key=lambda one: one.id)),
    )


@facts.reads_answers
def ask_stance(connection: Connection, path: str, number: int, *, note: str) -> Stance | None:
    """Ask for what moves and what the bot may say about merging; ``None`` if the server does not answer that.

    An older server lacks some of these fields and answers the other queries all the same.
    """
    if not connection.asks_graphql or not connection.asks_stance:
        return None
    try:
        data = connection.read(lambda: connection.query(_STANCE.strip(), **_about(path, number, note)))
    except PermissionDenied:
        raise
    except (Refused, Unavailable):
        connection.asks_stance = False
        return None
    found = (data.get("project") or {}).get("mergeRequest")
    if found is None or not data.get("currentUser") or (note and not data.get("note")):
        return None
    own = _number(data["currentUser"].get("id"))
    approvals, commits = found.get("approvedBy") or {}, found.get("commits") or {}
    has_approved = own in {_number(node.get("id")) for node in _nodes(approvals)}
    may_approve = (found.get("userPermissions") or {}).get("canApprove")
    if may_approve is None or (_has_more(approvals) and not has_approved):
        return None
    addresses = {str(node.get(name) or "").lower() for node in _nodes(commits) for name in _ADDRESSES}
    return Stance(
        glance=Glance(_merge_request(found), _note(data["note"]) if note else None),
        has_approved=has_approved,
        may_approve=bool(may_approve),
        addresses=None if _has_more(commits) else frozenset(addresses - {""}),
        version=str((data.get("metadata") or {}).get("version") or ""),
    )


def read_states(merge_request: Json | None) -> dict[int, str] | None:
    """The reviewers of a merge request and the state of each, as REST spells it; ``None`` where they are not said."""
    reviewers = (merge_request or {}).get("reviewers")
    if reviewers is None:
        return None
    return {
        _number(node.get("id")): str((node.get("mergeRequestInteraction") or {}).get("reviewState") or "").lower()
        for node in _nodes(reviewers)
    }


def _about(path: str, number: int, note: str) -> dict[str, object]:
    return {"path": path, "iid": str(number), "note": f"gid://gitlab/Note/{note or 0}", "hasNote": bool(note)}


def _ask_to_the_end(
    connection: Connection, document: str, asked: Mapping[str, object]
) -> tuple[Json | None, list[Json]]:
    """The last answer, and the discussions of all.

    ``None`` if one of them does not say what the merge request is, or where it goes on: REST is asked then.
    """
    discussions: list[Json] = []
    after: str | None = None
    for _ in range(_MOST_PAGES):
        data = _ask(connection, document, {**asked, "after": after})
        found = None if data is None else ((data.get("project") or {}).get("mergeRequest"))
        if found is None:
            return None, []
        page = found.get("discussions") or {}
        discussions += _nodes(page)
        if not _has_more(page):
            return data, discussions
        after = page["pageInfo"].get("endCursor")
        if not after:
            break
    return None, []


def _first_notes(discussions: Sequence[Json]) -> list[tuple[Json, Note]]:
    return [(entry, _note(entry, str(one.get("id", "")))) for one in discussions for entry in _nodes(one.get("notes"))]


def _has_more(page: Json) -> bool:
    return bool((page.get("pageInfo") or {}).get("hasNextPage"))


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
