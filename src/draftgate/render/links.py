"""Permanent addresses of what a page names: a line at the commit that was reviewed.

An address is made only where the forge's web address is known; it holds nothing unescaped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, Finding
from draftgate.render import neutralize
from draftgate.render.wording import place_of, short_sha

_ADDRESS = re.compile(r"https?://[^\s<>()\[\]`\"\\]+")


@dataclass(frozen=True, slots=True)
class LinkStyle:
    """How the web addresses of a forge name what lies below a repository.

    Attributes:
        below: Stands between the repository and the kind of page.
        to: Stands before the last line of a range.
    """

    below: str = ""
    to: str = "L"


PLAIN = LinkStyle()
"""``/blob/SHA/path#L1-L2``, GitHub's."""

DASHED = LinkStyle(below="/-", to="")
"""``/-/blob/SHA/path#L1-2``, GitLab's: https://docs.gitlab.com/user/project/repository/files/"""


@dataclass(frozen=True, slots=True)
class Links:
    """Where the lines of a round can be seen.

    Attributes:
        repository: The web address of the repository; "" links nothing.
        head: The reviewed commit.
        base: The commit that removed lines are shown at.
        style: How the forge writes addresses.
    """

    repository: str = ""
    head: str = ""
    base: str = ""
    style: LinkStyle = PLAIN

    def place(self, finding: Finding) -> str:
        """The place of a finding as Markdown, "" for one about the change as a whole."""
        place = place_of(finding.anchor)
        return self._link(neutralize.code_span(place), self._address(finding)) if place else ""

    def cell(self, finding: Finding) -> str:
        """The place of a finding for a cell of a table."""
        place = place_of(finding.anchor)
        return self._link(neutralize.cell(neutralize.code_span(place)), self._address(finding)) if place else ""

    def commit(self, sha: str) -> str:
        """A commit as Markdown."""
        return self._link(f"`{short_sha(sha)}`", f"/commit/{sha}")

    def _link(self, text: str, path: str) -> str:
        return f"[{text}]({self.repository}{self.style.below}{path})" if is_address(self.repository) else text

    def _address(self, finding: Finding) -> str:
        anchor = finding.anchor
        is_old = anchor.side is Side.LEFT
        path = finding.evidence.path if is_old and finding.evidence else anchor.path or ""
        quoted = quote(path.encode(errors="surrogateescape"))
        return f"/blob/{self.base if is_old else self.head}/{quoted}{_lines(anchor, self.style)}"


NOWHERE = Links()
"""Links nothing."""


def is_address(text: str) -> bool:
    """Whether a text is a web address that can stand in Markdown as it is."""
    return _ADDRESS.fullmatch(text) is not None


def _lines(anchor: Anchor, style: LinkStyle) -> str:
    if anchor.line is None:
        return ""
    return f"#L{anchor.line}" if anchor.start_line is None else f"#L{anchor.start_line}-{style.to}{anchor.line}"
