"""A run on GitLab CI: the runner's variables and the payload of a webhook become one value.

The variables: https://docs.gitlab.com/ci/variables/predefined_variables/. Nothing is asked of the forge, and the token
is looked at only when the pipeline asks for something.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.gitlab_event import read_webhook
from draftgate.cli.ci.payload import Payload, parse_payload, read_payload
from draftgate.cli.ci.variables import Variables
from draftgate.domain.event import (
    ChangeClosed,
    CommandsDue,
    CommentMade,
    Event,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.domain.people import Person
from draftgate.errors import UsageError
from draftgate.render.visible import one_line

PLATFORM = "GitLab CI"

_TOKEN = "DRAFTGATE_GITLAB_TOKEN"  # noqa: S105 - a name
_PAYLOAD = "TRIGGER_PAYLOAD"
_BRANCH = re.compile(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]{1,255}")
_NAME_LENGTH = 60

_MODES: dict[str, tuple[type, ...]] = {
    "auto": (ReviewAsked, ChangeClosed, CommentMade, CommandsDue, SweepDue),
    "review": (ReviewAsked, ChangeClosed),
    # Pipelines of merge requests do not see one close, so that a webhook beside them has to say it.
    "commands": (ChangeClosed, CommentMade, CommandsDue, SweepDue),
}

_HOW_TO_GET_ONE = (
    "make a project access token with the role Developer and the scope `api` (on GitLab.com Free: a personal access "
    "token of an account for the bot, which is a Developer of the project), and store it as the masked CI/CD variable "
    "DRAFTGATE_GITLAB_TOKEN; CI_JOB_TOKEN cannot write comments, and a protected variable reaches no pipeline of a "
    "merge request: docs/how-to/gitlab.md"
)
_SEND_PAYLOAD = (
    "let a webhook for comments and merge requests start the pipeline, with the URL "
    "…/api/v4/projects/NUMBER/ref/DEFAULT_BRANCH/trigger/pipeline?token=…: docs/how-to/gitlab.md"
)


def read_gitlab_event(variables: Variables) -> Event:
    """What the run is for.

    Raises:
        UsageError: a variable or the payload is not what it must be.
    """
    mode = variables.choice("DRAFTGATE_MODE", tuple(_MODES))
    event = _event(variables, mode)
    if isinstance(event, (NothingToDo, *_MODES[mode])):
        return event
    return NothingToDo(f"DRAFTGATE_MODE is {mode}, and this pipeline asks for something else")


def read_gitlab_run(variables: Variables, event: Event) -> HostedRun:
    """The run with all that it needs.

    Raises:
        UsageError: a variable is not what it must be.
    """
    server = variables.url("CI_SERVER_URL", "https://gitlab.com")
    number, path = _project(variables)
    workspace = variables.get("CI_PROJECT_DIR")
    return HostedRun(
        event=event,
        repository=path,
        api_url=variables.url("CI_API_V4_URL", f"{server}/api/v4"),
        graphql_url=variables.url("CI_API_GRAPHQL_URL", f"{server}/api/graphql"),
        server_url=server,
        workspace=Path(workspace) if workspace is not None and Path(workspace).is_dir() else None,
        temp=Path(tempfile.gettempdir()),
        token=_token(variables, event),
        run_url=variables.url("CI_JOB_URL", f"{server}/{path}/-/jobs"),
        config_path=variables.path_inside("DRAFTGATE_CONFIG", "DRAFTGATE_CONFIG", "`.gitlab/draftgate.yml`"),
        settings={},  # they are variables already, and the configuration reads those
        signing_key=variables.secret("DRAFTGATE_SIGNING_KEY"),
        environment=variables.values,
        default_branch=_default_branch(variables, number),
        repository_id=number,
    )


# --- What a pipeline is for ----------------------------------------------------------------------------------------


def _event(variables: Variables, mode: str) -> Event:
    match variables.require("CI_PIPELINE_SOURCE"):
        case "merge_request_event":
            return _merge_request(variables, mode)
        case "trigger":
            _require_default_branch(variables)
            return read_webhook(_read_trigger_payload(variables), variables.number("CI_PROJECT_ID"))
        case "schedule":
            _require_default_branch(variables)
            return SweepDue()
        case source:
            return NothingToDo(f"a pipeline of the source {one_line(source, _NAME_LENGTH)} asks for nothing")


def _merge_request(variables: Variables, mode: str) -> Event:
    """A pipeline of a merge request; in one of merged results the commit is GitLab's own, and not the head."""
    if variables.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train":
        return NothingToDo("the merge request is in a merge train, and was reviewed before it got there")
    number, is_foreign = variables.number("CI_MERGE_REQUEST_IID"), _is_from_fork(variables)
    if mode == "commands":
        if is_foreign and variables.secret(_TOKEN) is None:
            return NothingToDo(
                "this pipeline of a fork has no token of the project, so that it can answer nothing; commands on a "
                "merge request from a fork need the webhook: docs/how-to/gitlab.md"
            )
        return CommandsDue(number)
    login = variables.get("GITLAB_USER_LOGIN")
    return ReviewAsked(
        number,
        head=variables.commit("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or variables.commit("CI_COMMIT_SHA"),
        pushed_by=None if login is None else Person(login),
        is_foreign=is_foreign,
        may_be_read_only=is_foreign,
    )


def _is_from_fork(variables: Variables) -> bool:
    """Whether the head or the pipeline itself lies in another project than the target.

    A merge request from a fork has its pipeline in the fork, unless a member of the parent starts it there:
    https://docs.gitlab.com/ci/pipelines/merge_request_pipelines/#use-with-forked-projects
    """
    names = ("CI_PROJECT_ID", "CI_MERGE_REQUEST_PROJECT_ID", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID")
    return len({variables.get(name) for name in names} - {None}) > 1


def _require_default_branch(variables: Variables) -> None:
    """On any other branch its author could have written the job and the configuration, and would hold the token."""
    default = variables.get("CI_DEFAULT_BRANCH")
    ran_on = variables.get("CI_COMMIT_BRANCH") or variables.get("CI_COMMIT_REF_NAME")
    is_tag = variables.get("CI_COMMIT_TAG") is not None
    if is_tag or (default is not None and ran_on is not None and ran_on != default):
        named = one_line(default or "the default branch", _NAME_LENGTH)
        raise UsageError(
            f"the pipeline runs on the {'tag' if is_tag else 'branch'} {one_line(ran_on or '', _NAME_LENGTH)}, where "
            "whoever writes it could have changed the job",
            context="CI_COMMIT_REF_NAME",
            hint=f"name {named} in the URL of the webhook, after `/ref/`, or as the branch of the schedule",
        )


def _read_trigger_payload(variables: Variables) -> Payload:
    """The runner makes a file of it; where the variable is no file variable, it holds the JSON itself."""
    value = variables.values.get(_PAYLOAD, "").strip()
    if not value:
        raise UsageError("the trigger brought no payload", context=_PAYLOAD, hint=_SEND_PAYLOAD)
    if value.startswith("{"):
        return parse_payload(value.encode(errors="replace"), _PAYLOAD, _SEND_PAYLOAD)
    return read_payload(value, _SEND_PAYLOAD)


# --- Where it runs -------------------------------------------------------------------------------------------------


def _project(variables: Variables) -> tuple[str, str]:
    """Number and path of the project that the change would be merged into; a fork's pipeline is told of it."""
    target, own = variables.get("CI_MERGE_REQUEST_PROJECT_ID"), variables.get("CI_PROJECT_ID")
    prefix = "CI_PROJECT" if target in {None, own} else "CI_MERGE_REQUEST_PROJECT"
    return str(variables.number(f"{prefix}_ID")), variables.project(f"{prefix}_PATH")


def _default_branch(variables: Variables, project: str) -> str:
    """Of the project itself; a fork's pipeline names the fork's."""
    branch = variables.get("CI_DEFAULT_BRANCH")
    if branch is None or variables.get("CI_PROJECT_ID") != project:
        return "HEAD"
    if _BRANCH.fullmatch(branch) is None or ".." in branch:
        raise UsageError("it names no branch", context="CI_DEFAULT_BRANCH", hint="set it as GitLab's runner does")
    return branch


def _token(variables: Variables, event: Event) -> str:
    token = variables.secret(_TOKEN)
    if token is not None:
        return token
    if isinstance(event, ReviewAsked) and event.may_be_read_only:
        return ""  # a fork has none, and its review is shown by the job alone
    raise UsageError("there is no token for GitLab", context=_TOKEN, hint=_HOW_TO_GET_ONE)
