"""Who may command the bot, and who may have it publish.

A role is asked of the forge when the command is given, and what cannot be read lets nobody in. Whether a command
fits the round, and what it does, is not decided here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from draftgate.config.model import Config, Who
from draftgate.domain.code_owners import CodeOwners
from draftgate.domain.people import Person, Role
from draftgate.errors import CommandRefused
from draftgate.forge.base import KnowsPeople


@dataclass(frozen=True, slots=True)
class Named:
    """A closed list of people: accounts, teams (``organization/team``), the code owners of the changed files."""

    users: frozenset[str] = frozenset()
    teams: tuple[str, ...] = ()
    codeowners: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What the configuration says about commands.

    Attributes:
        who: The least role, or the people, that may publish. Every other command takes `Role.WRITE` or being named.
        author_may_approve: ``None`` for *if nobody else can*.
        bots: Bot accounts that count as having `Role.WRITE`; any other bot may nothing.
    """

    who: Role | Named = Role.WRITE
    author_may_approve: bool | None = None
    bots: frozenset[str] = frozenset()

    @classmethod
    def of(cls, config: Config) -> Rules:
        """The rules of a configuration."""
        approval = config.approval
        own = approval.author_may_approve
        return cls(
            who=_named(approval.who) if isinstance(approval.who, Who) else Role(approval.who),
            author_may_approve=None if own == "auto" else own,
            bots=frozenset(map(_fold, config.commands.bots)),
        )


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """What about a change bears on who may publish.

    Attributes:
        author: The account that wrote it; "" if that was deleted.
        paths: The changed files of the round.
    """

    author: str
    paths: tuple[str, ...] = ()


class Wish(Enum):
    """What a comment asks for, as far as it decides who may."""

    ANYTHING = "a command that publishes nothing"
    PUBLISH = "a review"
    APPROVE = "a review that approves the change"


class Standing(Enum):
    """What somebody may here."""

    STRANGER = "may command nothing"
    COMMANDER = "may command, but not this"
    PERMITTED = "may"


class NotAllowed(CommandRefused):
    """Somebody who may command may not do this.

    Attributes:
        setting: The lines of the configuration that would allow it; "" if none would.
    """

    def __init__(self, message: str, *, hint: str, setting: str = "") -> None:
        super().__init__(message, hint=hint)
        self.setting = setting


@dataclass(frozen=True, slots=True)
class Ruling:
    """The answer to a wish; ``refusal`` says why a commander may not do this."""

    standing: Standing
    refusal: NotAllowed | None = None


_STRANGER = Ruling(Standing.STRANGER)
_PERMITTED = Ruling(Standing.PERMITTED)


@dataclass
class Authority:
    """Judges who may do what on one change, and asks the forge nothing twice.

    Make one for each run: a role that was taken away since must not be remembered.
    """

    people: KnowsPeople
    rules: Rules
    change: ChangeFacts
    _roles: dict[str, Role] = field(default_factory=dict)
    _owners: frozenset[str] | None = None
    _others: bool | None = None

    def judge(self, person: Person | None, wish: Wish) -> Ruling:
        """Whether a person may have what they wish for.

        Raises:
            PermissionDenied: the forge does not tell the bot; nobody is let in.
            Unavailable: the forge did not answer.
        """
        if person is None or not person.login or (person.is_bot and _fold(person.login) not in self.rules.bots):
            return _STRANGER
        if wish is Wish.ANYTHING:
            return _PERMITTED if self._may_command(person) else _STRANGER
        if self._may_publish(person):
            refusal = self._why_not_publish(person) or self._why_not_approve(person, wish)
            return Ruling(Standing.COMMANDER, refusal) if refusal else _PERMITTED
        if not self._may_command(person):
            return _STRANGER
        return Ruling(
            Standing.COMMANDER,
            NotAllowed(
                "you may give commands here, but not publish",
                hint=f"who may: {_spell_who(self.rules.who)}",
                setting="approval:\n  who: write",
            ),
        )

    def _may_command(self, person: Person) -> bool:
        return self._is_listed(person) or self._has(person, Role.WRITE) or self._is_in_team(person)

    def _may_publish(self, person: Person) -> bool:
        who = self.rules.who
        if isinstance(who, Role):
            return self._has(person, who)
        return self._is_listed(person) or self._owns_code(person) or self._is_in_team(person)

    def _has(self, person: Person, least: Role) -> bool:
        return self._role(person).rank >= least.rank

    def _role(self, person: Person) -> Role:
        if person.is_bot:
            return Role.WRITE
        login = _fold(person.login)
        if login not in self._roles:
            self._roles[login] = self.people.role_of(person.login)
        return self._roles[login]

    def _is_listed(self, person: Person) -> bool:
        who = self.rules.who
        return isinstance(who, Named) and _fold(person.login) in who.users

    def _is_in_team(self, person: Person) -> bool:
        who = self.rules.who
        return isinstance(who, Named) and any(self.people.is_in_team(person.login, team) for team in who.teams)

    def _owns_code(self, person: Person) -> bool:
        """Whether somebody owns at least one changed file; on GitHub only who can write is a code owner.

        https://docs.github.com/articles/about-code-owners
        """
        who = self.rules.who
        if not isinstance(who, Named) or not who.codeowners or not self._has(person, Role.WRITE):
            return False
        has_sections = self.people.owners_have_sections
        if self._owners is None:
            owners = CodeOwners.parse(self.people.code_owners() or "", has_sections=has_sections)
            self._owners = owners.of_any(self.change.paths)
        return _fold(person.login) in self._owners or any(
            self.people.is_in_team(person.login, owner)
            for owner in sorted(self._owners)
            if "/" in owner or has_sections
        )

    def _others_may(self, author: Person) -> bool:
        if self._others is None:
            self._others = self.people.others_may_command(author.login)
        return self._others

    def _why_not_publish(self, person: Person) -> NotAllowed | None:
        if not self._is_author(person) or self.rules.author_may_approve is True:
            return None
        if self.rules.author_may_approve is None and not self._others_may(person):
            return None
        return NotAllowed(
            "the findings on your own change are for somebody else to publish",
            hint=f"who may: {_spell_who(self.rules.who)}",
            setting="approval:\n  author_may_approve: true",
        )

    def _why_not_approve(self, person: Person, wish: Wish) -> NotAllowed | None:
        """Whose commits the change holds, and so what the bot itself may not approve, is the forge's to know."""
        if wish is not Wish.APPROVE or not self._is_author(person):
            return None
        return NotAllowed(
            "nobody has their own change approved by the bot", hint="nothing was submitted; `--as comment` would submit"
        )

    def _is_author(self, person: Person) -> bool:
        return _fold(person.login) == _fold(self.change.author)


def who_may_command(rules: Rules) -> str:
    """In words who may give the commands that publish nothing."""
    named = _spell_who(Named(rules.who.users, rules.who.teams)) if isinstance(rules.who, Named) else ""
    return " or ".join(filter(None, (_ROLES[Role.WRITE], named, _spell(rules.bots))))


def who_may_publish(rules: Rules) -> str:
    """In words who may have a review published."""
    bots = _spell(rules.bots) if rules.who is Role.WRITE else ""
    who = " or ".join(filter(None, (_spell_who(rules.who), bots)))
    return f"{who}; {_AUTHORS[rules.author_may_approve]}"


_ROLES = {
    Role.WRITE: "who may write to the repository",
    Role.MAINTAIN: "who maintains the repository",
    Role.ADMIN: "who administers the repository",
}
_AUTHORS = {
    True: "on their own change the author too",
    False: "on their own change never the author",
    None: "on their own change the author only if nobody else may write, or the repository belongs to a person",
}


def _spell_who(who: Role | Named) -> str:
    if isinstance(who, Role):
        return _ROLES[who]
    teams = " or ".join(f"a member of `{team}`" for team in who.teams)
    owners = "a code owner of a changed file" if who.codeowners else ""
    return " or ".join(filter(None, (_spell(who.users), teams, owners)))


def _spell(logins: frozenset[str]) -> str:
    return " or ".join(f"`{login}`" for login in sorted(logins))


def _named(who: Who) -> Named:
    return Named(frozenset(map(_fold, who.users)), tuple(team.removeprefix("@") for team in who.teams), who.codeowners)


def _fold(login: str) -> str:
    """Accounts have no case, and people write them with or without the sign."""
    return login.removeprefix("@").lower()
