"""REST: the repository of a project, read from git."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.changes import changed_files
from tests.fakes.github.objects import Commit, TreeEntry, find, read_blob, read_commits, read_tree
from tests.fakes.gitlab import answers_git
from tests.fakes.gitlab.access import require_code
from tests.fakes.gitlab.entities import Project
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.refusals import Invalid, NotFound


def _project(call: Call) -> Project:
    """The project, if the caller may read its code."""
    require_code(call.project, call.caller.user)
    return call.project


def _sha(project: Project, name: str, what: str = "Commit") -> str:
    sha = find(project.git, project.default_branch if name == "HEAD" else name)
    if sha is None:
        raise NotFound(what)
    return sha


def _one(project: Project, sha: str) -> Commit:
    return read_commits(project.git, "--max-count=1", sha)[0]


def _file(call: Call) -> tuple[TreeEntry, str, bytes]:
    """The file of the path, the commit it was read at, and what it holds."""
    project = _project(call)
    sha = _sha(project, call.values.get("ref") or "HEAD")
    found = read_tree(project.git, sha, "--full-tree", "--", call.parts["path"])
    if not found or found[0].kind != "blob":
        raise NotFound("File")
    return found[0], sha, read_blob(project.git, found[0].sha)


def _get_file(call: Call) -> Answer:
    entry, sha, data = _file(call)
    last = read_commits(call.project.git, "--max-count=1", sha)[0].sha
    return Answer(
        200,
        {
            "file_name": entry.path.rpartition("/")[2],
            "file_path": entry.path,
            "size": len(data),
            "encoding": "base64",
            "content": base64.b64encode(data).decode(),
            "content_sha256": hashlib.sha256(data).hexdigest(),
            "ref": call.values["ref"],
            "blob_id": entry.sha,
            "commit_id": sha,
            "last_commit_id": last,
            "execute_filemode": entry.mode == "100755",
        },
    )


def _get_raw_file(call: Call) -> Answer:
    entry, sha, data = _file(call)
    told = {"X-Gitlab-Blob-Id": entry.sha, "X-Gitlab-Commit-Id": sha, "X-Gitlab-Size": str(len(data))}
    return Answer(200, data, {"Content-Type": "text/plain", **told})


def _list_tree(call: Call) -> Answer:
    project, path = _project(call), (call.values.get("path") or "").strip("/")
    sha = _sha(project, call.values.get("ref") or "HEAD", "Tree")
    options = ["-r", "-t"] if call.values.get("recursive") else []
    rows = read_tree(project.git, sha, *options, *(["--", f"{path}/"] if path else []))
    if path and not rows:
        raise NotFound("invalid revision or path")
    return call.page(rows, answers_git.tree_entry)


def _branches(project: Project) -> list[str]:
    return project.git.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").decode().split()


def _list_branches(call: Call) -> Answer:
    project = _project(call)
    names = [name for name in _branches(project) if call.values.get("search", "") in name]
    return call.page(names, lambda name: _branch(call, name))


def _get_branch(call: Call) -> Answer:
    if call.parts["branch"] not in _branches(_project(call)):
        raise NotFound("Branch")
    return Answer(200, _branch(call, call.parts["branch"]))


def _branch(call: Call, name: str) -> dict[str, Any]:
    head = _one(call.project, call.project.git.sha(f"refs/heads/{name}"))
    return answers_git.branch(call.answers, call.project, name, head)


def _list_commits(call: Call) -> Answer:
    project = _project(call)
    sha = _sha(project, call.values.get("ref_name") or "HEAD")
    return call.page(read_commits(project.git, sha), lambda one: answers_git.commit(call.answers, project, one))


def _get_commit(call: Call) -> Answer:
    project = _project(call)
    one = _one(project, _sha(project, call.parts["sha"]))
    return Answer(200, {**answers_git.commit(call.answers, project, one), "status": None, "project_id": project.id})


def _get_commit_diff(call: Call) -> Answer:
    project = _project(call)
    one = _one(project, _sha(project, call.parts["sha"]))
    files = changed_files(project.git, one.parents[0], one.sha) if one.parents else []
    return call.page(files, lambda file: answers_git.diff(call.answers, project, file))


def _list_merge_requests_with(call: Call) -> Answer:
    project = _project(call)
    sha = _sha(project, call.parts["sha"])
    found = [
        each
        for each in project.merge_requests.values()
        if sha in project.git.git("rev-list", f"{each.version.base}..{each.version.head}").decode().split()
    ]
    return call.page(found, call.answers.merge_request_in_list)


def _compare(call: Call) -> Answer:
    """From where the two parted, unless it is to be straight."""
    project = _project(call)
    base, head = _sha(project, call.values["from"]), _sha(project, call.values["to"])
    start = base if call.values.get("straight") else _merge_base(project, [base, head])
    commits = [answers_git.commit(call.answers, project, one) for one in read_commits(project.git, f"{base}..{head}")]
    files = changed_files(project.git, start or base, head)
    return Answer(
        200,
        {
            "commit": commits[0] if commits else None,
            "commits": commits[::-1],
            "diffs": [answers_git.diff(call.answers, project, file) for file in files],
            "compare_timeout": False,
            "compare_same_ref": base == head,
            "web_url": f"{call.answers.web}/{project.full_path}/-/compare/{base}...{head}",
        },
    )


def _get_merge_base(call: Call) -> Answer:
    project, refs = _project(call), call.values["refs"]
    if len(refs) < 2:
        raise Invalid("Provide at least 2 refs")
    for ref in refs:
        if find(project.git, ref) is None:
            raise Invalid(f"Could not find ref: {ref}")
    base = _merge_base(project, [_sha(project, ref) for ref in refs])
    if base is None:
        raise NotFound("Merge Base")
    return Answer(200, answers_git.commit(call.answers, project, _one(project, base)))


def _merge_base(project: Project, shas: list[str]) -> str | None:
    try:
        return project.git.git("merge-base", "--octopus", *shas).decode().strip()
    except AssertionError:  # they have nothing in common
        return None


_REPOSITORY = "/projects/{id}/repository"


def _open(path: str, handler: Any) -> Route:  # noqa: ANN401, as `Route` has it
    return Route("GET", f"{_REPOSITORY}{path}", handler, anonymous=True)


GIT_ROUTES = (
    _open("/files/{path}", _get_file),
    _open("/files/{path}/raw", _get_raw_file),
    _open("/tree", _list_tree),
    _open("/branches", _list_branches),
    _open("/branches/{branch*}", _get_branch),
    _open("/commits", _list_commits),
    _open("/commits/{sha}", _get_commit),
    _open("/commits/{sha}/diff", _get_commit_diff),
    _open("/commits/{sha}/merge_requests", _list_merge_requests_with),
    _open("/compare", _compare),
    _open("/merge_base", _get_merge_base),
)
