"""The objects of a change on a forge: read where the job already has them, else fetched into a repository of our own.

The one place where git reaches a network. The workspace is never written, and the token is in the environment of
the one process that needs it: never among its arguments, in a configuration, or on disk. What the objects prove is
for `draftgate.git.scope`.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from draftgate.domain.change import CommitSha
from draftgate.errors import EvidenceError, UsageError
from draftgate.git.evidence import prove_merge_bases
from draftgate.git.repository import Repository
from draftgate.git.run import Git, GitFailed, GitTimedOut

FETCH_LIMIT_S = 10.0
"""Seconds that all fetching for one round may take; afterwards the forge's API has to do."""

_SHALLOW = "shallow"
_SHA1_LENGTH = 40
_REASON_KEPT = 300
_OWN_REFS = ("refs/draftgate/base", "refs/draftgate/head")
_QUIET_FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-show-forced-updates",
)
# What the token could reach, or another program answer for. https://git-scm.com/docs/git-config
_NETWORK_SETTINGS = (
    "credential.helper=",
    "http.followRedirects=false",  # git would send the header on to wherever the first answer points
    "transfer.credentialsInUrl=die",
)
_PROXIES = ("http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY")
_CERTIFICATES = ("GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "CI_SERVER_TLS_CA_FILE")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The two ends of a change.

    Attributes:
        base_tip: The commit of the target branch.
        head: The commit under review.
        distance: How many commits lie between an end and the merge base, at most, as the forge counts them (the
            greater of ``ahead_by`` and ``behind_by``); ``None`` if unknown, and then all history is fetched.
    """

    base_tip: CommitSha
    head: CommitSha
    distance: int | None = None


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the objects can be fetched.

    Attributes:
        url: ``https://SERVER/OWNER/REPOSITORY.git``, without a user in it.
        base_ref: The full ref of the target branch.
        head_ref: The full ref of the change, ``refs/pull/7/head``.
        token: Opens it; "" for none.
        user: Who the token is told to be of; where it is of no matter, as GitHub's own checkout has it.
    """

    url: str
    base_ref: str
    head_ref: str
    token: str = field(repr=False)
    user: str = "x-access-token"


@dataclass(frozen=True, slots=True)
class NoObjects:
    """The objects could not be had, and why, as a sentence part."""

    reason: str


@contextmanager
def open_change(
    workspace: Path | None,
    wanted: Wanted,
    remote: Remote,
    *,
    temp: Path,
    environment: Mapping[str, str],
    clock: Callable[[], float],
    limit_s: float = FETCH_LIMIT_S,
) -> Iterator[Repository | NoObjects]:
    """A repository that holds both ends of a change and the history between them, inside the block.

    Args:
        workspace: Where the job may have checked something out; whoever owns it, it is only read.
        wanted: The two ends.
        remote: Where to fetch what is missing.
        temp: A folder for a repository of our own, which goes with the block; two runs never share one.
        environment: The caller's: where git is, proxies and certificates.
        clock: Seconds, monotonic.
        limit_s: Seconds for all fetching.
    """
    lender = _open_workspace(workspace, environment)
    if lender is not None and _holds(lender, wanted):
        yield lender
        return
    with tempfile.TemporaryDirectory(prefix="draftgate-objects-", dir=temp) as folder:
        own = _Own(Path(folder).resolve(), lender, wanted, remote, environment, clock, clock() + limit_s)
        try:
            opened: Repository | NoObjects = own.fill()
        except GitTimedOut:
            opened = NoObjects(f"git did not fetch the change within {limit_s:.0f} s")
        except (GitFailed, UsageError) as error:
            opened = NoObjects(error.message[:_REASON_KEPT])
        yield opened


def _open_workspace(path: Path | None, environment: Mapping[str, str]) -> Repository | None:
    """The repository of the workspace, ``None`` if there is none whose objects can be relied on."""
    if path is None:
        return None
    try:
        repository = Repository.open(path.resolve(), environment)
    except UsageError:
        return None
    return None if repository.is_partial else repository


def _holds(repository: Repository, wanted: Wanted) -> bool:
    try:
        prove_merge_bases(repository, wanted.base_tip, wanted.head)
    except EvidenceError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Own:
    """A bare repository of our own in the making; of the workspace it borrows objects and nothing else."""

    folder: Path
    lender: Repository | None
    wanted: Wanted
    remote: Remote
    environment: Mapping[str, str]
    clock: Callable[[], float]
    deadline: float

    def fill(self) -> Repository:
        """Fetch as much history as the forge says is needed, and all of it where that does not prove enough.

        Raises:
            GitFailed: The server refuses, or does not hold the commits.
            GitTimedOut: It took too long.
            UsageError: There is no git.
        """
        self._create()
        self._borrow()
        self._fetch_either(*self._depth())
        repository = Repository.open(self.folder, self.environment)
        if repository.is_shallow and not _holds(repository, self.wanted):
            self._fetch_either("--unshallow")
        if not all(self._has(repository, commit) for commit in (self.wanted.base_tip, self.wanted.head)):
            raise GitFailed("the server does not hold the commits of the change", hint="run the job again")
        return repository

    def _create(self) -> None:
        object_format = "sha1" if len(self.wanted.head) == _SHA1_LENGTH else "sha256"
        git = Git.hardened(self.environment)
        git.run("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", str(self.folder))

    def _borrow(self) -> None:
        """Read the workspace's objects too; where its history is cut off, say so to the server as the workspace would.

        https://git-scm.com/docs/gitrepository-layout, "alternates" and "shallow".
        """
        if self.lender is None or "\n" in str(self.lender.object_directory):
            return
        alternates = self.folder / "objects" / "info" / "alternates"
        alternates.write_bytes(os.fsencode(self.lender.object_directory) + b"\n")
        if self.lender.is_shallow:
            (self.folder / _SHALLOW).write_bytes((self.lender.common_dir / _SHALLOW).read_bytes())

    def _depth(self) -> tuple[str, ...]:
        """How much history to ask for; beside a whole history any bound would only cut it off."""
        if self.lender is not None and not self.lender.is_shallow:
            return ()
        if self.wanted.distance is not None:
            return (f"--depth={self.wanted.distance + 1}",)
        return () if self.lender is None else ("--unshallow",)

    def _fetch_either(self, *depth: str) -> None:
        """By id, so that a branch that moves meanwhile does not matter; by name where the server wants names."""
        ids = (self.wanted.base_tip, self.wanted.head)
        try:
            self._fetch(ids, *depth)
        except GitTimedOut:
            raise
        except GitFailed:
            self._fetch((self.remote.base_ref, self.remote.head_ref), *depth)

    def _fetch(self, sources: tuple[str, str], *depth: str) -> None:
        refspecs = (f"+{source}:{own}" for source, own in zip(sources, _OWN_REFS, strict=True))
        left = self.deadline - self.clock()
        if left <= 0:
            raise GitTimedOut("no time is left to fetch", hint="run the job again")
        git = replace(self._git(), timeout_s=left)
        git.run(*_QUIET_FETCH, *depth, "--end-of-options", self.remote.url, *refspecs)

    def _git(self) -> Git:
        """Git with the smallest opening: one protocol, no redirect, no helper, no `.netrc`, a token for one address."""
        settings = (part for setting in _NETWORK_SETTINGS for part in ("-c", setting))
        return (
            Git.hardened(self.environment)
            .at(f"--git-dir={self.folder}", *settings)
            .at(GIT_ALLOW_PROTOCOL=_protocol(self.remote.url), HOME=str(self.folder))
            .at(**_network(self.environment), **_authorization(self.remote))
        )

    def _has(self, repository: Repository, commit: CommitSha) -> bool:
        return repository.git.attempt("cat-file", "-e", f"{commit}^{{commit}}").code == 0


def _protocol(url: str) -> str:
    scheme = urlsplit(url).scheme
    if scheme not in {"https", "http"}:
        raise UsageError(f"objects are not fetched over {scheme or 'a path'}", hint="name an https:// address")
    return scheme


def _network(environment: Mapping[str, str]) -> dict[str, str]:
    """Proxies and certificates under the names that git and its HTTP library read."""
    variables = {name: environment[name] for name in _PROXIES if environment.get(name)}
    if environment.get("HTTP_PROXY"):
        variables.setdefault("http_proxy", environment["HTTP_PROXY"])  # libcurl knows the lower-case one alone
    bundle = next((environment[name] for name in _CERTIFICATES if environment.get(name)), None)
    if bundle is not None:
        variables["GIT_SSL_CAPATH" if Path(bundle).is_dir() else "GIT_SSL_CAINFO"] = bundle
    return variables


def _authorization(remote: Remote) -> dict[str, str]:
    """The header that actions/checkout sends too, for the one address.

    https://git-scm.com/docs/git-config, "GIT_CONFIG_COUNT"
    """
    if not remote.token:
        return {}
    credentials = base64.b64encode(f"{remote.user}:{remote.token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{remote.url}.extraHeader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {credentials}",
    }
