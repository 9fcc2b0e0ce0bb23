"""What `draftgate doctor` sees of GitLab: an answer of another form, or none, is never a fact."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from draftgate.doctor.facts.gitlab import GitLabFacts
from draftgate.doctor.facts.pipeline import PipelineFacts, no_pipeline, read_pipeline
from draftgate.doctor.seen import Fact
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.survey import Site, survey
from draftgate.forge.gitlab.transport import Access
from tests.fakes.gitlab.entities import Variable
from tests.fakes.gitlab.scenario import Scenario, make_scenario
from tests.fakes.gitlab.server import Simulator, serve

Look = Callable[[], GitLabFacts]

PARTS: Mapping[str, Callable[[GitLabFacts], Fact[Any]]] = {
    "/metadata": lambda facts: facts.server,
    "/user$": lambda facts: facts.user,
    "/personal_access_tokens/self": lambda facts: facts.token,
    "GET /projects/[^/]*$": lambda facts: facts.project,
    "/members/": lambda facts: facts.role,
    "/repository/branches/": lambda facts: facts.is_protected,
    "/repository/files/": lambda facts: facts.pipeline.text,
    "/approvals$": lambda facts: facts.approvals,
    "/variables/": lambda facts: facts.variable,
    "/hooks$": lambda facts: facts.hooks,
    "/merge_requests$": lambda facts: facts.remarks,
    "/draft_notes$": lambda facts: facts.remarks,
    "/notes$": lambda facts: facts.remarks,
}
ABSENT = {"/members/", "/variables/", "/repository/files/", "/metadata"}
"""That there is nothing at these places is a fact, or has another place to ask."""

ANY_TEXT = {"/repository/files/"}
"""A file may hold whatever it likes."""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    scenario = make_scenario(tmp_path_factory.mktemp("gitlab"), tier="premium")
    name = "DRAFTGATE_GITLAB_TOKEN"
    scenario.project.variables[name] = Variable(name, "glpat-value-of-it")
    return scenario


@pytest.fixture
def simulator(scenario: Scenario) -> Iterator[Simulator]:
    with serve(scenario.world) as simulator:
        yield simulator


@pytest.fixture
def look(scenario: Scenario, simulator: Simulator) -> Look:
    token = scenario.tokens["maintainer"]

    def pipeline(there: Fact[str | None]) -> PipelineFacts:
        return read_pipeline(there.value, "the default branch") if there.was_seen else no_pipeline(there.reason)

    def do() -> GitLabFacts:
        access = Access(token, scenario.project.full_path, simulator.api_url, simulator.graphql_url, timeout_s=5)
        site = Site(
            page=f"{simulator.url}/{scenario.project.full_path}",
            api_url=simulator.api_url,
            token=token,
            token_name="DRAFTGATE_GITLAB_TOKEN",  # noqa: S106 - a name
            job_token="",
            is_encrypted=True,
            is_job=False,
            now=time.time,
            has_checkout=False,
            pipeline=pipeline,
        )
        facts = survey(Connection(access, wait_s=0, clock=time.time, sleep=lambda _: None), site)
        assert simulator.log.writes == []
        assert "glpat-value-of-it" not in repr(facts)
        return facts

    return do


def test_everything_is_seen_where_everything_may_be(look: Look) -> None:
    facts = look()

    assert facts.stop is None
    assert [match for match, part in PARTS.items() if not part(facts).was_seen] == []


@pytest.mark.parametrize("shape", ["nonsense", "list", "html", "hostile", "403", "404", "500", "close"])
@pytest.mark.parametrize("match", PARTS)
def test_an_answer_of_any_other_form_is_no_fact(match: str, shape: str, simulator: Simulator, look: Look) -> None:
    simulator.faults.add(shape, match=match, times=None)

    fact = PARTS[match](look())

    if (match in ABSENT and shape == "404") or (match in ANY_TEXT and shape in {"nonsense", "list"}):
        assert fact.was_seen
    else:
        assert not fact.was_seen
        assert fact.reason
