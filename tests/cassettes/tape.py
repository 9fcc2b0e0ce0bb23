"""VCR.py as the cassettes of this folder need it: fixed addresses, no token, and files that a person can read.

A cassette holds JSON as JSON, texts of several lines as such, and the headers that mean something. The one thing that
is not kept byte for byte is a state that we packed into a request: other builds of zlib pack it otherwise, so it
stands there, and is compared, unpacked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import vcr
import yaml
from vcr.cassette import Cassette
from vcr.request import Request

from draftgate.forge.hidden import unpack

FOLDER = Path(__file__).parent
"""Of the cassettes, in a folder for each forge."""

HOST = "http://github.invalid:8080"
"""Where GitHub seems to be. Whoever records reaches the simulator under this name by way of ``HTTP_PROXY``; the port
is one that is always written out."""

GITLAB = "http://gitlab.invalid:8080"
"""The same of GitLab."""

_SENT = frozenset({"accept", "content-type", "x-github-api-version"})
_ANSWERED = frozenset({"content-type", "link"})
_PACKED = re.compile(r"(<!-- draftgate:state data=)([A-Za-z0-9._=]+)( -->)")


@contextmanager
def record(path: Path) -> Iterator[None]:
    """Write what is sent, and what comes back, into a new cassette."""
    path.unlink(missing_ok=True)
    with _vcr().use_cassette(str(path), record_mode="all"):
        yield


@contextmanager
def replay(path: Path) -> Iterator[Cassette]:
    """Answer from a cassette: a request that is not in it, or not the next of its kind, is an error."""
    with _vcr().use_cassette(str(path), record_mode="none") as cassette:
        yield cassette


def comparable(text: str) -> str:
    """A cassette as it is held against another: packed states are unpacked in the answers too."""
    return _PACKED.sub(_unpacked, re.sub(r"\\\n\s+\\?", "", text))


class _Readable:
    """VCR.py's serializer: YAML with the JSON of both bodies in it."""

    @staticmethod
    def serialize(cassette: dict[str, Any]) -> str:
        exchanges = [_spread(interaction) for interaction in cassette["interactions"]]
        return yaml.dump(exchanges, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1_000_000)

    @staticmethod
    def deserialize(text: str) -> dict[str, Any]:
        return {"version": 1, "interactions": [_fold(exchange) for exchange in yaml.safe_load(text)]}


class _Dumper(yaml.SafeDumper):
    """Texts of several lines keep them, and a value that occurs twice is written twice."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _represent)


def _vcr() -> vcr.VCR:
    made = vcr.VCR(
        match_on=["method", "uri", "body"],
        serializer="readable",
        before_record_request=_clean_request,
        before_record_response=_clean_response,
    )
    made.register_serializer("readable", _Readable)
    return made


def _clean_request(request: Request) -> Request:
    request.headers = {name: value for name, value in request.headers.items() if name.lower() in _SENT}
    if request.body:
        request.body = _PACKED.sub(_unpacked, request.body.decode()).encode()
    return request


def _unpacked(found: re.Match[str]) -> str:
    """The state as JSON inside the JSON of the request."""
    state = json.dumps(unpack(found[2]).decode())[1:-1]
    return f"{found[1]}{state}{found[3]}"


def _clean_response(response: dict[str, Any]) -> dict[str, Any]:
    headers = {name: values for name, values in response["headers"].items() if name.lower() in _ANSWERED}
    return {**response, "headers": headers}


def _spread(interaction: Mapping[str, Any]) -> dict[str, Any]:
    request, response = interaction["request"], interaction["response"]
    asked = {"request": f"{request['method']} {request['uri']}", "headers": _joined(request["headers"])}
    if request["body"]:
        asked["body"] = json.loads(request["body"])
    answer = {"status": response["status"]["code"], "headers": _joined(response["headers"])}
    text = response["body"]["string"]
    is_json = answer["headers"].get("Content-Type", "").startswith("application/json")
    return {**asked, "answer": {**answer, "body": json.loads(text) if text and is_json else text}}


def _joined(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name: value if isinstance(value, str) else ", ".join(value) for name, value in sorted(headers.items())}


def _fold(exchange: Mapping[str, Any]) -> dict[str, Any]:
    method, uri = exchange["request"].split(" ", 1)
    body = json.dumps(exchange["body"]) if "body" in exchange else None
    answer = exchange["answer"]
    text = answer["body"] if isinstance(answer["body"], str) else json.dumps(answer["body"])
    return {
        "request": {"method": method, "uri": uri, "body": body, "headers": exchange["headers"]},
        "response": {
            "status": {"code": answer["status"], "message": ""},
            "headers": {name: [value] for name, value in answer["headers"].items()},
            "body": {"string": text},
        },
    }
