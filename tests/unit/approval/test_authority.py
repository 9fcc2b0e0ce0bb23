"""Who may command, and who may have the bot publish."""

from __future__ import annotations

import pytest

from draftgate.approval.authority import (
    Authority,
    ChangeFacts,
    Named,
    Rules,
    Standing,
    Wish,
    who_may_command,
    who_may_publish,
)
from draftgate.config.model import Approval, Commands, Config, Who
from draftgate.domain.people import Person, Role
from draftgate.errors import PermissionDenied, Unavailable
from tests.fakes.conversation import FakePeople

STRANGER, COMMANDER, PERMITTED = Standing.STRANGER, Standing.COMMANDER, Standing.PERMITTED
ANYTHING, PUBLISH, APPROVE = Wish.ANYTHING, Wish.PUBLISH, Wish.APPROVE
CHANGE = ChangeFacts("author", ("app/models/team.py", "docs/teams.md"))
PEOPLE = FakePeople(
    roles={
        "reader": Role.READ,
        "triager": Role.TRIAGE,
        "maintainer": Role.MAINTAIN,
        "writer": Role.WRITE,
        "author": Role.WRITE,
        "admin": Role.ADMIN,
    },
    teams={"example/reviewers": {"writer", "outsider"}},
    owners="*.py @writer @reader\ndocs/ @example/reviewers\n*.rb @maintainer\n",
)


def judge(person: Person | str | None, wish: Wish, people: FakePeople = PEOPLE, **rules: object) -> Standing:
    asks = Person(person) if isinstance(person, str) else person
    made = Rules(**rules)  # type: ignore[arg-type]  # fields by name
    return Authority(people, made, CHANGE).judge(asks, wish).standing


# --- Roles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", [ANYTHING, PUBLISH, APPROVE])
@pytest.mark.parametrize(
    ("login", "standing"),
    [
        ("outsider", STRANGER),
        ("reader", STRANGER),
        ("triager", STRANGER),
        ("writer", PERMITTED),
        ("maintainer", PERMITTED),
        ("admin", PERMITTED),
        ("", STRANGER),
    ],
)
def test_by_default_whoever_can_write_may_everything_and_nobody_else_anything(
    login: str, standing: Standing, wish: Wish
) -> None:
    assert judge(login, wish) is standing


@pytest.mark.parametrize("wish", [ANYTHING, PUBLISH, APPROVE])
def test_a_deleted_account_may_nothing(wish: Wish) -> None:
    assert judge(None, wish) is STRANGER


@pytest.mark.parametrize(
    ("who", "may", "may_not"),
    [
        (Role.MAINTAIN, {"maintainer", "admin"}, {"writer"}),
        (Role.ADMIN, {"admin"}, {"writer", "maintainer"}),
        (Named(users=frozenset({"outsider"})), {"outsider"}, {"writer", "admin"}),
        (Named(teams=("example/reviewers",)), {"writer", "outsider"}, {"admin"}),
        (Named(codeowners=True), {"writer"}, {"maintainer", "admin"}),
    ],
    ids=["maintain", "admin", "users", "teams", "codeowners"],
)
def test_who_bounds_publishing_and_whoever_can_write_may_the_rest(
    who: Role | Named, may: set[str], may_not: set[str]
) -> None:
    assert {login: judge(login, PUBLISH, who=who) for login in may} == dict.fromkeys(may, PERMITTED)
    assert {login: judge(login, PUBLISH, who=who) for login in may_not} == dict.fromkeys(may_not, COMMANDER)
    assert {login: judge(login, ANYTHING, who=who) for login in may_not} == dict.fromkeys(may_not, PERMITTED)


def test_who_is_named_may_command_without_a_role_and_others_without_one_may_nothing() -> None:
    who = Named(users=frozenset({"reader"}), teams=("example/reviewers",))

    assert [judge(login, ANYTHING, who=who) for login in ("reader", "outsider", "triager")] == [
        PERMITTED,
        PERMITTED,
        STRANGER,
    ]
    assert judge("triager", PUBLISH, who=who) is STRANGER


@pytest.mark.parametrize(("login", "standing"), [("reader", STRANGER), ("outsider", STRANGER), ("writer", PERMITTED)])
def test_who_cannot_write_is_no_code_owner(login: str, standing: Standing) -> None:
    assert judge(login, PUBLISH, who=Named(codeowners=True)) is standing


def test_a_repository_without_code_owners_has_none() -> None:
    assert judge("writer", PUBLISH, FakePeople(PEOPLE.roles), who=Named(codeowners=True)) is COMMANDER


def test_a_refusal_names_who_may_and_the_setting() -> None:
    refusal = Authority(PEOPLE, Rules(who=Role.ADMIN), CHANGE).judge(Person("writer"), PUBLISH).refusal

    assert refusal is not None
    assert "administers" in refusal.hint
    assert refusal.setting == "approval:\n  who: write"


# --- Bots ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("login", "listed", "standing"),
    [
        ("release[bot]", (), STRANGER),
        ("release[bot]", ("release[bot]",), PERMITTED),
        ("release[bot]", ("Release[bot]",), PERMITTED),
        ("release[bot]", ("release",), STRANGER),
        ("writer", (), STRANGER),
    ],
    ids=["unlisted", "listed", "in-another-case", "another-name", "with-a-role"],
)
def test_a_bot_may_only_if_it_is_listed(login: str, listed: tuple[str, ...], standing: Standing) -> None:
    bots = Rules.of(Config(commands=Commands(bots=listed))).bots

    assert judge(Person(login, is_bot=True), PUBLISH, bots=bots) is standing


def test_a_listed_bot_counts_as_one_that_can_write() -> None:
    bot, bots = Person("release[bot]", is_bot=True), frozenset({"release[bot]"})

    assert judge(bot, PUBLISH, bots=bots, who=Role.MAINTAIN) is COMMANDER
    assert judge(bot, ANYTHING, bots=bots, who=Role.MAINTAIN) is PERMITTED


# --- The author ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "others", "standing"),
    [
        (None, True, COMMANDER),
        (None, False, PERMITTED),
        (True, True, PERMITTED),
        (True, False, PERMITTED),
        (False, True, COMMANDER),
        (False, False, COMMANDER),
    ],
)
@pytest.mark.parametrize("login", ["author", "Author"])
def test_an_author_publishes_on_their_own_change_only_as_the_setting_says(
    login: str, *, setting: bool | None, others: bool, standing: Standing
) -> None:
    people = FakePeople({login: Role.WRITE}, others=others)

    assert judge(login, PUBLISH, people, author_may_approve=setting) is standing
    assert judge(login, ANYTHING, people, author_may_approve=setting) is PERMITTED


@pytest.mark.parametrize("setting", [None, True, False])
def test_an_author_never_has_their_own_change_approved(*, setting: bool | None) -> None:
    people = FakePeople(PEOPLE.roles, others=False)

    assert judge("author", APPROVE, people, author_may_approve=setting) is COMMANDER


@pytest.mark.parametrize("role", [Role.NONE, Role.READ, Role.TRIAGE])
def test_an_author_who_cannot_write_may_nothing_whatever_the_setting(role: Role) -> None:
    people = FakePeople({"author": role}, others=False)

    assert [judge("author", wish, people, author_may_approve=True) for wish in Wish] == [STRANGER] * 3


def test_the_refusal_of_an_author_names_the_setting_that_would_allow_it() -> None:
    refusal = Authority(PEOPLE, Rules(), CHANGE).judge(Person("author"), PUBLISH).refusal

    assert refusal is not None
    assert refusal.setting == "approval:\n  author_may_approve: true"


def test_a_change_whose_author_is_gone_is_nobodys_own() -> None:
    authority = Authority(PEOPLE, Rules(), ChangeFacts(""))

    assert authority.judge(Person("writer"), APPROVE).standing is PERMITTED
    assert authority.judge(Person(""), APPROVE).standing is STRANGER


# --- What is asked ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("login", "who", "asked"),
    [
        ("writer", Role.WRITE, ["role writer"]),
        ("outsider", Role.WRITE, ["role outsider"]),
        ("author", Role.WRITE, ["role author", "others"]),
        ("writer", Named(users=frozenset({"writer"})), []),
        ("writer", Named(codeowners=True), ["role writer", "owners"]),
    ],
    ids=["writer", "outsider", "author", "listed", "owner"],
)
def test_nobody_is_asked_about_twice(login: str, who: Role | Named, asked: list[str]) -> None:
    people = FakePeople(PEOPLE.roles, PEOPLE.teams, PEOPLE.owners)
    authority = Authority(people, Rules(who=who), CHANGE)

    for wish in (ANYTHING, PUBLISH, PUBLISH):
        authority.judge(Person(login), wish)

    assert people.asked == asked


@pytest.mark.parametrize("hidden", ["role", "team", "owners"])
def test_what_cannot_be_read_lets_nobody_in(hidden: str) -> None:
    people = FakePeople(PEOPLE.roles, PEOPLE.teams, PEOPLE.owners, hides={hidden})
    who = Named(teams=("example/reviewers",), codeowners=True)

    with pytest.raises(PermissionDenied):
        judge("admin", PUBLISH, people, who=who)


def test_a_forge_that_does_not_answer_lets_nobody_in() -> None:
    class Silent(FakePeople):
        def role_of(self, login: str) -> Role:
            raise Unavailable("it does not answer", hint="later")

    with pytest.raises(Unavailable):
        judge("writer", ANYTHING, Silent())


# --- From the configuration, and in words ----------------------------------------------------------------------------


def test_rules_come_from_the_configuration() -> None:
    who = Who(users=("@Maintainer",), teams=("@example/reviewers",), codeowners=True)
    rules = Rules.of(Config(approval=Approval(who=who, author_may_approve=False)))

    assert rules == Rules(Named(frozenset({"maintainer"}), ("example/reviewers",), codeowners=True), False)
    assert Rules.of(Config()) == Rules(Role.WRITE, None)


def test_who_may_is_said_as_it_is_configured() -> None:
    rules = Rules(Named(frozenset({"lead"}), ("example/reviewers",), codeowners=True), True, frozenset({"x[bot]"}))

    assert who_may_publish(rules) == (
        "`lead` or a member of `example/reviewers` or a code owner of a changed file; "
        "on their own change the author too"
    )
    assert who_may_command(rules) == (
        "who may write to the repository or `lead` or a member of `example/reviewers` or `x[bot]`"
    )
    assert who_may_publish(Rules()).startswith("who may write to the repository; on their own change the author only")
