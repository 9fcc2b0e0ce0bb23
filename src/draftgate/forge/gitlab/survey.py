"""Looks at what a token shows of GitLab, for `draftgate doctor`: every request is a read.

Sources, below https://docs.gitlab.com/api/: metadata, users, personal_access_tokens, projects, project_members,
branches, merge_request_approvals, project_level_variables, project_webhooks, draft_notes, notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from draftgate.doctor.facts.gitlab import (
    MOST_LOOKED_THROUGH,
    Approvals,
    GitLabFacts,
    Hook,
    ProjectFacts,
    Remark,
    Remarks,
    ServerFacts,
    Token,
    User,
    Variable,
)
from draftgate.doctor.facts.pipeline import PATH, PipelineFacts
from draftgate.doctor.seen import Fact, Stop
from draftgate.errors import PermissionDenied, Unavailable
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.hidden import read_marked
from draftgate.forge.hosted.looking import Looker, days_until, skew_of

Json = Mapping[str, Any]

_JOB_TOKEN = "glcbt-"  # noqa: S105 - how such tokens begin
_TRIGGER = re.compile(r"/projects/([^/?]+)/(?:ref/([^/?]+)/)?trigger/pipeline(?:\?|$)")
_RECENT = 30

_NO_JOB_TOKEN = Stop(
    "the token is that of a job (CI_JOB_TOKEN), which cannot write comments",
    "make a project access token with the role Developer and the scope `api`, as docs/how-to/gitlab.md says",
    PermissionDenied.exit_code,
)


@dataclass(frozen=True, slots=True)
class Site:
    """What is known before anything is asked.

    Attributes:
        page: The web address of the project.
        job_token: What the platform gave the job; "" where it gave nothing.
        now: POSIX time.
        has_checkout: The pipeline file is at hand, and GitLab need not be asked for it.
        pipeline: Makes the facts about it; takes the text on the default branch, ``None`` for none there.
    """

    page: str
    api_url: str
    token: str
    token_name: str
    job_token: str
    is_encrypted: bool
    is_job: bool
    now: Callable[[], float]
    has_checkout: bool
    pipeline: Callable[[Fact[str | None]], PipelineFacts]


def survey(connection: Connection, site: Site) -> GitLabFacts:
    """Everything that the checks of GitLab judge; see `facts.gitlab.MOST_REQUESTS` for how much is asked."""
    looker = Looker("GitLab")
    is_job_token = site.token.startswith(_JOB_TOKEN) or site.token == site.job_token
    if is_job_token:
        looker.stop = _NO_JOB_TOKEN
    server = looker.begin(lambda: _server(connection, site.now()))
    project = looker.begin(lambda: _project(connection.get("")))
    user = looker.look(lambda: _user(connection.get("/user")))
    token = looker.look(lambda: _token(connection.get("/personal_access_tokens/self"), site.now()))
    role = looker.look(lambda: _role(connection, user.value))
    is_protected = looker.look(lambda: _is_protected(connection, project.value))
    file = looker.look(lambda: None if site.has_checkout else _file(connection, project.value))
    approvals = looker.look(lambda: _approvals(connection.get("approvals")))
    variable = looker.look(lambda: _variable(connection, site.token_name))
    hooks = looker.look(lambda: _hooks(connection))
    remarks = looker.look(lambda: _remarks(connection, user.value))
    return GitLabFacts(
        page=site.page,
        api_url=site.api_url,
        token_name=site.token_name,
        stop=looker.stop,
        is_encrypted=site.is_encrypted,
        is_job_token=is_job_token,
        server=server,
        user=user,
        token=token,
        project=project,
        role=role,
        is_protected=is_protected,
        approvals=approvals,
        variable=variable,
        hooks=hooks,
        remarks=remarks,
        pipeline=site.pipeline(file),
        is_job=site.is_job,
    )


# --- The parts -------------------------------------------------------------------------------------------------------


def _server(connection: Connection, now: float) -> ServerFacts:
    try:
        headers, answer = connection.headed("/metadata")
    except Refused as refused:
        if not refused.is_gone:
            raise
        headers, answer = connection.headed("/version")  # metadata came with 15.2
    is_enterprise = answer.get("enterprise")
    return ServerFacts(
        version=_text(answer, "version"),
        is_enterprise=is_enterprise if isinstance(is_enterprise, bool) else None,
        skew_s=skew_of(headers.get("date", ""), now),
    )


def _project(answer: Json) -> ProjectFacts:
    in_parent = answer.get("ci_allow_fork_pipelines_to_run_in_parent_project")
    role = answer.get("ci_pipeline_variables_minimum_override_role")
    return ProjectFacts(
        path=_text(answer, "path_with_namespace"),
        default_branch=_text(answer, "default_branch"),
        is_archived=answer.get("archived") is True,
        fork_pipelines_run_here=in_parent if isinstance(in_parent, bool) else None,
        variables_role=role if isinstance(role, str) else "",
    )


def _user(answer: Json) -> User:
    return User(_number(answer, "id"), _text(answer, "username"), answer.get("bot") is True)


def _token(answer: Json, now: float) -> Token:
    scopes, expires = answer.get("scopes"), answer.get("expires_at")
    if not isinstance(scopes, list):
        raise _not_asked_for("scopes")
    day = expires[:10] if isinstance(expires, str) else ""
    return Token(frozenset(scope for scope in scopes if isinstance(scope, str)), day, days_until(day, now))


def _role(connection: Connection, user: User) -> int:
    """Also by a group above; https://docs.gitlab.com/api/project_members/."""
    try:
        return _number(connection.get(f"members/all/{user.id}"), "access_level")
    except Refused as refused:
        if refused.is_gone:
            return 0
        raise


def _is_protected(connection: Connection, project: ProjectFacts) -> bool:
    protected = connection.get(f"repository/branches/{quote(project.default_branch, safe='')}").get("protected")
    if not isinstance(protected, bool):
        raise _not_asked_for("protected")
    return protected


def _file(connection: Connection, project: ProjectFacts) -> str | None:
    try:
        return connection.text(f"repository/files/{quote(PATH, safe='')}/raw", ref=project.default_branch)
    except Refused as refused:
        if refused.is_gone:
            return None
        raise


def _approvals(answer: Json) -> Approvals:
    return Approvals(
        author_may=_flag(answer, "merge_requests_author_approval"),
        committers_may_not=_flag(answer, "merge_requests_disable_committers_approval"),
        reset_on_push=_flag(answer, "reset_approvals_on_push"),
    )


def _variable(connection: Connection, name: str) -> Variable | None:
    """One variable; its value comes with it, and is left where it is."""
    try:
        answer = connection.get(f"variables/{quote(name, safe='')}")
    except Refused as refused:
        if refused.is_gone:
            return None
        raise
    return Variable(_flag(answer, "protected"), _flag(answer, "masked"))


def _hooks(connection: Connection) -> tuple[Hook, ...]:
    """Those that start a pipeline; of the address, which holds a token, only what comes before that is kept."""
    found = []
    for entry in connection.listed("hooks"):
        named = _TRIGGER.search(_text(entry, "url"))
        if named is not None:
            found.append(
                Hook(
                    ref=unquote(named[2] or ""),
                    project=unquote(named[1]),
                    has_notes=entry.get("note_events") is True,
                    has_merge_requests=entry.get("merge_requests_events") is True,
                    is_disabled=entry.get("alert_status", "executable") != "executable",
                )
            )
    return tuple(found)


def _remarks(connection: Connection, user: User) -> Remarks:
    """What the account holds and wrote on the open merge requests that changed last."""
    listed = connection.listed(
        "merge_requests", state="opened", order_by="updated_at", per_page=MOST_LOOKED_THROUGH + 1
    )
    shown = listed[:MOST_LOOKED_THROUGH]
    found = [remark for entry in shown for remark in _remarks_on(connection, user, entry)]
    return Remarks(tuple(found), len(shown), more=len(listed) > len(shown))


def _remarks_on(connection: Connection, user: User, entry: Json) -> list[Remark]:
    place, page = f"merge_requests/{_number(entry, 'iid')}", _text(entry, "web_url")
    drafts = connection.listed(f"{place}/draft_notes")
    notes = connection.newest(f"{place}/notes", _RECENT)
    own = [note for note in notes if _is_by(user, note) and note.get("system") is not True]
    return [
        *(Remark(page, _is_marked(draft.get("note")), is_draft=True) for draft in drafts),
        *(Remark(f"{page}#note_{note.get('id')}", _is_marked(note.get("body")), is_draft=False) for note in own),
    ]


def _is_by(user: User, note: Json) -> bool:
    author = note.get("author")
    return isinstance(author, Mapping) and author.get("id") == user.id


def _is_marked(text: object) -> bool:
    return isinstance(text, str) and read_marked(text) is not None


# --- JSON ------------------------------------------------------------------------------------------------------------


def _text(answer: Json, key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise _not_asked_for(key)
    return value


def _number(answer: Json, key: str) -> int:
    value = answer.get(key)
    if not isinstance(value, int):
        raise _not_asked_for(key)
    return value


def _flag(answer: Json, key: str) -> bool:
    value = answer.get(key)
    if not isinstance(value, bool):
        raise _not_asked_for(key)
    return value


def _not_asked_for(key: str) -> Unavailable:
    return Unavailable(f"GitLab sent an answer without a usable `{key}`", hint="see what answers at this address")
