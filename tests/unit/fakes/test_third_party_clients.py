"""What else PyGithub sends is answered as GitHub answers it: the calls that no test of the rules needs.

The rules are tested in the files beside this one, also by PyGithub. Clients in other languages, which have to be
installed first, are run by ``make test-clients``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from github import Auth, Github
from github.PullRequest import PullRequest

from tests.fakes.github.scenario import APP, Scenario
from tests.fakes.github.server import Simulator

Client = Callable[..., Github]


def test_a_conversation_is_an_issues_too(client: Client, pull: PullRequest) -> None:
    issue = client().get_repo("acme/rooms").get_issue(pull.number)
    first, second = issue.create_comment("one"), issue.create_comment("two")

    later = [comment.body for comment in issue.get_comments(since=first.created_at + timedelta(seconds=1))]

    assert issue.get_comment(second.id).body == "two"
    assert [comment.body for comment in issue.get_comments()] == ["one", "two"]
    assert later == ["two"]


def test_lazy_objects_cost_no_request(scenario: Scenario, simulator: Simulator) -> None:
    auth = Auth.Token(scenario.tokens[APP])
    with Github(auth=auth, base_url=simulator.url, retry=None, lazy=True, seconds_between_writes=0) as lazy:
        issue = lazy.get_repo("acme/rooms").get_issue(1)

        asked_before = len(simulator.log)
        issue.create_comment("hello")

    assert asked_before == 0
    assert [entry.path for entry in simulator.log] == ["/repos/acme/rooms/issues/1/comments"]


def test_a_comment_is_folded_away_by_its_own_method(pull: PullRequest, scenario: Scenario) -> None:
    comment = pull.create_issue_comment("old")

    comment.minimize(reason="OUTDATED")

    assert [each.minimized for each in scenario.pull.comments] == ["OUTDATED"]


def test_a_reviewer_is_asked_and_no_longer_asked(pull: PullRequest) -> None:
    pull.create_review_request(reviewers=["maintainer", "writer"])

    pull.delete_review_request(reviewers=["writer"])

    assert [account.login for account in pull.get_review_requests()[0]] == ["maintainer"]


def test_commits_and_languages_are_those_of_the_repository(client: Client, pull: PullRequest) -> None:
    commits = [(commit.sha, commit.commit.author.email) for commit in pull.get_commits()]

    assert commits == [(pull.head.sha, "test@example.invalid")]
    assert client().get_repo("acme/rooms").get_languages()["Python"] > 0


def test_collaborators_are_people_with_their_roles(client: Client) -> None:
    repository = client().get_repo("acme/rooms")

    everybody = {person.login: person.role_name for person in repository.get_collaborators()}
    writers = [person.login for person in repository.get_collaborators(permission="push")]

    assert everybody["maintainer"] == "maintain"
    assert writers == ["admin", "maintainer", "writer"]


def test_a_suggestion_is_a_review_comment(pull: PullRequest) -> None:
    head = pull.base.repo.get_commit(pull.head.sha)

    made = pull.create_review_comment("x = 1", head, "rooms/mail.py", line=2, start_line=1, as_suggestion=True)

    assert made.body == "```suggestion\nx = 1\n```"
    assert (made.start_line, made.line, made.side) == (1, 2, "RIGHT")
    assert [comment.id for comment in pull.get_review_comments(sort="created", direction="desc")] == [made.id]


@pytest.mark.parametrize("text", ["", " "], ids=["empty", "blank"])
def test_a_review_comment_needs_a_text(pull: PullRequest, text: str) -> None:
    head = pull.base.repo.get_commit(pull.head.sha)

    with pytest.raises(Exception, match="can't be blank"):
        pull.create_review_comment(text, head, "rooms/mail.py", line=2)
