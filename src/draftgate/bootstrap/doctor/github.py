"""Looks at GitHub with the forge's own connection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from draftgate.bootstrap.doctor.wanted import Place, Wanted
from draftgate.bootstrap.doctor.workflow_files import judge_texts, read_texts
from draftgate.bootstrap.hosted import Clocks
from draftgate.doctor.base import Area
from draftgate.doctor.examine import Section, examine
from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import Fact
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.survey import Site, survey
from draftgate.forge.github.transport import Access
from draftgate.forge.hosted.looking import WAIT_S


def examine_github(
    wanted: Wanted, place: Place, clocks: Clocks, *, root: Path | None, minutes: int
) -> tuple[tuple[Section, ...], int]:
    """What there is to say about GitHub and the workflows, and how many requests that took.

    Args:
        wanted: All that is to be looked at.
        place: The repository, with a token.
        clocks: The time.
        root: Of the checkout; ``None`` where there is none of this repository.
        minutes: That a round may take.
    """
    access = Access(
        place.token, place.repository, place.api_url, place.graphql_url, wanted.ca_file, timeout_s=wanted.timeout_s
    )
    here = None if root is None else read_texts(root)

    def workflows(there: Fact[Mapping[str, str]], default_permissions: Fact[str]) -> WorkflowFacts:
        return judge_texts(here, there, default_permissions, minutes)

    with Connection(access, wait_s=WAIT_S, clock=clocks.now, sleep=clocks.sleep) as connection:
        facts = survey(
            connection,
            Site(
                repository=place.repository,
                page=f"{place.server_url}/{place.repository}",
                api_url=place.api_url,
                token=place.token,
                token_name=place.token_name,
                is_encrypted=place.is_https,
                is_job=wanted.is_job,
                now=clocks.now,
                workflows=workflows,
            ),
        )
    sections = (
        examine(Area.WORKFLOW, facts.workflows.came_from, facts.workflows),
        examine(Area.GITHUB, f"{place.repository} on {place.server_url}", facts),
    )
    return sections, connection.requests.sent


def examine_workflows(root: Path, minutes: int) -> tuple[Section, ...]:
    """What there is to say about the workflows of a checkout, where nobody is asked; none where there are none."""
    here = read_texts(root)
    if not here:
        return ()
    not_asked: Fact[str] = Fact("", "GitHub was not asked")
    facts = judge_texts(here, Fact({}, "GitHub was not asked"), not_asked, minutes)
    return (examine(Area.WORKFLOW, facts.came_from, facts),)
