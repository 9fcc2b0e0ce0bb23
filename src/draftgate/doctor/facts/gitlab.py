"""What a token shows of GitLab, of a project there, and of itself."""

from __future__ import annotations

from dataclasses import dataclass

from draftgate.doctor.facts.pipeline import PipelineFacts
from draftgate.doctor.seen import Fact, Stop

MOST_LOOKED_THROUGH = 5
"""Open merge requests whose drafts and comments are looked at, two requests for each."""

MOST_REQUESTS = 12 + 2 * MOST_LOOKED_THROUGH
"""Server (twice where it knows no metadata), account, token, project, role, default branch, its pipeline file where
there is no checkout, approval settings, the variable of the token, webhooks, open merge requests, and those."""

GUEST, REPORTER, DEVELOPER, MAINTAINER = 10, 20, 30, 40
ROLES = {
    5: "Minimal access",
    10: "Guest",
    15: "Planner",
    20: "Reporter",
    30: "Developer",
    40: "Maintainer",
    50: "Owner",
}


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """The server.

    Attributes:
        version: As it says: ``18.4.0-ee``.
        is_enterprise: Enterprise Edition, whatever its tier; ``None`` where it does not say.
        skew_s: How far the clock of this machine is ahead of its own; ``None`` where it did not tell the time.
    """

    version: str
    is_enterprise: bool | None
    skew_s: float | None


@dataclass(frozen=True, slots=True)
class User:
    """The account behind the token."""

    id: int
    username: str
    is_bot: bool


@dataclass(frozen=True, slots=True)
class Token:
    """The token as it tells of itself; ``days_left`` is ``None`` where it does not end."""

    scopes: frozenset[str]
    expires: str
    days_left: int | None


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """The project.

    Attributes:
        fork_pipelines_run_here: Members may run a fork's pipeline with this project's variables; ``None`` where the
            token may not see it.
        variables_role: Who may give a pipeline variables, which the payload of a webhook is; "" where not to be seen.
    """

    path: str
    default_branch: str
    is_archived: bool
    fork_pipelines_run_here: bool | None
    variables_role: str


@dataclass(frozen=True, slots=True)
class Approvals:
    """Settings → Merge requests → Merge request approvals, which Premium has."""

    author_may: bool
    committers_may_not: bool
    reset_on_push: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """A CI/CD variable, without its value."""

    is_protected: bool
    is_masked: bool


@dataclass(frozen=True, slots=True)
class Hook:
    """A webhook that starts a pipeline, without its token.

    Attributes:
        ref: The branch that it names; "" where it names none.
        project: The number or path that it names.
        is_disabled: GitLab does not call it any more, or for a while, because its calls failed.
    """

    ref: str
    project: str
    has_notes: bool
    has_merge_requests: bool
    is_disabled: bool


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the account wrote on an open merge request, or holds there as a draft."""

    url: str
    is_ours: bool
    is_draft: bool


@dataclass(frozen=True, slots=True)
class Remarks:
    """What was found on the open merge requests that changed last; ``more`` if there are others."""

    remarks: tuple[Remark, ...]
    looked_through: int
    more: bool


@dataclass(frozen=True, slots=True)
class GitLabFacts:
    """All of it.

    Attributes:
        page: The web address of the project.
        stop: Why nothing more was asked; ``None`` if all was.
        is_encrypted: Nobody on the way can read the token.
        is_job_token: What was given as the token is the one of a job.
        role: The account's in the project, as a number; 0 for none.
        is_protected: The default branch.
        variable: ``None`` where the project itself has none of that name.
        hooks: Those that start a pipeline.
        pipeline: What the pipeline file says.
        is_job: The token is the one that a job has, and not one that a person has at hand.
    """

    page: str
    api_url: str
    token_name: str
    stop: Stop | None
    is_encrypted: bool
    is_job_token: bool
    server: Fact[ServerFacts]
    user: Fact[User]
    token: Fact[Token]
    project: Fact[ProjectFacts]
    role: Fact[int]
    is_protected: Fact[bool]
    approvals: Fact[Approvals]
    variable: Fact[Variable | None]
    hooks: Fact[tuple[Hook, ...]]
    remarks: Fact[Remarks]
    pipeline: PipelineFacts
    is_job: bool
