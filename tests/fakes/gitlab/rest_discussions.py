"""REST: threads of merge requests, which check a place at once, unlike drafts."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab import notes
from tests.fakes.gitlab.drafts import read_position
from tests.fakes.gitlab.entities import Discussion
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.refusals import BadParameter, Invalid
from tests.fakes.gitlab.rest_notes import written


def _show(call: Call, discussion: Discussion) -> dict[str, object]:
    return call.answers.discussion(discussion, notes.visible(discussion.notes, call.user))


def _list_discussions(call: Call) -> Answer:
    """Oldest first; a page is of threads, however many notes they have."""
    found = [each for each in call.merge_request.discussions if notes.visible(each.notes, call.user)]
    return call.page(found, lambda one: _show(call, one))


def _create_discussion(call: Call) -> Answer:
    position = read_position(call.values.get("position"))
    kind = "DiscussionNote" if position is None else "DiffNote"
    new = notes.NewNote(call.values["body"], kind=kind, position=position, commit_id=call.values.get("commit_id"))
    made = notes.create(call.world, call.user, call.merge_request, new)
    if made.note is None:
        return written(call, made, 202)
    return Answer(201, _show(call, made.note.discussion))


def _discussion(call: Call) -> Discussion:
    return notes.discussion_of(call.merge_request, call.parts["discussion_id"], call.user)


def _get_discussion(call: Call) -> Answer:
    return Answer(200, _show(call, _discussion(call)))


def _resolve_discussion(call: Call) -> Answer:
    discussion = _discussion(call)
    notes.resolve(call.world, call.user, discussion, resolved=call.values["resolved"])
    return Answer(200, _show(call, discussion))


def _list_notes(call: Call) -> Answer:
    return Answer(200, [call.answers.note(note) for note in notes.visible(_discussion(call).notes, call.user)])


def _reply(call: Call) -> Answer:
    discussion = _discussion(call)
    if discussion.notes[0].system:
        raise Invalid("Discussion can not be replied to.")
    new = notes.NewNote(call.values["body"], kind="DiscussionNote", reply_to=discussion)
    return written(call, notes.create(call.world, call.user, call.merge_request, new), 201)


def _get_note(call: Call) -> Answer:
    return Answer(200, call.answers.note(call.note))


def _change_note(call: Call) -> Answer:
    """Either the text or whether it is resolved."""
    body, resolved = call.values.get("body"), call.values.get("resolved")
    if (body is None) == (resolved is None):
        state = "are missing, exactly one parameter must be provided" if body is None else "are mutually exclusive"
        raise BadParameter(f"body, resolved {state}")
    if resolved is not None:
        notes.resolve_note(call.world, call.user, call.note, resolved=resolved)
        return Answer(200, call.answers.note(call.note))
    return written(call, notes.edit(call.world, call.user, call.note, body or ""), 200)


def _delete_note(call: Call) -> Answer:
    notes.delete(call.world, call.user, call.note)
    return Answer(204)


_DISCUSSIONS = "/projects/{id}/merge_requests/{iid}/discussions"
_DISCUSSION = f"{_DISCUSSIONS}/{{discussion_id}}"

DISCUSSION_ROUTES = (
    Route("GET", _DISCUSSIONS, _list_discussions),
    Route("POST", _DISCUSSIONS, _create_discussion),
    Route("GET", _DISCUSSION, _get_discussion),
    Route("PUT", _DISCUSSION, _resolve_discussion),
    Route("GET", f"{_DISCUSSION}/notes", _list_notes),
    Route("POST", f"{_DISCUSSION}/notes", _reply),
    Route("GET", f"{_DISCUSSION}/notes/{{note_id}}", _get_note),
    Route("PUT", f"{_DISCUSSION}/notes/{{note_id}}", _change_note),
    Route("DELETE", f"{_DISCUSSION}/notes/{{note_id}}", _delete_note),
)
