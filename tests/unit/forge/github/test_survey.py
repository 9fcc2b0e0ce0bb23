"""What `draftgate doctor` sees of GitHub: an answer of another form, or none, is never a fact."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from draftgate.bootstrap.doctor.workflow_files import judge_texts
from draftgate.doctor.facts.github import GitHubFacts, TokenForm
from draftgate.doctor.facts.workflows import WorkflowFacts
from draftgate.doctor.seen import Fact
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.survey import Site, form_of, survey
from draftgate.forge.github.transport import Access
from tests.fakes.doctor_room import WORKFLOW, example
from tests.fakes.github.entities import Environment
from tests.fakes.github.scenario import APP, Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve

Look = Callable[[], GitHubFacts]

PARTS: Mapping[str, Callable[[GitHubFacts], Fact[Any]]] = {
    "rooms$": lambda facts: facts.repository,
    "query Account": lambda facts: facts.account,
    "query Workflows": lambda facts: facts.workflows.workflows,
    "/branches/main$": lambda facts: facts.is_protected,
    "/check-runs": lambda facts: facts.checks,
    "/rules/": lambda facts: facts.rules,
    "/actions/": lambda facts: facts.settings,
    "/environments/draftgate$": lambda facts: facts.environments["draftgate"],
    "/deployment-branch-policies": lambda facts: facts.environments["draftgate"],
}
MAY_BE_REFUSED = {"/branches/main$", "/check-runs"}
"""That these are refused is a fact: the token may not read them."""


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    scenario = make_scenario(tmp_path_factory.mktemp("github"))
    caller = scenario.caller(APP)
    caller.permissions = {**caller.permissions, "administration": "read", "actions": "read"}
    scenario.repository.environments["draftgate"] = Environment("draftgate", ["main"])
    work = scenario.repository.git.clone(Path(str(tmp_path_factory.mktemp("work"))) / "rooms")
    work.switch("main")
    work.commit({WORKFLOW: example("recommended")}, "Set up")
    work.git("push", "--quiet", str(scenario.repository.git.path), "HEAD:main")
    return scenario


@pytest.fixture
def simulator(scenario: Scenario) -> Iterator[Simulator]:
    with serve(scenario.world) as simulator:
        yield simulator


@pytest.fixture
def look(scenario: Scenario, simulator: Simulator) -> Look:
    token = scenario.tokens[APP]

    def workflows(there: Fact[Mapping[str, str]], permissions: Fact[str]) -> WorkflowFacts:
        return judge_texts(None, there, permissions, 15)

    def do() -> GitHubFacts:
        access = Access(token, scenario.repository.full_name, simulator.url, simulator.graphql_url, timeout_s=5)
        site = Site(
            repository=scenario.repository.full_name,
            page=f"{simulator.web}/acme/rooms",
            api_url=simulator.url,
            token=token,
            token_name="GITHUB_TOKEN",  # noqa: S106 - a name
            is_encrypted=True,
            is_job=False,
            now=time.time,
            workflows=workflows,
        )
        with Connection(access, wait_s=0, clock=time.time, sleep=lambda _: None) as connection:
            facts = survey(connection, site)
        assert simulator.log.writes == []
        return facts

    return do


def test_everything_is_seen_where_everything_may_be(look: Look) -> None:
    facts = look()

    assert facts.stop is None
    assert [match for match, part in PARTS.items() if not part(facts).was_seen] == []


@pytest.mark.parametrize("shape", ["nonsense", "list", "page", "hostile", "404", "422", "500", "close"])
@pytest.mark.parametrize("match", PARTS)
def test_an_answer_of_any_other_form_is_no_fact(match: str, shape: str, simulator: Simulator, look: Look) -> None:
    simulator.faults.add(shape, match=match, times=None)

    fact = PARTS[match](look())

    if match in MAY_BE_REFUSED and shape in {"hostile", "404", "422"}:
        refused = PARTS[match](look()) if match == "/check-runs" else look().contents
        assert refused.value.refusal
    else:
        assert not fact.was_seen
        assert fact.reason


@pytest.mark.parametrize(
    ("token", "form"),
    [
        ("ghp_x", TokenForm.CLASSIC),
        ("0" * 40, TokenForm.CLASSIC),
        ("github_pat_x", TokenForm.FINE_GRAINED),
        ("ghs_x", TokenForm.INSTALLATION),
        ("gho_x", TokenForm.OAUTH),
        ("ghu_x", TokenForm.USER_TO_SERVER),
        ("x", TokenForm.UNKNOWN),
    ],
)
def test_the_form_of_a_token(token: str, form: TokenForm) -> None:
    assert form_of(token) is form
