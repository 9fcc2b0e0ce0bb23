"""GitLab's rules of comments and threads: writing, changing, deleting, resolving, and emoji on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.fakes.gitlab import quick_actions
from tests.fakes.gitlab.access import level_of, may_edit, may_resolve, may_see, require, require_comment
from tests.fakes.gitlab.entities import Award, Discussion, MergeRequest, Note, Position
from tests.fakes.gitlab.people import Level, User
from tests.fakes.gitlab.positions import find_line_code, is_placed
from tests.fakes.gitlab.refusals import Invalid, NotFound, Unauthorized, invalid_note
from tests.fakes.gitlab.texts import LONGEST_NOTE, mentions_in, references_in, take_commands
from tests.fakes.gitlab.traces import Reference
from tests.fakes.gitlab.world import World

NO_LINE = ["can't be blank", "must be a valid line code"]
_EMOJI = frozenset(
    "thumbsup thumbsdown eyes rocket confused heart tada smile robot white_check_mark no_entry_sign x".split()
)
_SAME = {"+1": "thumbsup", "-1": "thumbsdown"}


@dataclass(frozen=True)
class NewNote:
    """A comment to be made.

    Attributes:
        kind: ``None``, ``DiscussionNote`` or ``DiffNote``.
        reply_to: The thread it goes into.
    """

    body: str
    kind: str | None = None
    position: Position | None = None
    internal: bool = False
    reply_to: Discussion | None = None
    commit_id: str | None = None


@dataclass(frozen=True)
class Written:
    """What came of a text: a note, unless it had nothing but quick actions."""

    note: Note | None
    outcome: quick_actions.Outcome


def create(world: World, user: User, merge_request: MergeRequest, new: NewNote) -> Written:
    """Make a comment and do what its quick actions say.

    Raises:
        Forbidden: One may not comment there.
        Invalid: The text or the place cannot be, or there are only quick actions and none applies.
    """
    require_comment(merge_request, user)
    check(merge_request, new)
    text, outcome = _write(world, user, merge_request, new.body)
    if not text:
        return _only_commands(outcome)
    now, number = world.tick(), world.new_id()
    discussion = new.reply_to or world.add_discussion(merge_request, number)
    first = discussion.notes[0] if discussion.notes else None
    if first is not None and first.kind is None:
        first.kind = "DiscussionNote"  # a reply makes a thread of an individual note
    kind = new.kind if first is None else first.kind
    position = new.position if first is None else first.position
    note = Note(
        id=number,
        discussion=discussion,
        author=user,
        body=text,
        created_at=now,
        updated_at=now,
        kind=kind,
        internal=new.internal if first is None else first.internal,
        position=position,
        original_position=position if first is None else first.original_position,
        line_code=None if position is None else find_line_code(merge_request, position),
        commit_id=new.commit_id,
        outdated=first is not None and first.outdated,
    )
    discussion.notes.append(note)
    merge_request.updated_at = now
    return Written(note, outcome)


def check(merge_request: MergeRequest, new: NewNote) -> None:
    """Refuse a comment that cannot be saved.

    Raises:
        Invalid: With every reason.
    """
    reasons: dict[str, list[str]] = {}
    if not new.body.strip():
        reasons["note"] = ["can't be blank"]
    elif len(new.body.encode()) > LONGEST_NOTE:
        reasons["note"] = [f"is too long (maximum is {LONGEST_NOTE} characters)"]
    position = new.position if new.reply_to is None else None
    if position is not None and not is_placed(merge_request, position):
        if position.position_type == "text":
            reasons["line_code"] = NO_LINE
        if not position.complete:
            reasons["position"] = ["is incomplete"]
        if not reasons:
            reasons["position"] = ["is invalid"]
    if reasons:
        raise invalid_note(reasons)


def edit(world: World, user: User, note: Note, body: str) -> Written:
    """Replace the text of a comment; quick actions in it are done, as in a new one.

    A comment that has nothing else any more is deleted.
    """
    require(allowed=may_edit(note, user))
    check(note.merge_request, NewNote(body))
    text, outcome = _write(world, user, note.merge_request, body)
    if not text:
        _remove(world, note)
        return _only_commands(outcome)
    now = world.tick()
    if text != note.body:
        note.body, note.updated_at, note.last_edited_at = text, now, now
    return Written(note, outcome)


def delete(world: World, user: User, note: Note) -> None:
    """Remove a comment, with its thread if it was the last one there."""
    require(allowed=may_edit(note, user))
    world.tick()
    _remove(world, note)


def resolve(world: World, user: User, discussion: Discussion, *, resolved: bool) -> None:
    """Resolve or reopen a thread."""
    require(allowed=discussion.resolvable and may_resolve(discussion.merge_request, user))
    for note in discussion.notes:
        _resolve(world, user, note, resolved=resolved)


def resolve_note(world: World, user: User, note: Note, *, resolved: bool) -> None:
    """Resolve or reopen one note of a thread.

    Raises:
        Forbidden: For developers and the author of the merge request alone.
        Invalid: It is no part of a thread.
    """
    require(allowed=may_resolve(note.merge_request, user))
    if not note.resolvable:
        raise Invalid("Note is not resolvable")
    _resolve(world, user, note, resolved=resolved)


def award(world: World, user: User, note: Note, name: str) -> Award:
    """Put an emoji on a comment; one of each kind per person.

    Raises:
        NotFound: There is one, or no such emoji; GitLab says both with 404.
    """
    require_comment(note.merge_request, user)
    emoji = _SAME.get(name, name)
    if emoji not in _EMOJI:
        raise NotFound('Award Emoji {:name=>["is not a valid emoji name"]}')
    if any(each.user is user and each.name == emoji for each in note.awards):
        raise NotFound('Award Emoji {:name=>["has already been taken"]}')
    made = Award(world.new_id(), emoji, user, world.tick())
    note.awards.append(made)
    note.updated_at = made.created_at  # GitLab moves the time of a note for every reaction on it
    return made


def remove_award(world: World, user: User, note: Note, number: int) -> None:
    """Take one's own emoji off."""
    found = next((each for each in note.awards if each.id == number), None)
    if found is None:
        raise NotFound
    if found.user is not user:
        raise Unauthorized
    world.tick()
    note.awards.remove(found)


def visible(notes: Iterable[Note], user: User | None) -> list[Note]:
    return [note for note in notes if may_see(note, user)]


def discussion_of(merge_request: MergeRequest, name: str, user: User | None) -> Discussion:
    """The thread with this id, if there is anything in it to see."""
    for discussion in merge_request.discussions:
        if discussion.id == name and visible(discussion.notes, user):
            return discussion
    raise NotFound("Discussion")


def internal_allowed(merge_request: MergeRequest, user: User) -> bool:
    """Whether somebody may make internal notes; those of others are made public without a word."""
    return level_of(merge_request.project, user) >= Level.PLANNER


def _write(world: World, user: User, merge_request: MergeRequest, body: str) -> tuple[str, quick_actions.Outcome]:
    """The text without its quick actions, after they were done and whom it names was told."""
    text, called = take_commands(body)
    outcome = quick_actions.apply(world, user, merge_request, called)
    world.mentioned += [Reference(user, name, merge_request) for name in mentions_in(text)]
    world.referenced += [Reference(user, name, merge_request) for name in references_in(text)]
    return text, outcome


def _only_commands(outcome: quick_actions.Outcome) -> Written:
    if outcome.failures:
        raise Invalid(", ".join(outcome.failures))
    return Written(None, outcome)


def _resolve(world: World, user: User, note: Note, *, resolved: bool) -> None:
    if note.resolvable and (note.resolved_by is not None) != resolved:
        now = world.tick()
        note.resolved_by, note.resolved_at = (user, now) if resolved else (None, None)


def _remove(world: World, note: Note) -> None:
    discussion = note.discussion
    discussion.notes.remove(note)
    if not discussion.notes:
        discussion.merge_request.discussions.remove(discussion)
