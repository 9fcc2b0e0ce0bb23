"""What another process can tell the simulator: set faults, let go, read the log, push, change a switch.

Not GitLab's, so under a path of its own. Tests in the same process use the objects themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from tests.fakes.forge_http.control import ROOT, answer_common
from tests.fakes.forge_http.faults import FaultPlan
from tests.fakes.forge_http.log import RequestLog
from tests.fakes.forge_http.messages import Answer, Request
from tests.fakes.gitlab.scenario import push
from tests.fakes.gitlab.world import World

SWITCHES: Final = frozenset({"version", "bad_draft", "loose_drafts", "short_pages", "moved_writes"})


def answer(
    world: World, faults: FaultPlan, log: RequestLog, lock: AbstractContextManager[object], request: Request
) -> Answer:
    """Do what is told: what every simulator can, and what only this one can.

    ``POST push`` with ``project``, ``iid``, ``files`` and ``message``; ``POST switch`` with names of `SWITCHES` and
    their values; ``GET leaks``, the quick actions, mentions and references that came in texts.
    """
    fields = dict(request.body or {})
    match request.method, request.path.removeprefix(ROOT):
        case "POST", "push":
            with lock:
                return _push(world, fields)
        case "POST", "switch":
            with lock:
                for name in SWITCHES & set(fields):
                    setattr(world, name, fields[name])
            return Answer(204)
        case "GET", "leaks":
            with lock:
                return Answer(200, _leaks(world))
    return answer_common(faults, log, request)


def _push(world: World, fields: Mapping[str, Any]) -> Answer:
    project, _ = world.find_project(str(fields["project"]))
    if project is None:
        return Answer(404, {"message": "Not Found"})
    one = project.merge_requests[int(fields["iid"])]
    return Answer(200, {"sha": push(world, one, fields["files"], fields.get("message", "Push"))})


def _leaks(world: World) -> dict[str, object]:
    return {
        "executed": [[each.user.username, each.name, each.argument, each.applied] for each in world.executed],
        "mentioned": [[each.user.username, each.text] for each in world.mentioned],
        "referenced": [[each.user.username, each.text] for each in world.referenced],
    }
