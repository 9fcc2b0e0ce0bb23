"""What GraphQL reads of a merge request and its conversation, beside the little that mutations answer with.

`World.answers_bundles` switches it off, as for a server that is older or finds such queries too complex.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tests.fakes.github.objects import read_commits
from tests.fakes.gitlab import reviewing
from tests.fakes.gitlab.access import may_read_code
from tests.fakes.gitlab.answers import iso
from tests.fakes.gitlab.entities import Discussion, MergeRequest, Note, Project
from tests.fakes.gitlab.notes import visible
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.positions import files_of
from tests.fakes.gitlab.world import World

QUERY: Final = "note(id: NoteID!): Note"
PROJECT: Final = "repository: Repository"
MERGE_REQUEST: Final = """
        description: String
        draft: Boolean!
        webUrl: String
        sourceBranch: String!
        targetBranch: String!
        diffRefs: DiffRefs
        diffStatsSummary: DiffStatsSummary
        author: User
        userPermissions: MergeRequestPermissions!
        approvedBy(first: Int): UserCoreConnection
        commits(first: Int): CommitConnection
        labels(first: Int): LabelConnection
        discussions(first: Int, after: String): DiscussionConnection!
        notes(first: Int, last: Int, filter: NotesFilterType): NoteConnection!
"""
TYPES: Final = """
    scalar NoteID
    scalar Time
    enum NotesFilterType { ALL_NOTES ONLY_COMMENTS ONLY_ACTIVITY }
    type Repository { blobs(paths: [String!]!, ref: String): RepositoryBlobConnection }
    type RepositoryBlobConnection { nodes: [RepositoryBlob] }
    type RepositoryBlob { path: String! rawTextBlob: String }
    type DiffRefs { baseSha: String headSha: String! startSha: String! }
    type DiffStatsSummary { fileCount: Int! }
    type LabelConnection { nodes: [Label] }
    type MergeRequestPermissions { canApprove: Boolean! }
    type UserCoreConnection { pageInfo: PageInfo! nodes: [User] }
    type CommitConnection { pageInfo: PageInfo! nodes: [Commit] }
    type Commit { authorEmail: String committerEmail: String }
    type Label { title: String! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type DiscussionConnection { pageInfo: PageInfo! nodes: [Discussion] }
    type Discussion { id: ID! notes(first: Int): NoteConnection! }
    type NoteConnection { pageInfo: PageInfo! nodes: [Note] }
    type Note {
        id: NoteID!
        body: String!
        createdAt: Time!
        updatedAt: Time!
        lastEditedAt: Time
        system: Boolean!
        internal: Boolean
        author: User
        position: DiffPosition
        awardEmoji(first: Int): AwardEmojiConnection
    }
    type DiffPosition { positionType: String! }
    type AwardEmojiConnection { nodes: [AwardEmoji] }
    type AwardEmoji { name: String! user: User! }
"""

Person = Callable[[User], dict[str, Any]]


def note_by_id(world: World, user: User | None, gid: str, person: Person) -> dict[str, Any] | None:
    """The note of a global id, if one may see it."""
    number = int(gid.rpartition("/")[2])
    for merge_request in world.merge_requests():
        for note in visible(merge_request.notes, user):
            if note.id == number and may_read_code(merge_request.project, user):
                return _note(note, person)
    return None


def repository(project: Project) -> dict[str, Any]:
    """The files of a project."""

    def blobs(paths: Sequence[str], ref: str | None = None) -> dict[str, Any]:
        at = ref or project.default_branch
        found = []
        for path in paths:
            name = project.git.git("ls-tree", "--name-only", at, "--", path).decode().strip()
            if name:
                found.append(
                    {"path": path, "rawTextBlob": project.git.git("show", f"{at}:{path}").decode(errors="replace")}
                )
        return {"nodes": found}

    return {"blobs": blobs}


def merge_request(world: World, user: User | None, one: MergeRequest, web: str, person: Person) -> Mapping[str, Any]:
    """What reading adds to a merge request."""
    version = one.version

    def discussions(first: int | None = None, after: str | None = None) -> dict[str, Any]:
        seen = [each for each in one.discussions if visible(each.notes, user)]
        start = int(after) if after else 0
        page = seen[start : start + (first or 100)]
        more = start + len(page) < len(seen)
        return {
            "pageInfo": {"hasNextPage": more, "endCursor": str(start + len(page))},
            "nodes": [_discussion(each, user, person) for each in page],
        }

    def notes(first: int | None = None, last: int | None = None, filter: str | None = None) -> dict[str, Any]:  # noqa: A002, as in the schema
        seen = [note for note in visible(one.notes, user) if filter != "ONLY_COMMENTS" or not note.system]
        return _connection(seen[-last:] if last else seen[:first], person)

    return {
        "description": one.description,
        "draft": one.draft,
        "webUrl": f"{web}/{one.project.full_path}/-/merge_requests/{one.iid}",
        "sourceBranch": one.source_branch,
        "targetBranch": one.target_branch,
        "diffRefs": {"baseSha": version.base, "headSha": version.head, "startSha": version.start},
        "diffStatsSummary": {"fileCount": len(files_of(one))},
        "author": person(one.author),
        "userPermissions": lambda: {"canApprove": reviewing.may_approve(world, one, user)},
        "approvedBy": lambda first=None: _page([person(each) for each, _ in one.approvals], first),
        "commits": lambda first=None: _page(_commits(one), first),
        "labels": {"nodes": [{"title": label} for label in one.labels]},
        "discussions": discussions,
        "notes": notes,
    }


def _commits(one: MergeRequest) -> list[dict[str, Any]]:
    found = read_commits(one.project.git, f"{one.version.start}..{one.version.head}")
    return [{"authorEmail": commit.author.email, "committerEmail": commit.committer.email} for commit in found]


def _page(nodes: Sequence[dict[str, Any]], first: int | None) -> dict[str, Any]:
    most = first or 100
    return {"pageInfo": {"hasNextPage": len(nodes) > most, "endCursor": str(most)}, "nodes": nodes[:most]}


def _discussion(discussion: Discussion, user: User | None, person: Person) -> dict[str, Any]:
    def notes(first: int | None = None) -> dict[str, Any]:
        return _connection(visible(discussion.notes, user)[:first], person)

    return {"id": f"gid://gitlab/Discussion/{discussion.id}", "notes": notes}


def _connection(notes: Sequence[Note], person: Person) -> dict[str, Any]:
    return {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": [_note(note, person) for note in notes]}


def _note(note: Note, person: Person) -> dict[str, Any]:
    awards = [{"name": award.name, "user": person(award.user)} for award in note.awards]
    position = None if note.position is None else {"positionType": note.position.position_type}
    return {
        "id": f"gid://gitlab/{note.kind or 'Note'}/{note.id}",
        "body": note.body,
        "createdAt": iso(note.created_at),
        "updatedAt": iso(note.updated_at),
        "lastEditedAt": None if note.last_edited_at is None else iso(note.last_edited_at),
        "system": note.system,
        "internal": note.internal,
        "author": person(note.author),
        "position": position,
        "awardEmoji": lambda first=None: {"nodes": awards[:first]},
    }
