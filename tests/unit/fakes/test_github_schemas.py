"""What the simulated GitHub says and is told is held against GitHub's published descriptions."""

from typing import Any

import pytest
from graphql import GraphQLInterfaceType, GraphQLObjectType

from tests.fakes.github.graphql import FIELDS
from tests.fakes.github.schemas import SchemaViolation, check_answer, check_request, graphql_schema

REVIEWS = "/repos/acme/rooms/pulls/1/reviews"
PLACED = {"path": "a.py", "body": "text", "line": 1}


@pytest.mark.parametrize(
    ("method", "path", "query", "body"),
    [
        pytest.param("POST", REVIEWS, {}, {"comments": [PLACED]}, id="a draft"),
        pytest.param("POST", REVIEWS, {}, None, id="a body that is not required"),
        pytest.param("GET", "/repos/acme/rooms/pulls/1/files", {"per_page": "100", "page": "2"}, None, id="numbers"),
        pytest.param("GET", "/repos/acme/rooms/contents/a%20b/c.py", {"ref": "main"}, None, id="a path with slashes"),
        pytest.param("GET", "/repos/acme/rooms/contents/", {}, None, id="the root folder"),
        pytest.param("GET", "/repos/acme/rooms/compare/main...feature/a", {}, None, id="a branch with a slash"),
        pytest.param("GET", "/repos/acme/rooms/commits/feature/a/check-runs", {}, None, id="more behind it"),
        pytest.param(
            "PATCH",
            "/repos/acme/rooms/check-runs/1",
            {},
            {"status": "completed", "conclusion": "success", "output": {"title": "t", "summary": "s"}},
            id="alternatives that share keys",
        ),
    ],
)
def test_a_described_request_passes(method: str, path: str, query: dict[str, str], body: object) -> None:
    check_request(method, path, query, body)


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "rule"),
    [
        pytest.param("GET", "/nope", {}, None, "the path is not described", id="path"),
        pytest.param("PUT", "/rate_limit", {}, None, "the path has no such method", id="method"),
        pytest.param("GET", "/repos/acme/rooms/pulls/x", {}, None, "'pull_number': $ 'x' is not", id="path value"),
        pytest.param("GET", REVIEWS, {"per_page": "all"}, None, "'per_page': $ 'all' is not", id="query value"),
        pytest.param("GET", REVIEWS, {"perpage": "9"}, None, "query parameter 'perpage' is not", id="query name"),
        pytest.param("GET", REVIEWS, {}, {}, "a body is not declared", id="body too many"),
        pytest.param("POST", "/repos/acme/rooms/issues/1/comments", {}, None, "has no body", id="body missing"),
        pytest.param("POST", "/repos/acme/rooms/issues/1/comments", {}, {}, "'body' is a required", id="key missing"),
        pytest.param("POST", REVIEWS, {}, {"event": "PENDING"}, "$.event 'PENDING' is not one of", id="value"),
        pytest.param("POST", REVIEWS, {}, {"draft": True}, "'draft' was unexpected", id="unknown key"),
        pytest.param(
            "POST",
            REVIEWS,
            {},
            {"comments": [PLACED, {**PLACED, "subject_type": "file"}]},
            "$.comments[1] Additional properties are not allowed ('subject_type' was unexpected)",
            id="unknown key deep inside",
        ),
    ],
)
def test_another_request_is_refused_by_path_and_rule(
    method: str, path: str, *, query: dict[str, str], body: object, rule: str
) -> None:
    with pytest.raises(SchemaViolation) as caught:
        check_request(method, path, query, body)

    assert str(caught.value).startswith(f"{method} {path}: ")
    assert rule in str(caught.value)


REACTION = {"id": 1, "node_id": "REA_1", "user": None, "content": "eyes", "created_at": "2026-01-01T12:00:00Z"}
REACTIONS = "/repos/acme/rooms/issues/comments/1/reactions"
ERROR = {"message": "Not Found"}


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        pytest.param("POST", REACTIONS, 201, REACTION, id="as described"),
        pytest.param("POST", REACTIONS, 201, {**REACTION, "more": 1}, id="with more"),
        pytest.param("GET", REACTIONS, 404, ERROR, id="a described error"),
        pytest.param("GET", REACTIONS, 502, ERROR, id="an error that is not described"),
        pytest.param("GET", "/repos/acme/rooms/pulls/1", 304, None, id="no body"),
        pytest.param("GET", "/repos/acme/rooms/pulls/1", 200, "diff --git a/a b/a\n", id="another media type"),
        pytest.param("GET", "/repos/acme/rooms/contents/folder", 200, [], id="a folder"),
    ],
)
def test_an_answer_of_github_passes(method: str, path: str, status: int, body: object) -> None:
    check_answer(method, path, status, body)


@pytest.mark.parametrize(
    ("status", "body", "rule"),
    [
        pytest.param(202, REACTION, "answer 202 is not declared", id="status"),
        pytest.param(201, None, "answer 201 needs a body", id="no body"),
        pytest.param(201, {**REACTION, "content": "tada"}, "$.content 'tada' is not one of", id="value"),
        pytest.param(201, {**REACTION, "created_at": "today"}, "$.created_at 'today' is not a", id="format"),
        pytest.param(201, {"id": 1}, "$ 'node_id' is a required property", id="missing key"),
        pytest.param(422, {**ERROR, "errors": "all"}, "$.errors 'all' is not of type 'array'", id="error"),
    ],
)
def test_another_answer_is_refused_by_path_and_rule(status: int, body: object, rule: str) -> None:
    with pytest.raises(SchemaViolation) as caught:
        check_answer("POST", REACTIONS, status, body)

    assert str(caught.value).startswith(f"POST {REACTIONS}: answer {status}")
    assert rule in str(caught.value)


def test_where_no_alternative_fits_the_nearest_one_is_explained() -> None:
    file: dict[str, Any] = {"type": "file", "encoding": "base64", "content": ""}

    with pytest.raises(SchemaViolation, match="'git_url' is a required property"):
        check_answer("GET", "/repos/acme/rooms/contents/a.py", 200, file)


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_graphql_has_every_field_that_is_simulated(name: str) -> None:
    kind = graphql_schema().type_map[name]

    assert isinstance(kind, GraphQLObjectType | GraphQLInterfaceType)
    assert FIELDS[name].keys() <= kind.fields.keys()
