"""REST: how a client without git makes a branch, commits to it, opens a pull request and takes all of it away again."""

from __future__ import annotations

import base64
import binascii
import tempfile
from pathlib import Path

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import answers_git
from tests.fakes.github.entities import Repository
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.objects import find, find_ref, read_commits, read_tree
from tests.fakes.github.refusals import Invalid, validation_failed
from tests.git_builder import Repo


def _create_ref(call: Call) -> Answer:
    call.require("contents", level="write")
    repository, ref, sha = call.repository, call.text("ref", "Reference"), call.text("sha", "Reference")
    if find(repository.git, sha) is None:
        raise Invalid("Object does not exist")
    if _has(repository, ref):
        raise Invalid("Reference already exists")
    call.world.tick()
    repository.git.git("update-ref", ref, sha)
    return Answer(201, answers_git.ref(call.answers, repository, ref, sha))


def _delete_ref(call: Call) -> Answer:
    """The pull requests of the branch are closed by it."""
    call.require("contents", level="write")
    repository, ref = call.repository, f"refs/{call.parts['ref']}"
    if not _has(repository, ref):
        raise Invalid("Reference does not exist")
    for pull in call.world.pulls(repository):
        if pull.state == "open" and f"refs/heads/{pull.head_ref}" == ref:
            call.world.close(pull)
    repository.git.git("update-ref", "-d", ref)
    return Answer(204)


def _write_content(call: Call) -> Answer:
    """One commit that writes one file; a file that is there is replaced under its present id alone."""
    call.require("contents", level="write")
    repository, path, branch = call.repository, call.parts["path"], call.text("branch", "Commit")
    if not _has(repository, f"refs/heads/{branch}"):
        raise Invalid(f"Branch {branch} not found")
    try:
        data = base64.b64decode(call.text("content", "Commit"), validate=True)
    except binascii.Error:
        raise Invalid("content is not valid Base64") from None
    present = read_tree(repository.git, branch, "--full-tree", "--", path)
    if present and call.fields.get("sha") != present[0].sha:
        raise Invalid(f"Invalid request.\n\n{path} does not match {call.fields.get('sha')}")
    head = _commit(call, branch, path, data)
    [entry] = read_tree(repository.git, head, "--full-tree", "--", path)
    [commit] = read_commits(repository.git, "--max-count=1", head)
    answer = {
        "content": answers_git.content(call.answers, repository, entry, branch, alone=False),
        "commit": answers_git.git_commit(call.answers, repository, commit),
    }
    return Answer(200 if present else 201, answer)


def _commit(call: Call, branch: str, path: str, data: bytes) -> str:
    git = call.repository.git
    with tempfile.TemporaryDirectory() as folder:
        work = Repo(Path(folder), commits=call.world.new_id())  # so that every commit has another date
        work.git("clone", "--quiet", "--shared", f"--branch={branch}", str(git.path), ".")
        head = work.commit({path: data}, call.text("message", "Commit"))
        git.git("fetch", "--quiet", "--no-tags", str(work.path), head)
    call.world.tick()
    git.git("update-ref", f"refs/heads/{branch}", head)
    call.world.sync()
    return head


def _open_pull(call: Call) -> Answer:
    call.require("pull_requests", level="write")
    repository, head, base = call.repository, call.text("head", "PullRequest"), call.text("base", "PullRequest")
    for name, branch in (("head", head), ("base", base)):
        if not _has(repository, f"refs/heads/{branch}"):
            raise validation_failed("PullRequest", name, f"{name} is invalid", code="invalid")
    title, body = call.text("title", "PullRequest"), call.fields.get("body") or ""
    pull = call.world.open_pull(repository, call.caller.account, title, body, head_ref=head, base_ref=base)
    return Answer(201, answers_git.pull_request(call.answers, pull))


def _change_pull(call: Call) -> Answer:
    """Closing it is all that is known here."""
    call.require("pull_requests", level="write")
    if call.fields.get("state") == "closed":
        call.world.close(call.pull)
    return Answer(200, answers_git.pull_request(call.answers, call.pull))


def _has(repository: Repository, ref: str) -> bool:
    return any(name == ref for name, _ in find_ref(repository.git, ref.removeprefix("refs/")))


_REPOSITORY = "/repos/{owner}/{repo}"

WRITING_ROUTES = (
    Route("POST", f"{_REPOSITORY}/git/refs", _create_ref),
    Route("DELETE", f"{_REPOSITORY}/git/refs/{{ref*}}", _delete_ref),
    Route("PUT", f"{_REPOSITORY}/contents/{{path*}}", _write_content),
    Route("POST", f"{_REPOSITORY}/pulls", _open_pull),
    Route("PATCH", f"{_REPOSITORY}/pulls/{{pull_number}}", _change_pull),
)
