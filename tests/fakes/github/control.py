"""What another process can tell the simulator: set faults, let go, read the log, push.

Not GitHub's, so under a path of its own. Tests in the same process use the objects themselves.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from tests.fakes.forge_http.control import ROOT, answer_common
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.github.scenario import push
from tests.fakes.github.world import World


def answer(
    world: World, faults: FaultPlan, log: RequestLog, lock: AbstractContextManager[object], request: Request
) -> Answer:
    """Do what is told: what every simulator can, and push.

    ``POST push`` with ``repository``, ``pull``, ``files`` and ``message``.
    """
    if (request.method, request.path) != ("POST", f"{ROOT}push"):
        return answer_common(faults, log, request)
    fields = dict(request.body)
    with lock:
        pull = world.pull(world.repository(*fields["repository"].split("/")), int(fields["pull"]))
        return Answer(200, {"sha": push(world, pull, fields["files"], fields.get("message", "Push"))})
