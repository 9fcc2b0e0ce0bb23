"""What another process can tell any simulator: set faults, let go, read the log.

Not of any forge, so under a path of its own. Tests in the same process use the objects themselves.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.forge_http.messages import Answer, Request

ROOT: Final = "/_control/"


def answer_common(faults: FaultPlan, log: RequestLog, request: Request) -> Answer:
    """Do what is told.

    ``POST faults`` with the fields of `Fault`, ``DELETE faults``, ``POST release`` with ``name``, ``POST wait``
    with ``name``, ``GET log``, ``DELETE log``.
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
        case _:
            return Answer(404, {"message": "Not Found"})
    return Answer(204)
