"""Which repository on which forge ``draftgate doctor`` looks at, and with which token.

In a job the platform says it. At a terminal the address of ``origin`` does, or ``--repository``. A token goes to
GitHub.com or GitLab.com, or to a server that the person named: by that option, or by the variables that a job has. A
server that only a clone names gets none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from draftgate.bootstrap.doctor.wanted import Place
from draftgate.cli.ci.variables import Variables
from draftgate.errors import UsageError

FORGES = ("github", "gitlab")

_PUBLIC = {"github.com": "github", "gitlab.com": "gitlab"}
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_TOKENS = {"github": ("INPUT_GITHUB-TOKEN", "GITHUB_TOKEN"), "gitlab": ("DRAFTGATE_GITLAB_TOKEN",)}
_SERVERS = {"github": "GITHUB_SERVER_URL", "gitlab": "CI_SERVER_URL"}
_APIS = {"github": "GITHUB_API_URL", "gitlab": "CI_API_V4_URL"}
_GRAPHQL = {"github": "GITHUB_GRAPHQL_URL", "gitlab": "CI_API_GRAPHQL_URL"}

_SCP = re.compile(r"(?:[^@/:\s]+@)?([^@/:\s]+):(?!/)([^\s]+)")
"""``git@github.com:acme/rooms.git``, which is no URL (https://git-scm.com/docs/git-clone#_git_urls)."""
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,255}(?:/[A-Za-z0-9_.-]{1,255}){1,21}")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a repository is.

    Attributes:
        server_url: Scheme and host, with the port; "" where only a name was given.
        path: ``owner/name``.
        has_password: It held one, which is not kept.
    """

    server_url: str
    path: str
    has_password: bool = False

    @property
    def host(self) -> str:
        """Of the server, without the port."""
        return urlsplit(self.server_url).hostname or ""


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Nothing on a forge can be looked at, and how to change that; "" where nothing need be changed."""

    why: str
    hint: str = field(default="")


def parse_address(written: str) -> Address | None:
    """The repository that a remote's address, a web address or ``owner/name`` means; ``None`` if it means none."""
    if "://" in written:
        return _parse_url(written)
    scp = _SCP.fullmatch(written)
    if scp is not None:
        return _address(f"https://{scp[1]}", scp[2], has_password=False)
    return None if written.startswith(("/", ".", "~")) else _address("", written, has_password=False)


def parse_remote(written: str) -> Address | None:
    """The repository on a server that a remote's address means; ``None`` for a path on this machine."""
    found = parse_address(written)
    return None if found is None or not found.server_url else found


def _parse_url(written: str) -> Address | None:
    try:
        url = urlsplit(written)
        host, port = url.hostname, url.port
    except ValueError:
        return None
    if host is None or url.scheme not in {"http", "https", "ssh", "git", "git+ssh"}:
        return None
    is_web = url.scheme in {"http", "https"}
    place = f"[{host}]" if ":" in host else host
    place = f"{place}:{port}" if is_web and port is not None else place
    return _address(f"{url.scheme if is_web else 'https'}://{place}", url.path, has_password=url.password is not None)


def _address(server_url: str, path: str, *, has_password: bool) -> Address | None:
    name = path.strip("/").partition("/-/")[0].removesuffix(".git")
    if _NAME.fullmatch(name) is None or {".", ".."} & set(name.split("/")):
        return None
    return Address(server_url, name, has_password)


def place_of_job(environment: Mapping[str, str], forge: str, platform: str) -> Place | NoPlace:
    """The repository of a CI job, as its platform names it.

    Raises:
        UsageError: a variable of the platform is not what it must be.
    """
    variables = Variables(environment, platform)
    if forge == "github":
        return _place(variables, forge, Address("", variables.repository("GITHUB_REPOSITORY")))
    target = "CI_MERGE_REQUEST_PROJECT_PATH" if variables.get("CI_MERGE_REQUEST_PROJECT_PATH") else "CI_PROJECT_PATH"
    return _place(variables, forge, Address("", variables.project(target)))


def place_of_terminal(
    environment: Mapping[str, str], *, named: str | None, forge: str | None, origin: Address | None
) -> Place | NoPlace:
    """The repository that a person at a terminal means.

    Args:
        environment: All variables.
        named: The value of ``--repository``.
        forge: The value of ``--forge``.
        origin: Where the remote ``origin`` is.

    Raises:
        UsageError: what is named can be no repository, or nobody can tell on which forge it is.
    """
    variables = Variables(environment, "a CI system")
    if named is None and origin is None:
        return NoPlace("the remote `origin` is on no server, and no repository on a forge was named")
    address = origin if named is None else parse_address(named)
    if address is None:
        raise UsageError(
            f"{(named or '')[:200]!r} names no repository",
            context="--repository",
            hint="write OWNER/NAME or the address of its page",
        )
    is_named = bool(named) and bool(address.server_url)
    if not address.server_url and origin is not None:
        address = Address(origin.server_url, address.path)
    found = forge or _forge_of(variables, address)
    if found is None:
        return NoPlace(*_unknown(address))
    if not is_named and address.server_url and not _is_named(variables, address, found):
        return NoPlace(*_unknown(address))
    return _place(variables, found, address)


def _unknown(address: Address) -> tuple[str, str]:
    where = address.host or "a server that nobody named"
    hint = (
        "if the token may go there, name it with its forge: "
        f"`draftgate doctor --forge github|gitlab --repository {address.server_url or 'https://HOST'}/{address.path}`"
    )
    return f"{address.path} is on {where}, which may be GitHub, GitLab or neither, and gets no token unasked", hint


def _forge_of(variables: Variables, address: Address) -> str | None:
    """By the host, by the variables of a job that name it, or else by the one token that is there."""
    if address.host in _PUBLIC:
        return _PUBLIC[address.host]
    named = [forge for forge in FORGES if _is_variable_of(variables, forge, address)]
    if len(named) == 1:
        return named[0]
    if address.server_url and "gitlab" in address.host:
        return "gitlab"
    with_token = [forge for forge in FORGES if any(variables.get(name) for name in _TOKENS[forge])]
    return with_token[0] if len(with_token) == 1 else None


def _is_named(variables: Variables, address: Address, forge: str) -> bool:
    """Whether the token may go to the server of ``origin`` without being asked for."""
    return _PUBLIC.get(address.host) == forge or _is_variable_of(variables, forge, address)


def _is_variable_of(variables: Variables, forge: str, address: Address) -> bool:
    """Whether the variables that a job of this forge has name the server."""
    hosts = {urlsplit(variables.get(names[forge]) or "").hostname for names in (_SERVERS, _APIS)} - {None}
    return bool(hosts) and (not address.server_url or address.host in hosts)


def _place(variables: Variables, forge: str, address: Address) -> Place:
    default = {"github": "https://github.com", "gitlab": "https://gitlab.com"}[forge]
    is_from_job = _is_variable_of(variables, forge, address)
    server = address.server_url or default
    if is_from_job:
        server = variables.url(_SERVERS[forge], server)
    api = _api_of(forge, server)
    graphql = ""
    if is_from_job:
        api = variables.url(_APIS[forge], api)
        graphql = variables.url(_GRAPHQL[forge], _graphql_of(forge, api))
    token, name, trouble = _token(variables, forge)
    url = urlsplit(api)
    return Place(
        forge=forge,
        repository=address.path,
        server_url=server,
        api_url=api,
        graphql_url=graphql or _graphql_of(forge, api),
        token=token,
        token_name=name,
        token_trouble=trouble,
        job_token=variables.get("CI_JOB_TOKEN") or "",
        is_https=url.scheme == "https" or url.hostname in _HERE,
    )


def _api_of(forge: str, server: str) -> str:
    if forge == "gitlab":
        return f"{server}/api/v4"
    return "https://api.github.com" if server == "https://github.com" else f"{server}/api/v3"


def _graphql_of(forge: str, api: str) -> str:
    if forge == "gitlab":
        return f"{api.removesuffix('/v4')}/graphql"
    return f"{api.removesuffix('/v3')}/graphql"


def _token(variables: Variables, forge: str) -> tuple[str, str, str]:
    """The token, the variable that it is in, and why it cannot be one."""
    names = _TOKENS[forge]
    name = next((name for name in names if variables.get(name)), names[-1])
    try:
        return variables.secret(name) or "", name, ""
    except UsageError as error:
        return "", name, f"what is in {name} can be no token: {error.message}"
