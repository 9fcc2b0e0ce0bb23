"""REST: what a merge request changes, in the several forms that GitLab has of it."""

from __future__ import annotations

from tests.fakes.forge_http.messages import Answer
from tests.fakes.github.changes import ChangedFile
from tests.fakes.github.objects import read_commits, read_diff
from tests.fakes.gitlab import answers_git
from tests.fakes.gitlab.answers import MOST_CHANGES
from tests.fakes.gitlab.entities import Version
from tests.fakes.gitlab.exchange import Call, Route
from tests.fakes.gitlab.positions import files_of
from tests.fakes.gitlab.refusals import NoSuchRoute, NotFound

RAW_DIFFS_SINCE = "17.9"
FEWEST_SHOWN = 1
"""Files of a list that is cut."""


def _files(call: Call, version: Version | None = None, *, raw: bool = False) -> list[ChangedFile]:
    """The files that are shown: of a change that is too large just the first, unless it is asked for raw."""
    files = files_of(call.merge_request, version)
    if raw or not call.project.overflow:
        return files if raw else files[:MOST_CHANGES]
    return files[:FEWEST_SHOWN]


def _list_diffs(call: Call) -> Answer:
    unified = bool(call.values.get("unidiff"))
    return call.page(_files(call), lambda file: answers_git.diff(call.answers, call.project, file, unified=unified))


def _get_changes(call: Call) -> Answer:
    raw, unified = bool(call.values.get("access_raw_diffs")), bool(call.values.get("unidiff"))
    shown = _files(call, raw=raw)
    diffs = [answers_git.diff(call.answers, call.project, file, raw=raw, unified=unified) for file in shown]
    cut = len(shown) < len(files_of(call.merge_request)) or any(
        not raw and file.path in call.project.too_large for file in shown
    )
    return Answer(200, {**call.answers.merge_request(call.merge_request), "changes": diffs, "overflow": cut})


def _get_raw_diffs(call: Call) -> Answer:
    """The whole patch as git prints it."""
    if not call.world.since(RAW_DIFFS_SINCE):
        raise NoSuchRoute
    version = call.merge_request.version
    patch = read_diff(call.project.git, version.base, version.head)
    return Answer(200, patch, {"Content-Type": "text/plain"})


def _list_versions(call: Call) -> Answer:
    """Newest first."""
    one = call.merge_request
    return call.page(one.versions[::-1], lambda version: answers_git.version(one.id, version))


def _get_version(call: Call) -> Answer:
    one = call.merge_request
    for version in one.versions:
        if version.id == int(call.parts["version_id"]):
            commits = _commits(call, version)
            diffs = [answers_git.diff(call.answers, call.project, file) for file in _files(call, version)]
            return Answer(200, {**answers_git.version(one.id, version), "commits": commits, "diffs": diffs})
    raise NotFound


def _list_commits(call: Call) -> Answer:
    """Newest first."""
    return call.page(_commits(call, call.merge_request.version), lambda commit: commit)


def _commits(call: Call, version: Version) -> list[dict[str, object]]:
    found = read_commits(call.project.git, f"{version.start}..{version.head}")
    return [answers_git.commit(call.answers, call.project, commit) for commit in found]


_MR = "/projects/{id}/merge_requests/{iid}"

CHANGE_ROUTES = (
    Route("GET", f"{_MR}/commits", _list_commits, anonymous=True),
    Route("GET", f"{_MR}/changes", _get_changes, anonymous=True),
    Route("GET", f"{_MR}/diffs", _list_diffs, anonymous=True),
    Route("GET", f"{_MR}/raw_diffs", _get_raw_diffs, anonymous=True),
    Route("GET", f"{_MR}/versions", _list_versions, anonymous=True),
    Route("GET", f"{_MR}/versions/{{version_id}}", _get_version, anonymous=True),
)
