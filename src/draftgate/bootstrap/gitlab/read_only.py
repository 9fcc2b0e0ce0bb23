"""A review for a pipeline that has no token of the project, as a fork's has none: its result stands in the job alone.

The job's own token reads the merge request and fetches it; nothing is written, and nobody is asked who may what.
https://docs.gitlab.com/ci/pipelines/merge_request_pipelines/#use-with-forked-projects
"""

from __future__ import annotations

from contextlib import ExitStack
from time import monotonic

from draftgate.bootstrap.configuration import Branch, file_of, known_names
from draftgate.bootstrap.hosted import Clocks, HostedRun
from draftgate.bootstrap.hosting.reviewing import QUIET
from draftgate.bootstrap.model_access import read_access
from draftgate.bootstrap.models import plan_agents
from draftgate.bootstrap.rounds import review_settings
from draftgate.commands.replay import amended_round
from draftgate.config.key_shapes import hider
from draftgate.config.load import LOOKED_FOR, load
from draftgate.config.model import Budgets, Config
from draftgate.domain.change import ChangeRequest, CommitSha
from draftgate.domain.event import ReviewAsked
from draftgate.domain.outcome import RunOutcome, RunPhase
from draftgate.domain.session import Session
from draftgate.errors import EvidenceError
from draftgate.forge.gitlab import facts
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.facts import DiffRefs, Json
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.hosted.standing import UnreadText
from draftgate.forge.journal import Journal
from draftgate.forge.transient import TransientForge
from draftgate.git.fetch import NoObjects, Remote, Wanted, open_change
from draftgate.git.objects import open_objects
from draftgate.git.snapshot import CommitSnapshot
from draftgate.pipeline.gather import gather_from_git
from draftgate.pipeline.request import GatheredChange, ReviewRequest
from draftgate.pipeline.review import Reviewer
from draftgate.render.checkpoint import checkpoint
from draftgate.render.links import DASHED
from draftgate.render.page import Page
from draftgate.render.setting import Setting


def review_without_token(run: HostedRun, asked: ReviewAsked, clocks: Clocks, warning: str) -> RunOutcome:
    """Review the head that the pipeline is about.

    Args:
        run: Without a token.
        asked: The event.
        clocks: The time.
        warning: What a person is told about it.
    """
    job_token = run.environment.get("CI_JOB_TOKEN", "")
    project = run.repository_id or run.repository
    access = Access(job_token, project, run.api_url, run.graphql_url, run.ca_file, is_of_job=True)
    connection = Connection(access, wait_s=Budgets().wait_s, clock=clocks.now, sleep=clocks.sleep)
    try:
        merge_request = connection.get(f"merge_requests/{asked.number}")
    except Refused as refused:
        reason = f"this pipeline has no token of the project, and cannot read the merge request either ({refused})"
        return RunOutcome(0, RunPhase.SKIPPED, reason, warnings=(warning,), reads=connection.requests.reads)
    refs = facts.require_diff_refs(merge_request)
    remote = Remote(
        f"{run.repository_url}.git",
        f"refs/heads/{facts.need(merge_request, 'target_branch')}",
        f"refs/merge-requests/{asked.number}/head",
        job_token,
        user="gitlab-ci-token",
    )
    with ExitStack() as stack:
        session = _review(run, stack, clocks, _request(run, merge_request, refs, remote), remote)
    return RunOutcome(
        0,
        RunPhase.READ_ONLY,
        "this pipeline has no token of the project, so the result is in the job alone",
        session=session,
        warnings=(warning,),
        reads=connection.requests.reads,
    )


def _review(run: HostedRun, stack: ExitStack, clocks: Clocks, request: ReviewRequest, remote: Remote) -> Session:
    wanted = Wanted(request.base_tip, request.head)
    opened = stack.enter_context(
        open_change(run.workspace, wanted, remote, temp=run.temp, environment=run.environment, clock=monotonic)
    )
    if isinstance(opened, NoObjects):
        raise EvidenceError(
            f"the change cannot be fetched: {opened.reason}",
            context=remote.url,
            hint="let the job fetch from the project, or review by webhook: docs/how-to/gitlab.md",
        )
    objects = stack.enter_context(open_objects(opened))
    base = CommitSnapshot(opened, objects, request.base_tip)
    config = _load(run, base, request.change.base_ref)
    hide = hider(run.environment)
    plan = plan_agents(config, read_access(run.environment), hide, without_key_is_fine=True)

    def page(session: Session) -> Page:
        setting = Setting(repository_url=run.repository_url, link_style=DASHED)
        return checkpoint(session, amended_round(session), setting)

    def gather(asked: ReviewRequest) -> GatheredChange:
        return gather_from_git(opened, objects, asked)

    forge = TransientForge(request.head)
    journal = Journal(forge, page, clocks.stamp)
    settings = review_settings(config, plan, hide)
    return Reviewer(forge, journal, settings, gather, amended_round, monotonic, QUIET).review(request)


def _load(run: HostedRun, base: CommitSnapshot, base_ref: str) -> Config:
    paths = (run.config_path,) if run.config_path else LOOKED_FOR
    texts = {path: base.read(path) for path in paths}
    said = {limit.partition(":")[0] for limit in base.limits}
    unread = {path: UnreadText("it is too large") for path in paths if f"{path} was not read" in said}
    file = file_of(Branch(base_ref, {**texts, **unread}), run.config_path)
    return load(file, environment=run.environment, known=known_names(forge="gitlab"), inputs=run.settings).config


def _request(run: HostedRun, merge_request: Json, refs: DiffRefs, remote: Remote) -> ReviewRequest:
    number, author = int(facts.need(merge_request, "iid")), facts.person(merge_request.get("author"))
    return ReviewRequest(
        key=f"{run.repository}!{number}",
        instance="default",
        change=ChangeRequest(
            forge="gitlab",
            repository=run.repository,
            number=number,
            title=str(facts.need(merge_request, "title")),
            url=str(merge_request.get("web_url") or ""),
            base_ref=str(facts.need(merge_request, "target_branch")),
            head_ref=str(facts.need(merge_request, "source_branch")),
            author="" if author is None else author.login,
        ),
        base_tip=CommitSha(refs.start),
        head=CommitSha(refs.head),
        base_named=remote.base_ref,
        head_named=remote.head_ref,
        force=True,
        description=str(merge_request.get("description") or ""),
        run_url=run.run_url,
        holds_draft=False,
        configuration=run.config_path or "",
    )
