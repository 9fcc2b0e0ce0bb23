"""Checks are found by listing folders: each says who it is, and none gets lost."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from draftgate.doctor import checks
from draftgate.doctor.base import Area
from draftgate.doctor.registry import load_checks

IDS = """
local.git-version local.clone local.configuration local.forge local.merge-base local.signing-key local.state
workflow.present workflow.checkout workflow.concurrency workflow.default-branch workflow.events workflow.other-bots
workflow.permissions workflow.pinned workflow.timeout
github.reach github.account github.branch github.checks github.clock github.contents github.environment github.expiry
github.foreign-drafts github.may-approve github.other-bots github.pull-requests github.rate-limit github.role
github.token github.version github.writes
pipeline.present pipeline.depth pipeline.image pipeline.other-bots pipeline.other-jobs
gitlab.reach gitlab.account gitlab.approvals gitlab.branch gitlab.clock gitlab.expiry gitlab.foreign-drafts gitlab.forks
gitlab.other-bots gitlab.role gitlab.tier gitlab.token gitlab.variable gitlab.version gitlab.webhook
model.keys model.servers
"""


def test_no_check_is_lost() -> None:
    assert [check.id for area in Area for check in load_checks(area)] == IDS.split()


@pytest.mark.parametrize("area", Area)
def test_a_check_is_named_for_its_file(area: Area) -> None:
    folder = importlib.import_module(f"{checks.__name__}.{area}")
    names = {f"{area}.{module.name.replace('_', '-')}" for module in pkgutil.iter_modules(folder.__path__)}

    assert {check.id for check in load_checks(area)} == names


@pytest.mark.parametrize("area", Area)
def test_what_can_be_wrong_has_an_exit_code(area: Area) -> None:
    for check in load_checks(area):
        assert bool(check.wrong_if) == (check.exit_code in {2, 3, 4}), check.id
