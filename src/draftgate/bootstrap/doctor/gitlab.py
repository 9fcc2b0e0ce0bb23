"""Looks at GitLab with the forge's own connection."""

from __future__ import annotations

from pathlib import Path

from draftgate.bootstrap.doctor.wanted import Place, Wanted
from draftgate.bootstrap.doctor.workflow_files import NO_FILE, read_text
from draftgate.bootstrap.hosted import Clocks
from draftgate.doctor.base import Area
from draftgate.doctor.examine import Section, examine
from draftgate.doctor.facts.pipeline import PATH, PipelineFacts, no_pipeline, read_pipeline, unreadable_pipeline
from draftgate.doctor.seen import Fact
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.survey import Site, survey
from draftgate.forge.gitlab.transport import Access
from draftgate.forge.hosted.looking import WAIT_S


def examine_gitlab(
    wanted: Wanted, place: Place, clocks: Clocks, *, root: Path | None
) -> tuple[tuple[Section, ...], int]:
    """What there is to say about GitLab and the pipeline file, and how many requests that took.

    Args:
        wanted: All that is to be looked at.
        place: The project, with a token.
        clocks: The time.
        root: Of the checkout; ``None`` where there is none of this project.
    """
    access = Access(
        place.token, place.repository, place.api_url, place.graphql_url, wanted.ca_file, timeout_s=wanted.timeout_s
    )

    def pipeline(there: Fact[str | None]) -> PipelineFacts:
        if root is not None:
            return _of_checkout(root)
        return read_pipeline(there.value, "the default branch") if there.was_seen else no_pipeline(there.reason)

    connection = Connection(access, wait_s=WAIT_S, clock=clocks.now, sleep=clocks.sleep)
    facts = survey(
        connection,
        Site(
            page=f"{place.server_url}/{place.repository}",
            api_url=place.api_url,
            token=place.token,
            token_name=place.token_name,
            job_token=place.job_token,
            is_encrypted=place.is_https,
            is_job=wanted.is_job,
            now=clocks.now,
            has_checkout=root is not None,
            pipeline=pipeline,
        ),
    )
    sections = (
        examine(Area.PIPELINE, f"{PATH} of {facts.pipeline.came_from}", facts.pipeline),
        examine(Area.GITLAB, f"{place.repository} on {place.server_url}", facts),
    )
    return sections, connection.requests.sent


def examine_pipeline(root: Path) -> tuple[Section, ...]:
    """What there is to say about the pipeline file of a checkout, where nobody is asked; none if it has none."""
    facts = _of_checkout(root)
    return (examine(Area.PIPELINE, f"{PATH} of {facts.came_from}", facts),) if facts.has_file else ()


def _of_checkout(root: Path) -> PipelineFacts:
    path = root / PATH
    if not path.is_symlink() and not path.exists():
        return read_pipeline(None, "the checkout")
    text = read_text(path)
    return unreadable_pipeline(NO_FILE) if text is None else read_pipeline(text, "the checkout")
