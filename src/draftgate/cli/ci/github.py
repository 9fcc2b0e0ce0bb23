"""A run on GitHub Actions: the runner's variables, inputs and event file become one value.

The variables: https://docs.github.com/en/actions/reference/workflows-and-actions/variables. Nothing is asked of the
forge, and the token is looked at only when the event asks for something.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from draftgate.bootstrap.hosted import HostedRun
from draftgate.cli.ci.github_event import Trigger, read_event
from draftgate.cli.ci.outputs import ResultPlace
from draftgate.cli.ci.payload import read_payload
from draftgate.cli.ci.variables import Variables
from draftgate.domain.event import (
    ChangeClosed,
    CommandAsked,
    CommentMade,
    Event,
    NothingToDo,
    ReviewAsked,
    SweepDue,
)
from draftgate.errors import UsageError

_IN_CONTAINER = "/github/workspace"

_SETTINGS = ("language", "models")
"""Inputs that are keys of the configuration."""

_MODES: dict[str, tuple[type, ...]] = {
    "auto": (ReviewAsked, ChangeClosed, CommentMade, CommandAsked, SweepDue),
    "review": (ReviewAsked, ChangeClosed),
    "commands": (CommentMade, CommandAsked, SweepDue),
}


def read_github_event(variables: Variables) -> Event:
    """What the run is for.

    Raises:
        UsageError: a variable, an input or the payload is not what it must be.
    """
    mode = variables.choice("INPUT_MODE", tuple(_MODES))
    attempt = variables.count("GITHUB_RUN_ATTEMPT", 1)
    actor = variables.get("GITHUB_ACTOR") or ""
    trigger = Trigger(
        event=variables.require("GITHUB_EVENT_NAME"),
        actor=actor,
        # Only who started a further attempt can be somebody else.
        triggered_by=variables.get("GITHUB_TRIGGERING_ACTOR") or (actor if attempt <= 1 else ""),
        attempt=attempt,
    )
    event = read_event(trigger, lambda: read_payload(variables.require("GITHUB_EVENT_PATH")))
    if isinstance(event, (NothingToDo, *_MODES[mode])):
        return event
    return NothingToDo(f"the input `mode` is {mode}, and this event asks for something else")


def read_github_run(variables: Variables, event: Event) -> HostedRun:
    """The run with all that it needs.

    Raises:
        UsageError: a variable or an input is not what it must be.
    """
    server = variables.url("GITHUB_SERVER_URL", "https://github.com")
    api = variables.url("GITHUB_API_URL", "https://api.github.com")
    repository = variables.repository("GITHUB_REPOSITORY")
    settings = {name: variables.get(f"INPUT_{name.upper()}") for name in _SETTINGS}
    return HostedRun(
        event=event,
        repository=repository,
        api_url=api,
        graphql_url=variables.url("GITHUB_GRAPHQL_URL", _graphql_of(api)),
        server_url=server,
        workspace=_workspace(variables),
        temp=_temp(variables),
        token=_token(variables),
        run_url=_run_url(variables, f"{server}/{repository}"),
        config_path=variables.path_inside("INPUT_CONFIG", "the input `config`", "`.github/draftgate.yml`"),
        settings={name: value for name, value in settings.items() if value is not None},
        signing_key=variables.secret("INPUT_SIGNING-KEY", "DRAFTGATE_SIGNING_KEY"),
        environment=variables.values,
    )


def _graphql_of(api: str) -> str:
    """Beside the REST API, which Enterprise Server serves under ``/api/v3``.

    https://docs.github.com/en/enterprise-server/graphql/guides/forming-calls-with-graphql
    """
    return f"{api.removesuffix('/v3')}/graphql"


def result_place(variables: Variables) -> ResultPlace | None:
    """Where a later step finds the files of the result; ``None`` if there is no folder that can be written.

    The container of an action has the folders of the job under paths of its own, and the runner does not translate
    outputs. Of these only the workspace is one in which a later step starts. (``ContainerActionHandler.cs`` of
    https://github.com/actions/runner)
    """
    if variables.get("GITHUB_WORKSPACE") == _IN_CONTAINER:
        return ResultPlace(Path(_IN_CONTAINER), is_shared_root=True)
    try:
        return ResultPlace(_temp(variables))
    except OSError:
        return None


def _workspace(variables: Variables) -> Path | None:
    """The folder of the job's clone, if there is such a folder."""
    return _folder(variables, "GITHUB_WORKSPACE")


def _temp(variables: Variables) -> Path:
    """The job's temporary folder, if it is there inside the container and this user may write to it."""
    folder = _folder(variables, "RUNNER_TEMP")
    return folder if folder and os.access(folder, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def _folder(variables: Variables, name: str) -> Path | None:
    value = variables.get(name)
    return Path(value) if value is not None and Path(value).is_dir() else None


def _token(variables: Variables) -> str:
    token = variables.secret("INPUT_GITHUB-TOKEN", "GITHUB_TOKEN")
    if token is None:
        raise UsageError(
            "there is no token for GitHub",
            context="INPUT_GITHUB-TOKEN, GITHUB_TOKEN",
            hint="leave the input `github-token` at its default, or give it `${{ github.token }}` or an App's token",
        )
    return token


def _run_url(variables: Variables, repository_url: str) -> str:
    run = variables.count("GITHUB_RUN_ID", 0)
    return f"{repository_url}/actions/runs/{run}" if run else f"{repository_url}/actions"
