"""What a push does to a merge request besides its new version: comments move along, or their line is outdated."""

from __future__ import annotations

from tests.fakes.gitlab.entities import Discussion, MergeRequest, Version
from tests.fakes.gitlab.positions import trace


def move_notes(merge_request: MergeRequest) -> list[Discussion]:
    """Bring every comment on the diff to the newest version; returns the threads whose line changed with it."""
    changed = []
    for discussion in merge_request.discussions:
        for note in discussion.notes:
            if note.position is None or note.outdated:
                continue
            traced = trace(merge_request, note.position)
            if traced is None:
                note.outdated = True  # it stays at the version where its line was last
            else:
                note.position = traced
        first = discussion.notes[0]
        if first.outdated and not any(note.system for note in discussion.notes):
            changed.append(discussion)
    return changed


def describe_push(merge_request: MergeRequest, before: Version) -> str:
    """GitLab's words for the commits that a push brought."""
    after, git = merge_request.version, merge_request.project.git
    rows = git.git("log", "--format=%h - %s", "--reverse", f"{before.head}..{after.head}", f"^{after.start}").decode()
    commits = rows.splitlines()
    items = "".join(f"<li>{row}</li>" for row in commits)
    number = f"{len(commits)} commit{'' if len(commits) == 1 else 's'}"
    link = f"[Compare with previous version](/-/merge_requests/{merge_request.iid}/diffs)"
    return f"added {number}\n\n<ul>{items}</ul>\n\n{link}"
