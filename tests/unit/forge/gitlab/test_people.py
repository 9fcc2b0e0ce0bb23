"""What accounts may do, by GitLab's word at the time of the command: inherited, invited and blocked members too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from draftgate.domain.people import Role
from draftgate.errors import PermissionDenied, UsageError
from draftgate.forge.gitlab.connection import Connection
from draftgate.forge.gitlab.people import People
from draftgate.forge.gitlab.view import Place, View
from tests.fakes.gitlab.people import Level
from tests.fakes.gitlab.scenario import BOT, REPORTER_BOT, push_to
from tests.unit.forge.github.scripted_api import Answer, ScriptedApi
from tests.unit.forge.gitlab.change_on_gitlab import OnGitLab, on_gitlab
from tests.unit.forge.gitlab.test_view import bundle


@pytest.fixture
def gitlab(tmp_path: Path) -> Iterator[OnGitLab]:
    with on_gitlab(tmp_path) as found:
        yield found


def people_of(gitlab: OnGitLab) -> People:
    connection = gitlab.connect()
    return People(connection, gitlab.view(connection))


@pytest.mark.parametrize(
    ("login", "role"),
    [
        ("guest", Role.READ),
        ("planner", Role.READ),
        ("reporter", Role.TRIAGE),
        ("developer", Role.WRITE),
        ("maintainer", Role.MAINTAIN),
        ("owner", Role.ADMIN),
        ("outsider", Role.READ),
        ("nobody", Role.NONE),
        ("", Role.NONE),
    ],
)
def test_a_role_is_the_level_that_an_account_has_by_whatever_way(gitlab: OnGitLab, login: str, role: Role) -> None:
    """Maintainer and owner are members of the group above alone."""
    assert people_of(gitlab).role_of(login) is role


def test_who_came_by_an_invited_group_has_its_role(gitlab: OnGitLab) -> None:
    world, outsider = gitlab.world, gitlab.scenario.person("outsider")
    guests = world.add_group("guests")
    guests.members[outsider] = Level.OWNER
    gitlab.scenario.project.invited[guests] = Level.MAINTAINER

    assert people_of(gitlab).role_of("outsider") is Role.MAINTAIN


def test_the_higher_of_two_roles_counts(gitlab: OnGitLab) -> None:
    maintainer = gitlab.scenario.person("maintainer")
    gitlab.scenario.project.members[maintainer] = Level.GUEST

    assert people_of(gitlab).role_of("maintainer") is Role.MAINTAIN


def test_each_account_is_asked_about_once_and_letter_case_does_not_matter(gitlab: OnGitLab) -> None:
    people = people_of(gitlab)
    before = len(gitlab.simulator.log)

    roles = [people.role_of(login) for login in ("developer", "developer")]

    assert roles == [Role.WRITE] * 2
    assert [line.partition(" ")[2].split("/")[0] for line in gitlab.asked(before)] == ["!", "", "members"]
    assert people.role_of("DEVELOPER") is Role.WRITE


def test_a_bot_is_an_account_like_others(gitlab: OnGitLab) -> None:
    people = people_of(gitlab)

    roles = [people.role_of(gitlab.scenario.person(name).username) for name in (BOT, REPORTER_BOT)]

    assert roles == [Role.WRITE, Role.TRIAGE]


@pytest.mark.parametrize(
    ("login", "group", "is_in"),
    [
        ("maintainer", "acme", True),
        ("maintainer", "@acme", True),
        ("maintainer", "acme/tools", True),
        ("owner", "acme/tools", True),
        ("developer", "acme/tools", False),
        ("outsider", "acme", False),
        ("nobody", "acme", False),
        ("maintainer", "no/such-group", False),
    ],
)
def test_a_member_of_a_group_or_of_one_above_is_in_it(gitlab: OnGitLab, login: str, group: str, *, is_in: bool) -> None:
    gitlab.world.groups[0].members[gitlab.scenario.bot] = Level.GUEST

    assert people_of(gitlab).is_in_team(login, group) == is_in


def test_of_a_group_that_the_bot_may_not_see_nobody_is_a_member(gitlab: OnGitLab) -> None:
    assert not people_of(gitlab).is_in_team("maintainer", "acme")


@pytest.mark.parametrize("group", ["", "@"])
def test_no_group_is_none(gitlab: OnGitLab, group: str) -> None:
    with pytest.raises(UsageError, match="is no group"):
        people_of(gitlab).is_in_team("maintainer", group)


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"CODEOWNERS": "first\n", "docs/CODEOWNERS": "second\n", ".gitlab/CODEOWNERS": "third\n"}, "first\n"),
        ({"docs/CODEOWNERS": "second\n", ".gitlab/CODEOWNERS": "third\n"}, "second\n"),
        ({".gitlab/CODEOWNERS": "third\n"}, "third\n"),
        ({"CODEOWNERS": "", "docs/CODEOWNERS": "second\n"}, ""),
        ({".github/CODEOWNERS": "not here\n"}, None),
    ],
)
def test_owners_are_read_where_gitlab_looks_and_in_its_order(
    gitlab: OnGitLab, files: dict[str, str], text: str | None
) -> None:
    push_to(gitlab.world, gitlab.scenario.project, "main", files)
    gitlab.world.add_version(gitlab.scenario.merge_request)

    assert people_of(gitlab).code_owners() == text
    assert people_of(gitlab).owners_have_sections


def test_owners_of_the_source_branch_do_not_count(gitlab: OnGitLab) -> None:
    push_to(
        gitlab.world, gitlab.scenario.project, gitlab.scenario.merge_request.source_branch, {"CODEOWNERS": "* @me\n"}
    )

    assert people_of(gitlab).code_owners() is None


def test_others_may_command_where_anybody_else_writes(gitlab: OnGitLab) -> None:
    assert people_of(gitlab).others_may_command("author")


def test_the_author_and_the_bot_alone_are_nobody_else(gitlab: OnGitLab) -> None:
    scenario = gitlab.scenario
    keep = {scenario.person("author"), scenario.bot, scenario.person("guest"), scenario.person("reporter")}
    for place in (scenario.project, *gitlab.world.groups):
        place.members = {user: level for user, level in place.members.items() if user in keep}

    assert not people_of(gitlab).others_may_command("author")
    assert not people_of(gitlab).others_may_command("AUTHOR")
    assert people_of(gitlab).others_may_command("guest")


def test_a_persons_own_project_is_theirs_alone(gitlab: OnGitLab) -> None:
    gitlab.world.rename(gitlab.scenario.project, "rooms", gitlab.scenario.person("author"))

    assert not people_of(gitlab).others_may_command("author")


# --- Scripted --------------------------------------------------------------------------------------------------------


@pytest.fixture
def people(api: ScriptedApi, connection: Connection) -> Callable[..., People]:
    def open_with(*answers: Answer) -> People:
        node = {"id": "gid://gitlab/User/41", "username": "somebody", "bot": False}
        note = {
            "id": "gid://gitlab/Note/9",
            "body": "text",
            "createdAt": "2026-01-02T03:04:05Z",
            "system": False,
            "author": node,
            "position": None,
        }
        listed = {"pageInfo": {"hasNextPage": False}, "nodes": [{"id": "d", "notes": {"nodes": [note]}}]}
        api.script(bundle(discussions=listed), *answers)
        view = View(connection, Place("acme/rooms", 1, "https://x.invalid", default_branch="main"), ("draftgate.yml",))
        return People(connection, view)

    return open_with


@pytest.mark.parametrize(
    ("member", "role"),
    [
        ({"access_level": 50}, Role.ADMIN),
        ({"access_level": 60}, Role.ADMIN),
        ({"access_level": 30, "state": "active"}, Role.WRITE),
        ({"access_level": 30, "state": "blocked"}, Role.NONE),
        ({"access_level": 50, "state": "awaiting"}, Role.NONE),
        ({"access_level": 25}, Role.TRIAGE),
        ({"access_level": 15}, Role.READ),
        ({"access_level": 5}, Role.NONE),
        ({"access_level": 0}, Role.NONE),
        ({"access_level": "50"}, Role.NONE),
        ({"access_level": None}, Role.NONE),
        ({}, Role.NONE),
    ],
)
def test_a_level_is_a_role_only_of_an_active_member(
    member: dict[str, object], role: Role, people: Callable[..., People]
) -> None:
    assert people(Answer(200, member)).role_of("somebody") is role


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_may_not_ask_gives_nobody_a_role(status: int, people: Callable[..., People]) -> None:
    with pytest.raises(PermissionDenied):
        people(Answer(status, {"message": "no"})).role_of("somebody")


def test_a_blocked_member_of_a_group_is_not_in_it(people: Callable[..., People]) -> None:
    assert not people(Answer(200, {"state": "blocked"})).is_in_team("somebody", "acme")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_where_the_members_cannot_be_read_others_may_be_there(status: int, people: Callable[..., People]) -> None:
    project = Answer(200, {"namespace": {"kind": "group"}})

    assert people(project, Answer(status, {"message": "no"})).others_may_command("somebody")
