"""Every flow on every forge that can have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.recovery.hosted.flows import FLOWS, Flow
from tests.recovery.hosted.forge import Forge
from tests.recovery.hosted.github import GITHUB
from tests.recovery.hosted.gitlab import GITLAB
from tests.recovery.hosted.gitlab_flows import GITLAB_FLOWS

FORGES = (GITHUB, GITLAB)
_OWN: Mapping[str, tuple[Flow, ...]] = {GITLAB.name: GITLAB_FLOWS}


@dataclass(frozen=True)
class Case:
    """A flow on a forge."""

    forge: Forge
    flow: Flow

    def __str__(self) -> str:
        return f"{self.forge}-{self.flow.name.replace(' ', '-')}"


CASES = tuple(Case(forge, flow) for forge in FORGES for flow in (*FLOWS, *_OWN.get(forge.name, ())))
