"""GitHub's workflow files as far as they matter here, and what in them is ours.

What a step is, is told by the words it names: an action whose name ends in ``/draftgate``, or a program called so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from draftgate.doctor.seen import Fact
from draftgate.doctor.yaml_file import Unreadable, items, mapping, read_documents, text

ALL = "*"
"""In place of a permission's name: ``read-all`` and ``write-all``."""

REVIEW_EVENTS = ("pull_request", "pull_request_target")
COMMAND_EVENTS = ("issue_comment",)

_OURS = re.compile(r"(?:^|/)draftgate(?:@|/|:|$)", re.IGNORECASE)
_RUN = re.compile(r"(?:^|[\s;&|])draftgate\s+run\b")
_OWN_TOKEN = re.compile(r"\$\{\{\s*(?:github\.token|secrets\.GITHUB_TOKEN)\s*\}\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        uses: The action as it is written, "" if it runs a script.
        inputs: Those of the action, by name in lower case.
    """

    uses: str
    run: str
    inputs: Mapping[str, str]

    @property
    def is_draftgate(self) -> bool:
        """It is the action, or runs the program."""
        return _OURS.search(self.uses) is not None or _RUN.search(self.run) is not None

    @property
    def has_workflow_token(self) -> bool:
        """It acts as the account that all workflows share, which is what the action does unless it is told."""
        given = self.inputs.get("github-token", "")
        return not given or _OWN_TOKEN.fullmatch(given.strip()) is not None

    def is_action(self, name: str) -> bool:
        """It is this action, at whatever version."""
        return self.uses.partition("@")[0].lower() == name


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes:
        permissions: Of its token, by name; ``None`` where it has no block of its own.
        minutes: After which it is stopped; ``None`` where nothing usable stands there.
    """

    id: str
    condition: str
    permissions: Mapping[str, str] | None
    has_concurrency: bool
    environment: str
    minutes: int | None
    steps: tuple[Step, ...]

    @property
    def ours(self) -> tuple[Step, ...]:
        """The steps that are Draftgate."""
        return tuple(step for step in self.steps if step.is_draftgate)


@dataclass(frozen=True, slots=True)
class Workflow:
    """One file.

    Attributes:
        path: From the top of the repository.
        events: With the activity types of each; ``None`` for all that GitHub has by default.
        permissions: As of a job.
    """

    path: str
    events: Mapping[str, tuple[str, ...] | None]
    permissions: Mapping[str, str] | None
    has_concurrency: bool
    jobs: tuple[Job, ...]

    @property
    def ours(self) -> tuple[Job, ...]:
        """The jobs that hold Draftgate."""
        return tuple(job for job in self.jobs if job.ours)

    def takes(self, job: Job, *events: str) -> bool:
        """Whether a job runs for one of these events: its condition names it, or names no event at all."""
        there = [event for event in events if event in self.events]
        if "event_name" not in job.condition:
            return bool(there)
        return any(re.search(rf"['\"]{event}['\"]", job.condition) for event in there)

    def permissions_of(self, job: Job) -> Mapping[str, str] | None:
        """What the token of a job may; ``None`` if the file does not say and the setting of the repository counts."""
        return self.permissions if job.permissions is None else job.permissions


@dataclass(frozen=True, slots=True)
class WorkflowFacts:
    """All files that were found.

    Attributes:
        workflows: In the order of their names.
        unreadable: Path and reason.
        came_from: Where they were found, for sentences: ``the checkout``, ``the default branch``.
        on_default: The texts on the default branch by path; not seen where nobody could ask.
        texts: The texts that `workflows` were read from, by path.
        budget_minutes: That a round may take.
        default_permissions: What a token may by the repository's settings where a file does not say: ``read`` or
            ``write``.
    """

    workflows: Fact[tuple[Workflow, ...]]
    unreadable: tuple[tuple[str, str], ...] = ()
    came_from: str = "the checkout"
    on_default: Fact[Mapping[str, str]] = field(default_factory=lambda: Fact({}, "nobody asked"))
    texts: Mapping[str, str] = field(default_factory=dict)
    budget_minutes: int = 15
    default_permissions: Fact[str] = field(default_factory=lambda: Fact("", "nobody asked"))

    @property
    def ours(self) -> tuple[tuple[Workflow, Job], ...]:
        """Every job that holds Draftgate, with its file.

        Raises:
            NotSeen: the files could not be read.
        """
        return tuple((workflow, job) for workflow in self.workflows.value for job in workflow.ours)

    @property
    def shares_account(self) -> bool:
        """Whether some step of Draftgate acts as the account of all workflows."""
        return any(step.has_workflow_token for _, job in self.ours for step in job.ours)


def read_workflow(path: str, content: str) -> Workflow:
    """A workflow file.

    Raises:
        Unreadable: it is none.
    """
    documents = read_documents(content)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise Unreadable("it is no mapping, as a workflow is")
    whole = mapping(documents[0])
    return Workflow(
        path=path,
        events=_events(whole.get("on")),
        permissions=_permissions(whole["permissions"]) if "permissions" in whole else None,
        has_concurrency="concurrency" in whole,
        jobs=tuple(_job(name, mapping(job)) for name, job in mapping(whole.get("jobs")).items()),
    )


def _events(written: object) -> dict[str, tuple[str, ...] | None]:
    """``on`` is a name, a list of them, or a mapping with filters."""
    if not isinstance(written, dict):
        return {text(name): None for name in items(written)}
    filters = {name: mapping(value).get("types") for name, value in mapping(written).items()}
    return {name: None if types is None else tuple(map(text, items(types))) for name, types in filters.items()}


def _permissions(written: object) -> dict[str, str]:
    if isinstance(written, str):
        return {ALL: written.removesuffix("-all")} if written.endswith("-all") else {}
    return {name: text(level) for name, level in mapping(written).items()}


def _job(name: str, job: Mapping[str, object]) -> Job:
    environment = job.get("environment")
    minutes = text(job.get("timeout-minutes"))
    return Job(
        id=name,
        condition=text(job.get("if")),
        permissions=_permissions(job["permissions"]) if "permissions" in job else None,
        has_concurrency="concurrency" in job,
        environment=text(mapping(environment).get("name")) or text(environment),
        minutes=int(minutes) if minutes.isascii() and minutes.isdecimal() and len(minutes) < 7 else None,
        steps=tuple(_step(mapping(step)) for step in items(job.get("steps"))),
    )


def _step(step: Mapping[str, object]) -> Step:
    inputs = {name.lower(): text(value) for name, value in mapping(step.get("with")).items()}
    return Step(text(step.get("uses")), text(step.get("run")), inputs)
