"""What another process can tell the simulator: set faults, let go, read the log, push.

Not GitHub's, so under a path of its own. Tests in the same process use the objects themselves.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import asdict

from tests.fakes.github.exchange import Answer, Request
from tests.fakes.github.faults import FaultPlan
from tests.fakes.github.log import RequestLog
from tests.fakes.github.scenario import push
from tests.fakes.github.world import World

ROOT = "/_control/"


def answer(
    world: World, faults: FaultPlan, log: RequestLog, lock: AbstractContextManager[object], request: Request
) -> Answer:
    """Do what is told.

    ``POST faults`` with the fields of `Fault`, ``DELETE faults``, ``POST release`` with ``name``, ``POST wait``
    with ``name``, ``GET log``, ``DELETE log``, ``POST push`` with ``repository``, ``pull``, ``files`` and
    ``message``.
    """
    fields = dict(request.body or {})
    match request.method, request.path.removeprefix(ROOT):
        case "POST", "faults":
            faults.add(fields.pop("effect"), **fields)
        case "DELETE", "faults":
            faults.clear()
        case "POST", "release":
            faults.release(**fields)
        case "POST", "wait":
            return Answer(200, {"held": faults.wait_until_held(**fields)})
        case "GET", "log":
            return Answer(200, [asdict(entry) for entry in tuple(log)])
        case "DELETE", "log":
            log.clear()
        case "POST", "push":
            with lock:
                pull = world.pull(world.repository(*fields["repository"].split("/")), int(fields["pull"]))
                return Answer(200, {"sha": push(world, pull, fields["files"], fields.get("message", "Push"))})
        case _:
            return Answer(404, {"message": "Not Found"})
    return Answer(204)
