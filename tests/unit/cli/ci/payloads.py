"""Payloads of GitHub's events, each as small as the documentation allows and with what a test changes."""

from __future__ import annotations

Json = dict[str, object]

HEAD = "3f9c2ab" + "0" * 33


def account(login: str, kind: str = "User") -> dict[str, str]:
    """A user as payloads name one."""
    return {"login": login, "type": kind}


def change(action: str, *, head_repo: str | None = "maintainer/rooms", **more: object) -> Json:
    """A ``pull_request`` event; ``head_repo`` is the head's repository, or ``None`` where it was deleted."""
    return {
        "action": action,
        "number": 7,
        "pull_request": {
            "number": 7,
            "user": account("author"),
            "head": {"sha": HEAD, "repo": None if head_repo is None else {"full_name": head_repo}},
            "base": {"repo": {"full_name": "maintainer/rooms"}},
        },
        "repository": {"full_name": "maintainer/rooms"},
        "sender": account("author"),
        **more,
    }


def comment(body: object, action: str = "created", **more: object) -> Json:
    """An ``issue_comment`` event on a pull request."""
    return {
        "action": action,
        "issue": {"number": 7, "pull_request": {"url": "http://127.0.0.1:9/repos/maintainer/rooms/pulls/7"}},
        "comment": {"id": 41, "body": body, "user": account("maintainer")},
        "repository": {"full_name": "maintainer/rooms"},
        "sender": account("maintainer"),
        **more,
    }


def dispatch(**inputs: object) -> Json:
    """A ``workflow_dispatch`` event."""
    return {"inputs": inputs or None, "ref": "refs/heads/main", "sender": account("maintainer")}
