"""Where a repository is hosted, read off the addresses of its remotes, without asking anyone.

An address is text of others: a user, a password and whatever else does not belong to a host and a path is dropped here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, urlsplit

from draftgate.setup.shown import Remote, Shown


class ForgeName(StrEnum):
    """A forge that workflows or templates are written for."""

    GITHUB = "github"
    GITLAB = "gitlab"

    @property
    def as_written(self) -> str:
        """The name as its makers write it."""
        return {"github": "GitHub", "gitlab": "GitLab"}[self.value]


# git-clone(1): `[user@]host:path` is ssh where no slash stands before the first colon.
_SCP = re.compile(r"(?:[^@/:]+@)?(?P<host>\[[0-9a-fA-F:]+\]|[^@/:\[\]]+):(?!//)(?P<path>.+)", re.DOTALL)
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?")
_PATH = re.compile(r"[\w.~+-]+(?:/[\w.~+-]+)*", re.ASCII)
_WEB = frozenset({"http", "https"})
_SCHEMES = _WEB | {"ssh", "git", "git+ssh", "ssh+git"}
_HINTS = {"github": ForgeName.GITHUB, "ghe": ForgeName.GITHUB, "gitlab": ForgeName.GITLAB}
_OTHERS = re.compile(
    r"bitbucket|codeberg|gitea|forgejo|azure|visualstudio|gerrit|googlesource|launchpad|sr\.ht|gitee|codecommit"
)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a remote is.

    Attributes:
        remote: Its name.
        host: Lower case; without a dot it may be an alias of the person's ssh configuration.
        port: Of a web address, if it is written.
        path: Group and project, with what stands before them on an instance below a path.
        is_web: It was an ``http`` or ``https`` address, so that pages are below it.
        scheme: ``https`` unless the address says ``http``.
    """

    remote: str
    host: str
    path: str
    port: int | None = None
    is_web: bool = True
    scheme: str = "https"

    @property
    def forge(self) -> ForgeName | None:
        """The forge that the host, or the first folder of its path, is named for."""
        words = re.split(r"[.-]", self.host)
        found = next((_HINTS[word] for word in words if word in _HINTS), None)
        return found or (ForgeName.GITLAB if self.is_below_a_path else None)

    @property
    def is_below_a_path(self) -> bool:
        """An instance as ``https://example.com/gitlab``: a project there has a path of three parts or more."""
        first, *rest = self.path.split("/")
        return self.is_web and first == "gitlab" and len(rest) >= 2 and "gitlab" not in self.host

    @property
    def is_other(self) -> bool:
        """The host is one of a forge that Draftgate does not know."""
        return self.forge is None and _OTHERS.search(self.host) is not None

    @property
    def is_alias(self) -> bool:
        """Nobody else could resolve the host."""
        return "." not in self.host and self.host != "localhost"

    @property
    def page(self) -> str | None:
        """The project's page; ``None`` where the address does not say it."""
        if self.is_alias:
            return None
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{self.host}{port}/{quote(self.path)}"

    @property
    def label(self) -> str:
        """Host and path, for a sentence."""
        return f"{self.host}/{self.path}"


def read_address(remote: Remote) -> Address | None:
    """The address of a remote; ``None`` for a folder, a file and whatever is no address."""
    url = remote.url.strip()
    if "://" in url:
        return _from_url(remote.name, url)
    scp = _SCP.fullmatch(url)
    if scp is None:
        return None
    return _checked(Address(remote.name, scp["host"].lower(), scp["path"], is_web=False))


def _from_url(name: str, url: str) -> Address | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _SCHEMES or not parts.hostname:
        return None
    is_web = parts.scheme in _WEB
    scheme = parts.scheme if is_web else "https"
    return _checked(Address(name, parts.hostname, parts.path, port if is_web else None, is_web, scheme))


def _checked(address: Address) -> Address | None:
    path = address.path.strip("/").removesuffix(".git").rstrip("/")
    if not _HOST.fullmatch(address.host) or not _PATH.fullmatch(path):
        return None
    return Address(address.remote, address.host, path, address.port, address.is_web, address.scheme)


def addresses(shown: Shown) -> tuple[Address, ...]:
    """Every remote with an address, the likeliest first: the one the branch follows, ``origin``, then by name."""
    found = [address for remote in shown.remotes if (address := read_address(remote)) is not None]
    rank = {shown.followed: 0, "origin": 1} if shown.followed else {"origin": 1}
    return tuple(sorted(found, key=lambda address: (rank.get(address.remote, 2), address.remote)))
