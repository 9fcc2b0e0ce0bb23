"""What GitLab says about a merge request, as values: the answers of its API read once and strictly.

A field that GitLab may leave empty is ``None`` or "" here; one that it promises and leaves out is an error, never a
default. Field names are those of https://docs.gitlab.com/api/merge_requests/, /api/notes/ and /api/draft_notes/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from draftgate.domain.change import CommitSha
from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Person
from draftgate.errors import Unavailable
from draftgate.forge.hosted.standing import Account, ChangeFacts, ChangeNow, KnownComment

Json = Mapping[str, Any]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def reads_answers(read: Callable[_P, _R]) -> Callable[_P, _R]:
    """Around what reads an answer: a value of another type than GitLab documents is no answer to build on.

    Raises:
        Unavailable: there is one.
    """

    @wraps(read)
    def guarded(*args: _P.args, **named: _P.kwargs) -> _R:
        try:
            return read(*args, **named)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise Unavailable(
                f"GitLab's answer has another form than is documented ({type(error).__name__} in {read.__name__})",
                hint="try again; this is no answer to build on",
            ) from error

    return guarded


_BOT = re.compile(r"(?:project|group)_\d+_bot\d*(?:_\w+)?|service_account_\w+|ghost\d*", re.ASCII)
"""Names that GitLab makes for the accounts of tokens: https://docs.gitlab.com/user/project/settings/project_access_tokens/"""


@dataclass(frozen=True, slots=True)
class DiffRefs:
    """The three commits that a position names.

    https://docs.gitlab.com/api/discussions/#create-a-new-thread-in-the-merge-request-diff

    Attributes:
        base: The merge base.
        start: The target branch's commit when the diff was made.
        head: The head of the merge request.
    """

    base: CommitSha
    start: CommitSha
    head: CommitSha


@dataclass(frozen=True, slots=True)
class Note:
    """A note: a comment, a reply, or one of GitLab's own remarks.

    Attributes:
        discussion: The id of the discussion that it is part of; "" if it was not read as a part of one.
        position: Where in the diff it stands; ``None`` for one that stands in no diff.
        is_system: GitLab wrote it.
        is_resolvable: It opens or belongs to a thread.
        is_internal: Those who may not see internal notes do not see it.
        is_edited: Somebody changed its text; ``None`` where GitLab did not say, and a reaction moves the time too.
        entry: As GitLab gave it.
    """

    id: int
    discussion: str
    author: Person | None
    author_id: int | None
    text: str
    created_at: str
    updated_at: str
    position: Json | None
    is_system: bool
    is_resolvable: bool
    is_internal: bool
    is_edited: bool | None
    entry: Json

    @property
    def is_top_level(self) -> bool:
        """Whether it can be a command: it stands in no diff, everybody sees it, and a person or program wrote it."""
        return self.position is None and not self.is_system and not self.is_internal


@reads_answers
def account(user: Json) -> Account:
    """Whose token it is."""
    login = need(user, "username")
    return Account(login, need(user, "id"), is_bot=bool(user.get("bot")) or is_bot(login))


def is_bot(login: str) -> bool:
    """Whether GitLab made the account for a token; notes do not say it otherwise."""
    return _BOT.fullmatch(login) is not None


@reads_answers
def diff_refs(merge_request: Json) -> DiffRefs | None:
    """The commits of the present diff; ``None`` as long as GitLab prepares it."""
    refs = merge_request.get("diff_refs") or {}
    if not all(refs.get(name) for name in ("base_sha", "start_sha", "head_sha")):
        return None
    return DiffRefs(CommitSha(refs["base_sha"]), CommitSha(refs["start_sha"]), CommitSha(refs["head_sha"]))


def require_diff_refs(merge_request: Json) -> DiffRefs:
    """The commits of the present diff.

    Raises:
        Unavailable: GitLab prepares it still.
    """
    refs = diff_refs(merge_request)
    if refs is None:
        raise Unavailable("GitLab has not made the diff of this merge request yet", hint="try again in a minute")
    return refs


@reads_answers
def change_now(merge_request: Json, refs: DiffRefs) -> ChangeNow:
    """The moving parts. The target's commit is the one that GitLab's diff began from, since positions rest on it."""
    return ChangeNow(
        is_open=need(merge_request, "state") == "opened",
        base_ref=need(merge_request, "target_branch"),
        base_tip=refs.start,
        head_ref=need(merge_request, "source_branch"),
        head=CommitSha(merge_request.get("sha") or refs.head),
    )


@reads_answers
def change_facts(merge_request: Json) -> ChangeFacts:
    """The parts that are read once."""
    return ChangeFacts(
        title=need(merge_request, "title"),
        description=merge_request.get("description") or "",
        url=need(merge_request, "web_url"),
        is_draft=bool(merge_request.get("draft") or merge_request.get("work_in_progress")),
        author=person(merge_request.get("author")),
        labels=tuple(str(label) for label in merge_request.get("labels") or ()),
        changed_files=_count(merge_request.get("changes_count")),
    )


def person(user: Json | None) -> Person | None:
    """An author; GitLab gives the notes of a deleted account to a ghost."""
    if not user or not user.get("username"):
        return None
    login = str(user["username"])
    return Person(login, is_bot=bool(user.get("bot")) or is_bot(login))


@reads_answers
def note(entry: Json, discussion: str = "") -> Note:
    """A note."""
    user = entry.get("author") or {}
    return Note(
        id=int(need(entry, "id")),
        discussion=discussion,
        author=person(user),
        author_id=user.get("id"),
        text=normalize(need(entry, "body")),
        created_at=time(need(entry, "created_at")),
        updated_at=time(entry.get("updated_at") or entry["created_at"]),
        position=entry.get("position"),
        is_system=bool(entry.get("system")),
        is_resolvable=bool(entry.get("resolvable")),
        is_internal=bool(entry.get("internal") or entry.get("confidential")),
        is_edited=_edited(entry),
        entry=entry,
    )


def _edited(entry: Json) -> bool | None:
    if "edited" in entry:
        return bool(entry["edited"])
    return False if entry.get("updated_at") in {None, entry["created_at"]} else None


def comment(
    found: Note,
    account_id: int | None,
    url: str,
    edited: Collection[int] = (),
    answered: frozenset[Reaction] | None = None,
) -> KnownComment:
    """A note as a top-level comment.

    Args:
        found: The note.
        account_id: Of the bot.
        url: Of the merge request.
        edited: Notes whose text is known to have been changed.
        answered: Our reactions on it; ``None`` where they are not known.
    """
    return KnownComment(
        node_id="",
        comment=Comment(
            id=str(found.id),
            author=found.author,
            is_ours=found.author_id is not None and found.author_id == account_id,
            text=found.text,
            created_at=found.created_at,
            is_edited=found.id in edited,
            url=f"{url}#note_{found.id}",
            answered=answered,
        ),
        updated_at=found.updated_at,
        is_minimized=False,
        author_id=found.author_id,
    )


_REACTION_LAG = timedelta(seconds=2)
"""A reaction moves the time of its note a moment after it was made."""


def is_at(updated_at: str, created_at: str) -> bool:
    """Whether the time of a note, to the second, is that of a reaction."""
    try:
        lag = datetime.fromisoformat(updated_at) - datetime.fromisoformat(time(created_at))
    except (ValueError, Unavailable):
        return False
    return abs(lag) <= _REACTION_LAG


def time(text: str) -> str:
    """A time of GitLab's to the second, in UTC: ``2026-01-02T03:04:05Z``."""
    try:
        moment = datetime.fromisoformat(text)
        in_utc = None if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        in_utc = None
    if in_utc is None:
        raise Unavailable("GitLab gave a time that cannot be read", hint="try again later")
    return f"{in_utc:%Y-%m-%dT%H:%M:%SZ}"


def normalize(text: str) -> str:
    """A text with newlines alone."""
    return text.replace("\r\n", "\n")


def need(node: Json, name: str) -> Any:  # noqa: ANN401 - the documentation gives each its type, and the caller names it
    """A field that the documentation promises.

    Raises:
        Unavailable: it is not there.
    """
    value = node.get(name)
    if value is None:
        raise Unavailable(f"GitLab's answer lacks `{name}`", hint="try again; this is no answer to build on")
    return value


def _count(text: object) -> int:
    """``changes_count`` is a text, ends in ``+`` where there are more than GitLab counts, and can be empty."""
    found = re.fullmatch(r"(\d{1,9})(\+?)", str(text or ""))
    return int(found[1]) + bool(found[2]) if found else 0
