"""Which verdicts GitHub takes from the bot on a change, and which the bot gives."""

from __future__ import annotations

from draftgate.domain.review import Verdict
from draftgate.forge.github import facts
from draftgate.forge.github.connection import Connection
from draftgate.forge.github.view import View


class Verdicts:
    """Judges the verdicts of one run."""

    def __init__(self, connection: Connection, view: View) -> None:
        self._connection = connection
        self._view = view

    def why_refused(self, verdict: Verdict) -> str:
        """GitHub takes nothing but comments from the author; and the bot approves nothing that it wrote itself."""
        author = self._view.facts.author
        if verdict is Verdict.COMMENT:
            return ""
        if author is not None and author.login == self._view.account.login:
            return "GitHub does not let an account approve its own pull request, or request changes on it"
        if verdict is Verdict.APPROVE and self._has_commit():
            return f"{self._view.account.login} has a commit in this change, and approves nothing that it wrote"
        return ""

    def _has_commit(self) -> bool:
        """Whether a commit of the change names the bot, by account or by the address that GitHub gives to it."""
        account, after = self._view.account, None
        address = f"+{account.login}@users.noreply.github.com".lower()
        while True:
            answer = self._connection.query("authors", **self._view.place.names, after=after)
            commits = ((answer.get("repository") or {}).get("pullRequest") or {}).get("commits")
            for node in facts.nodes(commits):
                for actor in (node["commit"].get("author") or {}, node["commit"].get("committer") or {}):
                    login = (actor.get("user") or {}).get("login", "")
                    if login == account.login or str(actor.get("email") or "").lower().endswith(address):
                        return True
            after = facts.next_page(commits)
            if after is None:
                return False
