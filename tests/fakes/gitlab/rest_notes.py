"""REST: notes of merge requests, and emoji on them."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab import notes
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.refusals import BadParameter, NotFound


def written(call: Call, made: notes.Written, status: int) -> Answer:
    """A note, or what came of quick actions if the text had nothing else."""
    if made.note is None:
        return Answer(202, {"commands_changes": made.outcome.changes, "summary": made.outcome.messages})
    return Answer(status, call.answers.note(made.note, made.outcome.changes))


def _list_notes(call: Call) -> Answer:
    """Newest first unless asked otherwise."""
    values, merge_request = call.values, call.merge_request
    found = notes.visible(merge_request.notes, call.user)
    match values.get("activity_filter"):
        case "only_comments":
            found = [note for note in found if not note.system]
        case "only_activity":
            found = [note for note in found if note.system]
    by_update = values.get("order_by") == "updated_at"
    found.sort(key=lambda note: (note.updated_at if by_update else note.created_at, note.id))
    if values.get("sort", "desc") == "desc":
        found.reverse()
    return call.page(found, call.answers.note, shorter=call.world.short_pages)


def _create_note(call: Call) -> Answer:
    call.world.limits.count_note(call.user)
    asked = bool(call.values.get("internal") or call.values.get("confidential"))
    internal = asked and notes.internal_allowed(call.merge_request, call.user)
    new = notes.NewNote(call.values["body"], internal=internal)
    return written(call, notes.create(call.world, call.user, call.merge_request, new), 201)


def _get_note(call: Call) -> Answer:
    return Answer(200, call.answers.note(call.note))


def _edit_note(call: Call) -> Answer:
    body = call.values.get("body")
    if body is None:
        return Answer(200, call.answers.note(call.note))
    if not body.strip():
        raise BadParameter("body is empty")
    return written(call, notes.edit(call.world, call.user, call.note, body), 200)


def _delete_note(call: Call) -> Answer:
    notes.delete(call.world, call.user, call.note)
    return Answer(204)


def _list_awards(call: Call) -> Answer:
    note = call.note
    return call.page(note.awards, lambda one: call.answers.award(one, note))


def _create_award(call: Call) -> Answer:
    note = call.note
    return Answer(201, call.answers.award(notes.award(call.world, call.user, note, call.values["name"]), note))


def _get_award(call: Call) -> Answer:
    for award in call.note.awards:
        if award.id == int(call.parts["award_id"]):
            return Answer(200, call.answers.award(award, call.note))
    raise NotFound


def _delete_award(call: Call) -> Answer:
    notes.remove_award(call.world, call.user, call.note, int(call.parts["award_id"]))
    return Answer(204)


_NOTES = "/projects/{id}/merge_requests/{iid}/notes"
_NOTE = f"{_NOTES}/{{note_id}}"
_AWARDS = f"{_NOTE}/award_emoji"

NOTE_ROUTES = (
    Route("GET", _NOTES, _list_notes, job_token=True),
    Route("POST", _NOTES, _create_note),
    Route("GET", _NOTE, _get_note, job_token=True),
    Route("PUT", _NOTE, _edit_note),
    Route("DELETE", _NOTE, _delete_note),
    Route("GET", _AWARDS, _list_awards),
    Route("POST", _AWARDS, _create_award),
    Route("GET", f"{_AWARDS}/{{award_id}}", _get_award),
    Route("DELETE", f"{_AWARDS}/{{award_id}}", _delete_award),
)
