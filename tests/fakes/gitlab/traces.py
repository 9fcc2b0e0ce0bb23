"""What requests set off besides what they ask for, so that a test can see it: the simulator only notes these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.fakes.gitlab.entities import MergeRequest, Project
from tests.fakes.gitlab.people import User


@dataclass(frozen=True)
class Trigger:
    """A pipeline that somebody asked for with a trigger token; `payload` is what ``$TRIGGER_PAYLOAD`` holds."""

    project: Project
    ref: str
    owner: User
    variables: Mapping[str, str]
    payload: Any


@dataclass(frozen=True)
class Command:
    """A quick action that came in a text."""

    user: User
    name: str
    argument: str
    merge_request: MergeRequest
    applied: bool


@dataclass(frozen=True)
class Reference:
    """Something that a text made GitLab link and tell people of: ``@name``, ``#1``, ``!1``, ``~label``."""

    user: User
    text: str
    merge_request: MergeRequest


@dataclass(frozen=True)
class Displacement:
    """A reviewer who is none any more because somebody set others."""

    merge_request: MergeRequest
    reviewer: User
    by: User
