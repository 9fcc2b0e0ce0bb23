"""GitLab's rules of statuses that come from outside: jobs of an external pipeline, with a state machine."""

from __future__ import annotations

from typing import Final

from tests.fakes.gitlab.access import level_of, require, require_level
from tests.fakes.gitlab.entities import Project
from tests.fakes.gitlab.people import Level, User
from tests.fakes.gitlab.pipelines import CommitStatus, Pipeline
from tests.fakes.gitlab.refusals import BadParameter, NotFound, Plain, ValidationFailed
from tests.fakes.gitlab.world import World

STATES: Final = ("pending", "running", "success", "failed", "canceled", "skipped")
SKIPPED_SINCE: Final = "17.6"
LONGEST: Final = 255
_EVENTS: Final = {
    "pending": ("enqueue", {"created"}),
    "running": ("run", {"created", "pending"}),
    "success": ("success", {"created", "pending", "running"}),
    "failed": ("drop", {"created", "pending", "running"}),
    "canceled": ("cancel", {"created", "pending", "running"}),
    "skipped": ("skip", {"created", "pending", "running"}),
}
"""The event that leads to each state, and from where it may come."""


def post(
    world: World,
    user: User,
    project: Project,
    sha: str,
    *,
    state: str,
    name: str = "default",
    ref: str | None = None,
    description: str | None = None,
    target_url: str | None = None,
    coverage: float | None = None,
    pipeline_id: int | None = None,
) -> CommitStatus:
    """Say what came of a commit under a name: of one that is still on its way, or of a new one.

    Raises:
        Forbidden: For developers alone; for maintainers if the branch is protected.
        NotFound: No such commit, branch or pipeline.
        BadParameter: No such state, in this version.
        Plain: The state is the one that it has, or cannot follow on it.
        ValidationFailed: The description or the address is too long.
    """
    require_level(project, user, Level.DEVELOPER)
    if state not in STATES or (state == "skipped" and not world.since(SKIPPED_SINCE)):
        raise BadParameter("state does not have a valid value")
    pipeline = _pipeline(world, user, project, sha, ref=ref, number=pipeline_id)
    place = ref or pipeline.ref
    open_ones = [
        each
        for each in project.statuses
        if each.pipeline is pipeline
        and (each.name, each.ref, each.author) == (name, place, user)
        and each.state in {"created", "pending", "running"}
    ]
    for field, text in (("description", description), ("target_url", target_url)):
        if text is not None and len(text) > LONGEST:
            raise ValidationFailed(**{field: [f"is too long (maximum is {LONGEST} characters)"]})
    status = open_ones[-1] if open_ones else _new(world, user, pipeline, name, place)
    _move(world, status, state)
    if not open_ones:
        project.statuses.append(status)
    status.description = description if description is not None else status.description
    status.target_url = target_url if target_url is not None else status.target_url
    status.coverage = coverage if coverage is not None else status.coverage
    return status


def of_commit(project: Project, sha: str, *, latest: bool) -> list[CommitStatus]:
    """The statuses of a commit, oldest first; the latest of each name and branch unless all are wanted."""
    found = [each for each in project.statuses if each.pipeline.sha == sha]
    if not latest:
        return found
    return list({(each.name, each.ref): each for each in found}.values())


def _pipeline(world: World, user: User, project: Project, sha: str, *, ref: str | None, number: int | None) -> Pipeline:
    """The newest pipeline of the commit and the branch, or a new one from outside."""
    for pipeline in reversed(project.pipelines):
        if pipeline.sha == sha and ref in {None, pipeline.ref} and number in {None, pipeline.id}:
            return pipeline
    if number is not None:
        raise NotFound("Pipeline for pipeline_id, sha and ref")
    place = ref or _branch_with(project, sha)
    protected = place in project.protected
    require(allowed=not protected or level_of(project, user) >= Level.MAINTAINER)
    pipeline = Pipeline(world.new_id(), sha, place, "external", world.tick())
    project.pipelines.append(pipeline)
    return pipeline


def _branch_with(project: Project, sha: str) -> str:
    rows = project.git.git("for-each-ref", "--contains", sha, "--format=%(refname:lstrip=2)", "refs/heads").decode()
    if not rows:
        raise NotFound("References for commit")
    return rows.splitlines()[0]


def _new(world: World, user: User, pipeline: Pipeline, name: str, ref: str) -> CommitStatus:
    return CommitStatus(
        id=world.new_id(),
        pipeline=pipeline,
        author=user,
        name=name,
        state="created",
        ref=ref,
        created_at=world.tick(),
    )


def _move(world: World, status: CommitStatus, state: str) -> None:
    event, sources = _EVENTS[state]
    if status.state not in sources:
        reason = f'Status cannot transition via "{event}"'
        raise Plain(f"Cannot transition status via :{event} from :{status.state} (Reason(s): {reason})")
    now = world.tick()
    status.state = state
    if state == "running":
        status.started_at = now
    elif state != "pending":
        status.finished_at = now
