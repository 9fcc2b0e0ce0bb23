"""The JSON of what comes from git: pull requests, changed files, commits, comparisons, contents, trees, refs."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tests.fakes.github.answers import Answers, Json, iso
from tests.fakes.github.changes import ChangedFile, changed_files
from tests.fakes.github.entities import PullRequest, Repository
from tests.fakes.github.objects import Commit, Signature, TreeEntry, count_commits, read_blob, read_commits

LARGEST_CONTENT = 1_000_000
"""Bytes of a file that ``/contents`` still carries; beyond, the encoding is ``none``."""

_KINDS = {"040000": "dir", "120000": "symlink", "160000": "submodule"}


def pull_request(answers: Answers, pull: PullRequest) -> Json:
    """A pull request as its own page shows it, with the sums over its change."""
    world, git = answers.world, pull.repository.git
    head, merge_base = world.head_sha(pull), world.merge_base(pull)
    files = changed_files(git, merge_base, head)
    return {
        **pull_request_in_list(answers, pull),
        "merged": pull.merged_at is not None,
        "mergeable": True,
        "rebaseable": True,
        "mergeable_state": "clean",
        "merged_by": None,
        "comments": len(pull.comments),
        "review_comments": sum(not made.pending for thread in pull.threads for made in thread.comments),
        "maintainer_can_modify": False,
        "commits": count_commits(git, world.base_sha(pull), head),
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
    }


def pull_request_in_list(answers: Answers, pull: PullRequest) -> Json:
    """A pull request as lists show it."""
    url, issue_url = answers.pull_url(pull), answers.issue_url(pull)
    head, issue = answers.world.head_sha(pull), answers.issue(pull)
    shared = "user body created_at updated_at author_association number state title labels assignee assignees milestone"
    links = {
        "commits_url": f"{url}/commits",
        "review_comments_url": f"{url}/comments",
        "review_comment_url": f"{answers.repository_url(pull.repository)}/pulls/comments{{/number}}",
        "comments_url": f"{issue_url}/comments",
        "statuses_url": f"{answers.repository_url(pull.repository)}/statuses/{head}",
    }
    return {
        **{key: issue[key] for key in shared.split()},
        "id": pull.pull_id,
        "node_id": pull.node_id,
        "url": url,
        "html_url": answers.page(pull),
        "diff_url": f"{answers.page(pull)}.diff",
        "patch_url": f"{answers.page(pull)}.patch",
        "issue_url": issue_url,
        **links,
        "locked": False,
        "draft": pull.draft,
        "closed_at": iso(pull.closed_at),
        "merged_at": iso(pull.merged_at),
        "merge_commit_sha": None,
        "requested_reviewers": [answers.account(account) for account in pull.requested_reviewers],
        "requested_teams": [],
        "head": _end(answers, pull, pull.head_repository, pull.head_ref, head),
        "base": _end(answers, pull, pull.repository, pull.base_ref, answers.world.base_sha(pull)),
        "auto_merge": None,
        "_links": {
            "self": {"href": url},
            "html": {"href": answers.page(pull)},
            "issue": {"href": issue_url},
            **{name.removesuffix("_url"): {"href": href} for name, href in links.items()},
        },
    }


def _end(answers: Answers, pull: PullRequest, repository: Repository | None, ref: str, sha: str) -> Json:
    """One end of a pull request; a deleted fork leaves its author and no repository."""
    owner = pull.author if repository is None else repository.owner
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": answers.account(owner),
        "repo": None if repository is None else answers.repository(repository),
    }


def diff_entry(answers: Answers, repository: Repository, file: ChangedFile, head: str, withheld: Sequence[str]) -> Json:
    """A changed file; its patch is left out where there is none and where GitHub withholds it."""
    path, page = quote(file.path, safe="/"), f"{answers.web}/{repository.full_name}"
    entry: Json = {
        "sha": file.sha,
        "filename": file.path,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{page}/blob/{head}/{path}",
        "raw_url": f"{page}/raw/{head}/{path}",
        "contents_url": f"{answers.repository_url(repository)}/contents/{path}?ref={head}",
    }
    if file.previous_path is not None:
        entry["previous_filename"] = file.previous_path
    if file.patch is not None and file.path not in withheld:
        entry["patch"] = file.patch
    return entry


def commit(answers: Answers, repository: Repository, one: Commit) -> Json:
    """A commit as lists show it; nobody's e-mail address belongs to an account here."""
    url, page = f"{answers.repository_url(repository)}/commits/{one.sha}", f"{answers.web}/{repository.full_name}"
    return {
        "sha": one.sha,
        "node_id": _node_id("C", one.sha),
        "url": url,
        "html_url": f"{page}/commit/{one.sha}",
        "comments_url": f"{url}/comments",
        "commit": {
            "url": f"{answers.repository_url(repository)}/git/commits/{one.sha}",
            "author": _signature(one.author),
            "committer": _signature(one.committer),
            "message": one.message,
            "comment_count": 0,
            "tree": _tree_of(answers, repository, one),
            "verification": _UNSIGNED,
        },
        "author": None,
        "committer": None,
        "parents": _parents(answers, repository, one, "commits"),
    }


def git_commit(answers: Answers, repository: Repository, one: Commit) -> Json:
    """A commit as git's own object."""
    return {
        "sha": one.sha,
        "node_id": _node_id("C", one.sha),
        "url": f"{answers.repository_url(repository)}/git/commits/{one.sha}",
        "html_url": f"{answers.web}/{repository.full_name}/commit/{one.sha}",
        "author": _signature(one.author),
        "committer": _signature(one.committer),
        "message": one.message,
        "tree": _tree_of(answers, repository, one),
        "parents": _parents(answers, repository, one, "git/commits"),
        "verification": _UNSIGNED,
    }


def branch(answers: Answers, repository: Repository, name: str, sha: str) -> Json:
    url = f"{answers.repository_url(repository)}/branches/{name}"
    (head,) = read_commits(repository.git, "--max-count=1", sha)
    page = f"{answers.web}/{repository.full_name}/tree/{name}"
    return {
        "name": name,
        "commit": commit(answers, repository, head),
        "_links": {"self": url, "html": page},
        "protected": name in repository.protected or bool(repository.rules.get(name)),
        "protection": {"enabled": name in repository.protected},
        "protection_url": f"{url}/protection",
    }


def ref(answers: Answers, repository: Repository, name: str, sha: str) -> Json:
    url, kind = answers.repository_url(repository), "commit"
    return {
        "ref": name,
        "node_id": _node_id("REF", name),
        "url": f"{url}/git/{name}",
        "object": {"type": kind, "sha": sha, "url": f"{url}/git/{kind}s/{sha}"},
    }


def tree(answers: Answers, repository: Repository, sha: str, entries: Sequence[TreeEntry]) -> Json:
    url = f"{answers.repository_url(repository)}/git"
    rows = []
    for entry in entries:
        row = {"path": entry.path, "mode": entry.mode, "type": entry.kind, "sha": entry.sha}
        size = {} if entry.size is None else {"size": entry.size}
        rows.append({**row, **size, "url": f"{url}/{entry.kind}s/{entry.sha}"})
    return {"sha": sha, "url": f"{url}/trees/{sha}", "tree": rows, "truncated": False}


def blob(answers: Answers, repository: Repository, sha: str, data: bytes) -> Json:
    return {
        "sha": sha,
        "node_id": _node_id("B", sha),
        "size": len(data),
        "url": f"{answers.repository_url(repository)}/git/blobs/{sha}",
        **_content(data),
    }


def content(answers: Answers, repository: Repository, entry: TreeEntry, at: str, *, alone: bool) -> Json:
    """An entry of ``/contents``; `alone` with what it holds, else as a folder lists it."""
    url, path = answers.repository_url(repository), quote(entry.path, safe="/")
    kind = _KINDS.get(entry.mode, "file")
    own, page = f"{url}/contents/{path}?ref={at}", f"{answers.web}/{repository.full_name}/blob/{at}/{path}"
    git_url = f"{url}/git/{entry.kind}s/{entry.sha}"
    answer = {
        "type": kind,
        "size": entry.size or 0,
        "name": entry.path.rsplit("/", 1)[-1],
        "path": entry.path,
        "sha": entry.sha,
        "url": own,
        "html_url": page,
        "git_url": git_url,
        "download_url": page.replace("/blob/", "/raw/") if kind == "file" else None,
        "_links": {"self": own, "html": page, "git": git_url},
    }
    if alone and kind == "symlink":
        answer["target"] = read_blob(repository.git, entry.sha).decode("utf-8", "replace")
    elif alone and kind == "submodule":
        answer["submodule_git_url"] = None
    elif alone:
        data = read_blob(repository.git, entry.sha)
        answer |= _content(data) if len(data) <= LARGEST_CONTENT else {"encoding": "none", "content": ""}
    return answer


_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def _content(data: bytes) -> dict[str, str]:
    return {"encoding": "base64", "content": base64.encodebytes(data).decode()}


def _node_id(prefix: str, name: str) -> str:
    return f"{prefix}_{base64.urlsafe_b64encode(name.encode()).decode()}"


def _signature(one: Signature) -> Json:
    return {"name": one.name, "email": one.email, "date": one.date}


def _tree_of(answers: Answers, repository: Repository, one: Commit) -> dict[str, Any]:
    return {"sha": one.tree, "url": f"{answers.repository_url(repository)}/git/trees/{one.tree}"}


def _parents(answers: Answers, repository: Repository, one: Commit, kind: str) -> list[Json]:
    url, page = answers.repository_url(repository), f"{answers.web}/{repository.full_name}/commit"
    return [{"sha": sha, "url": f"{url}/{kind}/{sha}", "html_url": f"{page}/{sha}"} for sha in one.parents]
