"""REST: draft notes, of which everybody has their own."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.gitlab import drafts
from tests.fakes.gitlab.entities import DraftNote
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.refusals import Invalid


def _list_drafts(call: Call) -> Answer:
    """All at once, without pages."""
    return Answer(200, [call.answers.draft(draft) for draft in drafts.of(call.merge_request, call.user)])


def _create_draft(call: Call) -> Answer:
    values = call.values
    draft = DraftNote(
        id=0,
        merge_request=call.merge_request,
        author=call.user,
        note=values["note"],
        position=drafts.read_position(values.get("position")),
        discussion_id=values.get("in_reply_to_discussion_id"),
        resolve_discussion=bool(values.get("resolve_discussion")),
        commit_id=values.get("commit_id"),
    )
    made = drafts.create(call.world, call.user, call.merge_request, draft)
    return Answer(201, call.answers.draft(made))


def _draft(call: Call) -> DraftNote:
    return drafts.find(call.merge_request, call.user, int(call.parts["draft_id"]))


def _get_draft(call: Call) -> Answer:
    return Answer(200, call.answers.draft(_draft(call)))


def _update_draft(call: Call) -> Answer:
    if not (note := call.values.get("note")):
        raise Invalid("Missing params to modify")
    position = drafts.read_position(call.values.get("position"))
    return Answer(200, call.answers.draft(drafts.update(call.world, _draft(call), note, position)))


def _delete_draft(call: Call) -> Answer:
    drafts.delete(call.world, _draft(call))
    return Answer(204)


def _publish_draft(call: Call) -> Answer:
    drafts.publish(call.world, call.user, call.merge_request, [_draft(call)])
    return Answer(204)


def _bulk_publish(call: Call) -> Answer:
    """All drafts of the caller; what comes with it is read since 19.2 alone."""
    if not call.world.since("19.2"):
        drafts.publish(call.world, call.user, call.merge_request)
        return Answer(204)
    drafts.finish_review(
        call.world,
        call.user,
        call.merge_request,
        state=call.values.get("reviewer_state"),
        summary=call.values.get("note"),
        internal=bool(call.values.get("internal")),
    )
    return Answer(204)


_DRAFTS = "/projects/{id}/merge_requests/{iid}/draft_notes"
_DRAFT = f"{_DRAFTS}/{{draft_id}}"

DRAFT_ROUTES = (
    Route("GET", _DRAFTS, _list_drafts),
    Route("POST", _DRAFTS, _create_draft),
    Route("POST", f"{_DRAFTS}/bulk_publish", _bulk_publish),
    Route("GET", _DRAFT, _get_draft),
    Route("PUT", _DRAFT, _update_draft),
    Route("DELETE", _DRAFT, _delete_draft),
    Route("PUT", f"{_DRAFT}/publish", _publish_draft),
)
