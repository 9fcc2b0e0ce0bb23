"""The JSON of what comes from git: commits, diffs, versions, branches, files."""

from __future__ import annotations

from typing import Any

from tests.fakes.github.changes import ChangedFile
from tests.fakes.github.objects import Commit, TreeEntry
from tests.fakes.gitlab.answers import Answers, Json, iso
from tests.fakes.gitlab.entities import Project, Version

COLLAPSED_SINCE = "18.4"


def diff(answers: Answers, project: Project, file: ChangedFile, *, raw: bool = False, unified: bool = False) -> Json:
    """What one file changes. A diff that is withheld is empty, and since 18.4 it says so.

    Args:
        answers: Whose version counts.
        project: Which diffs of it are withheld.
        file: The change.
        raw: Nothing is collapsed, as with ``access_raw_diffs``.
        unified: With the two lines that name the file, as with ``unidiff``.
    """
    collapsed = not raw and file.path in project.collapsed
    too_large = not raw and file.path in project.too_large
    text = "" if collapsed or too_large or file.patch is None else f"{file.patch}\n"
    old_path = file.previous_path or file.path
    if unified and text:
        before = "/dev/null" if file.status == "added" else f"a/{old_path}"
        after = "/dev/null" if file.status == "removed" else f"b/{file.path}"
        text = f"--- {before}\n+++ {after}\n{text}"
    old_mode, new_mode = file.modes
    shown: Json = {
        "old_path": old_path,
        "new_path": file.path,
        "a_mode": "0" if file.status == "added" else old_mode,
        "b_mode": "0" if file.status == "removed" else new_mode,
        "diff": text,
        "new_file": file.status == "added",
        "renamed_file": file.status == "renamed",
        "deleted_file": file.status == "removed",
        "generated_file": False if answers.world.since("16.9") else None,
    }
    if not answers.world.since("16.9"):
        del shown["generated_file"]
    if answers.world.since(COLLAPSED_SINCE):
        shown |= {"collapsed": collapsed, "too_large": too_large}
    return shown


def commit(answers: Answers, project: Project, one: Commit) -> Json:
    return {
        "id": one.sha,
        "short_id": one.sha[:8],
        "created_at": one.committer.date,
        "parent_ids": list(one.parents),
        "title": one.message.split("\n", 1)[0],
        "message": one.message,
        "author_name": one.author.name,
        "author_email": one.author.email,
        "authored_date": one.author.date,
        "committer_name": one.committer.name,
        "committer_email": one.committer.email,
        "committed_date": one.committer.date,
        "trailers": {},
        "web_url": f"{answers.web}/{project.full_path}/-/commit/{one.sha}",
    }


def version(merge_request_id: int, one: Version) -> Json:
    return {
        "id": one.id,
        "head_commit_sha": one.head,
        "base_commit_sha": one.base,
        "start_commit_sha": one.start,
        "created_at": iso(one.created_at),
        "merge_request_id": merge_request_id,
        "state": "collected",
        "real_size": None,
        "patch_id_sha": None,
    }


def branch(answers: Answers, project: Project, name: str, head: Commit) -> Json:
    protected = name in project.protected
    return {
        "name": name,
        "commit": commit(answers, project, head),
        "merged": False,
        "protected": protected,
        "developers_can_push": not protected,
        "developers_can_merge": not protected,
        "can_push": not protected,
        "default": name == project.default_branch,
        "web_url": f"{answers.web}/{project.full_path}/-/tree/{name}",
    }


def tree_entry(entry: TreeEntry) -> dict[str, Any]:
    named = {"id": entry.sha, "name": entry.path.rpartition("/")[2], "type": entry.kind, "path": entry.path}
    return {**named, "mode": entry.mode}
