"""Who somebody is on GitLab, and what they may do there, asked at the time of the command.

``members/all`` counts what is inherited from groups and what came by invitation; ``members`` alone does not.
https://docs.gitlab.com/api/project_members/#retrieve-a-project-member-including-inherited-and-invited-members
"""

from __future__ import annotations

from urllib.parse import quote

from draftgate.domain.people import Role
from draftgate.errors import PermissionDenied, UsageError
from draftgate.forge.gitlab.connection import Connection, Json
from draftgate.forge.gitlab.troubles import Refused
from draftgate.forge.gitlab.view import View

_ROLES = ((50, Role.ADMIN), (40, Role.MAINTAIN), (30, Role.WRITE), (20, Role.TRIAGE), (10, Role.READ))
"""The least access level of each role: https://docs.gitlab.com/api/access_requests/#valid-access-levels"""

_WRITES = 30
_OWNERS = ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
"""Where GitLab looks, in this order: https://docs.gitlab.com/user/project/codeowners/#codeowners-file"""


class People:
    """Answers what accounts may do in one project; each account is asked about once."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._roles: dict[str, Role] = {}

    def role_of(self, login: str) -> Role:
        """The role that GitLab gives an account here; everybody reads what is public."""
        if login not in self._roles:
            self._roles[login] = self._ask(login)
        return self._roles[login]

    def is_in_team(self, login: str, team: str) -> bool:
        """Whether an account is a member of a group, or of one above it."""
        path = team.lstrip("@")
        if not path:
            raise UsageError(f"{team!r} is no group", hint="write groups by their full path, as in `company/tools`")
        number = self._view.id_of(login)
        if number is None:
            return False
        try:
            member = self._connection.get(f"/groups/{quote(path, safe='')}/members/all/{number}")
        except Refused as refused:
            if refused.is_gone:
                return False
            raise
        return bool(member.get("state", "active") == "active")

    def code_owners(self) -> str | None:
        """CODEOWNERS on the target branch as it is now; the diff may have begun from an older commit of it."""
        tip = self._view.target_tip()
        found = (self._view.read_file(path, tip) for path in _OWNERS)
        return next((text for text in found if text is not None), None)

    @property
    def owners_have_sections(self) -> bool:
        """GitLab has them."""
        return True

    def others_may_command(self, author: str) -> bool:
        """Whether anybody but ``author`` can write here; a person's own project counts as theirs alone."""
        try:
            project = self._connection.get("")
            if (project.get("namespace") or {}).get("kind") == "user":
                return False
            members = self._connection.pages("members/all")
            return any(self._may_write(member, author) for member in members)
        except Refused as refused:
            if refused.is_denied or refused.is_gone:
                return True  # it cannot be read, so nobody is let in by it
            raise

    def _may_write(self, member: Json, author: str) -> bool:
        login, level = str(member.get("username", "")), member.get("access_level")
        is_bot = login.lower() == self._view.account.login.lower()
        return isinstance(level, int) and level >= _WRITES and login.lower() != author.lower() and not is_bot

    def _ask(self, login: str) -> Role:
        number = self._view.id_of(login)
        if number is None:
            return Role.NONE
        try:
            member = self._connection.get(f"members/all/{number}")
        except Refused as refused:
            if isinstance(refused, PermissionDenied):
                raise
            if refused.is_gone:
                return Role.READ
            raise
        level = member.get("access_level")
        is_active = member.get("state", "active") == "active"
        return next(
            (role for least, role in _ROLES if is_active and isinstance(level, int) and level >= least), Role.NONE
        )
