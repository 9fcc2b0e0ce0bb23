"""GitLab's rules of draft notes: they check little when they are made, and a lot may go wrong when published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.fakes.gitlab import notes, quick_actions, reviewing
from tests.fakes.gitlab.access import may_resolve, require_comment
from tests.fakes.gitlab.entities import DraftNote, MergeRequest, Position
from tests.fakes.gitlab.people import User
from tests.fakes.gitlab.positions import find_line_code, is_placed
from tests.fakes.gitlab.refusals import Failed, Invalid, NotFound, Refusal, Unprocessable, ValidationFailed
from tests.fakes.gitlab.world import World

LARGEST_POSITION = 100 * 1024
_FAILURE = {"message": "500 Internal Server Error"}


def of(merge_request: MergeRequest, user: User) -> list[DraftNote]:
    """The drafts of one person, oldest first; nobody else sees them."""
    return [draft for draft in merge_request.drafts if draft.author is user]


def find(merge_request: MergeRequest, user: User, number: int) -> DraftNote:
    """A draft of one's own.

    Raises:
        NotFound: There is none, or it is somebody else's.
    """
    found = next((draft for draft in of(merge_request, user) if draft.id == number), None)
    if found is None:
        raise NotFound
    return found


def create(world: World, user: User, merge_request: MergeRequest, draft: DraftNote) -> DraftNote:
    """Keep a new draft; whether its line is in the diff is not looked at, its `line_code` tells.

    Raises:
        ValidationFailed: The thread is not there, takes no reply or is not theirs to resolve; or there is a draft
            reply of theirs already; or the text or the position is too much.
    """
    require_comment(merge_request, user)
    _check_thread(user, merge_request, draft)
    _check_position(draft.position)
    made = replace(draft, id=world.new_id(), line_code=_code_of(merge_request, draft.position))
    world.tick()
    merge_request.drafts.append(made)
    if len(of(merge_request, user)) == 1:
        reviewing.set_state(world, merge_request, user, "review_started")
    return made


def update(world: World, draft: DraftNote, note: str, position: Position | None) -> DraftNote:
    """Replace text and place of a draft: a place that is not sent is gone."""
    _check_position(position)
    world.tick()
    draft.note, draft.position = note, position
    draft.line_code = _code_of(draft.merge_request, position)
    return draft


def delete(world: World, draft: DraftNote) -> None:
    world.tick()
    draft.merge_request.drafts.remove(draft)


def publish(world: World, user: User, merge_request: MergeRequest, chosen: Sequence[DraftNote] | None = None) -> None:
    """Make drafts public: those that are chosen, or all of this person.

    A draft whose place is not in the diff is lost, or breaks the whole: what came before it is public then, and all
    drafts are kept (see `World.bad_draft`).

    Raises:
        Failed: It broke.
    """
    require_comment(merge_request, user)
    drafts = of(merge_request, user) if chosen is None else list(chosen)
    for draft in drafts:
        try:
            _publish_one(world, user, draft)
        except Refusal:
            if world.bad_draft == "fail":
                raise Failed(None) from None
    for draft in drafts:
        merge_request.drafts.remove(draft)
    if chosen is None and drafts:
        reviewing.set_state(world, merge_request, user, "reviewed")


def finish_review(
    world: World, user: User, merge_request: MergeRequest, *, state: str | None, summary: str | None, internal: bool
) -> None:
    """Publish everything with a summary and a state, as GitLab does since 19.2; a state of a non-reviewer is lost.

    Raises:
        Failed: The drafts were not published.
        Unprocessable: The summary cannot be, although the drafts are public by then.
    """
    try:
        publish(world, user, merge_request)
    except Failed:
        raise Failed(_FAILURE) from None
    if summary:
        _summarize(world, user, merge_request, notes.NewNote(summary, internal=internal))
    if state == "reviewed":
        merge_request.change_requests.discard(user)
    if state is not None:
        reviewing.set_state(world, merge_request, user, state)


def _summarize(world: World, user: User, merge_request: MergeRequest, new: notes.NewNote) -> None:
    try:
        note = notes.create(world, user, merge_request, new).note
    except Invalid as refusal:
        raise Unprocessable(refusal.body["message"].removeprefix("400 Bad request - ")) from None
    if note is None:
        raise Unprocessable("Commands only were applied")


def read_position(fields: Mapping[str, Any] | None) -> Position | None:
    """The place that a client names."""
    if not fields:
        return None
    known = {"base_sha", "start_sha", "head_sha", "position_type", "old_path", "new_path", "line_range"}
    image = {name: fields[name] for name in ("width", "height", "x", "y") if fields.get(name) is not None}
    return Position(
        **{name: value for name, value in fields.items() if name in known},
        old_line=_number(fields.get("old_line")),
        new_line=_number(fields.get("new_line")),
        more=image,
    )


def _number(value: object) -> int | None:
    return None if value is None or value == "" else int(str(value))


def _code_of(merge_request: MergeRequest, position: Position | None) -> str | None:
    return None if position is None or not position.complete else find_line_code(merge_request, position)


def _check_position(position: Position | None) -> None:
    if position is None:
        return
    size = len(json.dumps({**position.__dict__, "more": dict(position.more)}))
    if size > LARGEST_POSITION:
        raise ValidationFailed(position=[f"can't be larger than {LARGEST_POSITION // 1024} KiB"])


def _check_thread(user: User, merge_request: MergeRequest, draft: DraftNote) -> None:
    found = next((each for each in merge_request.discussions if each.id == draft.discussion_id), None)
    if draft.discussion_id is not None:
        if found is None:
            raise ValidationFailed(base=["Thread to reply to cannot be found"])
        if found.notes[0].system:
            raise ValidationFailed(base=["Replies to system notes are not allowed"])
    if draft.resolve_discussion and not (found and found.resolvable and may_resolve(merge_request, user)):
        raise ValidationFailed(base=["User is not allowed to resolve thread"])
    if found is not None and any(each.discussion_id == found.id for each in of(merge_request, user)):
        raise ValidationFailed(author_id=["has already been taken"])


def _publish_one(world: World, user: User, draft: DraftNote) -> None:
    merge_request, position = draft.merge_request, draft.position
    discussion = next((each for each in merge_request.discussions if each.id == draft.discussion_id), None)
    placed = position is not None and position.complete and discussion is None
    kind = "DiffNote" if placed else "DiscussionNote" if world.loose_drafts == "thread" or discussion else None
    new = notes.NewNote(
        draft.note,
        kind=kind,
        position=position if placed else None,
        reply_to=discussion,
        commit_id=draft.commit_id,
    )
    if placed and position is not None and not is_placed(merge_request, position):
        notes.check(merge_request, new)
    notes.create(world, user, merge_request, new)
    if discussion is not None and discussion.resolvable and may_resolve(merge_request, user):
        notes.resolve(world, user, discussion, resolved=draft.resolve_discussion)


def _submit_review(doing: quick_actions.Doing) -> dict[str, Any] | None:
    publish(doing.world, doing.user, doing.merge_request)
    match doing.argument:
        case "approve":
            reviewing.approve(doing.world, doing.merge_request, doing.user)
        case "requested_changes" | "reviewed" as state:
            reviewing.set_state(doing.world, doing.merge_request, doing.user, state)
    return {}


quick_actions.ACTIONS["submit_review"] = _submit_review
