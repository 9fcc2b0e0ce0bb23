"""The roles that read and answer a conversation and know its people, one suite for every forge and for the fake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from draftgate.domain.conversation import Comment, Reaction
from draftgate.domain.people import Role
from draftgate.errors import PermissionDenied
from draftgate.forge.base import Converses, KnowsPeople
from tests.fakes.conversation import FakeConversation, FakePeople
from tests.fakes.github import comments
from tests.fakes.github.scenario import ACTIONS, APP, COLLABORATORS, make_scenario
from tests.fakes.github.server import serve
from tests.fakes.github_forge import open_forge
from tests.fakes.gitlab import notes as gitlab_notes
from tests.fakes.gitlab.notes import NewNote
from tests.fakes.gitlab.people import Level, User
from tests.fakes.gitlab.scenario import REPORTER_BOT, push_to
from tests.fakes.gitlab.scenario import make_scenario as make_gitlab_scenario
from tests.fakes.gitlab.scenario import push as push_to_gitlab
from tests.fakes.gitlab.server import serve as serve_gitlab
from tests.fakes.gitlab_forge import open_forge as open_gitlab_forge

BOT_TEXT = "/approve-findings"


@dataclass(frozen=True, slots=True)
class Stand:
    """A conversation under test and what happens in it from outside.

    Attributes:
        open: Opens it as a run that begins now.
        people: Opens what the forge knows about accounts, likewise.
        say: Somebody writes a comment.
        edit: Somebody changes the text of the comment at this place.
        replies: The texts of ours below a comment.
        only_author: From now on nobody but the author can write.
        hide_people: From now on the bot may ask nothing about accounts.
        bot, another_bot: The logins of the bot itself and of another program.
    """

    open: Callable[[], Converses]
    people: Callable[[], KnowsPeople]
    say: Callable[[str, str], object]
    edit: Callable[[int, str], object]
    replies: Callable[[Comment], list[str]]
    only_author: Callable[[], object]
    hide_people: Callable[[], object]
    bot: str = APP
    another_bot: str = ACTIONS


@contextmanager
def open_memory(_folder: Path) -> Iterator[Stand]:
    """The fakes that unit tests use."""
    kept = FakeConversation()
    people = FakePeople({login: Role(role.name.lower()) for login, role in COLLABORATORS.items()})
    people.roles["outsider"] = Role.READ
    people.teams["acme/maintainers"] = {"maintainer", "admin"}
    people.owners = "* @writer\n"
    seconds = iter(range(60))

    def say(login: str, text: str) -> None:
        kept.say(login, text, f"2026-01-02T10:00:{next(seconds):02}Z", is_bot=login == ACTIONS, is_ours=login == APP)

    yield Stand(
        lambda: kept,
        lambda: people,
        say,
        lambda at, text: kept.change(kept.written[at], text=text, is_edited=True),
        lambda comment: [kept.replies[comment.id]] if comment.id in kept.replies else [],
        lambda: setattr(people, "others", False),
        lambda: people.hides.update({"role", "team"}),
    )


@contextmanager
def open_github(folder: Path) -> Iterator[Stand]:
    """GitHub, simulated."""
    scenario = make_scenario(folder)
    world, pull = scenario.world, scenario.pull
    caller = scenario.caller
    tree = scenario.repository.git

    def replies(comment: Comment) -> list[str]:
        marked = f"to={comment.id}"
        return [own.body for own in pull.comments if own.author.login == APP and marked in own.body]

    with serve(world) as simulator:
        work = tree.clone(folder / "work")
        work.commit({"CODEOWNERS": "* @writer\n"}, "Say who owns what")
        work.git("push", "--quiet", "origin", "HEAD:main")

        yield Stand(
            lambda: open_forge(scenario, simulator, pull),
            lambda: open_forge(scenario, simulator, pull),
            lambda login, text: comments.create(world, caller(login), pull, text),
            lambda at, text: comments.edit(world, caller("admin"), pull.comments[at], text),
            replies,
            scenario.repository.collaborators.clear,
            lambda: simulator.faults.add("forbidden", match="/permission|/memberships/", times=None),
        )
        assert simulator.violations == []


ROLES = {
    "admin": Level.OWNER,
    "maintainer": Level.MAINTAINER,
    "writer": Level.DEVELOPER,
    "triager": Level.REPORTER,
    "reader": Level.GUEST,
}


@contextmanager
def open_gitlab(folder: Path) -> Iterator[Stand]:
    """GitLab, simulated: one of the people is a member of the group above, and not of the project itself."""
    scenario = make_gitlab_scenario(folder)
    world, project, merge_request = scenario.world, scenario.project, scenario.merge_request
    for login in ROLES.keys() - {"maintainer"}:
        project.members[world.add_user(login)] = ROLES[login]
    team = world.add_group("maintainers", world.find_group("acme"))
    team.members.update({world.user(login): Level.GUEST for login in ("maintainer", "admin")})
    team.members[scenario.bot] = Level.GUEST  # who is in a private group, its members alone may ask

    def account(login: str) -> User:
        return scenario.person(login) if login in scenario.tokens else world.user(login)

    def replies(comment: Comment) -> list[str]:
        marked = f"to={comment.id}"
        return [note.body for note in merge_request.notes if note.author is scenario.bot and marked in note.body]

    def only_author() -> None:
        project.namespace.members.clear()
        world.find_group("acme").members.clear()
        project.members = {user: level for user, level in project.members.items() if user.username == "author"}

    with serve_gitlab(world) as simulator:
        push_to(world, project, "main", {"CODEOWNERS": "* @writer\n"}, "Say who owns what")
        push_to_gitlab(world, merge_request, {"README.md": "Rooms\n"})

        yield Stand(
            lambda: open_gitlab_forge(scenario, simulator, merge_request),
            lambda: open_gitlab_forge(scenario, simulator, merge_request),
            lambda login, text: gitlab_notes.create(world, account(login), merge_request, NewNote(text)),
            lambda at, text: gitlab_notes.edit(
                world, account("maintainer"), [note for note in merge_request.notes if not note.system][at], text
            ),
            replies,
            only_author,
            lambda: simulator.faults.add("403", match="/members/", times=None),
            bot=scenario.bot.username,
            another_bot=scenario.person(REPORTER_BOT).username,
        )
        assert simulator.violations == []
        assert world.executed == []


CONVERSATIONS: dict[str, Callable[[Path], AbstractContextManager[Stand]]] = {
    "memory": open_memory,
    "github": open_github,
    "gitlab": open_gitlab,
}


@pytest.fixture(params=CONVERSATIONS)
def stand(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stand]:
    with CONVERSATIONS[request.param](tmp_path) as opened:
        yield opened


# --- Converses -------------------------------------------------------------------------------------------------------


def test_comments_come_oldest_first_with_who_wrote_them(stand: Stand) -> None:
    stand.say("maintainer", "one")
    stand.say(stand.another_bot, "two")
    stand.say(stand.bot, "three")

    found = stand.open().comments()

    assert [comment.text for comment in found] == ["one", "two", "three"]
    assert [comment.author.login for comment in found if comment.author][:2] == ["maintainer", stand.another_bot]
    assert [comment.author.is_bot for comment in found if comment.author][:2] == [False, True]
    assert [comment.is_ours for comment in found] == [False, False, True]
    assert [comment.created_at for comment in found] == sorted(comment.created_at for comment in found)
    assert all(comment.created_at.endswith("Z") and comment.url for comment in found)


def test_an_edit_shows(stand: Stand) -> None:
    stand.say("maintainer", "one")
    stand.say("maintainer", "two")

    stand.edit(1, "three")

    assert [(comment.text, comment.is_edited) for comment in stand.open().comments()] == [
        ("one", False),
        ("three", True),
    ]


def test_a_long_conversation_is_read_to_its_end(stand: Stand) -> None:
    for number in range(59):
        stand.say("maintainer", f"comment {number}")

    assert [comment.text for comment in stand.open().comments()] == [f"comment {number}" for number in range(59)]


def test_a_reaction_is_put_once_and_seen_by_the_next_run(stand: Stand) -> None:
    stand.say("maintainer", "/approve-findings")
    first = stand.open()
    [comment] = first.comments()
    before = first.has_reacted(comment)

    for reaction in (Reaction.RECEIVED, Reaction.RECEIVED, Reaction.DONE):
        first.react(comment, reaction)

    following = stand.open()
    [again] = following.comments()
    assert before == frozenset()
    assert following.has_reacted(again) == {Reaction.RECEIVED, Reaction.DONE}


def test_a_comment_has_one_reply_which_a_later_one_replaces(stand: Stand) -> None:
    stand.say("maintainer", "/approve-findings 9")
    stand.say("maintainer", "/approve-findings 8")
    first, second = stand.open().comments()

    stand.open().reply(first, "there is no finding 9")
    stand.open().reply(second, "there is no finding 8")
    stand.open().reply(first, "there is still no finding 9")

    assert [len(stand.replies(comment)) for comment in (first, second)] == [1, 1]
    assert stand.replies(first)[0].startswith("there is still no finding 9")


# --- KnowsPeople -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("login", "role"),
    [
        ("admin", Role.ADMIN),
        ("maintainer", Role.MAINTAIN),
        ("writer", Role.WRITE),
        ("triager", Role.TRIAGE),
        ("reader", Role.READ),
        ("outsider", Role.READ),
        ("nobody-at-all", Role.NONE),
    ],
)
def test_a_role_is_the_real_one(login: str, role: Role, stand: Stand) -> None:
    assert stand.people().role_of(login) is role


def test_a_team_knows_its_members(stand: Stand) -> None:
    people = stand.people()

    assert people.is_in_team("maintainer", "acme/maintainers")
    assert not people.is_in_team("writer", "acme/maintainers")
    assert not people.is_in_team("maintainer", "acme/no-such-team")


def test_what_may_not_be_asked_lets_nobody_in(stand: Stand) -> None:
    stand.hide_people()

    with pytest.raises(PermissionDenied):
        stand.people().role_of("maintainer")
    with pytest.raises(PermissionDenied):
        stand.people().is_in_team("maintainer", "acme/maintainers")


def test_owners_are_those_of_the_target_branch(stand: Stand) -> None:
    assert stand.people().code_owners() == "* @writer\n"


def test_whether_anybody_else_can_write(stand: Stand) -> None:
    before = stand.people().others_may_command("author")

    stand.only_author()

    assert before
    assert not stand.people().others_may_command("author")
