"""REST: pull requests, what they change, and who is asked to review them."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github import reviewers
from tests.fakes.github.answers_git import commit, diff_entry, pull_request, pull_request_in_list
from tests.fakes.github.changes import changed_files
from tests.fakes.github.entities import PullRequest
from tests.fakes.github.exchange import Call, Route
from tests.fakes.github.objects import read_commits, read_diff
from tests.fakes.github.refusals import TooLarge

MOST_FILES = 3000
MOST_COMMITS = 250
MOST_DIFF_LINES = 20_000


def _list_pulls(call: Call) -> Answer:
    """Newest first unless asked otherwise."""
    call.require("pull_requests")
    query = call.request.query
    state, base, head = query.get("state", "open"), query.get("base"), query.get("head")
    chosen = [
        pull
        for pull in call.world.pulls(call.repository)
        if state in {"all", pull.state} and base in {None, pull.base_ref} and head in {None, _label(pull)}
    ]
    chosen.sort(
        key=lambda pull: pull.updated_at if query.get("sort") == "updated" else pull.created_at,
        reverse=query.get("direction", "desc") == "desc",
    )
    return call.page(chosen, lambda pull: pull_request_in_list(call.answers, pull))


def _get_pull(call: Call) -> Answer:
    call.require("pull_requests")
    if call.wants("diff"):
        return diff_answer(call, call.pull, call.world.merge_base(call.pull), call.world.head_sha(call.pull))
    return Answer(200, pull_request(call.answers, call.pull))


def diff_answer(call: Call, pull: PullRequest | None, base: str, head: str) -> Answer:
    """The diff media type.

    Raises:
        TooLarge: The diff is longer than GitHub prints, or the pull request was told to be so.
    """
    diff = read_diff(call.repository.git, base, head)
    if (pull is not None and pull.diff_too_large) or diff.count(b"\n") > MOST_DIFF_LINES:
        message = f"Sorry, the diff exceeded the maximum number of lines ({MOST_DIFF_LINES})"
        raise TooLarge(message, ({"resource": "PullRequest", "field": "diff", "code": "too_large"},))
    return Answer(200, diff, {"Content-Type": "application/vnd.github.diff; charset=utf-8"})


def _list_files(call: Call) -> Answer:
    call.require("pull_requests")
    pull, head = call.pull, call.world.head_sha(call.pull)
    files = changed_files(pull.repository.git, call.world.merge_base(pull), head)[:MOST_FILES]
    withheld = tuple(pull.files_without_patch)
    return call.page(files, lambda file: diff_entry(call.answers, pull.repository, file, head, withheld))


def _list_commits(call: Call) -> Answer:
    """Oldest first."""
    call.require("pull_requests")
    pull = call.pull
    selection = f"{call.world.base_sha(pull)}..{call.world.head_sha(pull)}"
    commits = read_commits(pull.repository.git, "--reverse", "--topo-order", selection)[:MOST_COMMITS]
    return call.page(commits, lambda one: commit(call.answers, pull.repository, one))


def _list_requested(call: Call) -> Answer:
    call.require("pull_requests")
    users = [call.answers.account(account) for account in call.pull.requested_reviewers]
    return Answer(200, {"users": users, "teams": []})


def _request_reviewers(call: Call) -> Answer:
    pull, known = call.pull, call.world.accounts
    asked = [known.get(login.lower()) for login in call.fields.get("reviewers") or ()]
    reviewers.request(call.world, call.caller, pull, asked, union=True)
    return Answer(201, pull_request_in_list(call.answers, pull))


def _remove_requested(call: Call) -> Answer:
    call.require("pull_requests", level="write")
    pull, logins = call.pull, {login.lower() for login in call.fields.get("reviewers") or ()}
    call.world.tick()
    pull.requested_reviewers[:] = [each for each in pull.requested_reviewers if each.login.lower() not in logins]
    return Answer(200, pull_request_in_list(call.answers, pull))


def _label(pull: PullRequest) -> str:
    source = pull.head_repository
    return f"{pull.author.login if source is None else source.owner.login}:{pull.head_ref}"


_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"

PULL_ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/pulls", _list_pulls),
    Route("GET", _PULL, _get_pull),
    Route("GET", f"{_PULL}/files", _list_files),
    Route("GET", f"{_PULL}/commits", _list_commits),
    Route("GET", f"{_PULL}/requested_reviewers", _list_requested),
    Route("POST", f"{_PULL}/requested_reviewers", _request_reviewers),
    Route("DELETE", f"{_PULL}/requested_reviewers", _remove_requested),
)
