"""GitLab's webhooks as events of ours: which of them ask for something, decided without any request.

The payload is whatever the holder of the trigger token sent, so it only chooses what to look at: who may ask, and what
a comment says, the forge is asked. Payloads: https://docs.gitlab.com/user/project/integrations/webhook_events/
"""

from __future__ import annotations

from draftgate.cli.ci.for_us import LABEL, may_be_for_us
from draftgate.cli.ci.payload import Payload
from draftgate.domain.event import ChangeClosed, CommentMade, Event, NothingToDo, ReviewAsked
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from draftgate.render.visible import one_line

_NAME_LENGTH = 60


def read_webhook(payload: Payload, project: int) -> Event:
    """What a webhook asks for.

    Args:
        payload: Of the webhook.
        project: The number of the project whose pipeline it started.

    Raises:
        UsageError: the payload is not what it must be, or speaks of another project.
    """
    match payload.text("object_kind"):
        case "note":
            _require_project(payload, project)
            return _comment(payload)
        case "merge_request":
            _require_project(payload, project)
            return _change(payload)
        case None:
            return NothingToDo("the pipeline was triggered by hand or by a program, not by a webhook")
        case kind:
            return NothingToDo(f"a webhook for {one_line(kind, _NAME_LENGTH)} asks for nothing")


def _require_project(payload: Payload, project: int) -> None:
    """A webhook of another project would have this one's bot speak in its place."""
    path = "project.id" if payload.has("project") else "project_id"
    spoken_of = payload.number(path)
    if spoken_of != project:
        raise UsageError(
            f"the webhook is of the project {spoken_of}, and its trigger belongs to the project {project}",
            context="TRIGGER_PAYLOAD",
            hint="give the webhook the URL with its own project's number, and a trigger token made in that project",
        )


# --- Comments ------------------------------------------------------------------------------------------------------


def _comment(payload: Payload) -> Event:
    """Commands stand in comments on the change itself; the author may be a program, which only the API says."""
    if payload.text("object_attributes.noteable_type") != "MergeRequest":
        return NothingToDo("the comment is not on a merge request")
    # Older releases send no action; whether the comment was edited, the forge says.
    if payload.text("object_attributes.action") not in {None, "create"}:
        return NothingToDo("only a new comment can hold commands, not one that was edited")
    if payload.flag("object_attributes.system"):
        return NothingToDo("GitLab wrote the comment itself")
    if payload.text("object_attributes.type") == "DiffNote":
        return NothingToDo("the comment is on a line; commands stand in comments on the merge request itself")
    text = payload.text("object_attributes.note") or ""
    if not may_be_for_us(text):
        return NothingToDo("the comment holds no command of Draftgate")
    author = _user(payload)
    if author is None:
        return NothingToDo("nobody stands behind the comment")
    number, comment = payload.number("merge_request.iid"), payload.number("object_attributes.id")
    return CommentMade(number, str(comment), author, text)


# --- Changes -------------------------------------------------------------------------------------------------------


def _change(payload: Payload) -> Event:
    action = payload.text("object_attributes.action") or ""
    match action:
        case "open" | "reopen":
            return _review(payload)
        case "close" | "merge":
            return ChangeClosed(payload.number("object_attributes.iid"))
        case "update":
            return _update(payload)
        case _:  # approvals among them
            return NothingToDo(f"a merge request's {one_line(action, _NAME_LENGTH) or 'event'} asks for nothing")


def _update(payload: Payload) -> Event:
    """Of all that can change, three things: the head, the draft mark that goes, and our label that comes."""
    if payload.text("object_attributes.oldrev") or _is_made_ready(payload):
        return _review(payload)
    if not _is_label_added(payload):
        return NothingToDo(f"neither the commits nor the draft mark changed, nor was the label `{LABEL}` set")
    asked_by = _user(payload)
    if asked_by is None:
        return NothingToDo(f"nobody is named who set the label `{LABEL}`")
    return _review(payload, asked_by=asked_by)


def _is_made_ready(payload: Payload) -> bool:
    return payload.flag("changes.draft.previous") and not payload.flag("changes.draft.current")


def _is_label_added(payload: Payload) -> bool:
    before, now = _titles(payload, "changes.labels.previous"), _titles(payload, "changes.labels.current")
    return LABEL in now - before


def _titles(payload: Payload, path: str) -> set[str]:
    return {(label.text("title") or "").casefold() for label in payload.each(path)}


def _review(payload: Payload, *, asked_by: Person | None = None) -> ReviewAsked:
    """A review of the change in the payload, which names its author by number only."""
    user = _user(payload)
    is_by_author = payload.text("object_attributes.author_id") == (payload.text("user.id") or "nobody")
    return ReviewAsked(
        number=payload.number("object_attributes.iid"),
        head=payload.commit("object_attributes.last_commit.id"),
        author=user if is_by_author else None,
        pushed_by=user,
        asked_by=asked_by,
        is_foreign=_is_from_fork(payload),
    )


def _is_from_fork(payload: Payload) -> bool:
    """A head without a project is one whose fork was deleted."""
    source = payload.text("object_attributes.source_project_id")
    return source is None or source != payload.text("object_attributes.target_project_id")


def _user(payload: Payload) -> Person | None:
    login = payload.text("user.username")
    return Person(login) if login else None
