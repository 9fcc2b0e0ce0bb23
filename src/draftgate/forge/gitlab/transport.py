"""python-gitlab's client, held to one try, one origin and our errors.

Every request passes `Backend.http_request`, those of python-gitlab's own objects too, so this is where GitLab's
answers are judged. It repeats nothing, and it follows a redirect only where a read is sent to the same server again.
"""

from __future__ import annotations

import json as json_text
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from gitlab import Gitlab
from gitlab._backends.requests_backend import RequestsBackend, RequestsResponse

from draftgate import __version__
from draftgate.errors import PermissionDenied, UsageError
from draftgate.forge.gitlab.troubles import Lost, check_answer, moved
from draftgate.forge.hosted.answers import Call
from draftgate.forge.hosted.asking import Requests

PER_PAGE = 100  # the most that GitLab gives
_REDIRECTS = 3
_NO_CONTENT = 204
_API = "/api/v4"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Where GitLab is, and as whom to speak to it.

    Attributes:
        token: Of a project, a group or a user, with the scope ``api``.
        project: Its number, or its full path.
        api_url: With ``/api/v4`` at its end.
        graphql_url: "" for the one that belongs to ``api_url``.
        ca_file: Certificate authorities to trust in place of the usual ones; "" for those.
        timeout_s: How long an answer may take.
        is_of_job: The token is a job's, which reads merge requests and writes nothing; "" reads what is public.
    """

    token: str = field(repr=False)
    project: str
    api_url: str = "https://gitlab.com/api/v4"
    graphql_url: str = ""
    ca_file: str = ""
    timeout_s: int = 15
    is_of_job: bool = False

    @property
    def base_url(self) -> str:
        """Of the server, with the path that it lives under."""
        return self.api_url.rstrip("/").removesuffix(_API)

    @property
    def graphql(self) -> str:
        """Where GraphQL is asked."""
        return self.graphql_url or f"{self.base_url}/api/graphql"


class Backend(RequestsBackend):
    """Sends one request, once.

    Args:
        sent: Counts the requests.
    """

    def __init__(self, sent: Requests) -> None:
        super().__init__()
        self._sent = sent

    def http_request(
        self,
        method: str,
        url: str,
        json: dict[str, Any] | bytes | None = None,
        data: Any = None,
        params: Any | None = None,
        timeout: float | None = None,
        verify: bool | str | None = True,
        stream: bool | None = False,
        **kwargs: Any,
    ) -> RequestsResponse:
        """As python-gitlab's, with our errors; only an answer of success comes back.

        Raises:
            Limited, Lost, Refused: see `troubles.check_answer`.
        """
        call = _call(method, url, json)
        for _ in range(_REDIRECTS):
            answer = self._send(
                call,
                method=method,
                url=url,
                json=json,
                data=data,
                params=params,
                timeout=timeout,
                verify=verify,
                stream=stream,
                **kwargs,
            )
            target = answer.headers.get("location")
            if not 300 <= answer.status_code < 400 or target is None:
                break
            target = urljoin(url, target)
            if call.is_write or _origin(target) != _origin(url):
                raise moved(call)
            url, params = target, None
        else:
            raise moved(call)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        text = answer.content.decode("utf-8", "replace")
        check_answer(call, answer.status_code, headers, text)
        if answer.status_code == _NO_CONTENT:
            answer.headers.pop("Content-Type", None)  # python-gitlab would look for JSON in it
        else:
            _require_whole(call, headers, text)
        return answer

    def _send(self, call: Call, **request: Any) -> RequestsResponse:
        if call.is_write:
            self._sent.writes += 1
        else:
            self._sent.reads += 1
        try:
            answer = super().http_request(**request, allow_redirects=False)
            _ = answer.content  # read here, where a connection that is cut is known for what it is
        except requests.RequestException as error:
            raise Lost(call, _reason(error), {}) from error
        except OSError as error:
            raise UsageError(
                "the file of certificate authorities cannot be read",
                hint="see SSL_CERT_FILE and REQUESTS_CA_BUNDLE",
            ) from error
        _log.debug("asked GitLab", extra={"call": str(call), "status": answer.status_code})
        return answer


def make_client(access: Access, sent: Requests) -> Gitlab:
    """The client for one run.

    Raises:
        PermissionDenied: there is no token, or what is given as one cannot be one.
        UsageError: the address cannot be one.
    """
    base = urlsplit(access.base_url)
    if base.scheme not in {"http", "https"} or not base.hostname:
        raise UsageError("the address of GitLab's API is no http or https URL", hint="see CI_API_V4_URL")
    token = access.token if access.is_of_job and not access.token else _checked(access.token)
    return Gitlab(
        access.base_url,
        private_token=None if access.is_of_job else token,
        job_token=(token or None) if access.is_of_job else None,
        ssl_verify=access.ca_file or True,
        timeout=access.timeout_s,
        per_page=PER_PAGE,
        user_agent=f"draftgate/{__version__}",
        keep_base_url=True,  # whatever host an answer names, the token goes nowhere else
        backend=Backend,
        sent=sent,
    )


def _call(method: str, url: str, body: object) -> Call:
    """GraphQL reads by POST too."""
    path = urlsplit(url).path
    if isinstance(body, dict) and path.endswith("/graphql"):
        document = str(body.get("query", "")).lstrip()
        return Call("mutation" if document.startswith("mutation") else "query", path)
    return Call(method.upper(), path)


def _origin(url: str) -> tuple[str, str]:
    place = urlsplit(url)
    return place.scheme, place.netloc


def _require_whole(call: Call, headers: Mapping[str, str], text: str) -> None:
    """Refuse what only looks like an answer: JSON that ends early, or the page of whatever stands before GitLab."""
    kind = headers.get("content-type", "")
    if "html" in kind:
        raise Lost(call, "sent a page where an answer was due", headers)
    if "json" in kind and not _is_json(text):
        raise Lost(call, "sent an answer that is cut off", headers)


def _is_json(text: str) -> bool:
    try:
        json_text.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _checked(token: str) -> str:
    """A token that can stand in a header; `requests` would repeat any other one in its error."""
    if not token:
        raise PermissionDenied("there is no token for GitLab", hint="give one in the variable DRAFTGATE_GITLAB_TOKEN")
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise PermissionDenied(
            "the token for GitLab holds a space, a line end or another character that no token has",
            hint="set the variable DRAFTGATE_GITLAB_TOKEN anew",
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
