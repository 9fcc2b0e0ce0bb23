"""The permissions page has a row for every kind of request that the adapters make, and for no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from docs.pages.requests import GITHUB, GITLAB, Kind, line_of, unlisted
from tests.fakes.forge_http.log import operation_of
from tests.fakes.forge_http.messages import Request

CASSETTES = Path(__file__).parents[2] / "cassettes"
NOT_RECORDED = {
    GITHUB: {
        "git fetch",
        "GET /repos/{owner}/{name}/environments/{environment}",
        "GET /repos/{owner}/{name}/environments/{environment}/deployment-branch-policies",
        "PUT /repos/{owner}/{name}/pulls/{number}/reviews/{review}/dismissals",
    },
    GITLAB: {
        "git fetch",
        "GET /projects/{project}/merge_requests/{number}/commits",
        "GET /version",
        "POST /projects/{project}/merge_requests/{number}/discussions",
        "POST /projects/{project}/merge_requests/{number}/unapprove",
    },
}
"""By git itself, or in tests of whole runs alone: a note that is lost, a later round, an environment, no GraphQL."""


def recorded(forge: str) -> set[str]:
    """What the adapter of a forge sends, by its cassettes."""
    return {
        _line(exchange["request"], exchange.get("body"))
        for cassette in (CASSETTES / forge).glob("*.yaml")
        for exchange in yaml.safe_load(cassette.read_text(encoding="utf-8"))
    }


def _line(request: str, body: object) -> str:
    method, _, address = request.partition(" ")
    path = re.sub(r"^https?://[^/]+(?:/api(?:/v4)?)?", "", address).partition("?")[0]
    return line_of(method, path, operation_of(Request(method, path, {}, {}, body)))


@pytest.mark.parametrize(("forge", "kinds"), [("github", GITHUB), ("gitlab", GITLAB)])
def test_every_recorded_request_has_a_row(forge: str, kinds: tuple[Kind, ...]) -> None:
    assert unlisted(kinds, recorded(forge)) == []


@pytest.mark.parametrize(("forge", "kinds"), [("github", GITHUB), ("gitlab", GITLAB)])
def test_no_row_is_of_a_request_that_nobody_makes(forge: str, kinds: tuple[Kind, ...]) -> None:
    lines = recorded(forge)

    unused = {kind.line for kind in kinds if not any(kind.matches(line) for line in lines)}

    assert unused == NOT_RECORDED[kinds]


@pytest.mark.parametrize("kinds", [GITHUB, GITLAB])
def test_no_request_is_of_two_kinds(kinds: tuple[Kind, ...]) -> None:
    examples = [re.sub(r"\{[^}]*\}", "7", kind.line) for kind in kinds]

    assert [sum(kind.matches(line) for kind in kinds) for line in examples] == [1] * len(kinds)


def test_a_new_kind_of_request_is_noticed() -> None:
    assert unlisted(GITHUB, {"DELETE /repos/acme/rooms", "git fetch"}) == ["DELETE /repos/acme/rooms"]
