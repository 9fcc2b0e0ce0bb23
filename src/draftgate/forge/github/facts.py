"""What GitHub says about a change, as values: the answers of our queries read once and strictly.

A field that GitHub may leave empty is ``None`` here; one that it promises and leaves out is an error, never a default.
Field names and nullability are those of GitHub's published GraphQL schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Person
from draftgate.errors import Unavailable
from draftgate.forge.hosted.standing import Account, ChangeFacts, ChangeNow, KnownComment

Json = Mapping[str, Any]

WORKFLOW_ACCOUNT = "github-actions[bot]"
"""The account of every workflow's ``GITHUB_TOKEN``; drafts and comments of all workflows are its own."""

_REACTIONS = {"EYES": Reaction.RECEIVED, "ROCKET": Reaction.DONE, "CONFUSED": Reaction.REFUSED}


@dataclass(frozen=True, slots=True)
class PlacedComment:
    """A review comment as GitHub placed it; the side is not part of the answer."""

    id: str
    path: str
    is_file: bool
    start_line: int | None
    line: int | None
    body: str


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """A review, pending or submitted.

    Attributes:
        id: Node id.
        number: The REST id.
        commit: ``None`` once the commit was collected.
    """

    id: str
    number: int
    state: str
    is_ours: bool
    author: str
    body: str
    submitted_at: str
    commit: CommitSha | None


@dataclass(frozen=True, slots=True)
class PendingReview:
    """A draft of the bot's own account, with the first hundred of its comments and where the rest begins."""

    review: ReviewFacts
    comments: tuple[PlacedComment, ...]
    after: str | None


def account(viewer: Json) -> Account:
    """Whose token it is."""
    login = need(viewer, "login")
    # The ending is one that no person's login can have.
    return Account(login, viewer.get("databaseId"), login == WORKFLOW_ACCOUNT, login.endswith("[bot]"))


def change_now(node: Json) -> ChangeNow:
    """The moving parts."""
    target = ((node.get("baseRef") or {}).get("target") or {}).get("oid")
    return ChangeNow(
        is_open=need(node, "state") == "OPEN",
        base_ref=need(node, "baseRefName"),
        base_tip=CommitSha(target or need(node, "baseRefOid")),
        head_ref=need(node, "headRefName"),
        head=CommitSha(need(node, "headRefOid")),
    )


def change_facts(node: Json) -> ChangeFacts:
    """The parts that are read once."""
    return ChangeFacts(
        title=need(node, "title"),
        description=node.get("body") or "",
        url=need(node, "url"),
        is_draft=need(node, "isDraft"),
        author=person(node.get("author")),
        labels=tuple(need(label, "name") for label in nodes(node.get("labels"))),
        changed_files=need(node, "changedFiles"),
    )


def person(actor: Json | None) -> Person | None:
    """An author as REST spells it: here a bot's login has no ``[bot]``, and a person may own the bare name."""
    if actor is None:
        return None
    is_bot = actor.get("__typename") == "Bot"
    login = need(actor, "login")
    return Person(f"{login}[bot]" if is_bot and not login.endswith("[bot]") else login, is_bot)


def review(node: Json) -> ReviewFacts:
    """A review without its comments."""
    author = person(node.get("author"))
    return ReviewFacts(
        id=need(node, "id"),
        number=int(need(node, "fullDatabaseId")),
        state=node.get("state") or "PENDING",
        is_ours=need(node, "viewerDidAuthor"),
        author="" if author is None else author.login,
        body=need(node, "body"),
        submitted_at=node.get("submittedAt") or "",
        commit=(node.get("commit") or {}).get("oid"),
    )


def pending(node: Json) -> PendingReview:
    """A draft with its first page of comments."""
    connection = node.get("comments")
    return PendingReview(review(node), placed_comments(connection), next_page(connection))


def placed_comments(connection: Json | None) -> tuple[PlacedComment, ...]:
    """The review comments of one page."""
    return tuple(_placed(node) for node in nodes(connection))


def issue_comment(node: Json) -> KnownComment:
    """A top-level comment."""
    groups = node.get("reactionGroups")
    comment = Comment(
        id=str(need(node, "fullDatabaseId")),
        author=person(node.get("author")),
        is_ours=need(node, "viewerDidAuthor"),
        text=need(node, "body"),
        created_at=need(node, "createdAt"),
        is_edited=node.get("lastEditedAt") is not None,
        url=node.get("url") or "",
        answered=None if groups is None else own_reactions(groups),
    )
    updated = node.get("lastEditedAt") or comment.created_at
    return KnownComment(need(node, "id"), comment, updated, bool(node.get("isMinimized")))


def nodes(connection: Json | None) -> list[Json]:
    """The entries of a connection; GraphQL lists may hold empty places."""
    return [node for node in (connection or {}).get("nodes") or [] if node is not None]


def next_page(connection: Json | None) -> str | None:
    """Where the next page begins; ``None`` on the last."""
    info = (connection or {}).get("pageInfo") or {}
    return info.get("endCursor") if info.get("hasNextPage") else None


def previous_page(connection: Json | None) -> str | None:
    """Where the page before ends; ``None`` on the first."""
    info = (connection or {}).get("pageInfo") or {}
    return info.get("startCursor") if info.get("hasPreviousPage") else None


def need(node: Json, name: str) -> Any:  # noqa: ANN401 - the schema gives each its type, and the caller names it
    """A field that the schema promises.

    Raises:
        Unavailable: it is not there.
    """
    value = node.get(name)
    if value is None:
        raise Unavailable(f"GitHub's answer lacks `{name}`", hint="try again; this is no answer to build on")
    return value


def own_reactions(groups: Iterable[Json]) -> frozenset[Reaction]:
    """The reactions of ours among the reaction groups of a comment."""
    given = (group.get("content") for group in groups if group.get("viewerHasReacted"))
    return frozenset(_REACTIONS[content] for content in given if content in _REACTIONS)


def _placed(node: Json) -> PlacedComment:
    """Lines of the old side can come without ``line``; the original one is theirs as long as they are not outdated."""
    line, start = node.get("line"), node.get("startLine")
    if line is None and not node.get("outdated"):
        line, start = node.get("originalLine"), node.get("originalStartLine")
    is_file = node.get("subjectType") == "FILE"
    return PlacedComment(
        id=need(node, "id"),
        path=need(node, "path"),
        is_file=is_file,
        start_line=None if is_file or start == line else start,
        line=None if is_file else line,
        body=need(node, "body"),
    )
