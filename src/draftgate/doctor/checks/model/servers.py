"""Each server is asked for its list of models, which spends no token, and the models of a review must be in it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, UNAVAILABLE, Check, Verdict, could_not_look, ok, wrong
from draftgate.doctor.facts.models import ModelFacts, Server

_NEAR = 3


def _judge(facts: ModelFacts) -> Iterator[Verdict]:
    if facts.agents:
        for server in facts.servers.value:
            yield from _of_server(server)


def _of_server(server: Server) -> Iterator[Verdict]:
    if server.is_absent:
        yield could_not_look(f"{server.host} has no list of models; a review tells whether it serves the one it is for")
    elif server.stop is not None:
        yield wrong(f"{server.host}: {server.stop.says}", server.stop.change, exit_code=server.stop.exit_code)
    else:
        listed = server.listed.value
        for model, name in zip(server.models, server.names, strict=True):
            yield _of_model(server.host, model, name, listed)


def _of_model(host: str, model: str, name: str, listed: tuple[str, ...]) -> Verdict:
    if name in listed:
        return ok(f"{model} is served by {host}; its list of models was asked for, which costs nothing")
    near = difflib.get_close_matches(name, listed, n=_NEAR, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "name one that it serves"
    return wrong(
        f"{host} takes the key, and {name} is not among the {len(listed)} models that it lists",
        f"{hint} (`models` in the configuration)",
        exit_code=CONFIGURATION,
    )


CHECK = Check(
    "model.servers",
    "models",
    _judge,
    wrong_if="a server does not answer, does not take the key (exit 3), or does not list the model (exit 2)",
    exit_code=UNAVAILABLE,
)
