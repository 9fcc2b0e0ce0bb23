"""Who somebody is on GitHub, and what they may do there, asked at the time of the command.

``author_association`` is no permission and is never looked at: it says MEMBER only for public members, and CONTRIBUTOR
for whoever once had a commit merged.
"""

from __future__ import annotations

from urllib.parse import quote

from draftgate.domain.people import Role
from draftgate.errors import PermissionDenied, UsageError
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.troubles import Denied, Refused, Trouble
from draftgate.forge.github.view import View

_OWNERS = {"inGithub": ".github/CODEOWNERS", "inRoot": "CODEOWNERS", "inDocs": "docs/CODEOWNERS"}


class People:
    """Answers what accounts may do on one repository; each account is asked about once."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view
        self._roles: dict[str, Role] = {}

    def role_of(self, login: str) -> Role:
        """The role that GitHub gives an account here.

        ``permission`` knows four words and rounds down (`maintain` is write, `triage` is read); ``role_name`` has the
        real one, or the name of an organization's own role, for which the rounded word counts
        (https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user).
        """
        if login not in self._roles:
            self._roles[login] = self._ask(login)
        return self._roles[login]

    def is_in_team(self, login: str, team: str) -> bool:
        """Whether an account is an active member of ``organization/team``."""
        organization, _, slug = team.lstrip("@").partition("/")
        if not slug:
            raise UsageError(f"{team!r} is no team", hint="write teams as `organization/team`")
        path = "/".join(quote(part, safe="") for part in (organization, "teams", slug, "memberships", login))
        try:
            return bool(self._connection.get(f"/orgs/{path}").get("state") == "active")
        except Refused as refused:
            if refused.trouble is Trouble.NOT_FOUND:
                return False
            raise

    def code_owners(self) -> str | None:
        """CODEOWNERS at the tip of the target branch, by its commit: a tag of the same name would come before it."""
        tip = self._view.now().change.base_tip
        names = {name: value for name, value in self._view.place.names.items() if name != "number"}
        places = {name: f"{tip}:{path}" for name, path in _OWNERS.items()}
        repository = self._connection.query("code_owners", **names, **places).get("repository") or {}
        found = next((repository[name] for name in _OWNERS if repository.get(name)), None)
        if found is None:
            return None
        if found.get("isTruncated") or not isinstance(found.get("text"), str):
            raise PermissionDenied("CODEOWNERS cannot be read whole", hint="keep it below GitHub's 3 MB")
        return str(found["text"])

    @property
    def owners_have_sections(self) -> bool:
        """GitHub skips such lines."""
        return False

    def others_may_command(self, author: str) -> bool:
        """Whether anybody but ``author`` can write here; a person's own repository counts as theirs alone."""
        owner = self._connection.read(lambda: self._connection.repo.owner.type)
        if owner != "Organization":
            return False
        try:
            collaborators = self._connection.pages("collaborators", permission="push")
            return any(str(entry.get("login", "")).lower() != author.lower() for entry in collaborators)
        except Refused as refused:
            if isinstance(refused, Denied) or refused.trouble is Trouble.NOT_FOUND:
                return True  # it cannot be read, so nobody is let in by it
            raise

    def _ask(self, login: str) -> Role:
        try:
            answer = self._connection.get(f"collaborators/{quote(login, safe='')}/permission")
        except Refused as refused:
            if refused.trouble is Trouble.NOT_FOUND:
                return Role.NONE
            raise
        known = [str(answer.get(field) or "") for field in ("role_name", "permission")]
        return next((Role(name) for name in known if name in set(Role)), Role.NONE)
