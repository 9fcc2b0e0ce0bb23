"""Payloads of GitLab's webhooks, each as small as the documentation allows and with what a test changes."""

from __future__ import annotations

Json = dict[str, object]

PROJECT = 4711
HEAD = "3f9c2ab" + "0" * 33
BEFORE = "b" * 40


def user(username: str, number: int = 7) -> Json:
    """A user as payloads name one."""
    return {"id": number, "name": username.title(), "username": username}


def note(text: object, **attributes: object) -> Json:
    """A comment on a merge request; ``attributes`` are those of the comment."""
    return {
        "object_kind": "note",
        "event_type": "note",
        "user": user("maintainer"),
        "project_id": PROJECT,
        "project": {"id": PROJECT, "path_with_namespace": "group/sub/rooms"},
        "object_attributes": {
            "id": 41,
            "note": text,
            "noteable_type": "MergeRequest",
            "system": False,
            "type": None,
            "action": "create",
            **attributes,
        },
        "merge_request": {"iid": 7, "source_project_id": PROJECT, "target_project_id": PROJECT},
    }


def change(action: object, changes: Json | None = None, **attributes: object) -> Json:
    """A merge request to which something happened; ``attributes`` are its own."""
    return {
        "object_kind": "merge_request",
        "event_type": "merge_request",
        "user": user("author"),
        "project": {"id": PROJECT, "path_with_namespace": "group/sub/rooms"},
        "object_attributes": {
            "iid": 7,
            "action": action,
            "author_id": 7,
            "source_project_id": PROJECT,
            "target_project_id": PROJECT,
            "last_commit": {"id": HEAD},
            **attributes,
        },
        "changes": changes or {},
    }


def labelled(before: list[str], now: list[str]) -> Json:
    """The changes of an event that set or took labels."""
    return {"labels": {"previous": [{"title": each} for each in before], "current": [{"title": each} for each in now]}}
