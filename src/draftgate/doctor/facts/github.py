"""What a token shows of GitHub, of a repository there, and of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import Fact, Stop

MOST_REQUESTS = 9
"""Repository, account with open pull requests, workflows, branch, its rules, check runs, settings, and of an
environment itself and its branches."""

WORKFLOW_ACCOUNT = "github-actions[bot]"


class TokenForm(StrEnum):
    """The kind of a token, by how it begins.

    https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
    """

    CLASSIC = "personal access token (classic)"
    FINE_GRAINED = "fine-grained personal access token"
    INSTALLATION = "token of a GitHub App's installation"
    OAUTH = "token of an OAuth app for a person"
    USER_TO_SERVER = "token of a GitHub App for a person"
    UNKNOWN = "token of an unknown form"


@dataclass(frozen=True, slots=True)
class Rate:
    """What is left of the hour's requests; `resets_at` is a time of day in UTC."""

    left: int
    limit: int
    resets_at: str


@dataclass(frozen=True, slots=True)
class Headers:
    """What the first answer says beside its content.

    Attributes:
        enterprise: The version of Enterprise Server; "" on GitHub.com.
        skew_s: How far the clock of this machine is ahead of the server's; ``None`` where it did not tell the time.
        rate: ``None`` where the server has no limit.
        scopes: Of a classic token; ``None`` for any other.
        expires: The day on which the token ends; "" where the answer does not say.
        days_left: Until then.
    """

    enterprise: str
    skew_s: float | None
    rate: Rate | None
    scopes: frozenset[str] | None
    expires: str
    days_left: int | None


@dataclass(frozen=True, slots=True)
class RepositoryFacts:
    """The repository.

    Attributes:
        may: What the token's person may, of ``pull``, ``triage``, ``push``, ``maintain``, ``admin``; ``None`` for
            tokens of which the answer does not say it.
    """

    default_branch: str
    is_private: bool
    is_archived: bool
    owner_is_organization: bool
    may: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Reading:
    """Whether something may be read.

    Attributes:
        refusal: The forge's words where it may not; "" where it may.
    """

    refusal: str = ""


@dataclass(frozen=True, slots=True)
class ActionsSettings:
    """Settings → Actions → General → Workflow permissions."""

    default_permissions: str
    may_approve: bool


@dataclass(frozen=True, slots=True)
class Environment:
    """Which branches may use an environment: any, protected ones, or those with certain names."""

    protected_branches: bool
    names: tuple[str, ...] | None

    @property
    def is_open(self) -> bool:
        """No branch is kept out."""
        return not self.protected_branches and self.names is None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the token's account wrote on an open pull request, or holds there as a draft.

    Attributes:
        url: Where it stands.
        is_ours: It bears a marker of Draftgate's.
        is_draft: It is a review that nobody else sees.
    """

    url: str
    is_ours: bool
    is_draft: bool


@dataclass(frozen=True, slots=True)
class Account:
    """Whose token it is, and what that account did on the open pull requests that changed last.

    Attributes:
        login: As REST has it: that of a bot ends in ``[bot]``.
        looked_through: How many pull requests were looked at.
        more: There are others.
    """

    login: str
    remarks: tuple[Remark, ...]
    looked_through: int
    more: bool


@dataclass(frozen=True, slots=True)
class GitHubFacts:
    """All of it.

    Attributes:
        page: The web address of the repository.
        owner: The part before the slash.
        token_name: The variable that the token came from.
        stop: Why nothing more was asked; ``None`` if all was.
        is_encrypted: Nobody on the way can read the token.
        form: The kind of token.
        contents: Whether commits may be read; likewise `checks` and `pull_requests`.
        is_protected: The default branch.
        rules: The types of the rules in force on it.
        environments: By the names that jobs with Draftgate have.
        workflows: What the files say.
        is_job: The token is the one that a job has, and not one that a person has at hand.
    """

    page: str
    api_url: str
    owner: str
    token_name: str
    stop: Stop | None
    is_encrypted: bool
    form: TokenForm
    headers: Fact[Headers]
    repository: Fact[RepositoryFacts]
    account: Fact[Account]
    contents: Fact[Reading]
    checks: Fact[Reading]
    pull_requests: Fact[Reading]
    is_protected: Fact[bool]
    rules: Fact[tuple[str, ...]]
    settings: Fact[ActionsSettings]
    environments: Mapping[str, Fact[Environment]]
    workflows: WorkflowFacts
    is_job: bool

    @property
    def is_of_person(self) -> bool:
        """Whether the token is a person's, as far as its form says.

        Tokens of an old form are persons' too: Enterprise Servers have them.
        """
        return self.form is not TokenForm.INSTALLATION
