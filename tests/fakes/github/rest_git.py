"""REST: what a repository holds: commits, comparisons, contents, trees, blobs, refs and branches."""

from __future__ import annotations

from urllib.parse import quote

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import answers_git
from tests.fakes.github.changes import changed_files
from tests.fakes.github.entities import Repository
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.objects import (
    TreeEntry,
    count_commits,
    find,
    find_ref,
    read_blob,
    read_commits,
    read_tree,
)
from tests.fakes.github.refusals import Invalid, NotFound
from tests.fakes.github.rest_pulls import diff_answer

MOST_COMPARED_FILES = 300


def _compare(call: Call) -> Answer:
    """Three dots: what the head brings since the branches parted. Files are on the first page alone."""
    call.require("contents")
    repository, git = call.repository, call.repository.git
    base, head = (_end(call, repository, name) for name in _ends(call.parts["basehead"]))
    merge_base = git.git("merge-base", base, head).decode().strip()
    if call.wants("diff"):
        return diff_answer(call, None, merge_base, head)
    ahead, behind = count_commits(git, base, head), count_commits(git, head, base)
    commits = read_commits(git, "--reverse", "--topo-order", f"{base}..{head}")
    page, headers = call.cut(commits) if call.request.query else (commits[:250], {})
    show = call.answers
    first, parted = (read_commits(git, "--max-count=1", sha)[0] for sha in (base, merge_base))
    url = f"{show.repository_url(repository)}/compare/{quote(call.parts['basehead'])}"
    web = f"{show.web}/{repository.full_name}/compare/{quote(call.parts['basehead'])}"
    answer = {
        "url": url,
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
        "base_commit": answers_git.commit(show, repository, first),
        "merge_base_commit": answers_git.commit(show, repository, parted),
        "status": _status(ahead, behind),
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [answers_git.commit(show, repository, one) for one in page],
    }
    if int(call.request.query.get("page", 1)) == 1:
        files = changed_files(git, merge_base, head)[:MOST_COMPARED_FILES]
        answer["files"] = [answers_git.diff_entry(show, repository, file, head, ()) for file in files]
    return Answer(200, answer, headers)


def _get_commit(call: Call) -> Answer:
    call.require("contents")
    repository = call.repository
    sha = _commit(repository, call.parts["ref"])
    (one,) = read_commits(repository.git, "--max-count=1", sha)
    parent = (
        one.parents[0] if one.parents else repository.git.git("hash-object", "-t", "tree", "-w", "--stdin").decode()
    )
    if call.wants("diff"):
        return diff_answer(call, None, parent.strip(), sha)
    files = changed_files(repository.git, parent.strip(), sha)
    added, gone = sum(file.additions for file in files), sum(file.deletions for file in files)
    answer = answers_git.commit(call.answers, repository, one)
    answer["stats"] = {"additions": added, "deletions": gone, "total": added + gone}
    shown = [answers_git.diff_entry(call.answers, repository, file, sha, ()) for file in files]
    return Answer(200, {**answer, "files": shown})


def _get_git_commit(call: Call) -> Answer:
    call.require("contents")
    if (sha := find(call.repository.git, call.parts["commit_sha"])) is None:
        raise NotFound
    (one,) = read_commits(call.repository.git, "--max-count=1", sha)
    return Answer(200, answers_git.git_commit(call.answers, call.repository, one))


def _get_content(call: Call) -> Answer:
    call.require("contents")
    repository, path = call.repository, call.parts.get("path", "").strip("/")
    at = call.request.query.get("ref", repository.default_branch)
    if (sha := find(repository.git, at)) is None:
        raise NotFound(f"No commit found for the ref {at}")
    entry = _entry(repository, sha, path)
    if entry is None:
        rows = read_tree(repository.git, sha, *(["--", f"{path}/"] if path else []))
        return Answer(200, [answers_git.content(call.answers, repository, row, at, alone=False) for row in rows])
    if call.wants("raw") and entry.kind == "blob":
        return Answer(200, read_blob(repository.git, entry.sha), {"Content-Type": "application/vnd.github.raw"})
    return Answer(200, answers_git.content(call.answers, repository, entry, at, alone=True))


def _entry(repository: Repository, sha: str, path: str) -> TreeEntry | None:
    """What is at a path, ``None`` for a folder."""
    if not path:
        return None
    found = read_tree(repository.git, sha, "--full-tree", "--", path)
    if not found:
        raise NotFound
    return None if found[0].kind == "tree" else found[0]


def _get_tree(call: Call) -> Answer:
    """All levels if ``recursive`` is there, whatever its value."""
    call.require("contents")
    repository = call.repository
    if (sha := find(repository.git, call.parts["tree_sha"], "tree")) is None:
        raise NotFound
    options = ("-r", "-t") if "recursive" in call.request.query else ()
    return Answer(200, answers_git.tree(call.answers, repository, sha, read_tree(repository.git, sha, *options)))


def _get_blob(call: Call) -> Answer:
    call.require("contents")
    repository = call.repository
    if (sha := find(repository.git, call.parts["file_sha"], "blob")) is None:
        raise NotFound
    data = read_blob(repository.git, sha)
    if call.wants("raw"):
        return Answer(200, data, {"Content-Type": "application/vnd.github.raw"})
    return Answer(200, answers_git.blob(call.answers, repository, sha, data))


def _get_ref(call: Call) -> Answer:
    call.require("contents")
    name = f"refs/{call.parts['ref']}"
    for ref, sha in find_ref(call.repository.git, call.parts["ref"]):
        if ref == name:
            return Answer(200, answers_git.ref(call.answers, call.repository, ref, sha))
    raise NotFound


def _list_matching_refs(call: Call) -> Answer:
    call.require("contents")
    found = find_ref(call.repository.git, call.parts["ref"])
    return Answer(200, [answers_git.ref(call.answers, call.repository, ref, sha) for ref, sha in found])


def _list_languages(call: Call) -> Answer:
    """Bytes for each language; one is known here."""
    call.require("metadata")
    git = call.repository.git
    rows = git.git("ls-tree", "-r", "--long", call.repository.default_branch).decode().splitlines()
    sizes = [int(row.split()[3]) for row in rows if row.endswith(".py")]
    return Answer(200, {"Python": sum(sizes)} if sizes else {})


def _get_branch(call: Call) -> Answer:
    call.require("contents")
    name = call.parts["branch"]
    for ref, sha in find_ref(call.repository.git, f"heads/{name}"):
        if ref == f"refs/heads/{name}":
            return Answer(200, answers_git.branch(call.answers, call.repository, name, sha))
    raise NotFound("Branch not found")


def _ends(basehead: str) -> tuple[str, str]:
    base, dots, head = basehead.partition("...")
    if not dots:
        raise NotFound
    return base, head


def _end(call: Call, repository: Repository, name: str) -> str:
    """The commit of one end of a comparison; ``owner:branch`` is a fork's."""
    owner, colon, branch = name.partition(":")
    place = call.world.repository(owner, repository.name) if colon else repository
    if (sha := find(place.git, branch if colon else name)) is None:
        raise NotFound
    return sha


def _commit(repository: Repository, name: str) -> str:
    if (sha := find(repository.git, name)) is None:
        raise Invalid(f"No commit found for SHA: {name}")
    return sha


def _status(ahead: int, behind: int) -> str:
    if ahead and behind:
        return "diverged"
    return "ahead" if ahead else "behind" if behind else "identical"


_REPOSITORY = "/repos/{owner}/{repo}"

GIT_ROUTES = (
    Route("GET", f"{_REPOSITORY}/compare/{{basehead*}}", _compare),
    Route("GET", f"{_REPOSITORY}/commits/{{ref*}}", _get_commit),
    Route("GET", f"{_REPOSITORY}/contents", _get_content),
    Route("GET", f"{_REPOSITORY}/contents/{{path*}}", _get_content),
    Route("GET", f"{_REPOSITORY}/git/commits/{{commit_sha}}", _get_git_commit),
    Route("GET", f"{_REPOSITORY}/git/trees/{{tree_sha*}}", _get_tree),
    Route("GET", f"{_REPOSITORY}/git/blobs/{{file_sha}}", _get_blob),
    Route("GET", f"{_REPOSITORY}/git/ref/{{ref*}}", _get_ref),
    Route("GET", f"{_REPOSITORY}/git/matching-refs/{{ref*}}", _list_matching_refs),
    Route("GET", f"{_REPOSITORY}/branches/{{branch*}}", _get_branch),
    Route("GET", f"{_REPOSITORY}/languages", _list_languages),
)
