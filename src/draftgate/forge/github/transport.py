"""PyGithub's requester, held to one try, one origin and our errors.

Every request passes here, those of PyGithub's own objects too, so this is where GitHub's answers are judged. It
repeats nothing: PyGithub's own retries send a POST again without looking whether the first one took effect.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import requests
from github.Auth import Token
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester

from draftgate import __version__
from draftgate.errors import PermissionDenied, Unavailable, UsageError
from draftgate.forge.github.troubles import Lost, check_answer, check_graphql, moved
from draftgate.forge.hosted.answers import Call
from draftgate.forge.hosted.asking import Requests

API_VERSION = "2022-11-28"
PER_PAGE = 100  # the most that GitHub gives

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Where GitHub is, and as whom to speak to it.

    Attributes:
        token: A workflow's, a GitHub App installation's or a user's.
        repository: ``owner/name``.
        api_url: REST, also with a path (``/api/v3`` on GitHub Enterprise Server).
        graphql_url: "" for the one that belongs to ``api_url``.
        ca_file: Certificate authorities to trust in place of the usual ones; "" for those.
        timeout_s: How long an answer may take.
    """

    token: str = field(repr=False)
    repository: str
    api_url: str = "https://api.github.com"
    graphql_url: str = ""
    ca_file: str = ""
    timeout_s: int = 15


class Transport(Requester):
    """Sends one request, once, to one origin.

    Args:
        access: The token and how to connect.
        base_url: Scheme, host, port and the path that comes before every other.
        sent: Counts the requests.

    Raises:
        PermissionDenied: there is no token, or what is given as one cannot be one.
        UsageError: the address cannot be one.
    """

    def __init__(self, access: Access, base_url: str, sent: Requests) -> None:
        base = urlsplit(base_url)
        if base.scheme not in {"http", "https"} or not base.hostname:
            raise UsageError("the address of GitHub's API is no http or https URL", hint="see GITHUB_API_URL")
        super().__init__(
            auth=Token(_checked(access.token)),
            base_url=base_url,
            timeout=access.timeout_s,
            user_agent=f"draftgate/{__version__}",
            per_page=PER_PAGE,
            verify=access.ca_file or True,
            retry=None,
            pool_size=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            lazy=True,
            api_version=API_VERSION,
        )
        self._prefix = base.path.rstrip("/")
        self._sent = sent

    def requestJsonAndCheck(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        input: Any | None = None,
        follow_302_redirect: bool = False,
    ) -> tuple[dict[str, Any], Any]:
        """As PyGithub's, with our errors; an absolute URL of an answer is asked for at our own origin.

        Raises:
            Limited, Lost, Refused: see `troubles.check_answer`.
        """
        here = self._here(url)
        try:
            return super().requestJsonAndCheck(verb, here, parameters, headers, input, follow_302_redirect)
        except ValueError as error:
            raise Lost(_call(verb, here), "sent an answer that is cut off", {}) from error

    def requestJson(
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,
        cnx: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass | None = None,
        follow_302_redirect: bool = False,
    ) -> tuple[int, dict[str, Any], str]:
        """As PyGithub's, with our errors; only an answer of success comes back.

        Raises:
            Limited, Lost, Refused: see `troubles.check_answer`.
        """
        send = partial(super().requestJson, verb, url, parameters, headers, input, cnx, follow_302_redirect)
        call = _call(verb, url)
        status, answered, text = self._send(call, send)
        if text.lstrip()[:1] not in ("", "{", "["):
            raise Lost(call, "sent an answer that is no JSON", answered)
        return status, answered, text

    def read_page(self, url: str, parameters: dict[str, Any]) -> tuple[Any, str]:
        """The JSON of one page, and the URL of the next one; "" if GitHub names none."""
        headers, page = self.requestJsonAndCheck("GET", url, parameters)
        links = requests.utils.parse_header_links(headers.get("link", ""))
        return page, next((link["url"] for link in links if link.get("rel") == "next"), "")

    def read_text(self, path: str, media_type: str) -> str:
        """GET one of the media types that are no JSON."""
        send = partial(super().requestJson, "GET", path, headers={"Accept": media_type})
        return self._send(_call("GET", path), send)[2]

    def send_graphql(self, call: Call, path: str, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        """Send a GraphQL document and return its ``data``.

        Raises:
            Limited, Lost, Refused: see `troubles.check_graphql`.
        """
        body = {"query": document, "variables": variables}
        _, headers, text = self._send(call, partial(super().requestJson, "POST", path, input=body))
        try:
            answer = json.loads(text)
        except ValueError as error:
            raise Lost(call, "sent an answer that is cut off", headers) from error
        data = check_graphql(call, headers, answer)
        if data is None:
            raise Lost(call, "sent an answer without data", headers)
        return data

    def _send(self, call: Call, send: Callable[[], tuple[int, dict[str, Any], str]]) -> tuple[int, dict[str, Any], str]:
        if call.is_write:
            self._sent.writes += 1
        else:
            self._sent.reads += 1
        try:
            status, headers, text = send()
        except requests.RequestException as error:
            raise Lost(call, _reason(error), {}) from error
        except RuntimeError as redirect:  # PyGithub's word for a redirect to another origin
            raise moved(call) from redirect
        except OSError as error:
            raise UsageError(
                "the file of certificate authorities cannot be read",
                hint="see SSL_CERT_FILE and REQUESTS_CA_BUNDLE",
            ) from error
        _log.debug("asked GitHub", extra={"call": str(call), "status": status})
        check_answer(call, status, headers, text)
        return status, headers, text

    def _here(self, url: str) -> str:
        """``url`` as a path below our own base: whatever host an answer names, the token goes nowhere else."""
        if url.startswith("/"):
            return url
        place = urlsplit(url)
        if not place.path.startswith(f"{self._prefix}/"):
            raise Unavailable(
                "an answer of GitHub names an address that is not part of its API",
                context=place.path,
                hint="see GITHUB_API_URL: it should be the address under which the server knows itself",
            )
        return place.path.removeprefix(self._prefix) + (f"?{place.query}" if place.query else "")


def _call(verb: str, url: str) -> Call:
    return Call(verb, urlsplit(url).path)


def _checked(token: str) -> str:
    """A token that can stand in a header; `requests` would repeat any other one in its error."""
    if not token:
        raise PermissionDenied("there is no token for GitHub", hint="give one in the input `github-token`")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise PermissionDenied(
            "the token for GitHub holds a space, a line end or another character that no token has",
            hint="set the secret behind the input `github-token` anew",
        )
    return token


def _reason(error: requests.RequestException) -> str:
    """In words of our own: the library's may repeat a proxy's address with its password."""
    if isinstance(error, requests.exceptions.SSLError):
        return "could not be trusted: its certificate is not signed by an authority known here (see SSL_CERT_FILE)"
    if isinstance(error, requests.exceptions.ProxyError):
        return "could not be reached through the proxy (see HTTPS_PROXY and NO_PROXY)"
    if isinstance(error, requests.exceptions.Timeout):
        return "did not answer in time"
    return "could not be reached, or the connection was cut"
