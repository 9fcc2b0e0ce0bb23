"""Looks at what a token shows of GitHub, for `draftgate doctor`: every request is a read.

Sources: the schemas ``full-repository``, ``branch-with-protection``, ``repository-rule-detailed``,
``actions-get-default-workflow-permissions``, ``environment`` and ``deployment-branch-policy`` of GitHub's OpenAPI
description, and https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api for the headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from draftgate.doctor.facts.github import (
    Account,
    ActionsSettings,
    Environment,
    GitHubFacts,
    Headers,
    Rate,
    Reading,
    Remark,
    RepositoryFacts,
    TokenForm,
)
from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import Fact, seen, unseen
from draftgate.errors import Unavailable
from draftgate.forge.github.connection import Connection
from draftgate.forge.hidden import read_marked
from draftgate.forge.hosted.looking import Looker, days_until, skew_of

Json = Mapping[str, Any]

_FORMS = (
    ("github_pat_", TokenForm.FINE_GRAINED),
    ("ghp_", TokenForm.CLASSIC),
    ("ghs_", TokenForm.INSTALLATION),
    ("gho_", TokenForm.OAUTH),
    ("ghu_", TokenForm.USER_TO_SERVER),
)
_OF_OLD = 40
"""Characters of a token from before tokens had prefixes; Enterprise Servers still take them."""

_MOST_ENVIRONMENTS = 1
_MOST_RULES = 20
_RIGHTS = ("pull", "triage", "push", "maintain", "admin")


@dataclass(frozen=True, slots=True)
class Site:
    """What is known before anything is asked.

    Attributes:
        repository: ``owner/name``.
        page: Its web address.
        now: POSIX time.
        workflows: Makes the facts about workflows of the texts on the default branch and of what a token may there
            where a file does not say.
    """

    repository: str
    page: str
    api_url: str
    token: str
    token_name: str
    is_encrypted: bool
    is_job: bool
    now: Callable[[], float]
    workflows: Callable[[Fact[Mapping[str, str]], Fact[str]], WorkflowFacts]


def survey(connection: Connection, site: Site) -> GitHubFacts:
    """Everything that the checks of GitHub judge; see `facts.github.MOST_REQUESTS` for how much is asked."""
    looker = Looker("GitHub")
    owner, _, name = site.repository.partition("/")
    first = looker.begin(lambda: _first(connection, site.now()))
    headers = looker.look(lambda: first.value[0])
    repository = looker.look(lambda: first.value[1])
    account = looker.look(lambda: _account(connection.query("account", owner=owner, name=name)))
    texts = looker.look(lambda: _texts(connection.query("workflows", owner=owner, name=name)))
    branch = looker.look(lambda: _branch(connection, repository.value))
    runs = looker.look(lambda: _runs(connection, branch.value[0]))
    rules = looker.look(lambda: _rules(connection, repository.value))
    settings = looker.look(lambda: _settings(connection.get("actions/permissions/workflow")))
    by_default = seen(settings.value.default_permissions) if settings.was_seen else unseen(settings.reason)
    workflows = site.workflows(texts, by_default)
    return GitHubFacts(
        page=site.page,
        api_url=site.api_url,
        owner=owner,
        token_name=site.token_name,
        environments=_environments(looker, connection, workflows),
        stop=looker.stop,
        is_encrypted=site.is_encrypted,
        form=form_of(site.token),
        headers=headers,
        repository=repository,
        account=account,
        contents=_reading_of(branch),
        checks=_reading_of(runs),
        pull_requests=_reading_of(account),
        is_protected=seen(branch.value[1]) if branch.was_seen else unseen(branch.reason),
        rules=rules,
        settings=settings,
        workflows=workflows,
        is_job=site.is_job,
    )


def form_of(token: str) -> TokenForm:
    """The kind of a token."""
    if len(token) == _OF_OLD and token.isalnum():
        return TokenForm.CLASSIC
    return next((form for start, form in _FORMS if token.startswith(start)), TokenForm.UNKNOWN)


# --- The parts -------------------------------------------------------------------------------------------------------


def _first(connection: Connection, now: float) -> tuple[Headers, RepositoryFacts]:
    headers, answer = connection.headed("")
    return _headers(headers, now), _repository(answer)


def _headers(headers: Mapping[str, str], now: float) -> Headers:
    scopes = headers.get("x-oauth-scopes")
    expires = headers.get("github-authentication-token-expiration", "")[:10]
    return Headers(
        enterprise=headers.get("x-github-enterprise-version", ""),
        skew_s=skew_of(headers.get("date", ""), now),
        rate=_rate(headers),
        scopes=None if scopes is None else frozenset(filter(None, (scope.strip() for scope in scopes.split(",")))),
        expires=expires,
        days_left=days_until(expires, now),
    )


def _rate(headers: Mapping[str, str]) -> Rate | None:
    try:
        left, limit = int(headers["x-ratelimit-remaining"]), int(headers["x-ratelimit-limit"])
        resets = datetime.fromtimestamp(int(headers["x-ratelimit-reset"]), UTC)
    except (KeyError, ValueError, OverflowError, OSError):
        return None
    return Rate(left, limit, f"{resets:%H:%M} UTC")


def _repository(answer: Json) -> RepositoryFacts:
    may, owner = answer.get("permissions"), answer.get("owner")
    return RepositoryFacts(
        default_branch=_text(answer, "default_branch"),
        is_private=_flag(answer, "private"),
        is_archived=_flag(answer, "archived"),
        owner_is_organization=isinstance(owner, Mapping) and owner.get("type") == "Organization",
        may=frozenset(right for right in _RIGHTS if may.get(right) is True) if isinstance(may, Mapping) else None,
    )


def _account(data: Json) -> Account:
    pulls = _mapping(_mapping(data, "repository"), "pullRequests")
    changes = _nodes(pulls)
    remarks = [_remark(node) for change in changes for node in _own(change)]
    return Account(
        login=_text(_mapping(data, "viewer"), "login"),
        remarks=tuple(remarks),
        looked_through=len(changes),
        more=_mapping(pulls, "pageInfo").get("hasNextPage") is True,
    )


def _own(change: Json) -> list[Json]:
    nodes = [*_nodes(change.get("reviews")), *_nodes(change.get("comments"))]
    return [node for node in nodes if node.get("viewerDidAuthor") is True]


def _remark(node: Json) -> Remark:
    body = node.get("body")
    is_ours = isinstance(body, str) and read_marked(body) is not None
    return Remark(_text(node, "url"), is_ours, node.get("state") == "PENDING")


def _texts(data: Json) -> dict[str, str]:
    """The files by path; the folder may be absent."""
    folder = _mapping(data, "repository").get("object")
    if folder is None:
        return {}
    found = {}
    for entry in _entries(folder, "entries"):
        name, content = _text(entry, "name"), entry.get("object")
        if name.endswith((".yml", ".yaml")) and isinstance(content, Mapping) and isinstance(content.get("text"), str):
            found[f".github/workflows/{name}"] = "" if content.get("isTruncated") else content["text"]
    return found


def _branch(connection: Connection, repository: RepositoryFacts) -> tuple[str, bool]:
    """The commit at the tip of the default branch, and whether the branch is protected."""
    answer = connection.get(f"branches/{quote(repository.default_branch, safe='')}")
    return _text(_mapping(answer, "commit"), "sha"), _flag(answer, "protected")


def _runs(connection: Connection, commit: str) -> int:
    """How many check runs there are on a commit; that they may be seen is what matters."""
    count = connection.get(f"commits/{commit}/check-runs", per_page=1).get("total_count")
    if not isinstance(count, int):
        raise _not_asked_for("total_count")
    return count


def _rules(connection: Connection, repository: RepositoryFacts) -> tuple[str, ...]:
    """https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch; one page, which is read by anybody."""
    rules = connection.listed(f"rules/branches/{quote(repository.default_branch, safe='')}")
    return tuple(dict.fromkeys(_text(rule, "type") for rule in rules[:_MOST_RULES]))


def _settings(answer: Json) -> ActionsSettings:
    may = _flag(answer, "can_approve_pull_request_reviews")
    return ActionsSettings(_text(answer, "default_workflow_permissions"), may)


def _environments(looker: Looker, connection: Connection, workflows: WorkflowFacts) -> dict[str, Fact[Environment]]:
    """Of the first names that jobs with Draftgate have; an expression is none."""
    if not workflows.workflows.was_seen:
        return {}
    named = dict.fromkeys(job.environment for _, job in workflows.ours if job.environment)
    names = [name for name in named if "${{" not in name][:_MOST_ENVIRONMENTS]
    return {name: looker.look(partial(_environment, connection, name)) for name in names}


def _environment(connection: Connection, name: str) -> Environment:
    place = f"environments/{quote(name, safe='')}"
    answer = connection.get(place)
    if "deployment_branch_policy" not in answer:
        raise _not_asked_for("deployment_branch_policy")
    if answer["deployment_branch_policy"] is None:
        return Environment(protected_branches=False, names=None)
    policy = _mapping(answer, "deployment_branch_policy")
    if not _flag(policy, "custom_branch_policies"):
        return Environment(protected_branches=_flag(policy, "protected_branches"), names=None)
    listed = connection.get(f"{place}/deployment-branch-policies", per_page=100).get("branch_policies")
    if not isinstance(listed, list):
        raise _not_asked_for("branch_policies")
    return Environment(protected_branches=False, names=tuple(_text(entry, "name") for entry in listed))


def _reading_of(fact: Fact[object]) -> Fact[Reading]:
    if fact.was_seen:
        return seen(Reading())
    return seen(Reading(fact.reason)) if fact.is_refused else unseen(fact.reason)


# --- JSON ------------------------------------------------------------------------------------------------------------


def _nodes(connection: object) -> list[Json]:
    return _entries(connection, "nodes")


def _entries(answer: object, key: str) -> list[Json]:
    """The objects of a list; GraphQL's may hold empty places."""
    value = answer.get(key) if isinstance(answer, Mapping) else None
    if not isinstance(value, list):
        raise _not_asked_for(key)
    return [entry for entry in value if isinstance(entry, Mapping)]


def _text(answer: object, key: str) -> str:
    value = answer.get(key) if isinstance(answer, Mapping) else None
    if not isinstance(value, str) or not value:
        raise _not_asked_for(key)
    return value


def _flag(answer: Json, key: str) -> bool:
    value = answer.get(key)
    if not isinstance(value, bool):
        raise _not_asked_for(key)
    return value


def _mapping(answer: Json, key: str) -> Json:
    value = answer.get(key)
    if not isinstance(value, Mapping):
        raise _not_asked_for(key)
    return value


def _not_asked_for(key: str) -> Unavailable:
    return Unavailable(f"GitHub sent an answer without a usable `{key}`", hint="see what answers at this address")
