"""The simulated GitHub's GraphQL: what is shown to whom, how pages and errors look, what mutations do."""

import base64
from collections.abc import Callable
from typing import Any

import pytest
from github import GithubException, UnknownObjectException

from tests.fakes.github import comments, reviews
from tests.fakes.github.changes import changed_files
from tests.fakes.github.entities import IssueComment, Review
from tests.fakes.github.graphql import execute
from tests.fakes.github.graphql_call import NotSimulated
from tests.fakes.github.reviews import NewThread
from tests.fakes.github.scenario import ACTIONS, APP, Scenario, push

PULL = '{ repository(owner: "acme", name: "rooms") { pullRequest(number: 1) { %s } } }'
COMMENTS = (
    "query ($after: String, $before: String, $first: Int, $last: Int)"
    + PULL
    % """
    comments(first: $first, last: $last, after: $after, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { body }
    }
    """
)
ADD_REVIEW = """
mutation ($pull: ID!, $threads: [DraftPullRequestReviewThread], $event: PullRequestReviewEvent, $body: String) {
  addPullRequestReview(input: {pullRequestId: $pull, threads: $threads, event: $event, body: $body}) {
    pullRequestReview { id state comments(first: 10) { nodes { id path line state } } }
  }
}
"""
ADD_THREAD = """
mutation ($input: AddPullRequestReviewThreadInput!) {
  addPullRequestReviewThread(input: $input) { thread { id line subjectType comments(first: 1) { nodes { id } } } }
}
"""
REPLY = """
mutation ($thread: ID!, $review: ID) {
  addPullRequestReviewThreadReply(
    input: {pullRequestReviewThreadId: $thread, pullRequestReviewId: $review, body: "Indeed"}
  ) { comment { id state } }
}
"""
DELETE_COMMENT = """
mutation ($comment: ID!) {
  deletePullRequestReviewComment(input: {id: $comment}) { pullRequestReview { id comments { totalCount } } }
}
"""
RESOLVE = """
mutation ($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { isResolved resolvedBy { login } } }
}
"""

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(scenario: Scenario) -> Ask:
    """Asks as a login and returns the answer."""

    def run(document: str, login: str = ACTIONS, **variables: object) -> dict[str, Any]:
        body = {"query": document, "variables": variables}
        status, _, answer = execute(scenario.world, scenario.caller(login), body)
        assert status == 200
        return answer

    return run


@pytest.fixture
def place(scenario: Scenario) -> dict[str, object]:
    """A place of the diff, as the input of a thread."""
    file = changed_files(scenario.repository.git, scenario.world.merge_base(scenario.pull), scenario.pull.head_sha)[0]
    line = next(line for side, line in file.places if side == "RIGHT")
    return {"path": file.path, "line": line, "body": "Look here"}


@pytest.fixture
def submitted(scenario: Scenario, place: dict[str, Any]) -> Review:
    """A review of ``github-actions`` with one thread."""
    caller = scenario.caller(ACTIONS)
    return reviews.create(
        scenario.world, caller, scenario.pull, body="Read", event="COMMENT", threads=[NewThread(**place)]
    )


def _comment(scenario: Scenario, body: str, login: str = "maintainer") -> IssueComment:
    return comments.create(scenario.world, scenario.caller(login), scenario.pull, body)


def _pull_of(answer: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    return answer["data"]["repository"]["pullRequest"]


def _error_of(answer: dict[str, Any]) -> tuple[str, str]:
    [error] = answer["errors"]
    return error["type"], error["message"]


# --- Who is who ----------------------------------------------------------------------------------


def test_an_app_is_a_viewer_with_and_an_author_without_its_suffix(scenario: Scenario, ask: Ask) -> None:
    _comment(scenario, "Hello", ACTIONS)

    answer = ask("{ viewer { __typename login } }")["data"] | _pull_of(
        ask(PULL % "comments(first: 1) { nodes { viewerDidAuthor author { __typename login } } }")
    )

    assert answer["viewer"] == {"__typename": "User", "login": "github-actions[bot]"}
    [comment] = answer["comments"]["nodes"]
    assert comment == {"viewerDidAuthor": True, "author": {"__typename": "Bot", "login": "github-actions"}}


@pytest.mark.parametrize(
    ("login", "permission"),
    [(ACTIONS, None), ("triager", "TRIAGE"), ("maintainer", "MAINTAIN"), ("outsider", "READ")],
)
def test_people_have_a_role_and_apps_have_none(ask: Ask, login: str, permission: str | None) -> None:
    answer = ask('{ repository(owner: "acme", name: "rooms") { viewerPermission } }', login)

    assert answer["data"]["repository"]["viewerPermission"] == permission


# --- Errors --------------------------------------------------------------------------------------


def test_an_unknown_field_stops_everything(scenario: Scenario, ask: Ask) -> None:
    answer = ask(
        'mutation ($pull: ID!) { addComment(input: {subjectId: $pull, body: "Hi"}) { nope } }',
        pull=scenario.pull.node_id,
    )

    [error] = answer["errors"]
    assert "data" not in answer
    assert error["extensions"] == {
        "code": "undefinedField",
        "typeName": "AddCommentPayload",
        "fieldName": "nope",
    }
    assert error["message"] == "Field 'nope' doesn't exist on type 'AddCommentPayload'"
    assert scenario.pull.comments == []


@pytest.mark.parametrize(
    ("document", "path", "message"),
    [
        pytest.param(
            '{ repository(owner: "acme", name: "none") { id } }',
            ["repository"],
            "Could not resolve to a Repository with the name 'acme/none'.",
            id="repository",
        ),
        pytest.param(
            '{ repository(owner: "acme", name: "rooms") { pullRequest(number: 9) { id } } }',
            ["repository", "pullRequest"],
            "Could not resolve to a PullRequest with the number of 9.",
            id="pull request",
        ),
        pytest.param(
            '{ nodes(ids: ["none"]) { id } }',
            ["nodes", 0],
            "Could not resolve to a node with the global id of 'none'",
            id="node",
        ),
    ],
)
def test_what_is_not_there_is_null_and_an_error(ask: Ask, document: str, path: list[str | int], message: str) -> None:
    answer = ask(document)

    [error] = answer["errors"]
    assert "data" in answer
    assert (error["type"], error["path"], error["message"]) == ("NOT_FOUND", path, message)


def test_a_private_repository_is_not_there_for_a_stranger(scenario: Scenario, ask: Ask) -> None:
    scenario.repository.private = True

    answer = ask(PULL % "id", "outsider")

    assert answer["data"] == {"repository": None}
    assert _error_of(answer)[0] == "NOT_FOUND"


@pytest.mark.parametrize(
    "document",
    [
        pytest.param("{", id="no document"),
        pytest.param("query ($id: ID!) { node(id: $id) { id } }", id="variable missing"),
        pytest.param("{ viewer { login } } mutation { nope }", id="two nameless operations"),
    ],
)
def test_a_bad_request_has_errors_and_no_data(ask: Ask, document: str) -> None:
    answer = ask(document)

    assert answer["errors"]
    assert "data" not in answer


def test_a_body_without_a_query_is_refused(scenario: Scenario) -> None:
    status, _, answer = execute(scenario.world, scenario.caller(APP), {"variables": {}})

    assert status == 400
    assert "query attribute" in answer["message"]


def test_a_field_that_is_not_simulated_is_never_null(ask: Ask) -> None:
    with pytest.raises(NotSimulated, match=r"the field Repository\.diskUsage"):
        ask('{ repository(owner: "acme", name: "rooms") { diskUsage } }')


# --- Pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "turn", "cursor", "more", "seen"),
    [
        pytest.param("first", "after", "endCursor", "hasNextPage", ["1", "2", "3", "4", "5"], id="forward"),
        pytest.param("last", "before", "startCursor", "hasPreviousPage", ["4", "5", "2", "3", "1"], id="backward"),
    ],
)
def test_every_item_is_on_one_page(
    scenario: Scenario, ask: Ask, size: str, turn: str, *, cursor: str, more: str, seen: list[str]
) -> None:
    for body in "12345":
        _comment(scenario, body)

    found: list[str] = []
    variables: dict[str, object] = {size: 2}
    while True:
        page = _pull_of(ask(COMMENTS, **variables))["comments"]
        found += [node["body"] for node in page["nodes"]]
        variables[turn] = page["pageInfo"][cursor]
        if not page["pageInfo"][more]:
            break

    assert found == seen
    assert page["totalCount"] == 5


def test_a_page_goes_on_where_it_ended_when_items_before_it_are_deleted(scenario: Scenario, ask: Ask) -> None:
    made = [_comment(scenario, body) for body in "1234"]
    page = _pull_of(ask(COMMENTS, first=2))["comments"]
    for comment in made[:2]:
        comments.delete(scenario.world, scenario.caller("maintainer"), comment)

    rest = _pull_of(ask(COMMENTS, first=2, after=page["pageInfo"]["endCursor"]))["comments"]

    assert [node["body"] for node in rest["nodes"]] == ["3", "4"]


@pytest.mark.parametrize(
    ("selection", "kind"),
    [
        pytest.param("reviews { nodes { id } }", "MISSING_PAGINATION_BOUNDARIES", id="no size"),
        pytest.param("reviews(first: null) { nodes { id } }", "MISSING_PAGINATION_BOUNDARIES", id="size is null"),
        pytest.param("reviews(last: 101) { totalCount }", "EXCESSIVE_PAGINATION", id="too large"),
    ],
)
def test_a_page_needs_a_size_within_bounds(ask: Ask, selection: str, kind: str) -> None:
    answer = ask(PULL % selection)

    assert _error_of(answer)[0] == kind
    assert "data" not in answer


def test_a_count_needs_no_size(ask: Ask) -> None:
    assert _pull_of(ask(PULL % "reviews { totalCount }")) == {"reviews": {"totalCount": 0}}


@pytest.mark.parametrize("cursor", ["?", base64.b64encode(b"cursor:v2:x").decode()])
def test_a_cursor_that_is_none_is_refused(ask: Ask, cursor: str) -> None:
    answer = ask(COMMENTS, first=1, after=cursor)

    assert _error_of(answer)[1] == f"`{cursor}` does not appear to be a valid cursor."


# --- Drafts --------------------------------------------------------------------------------------


def test_a_draft_is_shown_to_its_author_alone(scenario: Scenario, ask: Ask, place: dict[str, object]) -> None:
    review = ask(ADD_REVIEW, pull=scenario.pull.node_id, threads=[place])["data"]["addPullRequestReview"]
    pending = review["pullRequestReview"]
    document = PULL % "reviews(first: 5, states: [PENDING]) { nodes { id } } reviewThreads(first: 5) { totalCount }"

    own, other = _pull_of(ask(document)), _pull_of(ask(document, APP))

    assert own == {"reviews": {"nodes": [{"id": pending["id"]}]}, "reviewThreads": {"totalCount": 1}}
    assert other == {"reviews": {"nodes": []}, "reviewThreads": {"totalCount": 0}}
    for hidden in (pending["id"], pending["comments"]["nodes"][0]["id"]):
        assert _error_of(ask("query ($id: ID!) { node(id: $id) { id } }", APP, id=hidden))[0] == "NOT_FOUND"


def test_a_review_without_an_event_is_a_draft_until_it_is_submitted(
    scenario: Scenario, ask: Ask, place: dict[str, object]
) -> None:
    draft = ask(ADD_REVIEW, pull=scenario.pull.node_id, threads=[place])["data"]["addPullRequestReview"]
    submit = """
        mutation ($review: ID!) {
          submitPullRequestReview(input: {pullRequestReviewId: $review, event: COMMENT, body: "Read"}) {
            pullRequestReview { state body submittedAt comments(first: 1) { nodes { state } } }
          }
        }
    """

    answer = ask(submit, review=draft["pullRequestReview"]["id"])["data"]["submitPullRequestReview"]

    assert draft["pullRequestReview"]["state"] == "PENDING"
    assert draft["pullRequestReview"]["comments"]["nodes"][0]["state"] == "PENDING"
    assert answer["pullRequestReview"] == {
        "state": "COMMENTED",
        "body": "Read",
        "submittedAt": "2026-01-01T12:00:04Z",
        "comments": {"nodes": [{"state": "SUBMITTED"}]},
    }


def test_there_is_one_draft_for_each_account(scenario: Scenario, ask: Ask) -> None:
    ask(ADD_REVIEW, pull=scenario.pull.node_id)

    again, other = (ask(ADD_REVIEW, login, pull=scenario.pull.node_id) for login in (ACTIONS, APP))

    assert _error_of(again) == ("UNPROCESSABLE", "User can only have one pending review per pull request")
    assert other["data"]["addPullRequestReview"]["pullRequestReview"]["state"] == "PENDING"


def test_one_bad_place_refuses_the_whole_review(scenario: Scenario, ask: Ask, place: dict[str, object]) -> None:
    answer = ask(ADD_REVIEW, pull=scenario.pull.node_id, threads=[place, {**place, "line": 9999}])

    assert answer["data"] == {"addPullRequestReview": None}
    assert _error_of(answer)[0] == "UNPROCESSABLE"
    assert scenario.pull.reviews == scenario.pull.threads == []


def test_a_thread_for_a_whole_file_has_no_line(scenario: Scenario, ask: Ask, place: dict[str, object]) -> None:
    given = {"pullRequestId": scenario.pull.node_id, "path": place["path"], "body": "All of it", "subjectType": "FILE"}

    thread = ask(ADD_THREAD, input=given)["data"]["addPullRequestReviewThread"]["thread"]

    assert (thread["line"], thread["subjectType"]) == (None, "FILE")
    assert scenario.pull.reviews[0].pending


@pytest.mark.parametrize(
    ("null", "data"),
    [
        pytest.param(False, {"addPullRequestReviewThread": None}, id="an error"),
        pytest.param(True, {"addPullRequestReviewThread": {"thread": None}}, id="null alone"),
    ],
)
def test_a_thread_at_a_bad_place_is_refused_in_one_of_two_ways(
    scenario: Scenario, ask: Ask, place: dict[str, object], *, null: bool, data: dict[str, object]
) -> None:
    scenario.world.null_threads = null

    answer = ask(ADD_THREAD, input={"pullRequestId": scenario.pull.node_id, **place, "line": 9999})

    assert answer["data"] == data
    assert ("errors" in answer) is not null


def test_a_reply_beside_a_draft_is_swallowed(
    scenario: Scenario, ask: Ask, place: dict[str, object], submitted: Review
) -> None:
    thread = submitted.comments[0].thread.node_id

    before = ask(REPLY, thread=thread)["data"]["addPullRequestReviewThreadReply"]["comment"]
    ask(ADD_REVIEW, pull=scenario.pull.node_id)
    beside = ask(REPLY, thread=thread)["data"]["addPullRequestReviewThreadReply"]["comment"]

    assert (before["state"], beside["state"]) == ("SUBMITTED", "PENDING")


def test_a_reply_into_a_review_that_is_no_draft_is_refused(ask: Ask, submitted: Review) -> None:
    answer = ask(REPLY, thread=submitted.comments[0].thread.node_id, review=submitted.node_id)

    assert _error_of(answer) == ("UNPROCESSABLE", "Pull request review is not pending")


def test_a_draft_goes_with_its_last_comment(scenario: Scenario, ask: Ask, place: dict[str, object]) -> None:
    draft = ask(ADD_REVIEW, pull=scenario.pull.node_id, threads=[place, place])["data"]["addPullRequestReview"]
    first, last = (node["id"] for node in draft["pullRequestReview"]["comments"]["nodes"])

    ask(DELETE_COMMENT, comment=first)
    left = len(scenario.pull.reviews)
    ask(DELETE_COMMENT, comment=last)

    assert left == 1
    assert scenario.pull.reviews == []


@pytest.mark.parametrize(
    ("mutation", "gone"),
    [
        pytest.param("deletePullRequestReview", True, id="deleted"),
        pytest.param('updatePullRequestReview(body: "Anew")', False, id="changed"),
    ],
)
def test_a_draft_is_changed_and_deleted(scenario: Scenario, ask: Ask, mutation: str, *, gone: bool) -> None:
    ask(ADD_REVIEW, pull=scenario.pull.node_id, body="Old")
    draft = scenario.pull.reviews[0]
    name, _, rest = mutation.partition("(")
    given = f'pullRequestReviewId: "{draft.node_id}", {rest.rstrip(")")}'

    answer = ask(f"mutation {{ {name}(input: {{{given}}}) {{ pullRequestReview {{ id }} }} }}")

    assert answer["data"][name]["pullRequestReview"]["id"] == draft.node_id
    assert scenario.pull.reviews == ([] if gone else [draft])
    assert gone or draft.body == "Anew"


def test_a_comment_of_a_draft_can_be_changed(scenario: Scenario, ask: Ask, place: dict[str, object]) -> None:
    draft = ask(ADD_REVIEW, pull=scenario.pull.node_id, threads=[place])["data"]["addPullRequestReview"]
    update = """
        mutation ($comment: ID!) {
          updatePullRequestReviewComment(input: {pullRequestReviewCommentId: $comment, body: "Anew"}) {
            pullRequestReviewComment { body state }
          }
        }
    """

    answer = ask(update, comment=draft["pullRequestReview"]["comments"]["nodes"][0]["id"])

    changed = answer["data"]["updatePullRequestReviewComment"]["pullRequestReviewComment"]
    assert changed == {"body": "Anew", "state": "PENDING"}


def test_a_verdict_can_be_dismissed(scenario: Scenario, ask: Ask) -> None:
    ask(ADD_REVIEW, APP, pull=scenario.pull.node_id, event="REQUEST_CHANGES", body="No")
    dismiss = """
        mutation ($review: ID!) {
          dismissPullRequestReview(input: {pullRequestReviewId: $review, message: "Settled"}) {
            pullRequestReview { state }
          }
        }
    """

    answer = ask(dismiss, "maintainer", review=scenario.pull.reviews[0].node_id)

    assert answer["data"]["dismissPullRequestReview"]["pullRequestReview"]["state"] == "DISMISSED"


# --- Threads -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("login", "outcome"),
    [
        pytest.param(APP, {"isResolved": True, "resolvedBy": None}, id="app that may write contents"),
        pytest.param("maintainer", {"isResolved": True, "resolvedBy": {"login": "maintainer"}}, id="maintainer"),
    ],
)
def test_a_thread_is_resolved(ask: Ask, submitted: Review, login: str, outcome: dict[str, object]) -> None:
    answer = ask(RESOLVE, login, thread=submitted.comments[0].thread.node_id)

    assert answer["data"]["resolveReviewThread"]["thread"] == outcome


def test_an_app_without_contents_may_not_resolve(ask: Ask, submitted: Review) -> None:
    answer = ask(RESOLVE, ACTIONS, thread=submitted.comments[0].thread.node_id)

    assert answer["data"] == {"resolveReviewThread": None}
    assert _error_of(answer) == ("FORBIDDEN", "Resource not accessible by integration")


def test_a_thread_whose_line_is_gone_is_outdated(scenario: Scenario, ask: Ask, submitted: Review) -> None:
    thread = submitted.comments[0].thread
    push(scenario.world, scenario.pull, {thread.path: "nothing = None\n"})

    answer = ask(
        "query ($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { isOutdated line originalLine } } }",
        id=thread.node_id,
    )

    assert answer["data"]["node"] == {"isOutdated": True, "line": None, "originalLine": thread.original_line}


# --- Conversation --------------------------------------------------------------------------------


def test_each_edit_of_a_comment_can_be_seen(scenario: Scenario, ask: Ask) -> None:
    comment = _comment(scenario, "Mine", ACTIONS)
    update = """
        mutation ($id: ID!) { updateIssueComment(input: {id: $id, body: "Yours"}) { issueComment { body } } }
    """
    integrity = """
        query ($id: ID!) {
          node(id: $id) {
            ... on IssueComment {
              author { login } editor { login } includesCreatedEdit lastEditedAt
              userContentEdits(first: 10) { nodes { editor { login } diff } }
            }
          }
        }
    """

    ask(update, "maintainer", id=comment.node_id)
    seen = ask(integrity, id=comment.node_id)["data"]["node"]

    edits = [(edit["editor"]["login"], edit["diff"]) for edit in seen["userContentEdits"]["nodes"]]
    assert edits == [("maintainer", "Yours"), ("github-actions", "Mine")]
    assert (seen["author"]["login"], seen["editor"]["login"]) == ("github-actions", "maintainer")
    assert seen["includesCreatedEdit"]
    assert seen["lastEditedAt"] == "2026-01-01T12:00:03Z"


def test_a_comment_that_nobody_edited_has_no_editor(scenario: Scenario, ask: Ask) -> None:
    _comment(scenario, "Hello")

    edits = "editor { login } includesCreatedEdit lastEditedAt userContentEdits(first: 1) { totalCount }"

    answer = ask(PULL % f"comments(first: 1) {{ nodes {{ {edits} }} }}")

    [comment] = _pull_of(answer)["comments"]["nodes"]
    assert comment == {
        "editor": None,
        "includesCreatedEdit": False,
        "lastEditedAt": None,
        "userContentEdits": {"totalCount": 0},
    }


def test_reactions_are_counted_by_kind(scenario: Scenario, ask: Ask) -> None:
    comment = _comment(scenario, "/approve-findings")
    react = """
        mutation ($id: ID!) {
          addReaction(input: {subjectId: $id, content: ROCKET}) {
            reactionGroups { content viewerHasReacted reactors(first: 1) { totalCount } }
          }
        }
    """

    ask(react, "reader", id=comment.node_id)
    groups = ask(react, id=comment.node_id)["data"]["addReaction"]["reactionGroups"]

    assert len(groups) == 8
    assert [group for group in groups if group["reactors"]["totalCount"]] == [
        {"content": "ROCKET", "viewerHasReacted": True, "reactors": {"totalCount": 2}}
    ]


def test_a_comment_is_minimized_with_its_reason(scenario: Scenario, ask: Ask) -> None:
    comment = _comment(scenario, "Old", ACTIONS)
    minimize = """
        mutation ($id: ID!) {
          minimizeComment(input: {subjectId: $id, classifier: OFF_TOPIC}) {
            minimizedComment { isMinimized minimizedReason }
          }
        }
    """

    answer = ask(minimize, id=comment.node_id)["data"]["minimizeComment"]

    assert answer["minimizedComment"] == {"isMinimized": True, "minimizedReason": "off-topic"}


def test_mutations_of_one_document_run_in_order_and_stand_alone(scenario: Scenario, ask: Ask) -> None:
    several = """
        mutation ($pull: ID!) {
          a: addComment(input: {subjectId: $pull, body: "first"}) { clientMutationId }
          b: addComment(input: {subjectId: $pull, body: " "}) { clientMutationId }
          c: addComment(input: {subjectId: $pull, body: "third", clientMutationId: "c"}) { clientMutationId }
        }
    """

    answer = ask(several, pull=scenario.pull.node_id)

    assert answer["data"] == {"a": {"clientMutationId": None}, "b": None, "c": {"clientMutationId": "c"}}
    assert [(error["type"], error["path"]) for error in answer["errors"]] == [("UNPROCESSABLE", ["b"])]
    assert [comment.body for comment in scenario.pull.comments] == ["first", "third"]


@pytest.mark.parametrize(("union", "asked"), [(True, ["reader", "writer"]), (False, ["writer"])])
def test_reviewers_are_added_or_replaced(scenario: Scenario, ask: Ask, *, union: bool, asked: list[str]) -> None:
    request = """
        mutation ($pull: ID!, $users: [ID!], $union: Boolean) {
          requestReviews(input: {pullRequestId: $pull, userIds: $users, union: $union}) {
            pullRequest { reviewRequests(first: 9) { nodes { requestedReviewer { ... on User { login } } } } }
          }
        }
    """
    scenario.pull.requested_reviewers = [scenario.person("reader")]

    answer = ask(request, pull=scenario.pull.node_id, users=[scenario.person("writer").node_id], union=union)

    nodes = answer["data"]["requestReviews"]["pullRequest"]["reviewRequests"]["nodes"]
    assert [node["requestedReviewer"]["login"] for node in nodes] == asked


# --- Git -----------------------------------------------------------------------------------------

OBJECT = """
query ($expression: String!) {
  repository(owner: "acme", name: "rooms") {
    object(expression: $expression) {
      __typename ... on Blob { text byteSize isBinary isTruncated } ... on Tree { entries { name type mode } }
    }
  }
}
"""


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        pytest.param("invitations", {"__typename": "Commit"}, id="commit"),
        pytest.param("invitations:none", None, id="nothing there"),
        pytest.param("--all", None, id="no revision"),
        pytest.param("HEAD:a\nb", None, id="two lines"),
        pytest.param(
            "invitations:data",
            {
                "__typename": "Tree",
                "entries": [
                    {"name": "bytes", "type": "blob", "mode": 0o100644},
                    {"name": "text", "type": "blob", "mode": 0o100644},
                ],
            },
            id="tree",
        ),
        pytest.param(
            "invitations:data/text",
            {"__typename": "Blob", "text": "a\n", "byteSize": 2, "isBinary": False, "isTruncated": False},
            id="blob",
        ),
        pytest.param(
            "invitations:data/bytes",
            {"__typename": "Blob", "text": None, "byteSize": 2, "isBinary": True, "isTruncated": False},
            id="binary",
        ),
    ],
)
def test_objects_are_found_by_expression(scenario: Scenario, ask: Ask, expression: str, shown: object) -> None:
    push(scenario.world, scenario.pull, {"data/text": "a\n", "data/bytes": b"\0\1"})

    answer = ask(OBJECT, expression=expression)

    assert answer["data"]["repository"]["object"] == shown


def test_a_file_is_read_at_the_tip_of_the_default_branch(scenario: Scenario, ask: Ask) -> None:
    document = """
        {
          repository(owner: "acme", name: "rooms") {
            defaultBranchRef {
              name prefix
              target { oid ... on Commit { file(path: "rooms/mail.py") { path object { ... on Blob { oid } } } } }
            }
          }
        }
    """

    ref = ask(document)["data"]["repository"]["defaultBranchRef"]

    base = scenario.world.base_sha(scenario.pull)
    assert (ref["name"], ref["prefix"], ref["target"]["oid"]) == ("main", "refs/heads/", base)
    blob = scenario.repository.git.sha(f"{base}:rooms/mail.py")
    assert ref["target"]["file"] == {"path": "rooms/mail.py", "object": {"oid": blob}}


def test_a_pull_request_shows_its_files_and_commits(scenario: Scenario, ask: Ask) -> None:
    push(scenario.world, scenario.pull, {"rooms/mail.py": None}, "Write no mail")

    pull = _pull_of(
        ask(
            PULL % "headRefOid changedFiles files(first: 1) { nodes { path changeType } }"
            " commits(last: 1) { totalCount nodes { commit { oid messageHeadline } } }"
        )
    )

    head = scenario.pull.head_sha
    assert pull["files"]["nodes"] == [{"path": "rooms/mail.py", "changeType": "DELETED"}]
    assert pull["commits"] == {
        "totalCount": 2,
        "nodes": [{"commit": {"oid": head, "messageHeadline": "Write no mail"}}],
    }
    assert (pull["headRefOid"], pull["changedFiles"]) == (head, 3)


def test_open_pull_requests_are_listed_by_their_last_update(scenario: Scenario, ask: Ask) -> None:
    author, world = scenario.person("author"), scenario.world
    closed, newer = (
        world.open_pull(scenario.repository, author, title, head_ref="invitations") for title in ("Closed", "Newer")
    )
    closed.state = "closed"
    _comment(scenario, "Still here?")
    document = """
        {
          repository(owner: "acme", name: "rooms") {
            pullRequests(first: 9, states: [OPEN], orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { number } }
          }
        }
    """

    nodes = ask(document)["data"]["repository"]["pullRequests"]["nodes"]

    assert [node["number"] for node in nodes] == [scenario.pull.number, newer.number]


# --- PyGithub ------------------------------------------------------------------------------------


def test_pygithub_asks_and_changes(client: Callable[..., Any], submitted: Review) -> None:
    requester = client(APP).requester

    _, read = requester.graphql_query("{ viewer { login } }", {})
    _, payload = requester.graphql_named_mutation(
        "resolveReviewThread", {"threadId": submitted.comments[0].thread.node_id}, "thread { isResolved }"
    )

    assert read == {"data": {"viewer": {"login": APP}}}
    assert payload == {"thread": {"isResolved": True}}


@pytest.mark.parametrize(
    ("login", "thread", "error"),
    [
        pytest.param(APP, "none", UnknownObjectException, id="not found"),
        pytest.param(ACTIONS, "", GithubException, id="forbidden"),
    ],
)
def test_pygithub_understands_a_refusal(
    client: Callable[..., Any], submitted: Review, login: str, thread: str, error: type[GithubException]
) -> None:
    node_id = thread or submitted.comments[0].thread.node_id

    with pytest.raises(GithubException) as caught:
        client(login).requester.graphql_query(RESOLVE, {"thread": node_id})

    assert type(caught.value) is error
