"""Help as data: which commands, in which form, and whether they apply now."""

from __future__ import annotations

import pytest

from draftgate.commands.base import help_rows
from draftgate.commands.registry import load_commands
from draftgate.domain.command import Bare
from draftgate.domain.phase import Phase


def applying(phase: Phase | None) -> set[str]:
    return {row.usage.split("-")[0].split(" [")[0] for row in help_rows(load_commands(), phase) if row.applies_now}


def test_lists_what_is_available_in_a_form_that_works() -> None:
    usages = [row.usage for row in help_rows(load_commands(), Phase.AWAITING_APPROVAL)]

    assert "/drop-finding NUMBERS [REASON]" in usages
    assert "/draftgate abort" in usages
    assert not any("respond" in usage for usage in usages)


def test_uses_bare_names_where_the_configuration_allows_them() -> None:
    assert "/abort" in [row.usage for row in help_rows(load_commands(), None, Bare.ALL)]


def test_names_what_may_be_given_before_any_review() -> None:
    assert applying(None) == {"/draftgate help", "/draftgate review"}


@pytest.mark.parametrize(
    ("phase", "some", "not_some"),
    [
        (Phase.AWAITING_APPROVAL, {"/approve", "/drop", "/draftgate review"}, {"/retry", "/draftgate abort"}),
        (Phase.AGENTS_FAILED, {"/retry", "/proceed", "/draftgate abort"}, {"/approve", "/drop"}),
        (Phase.RUNNING_AGENTS, {"/finalize", "/draftgate help"}, {"/approve", "/draftgate review"}),
        (Phase.SUBMITTING, {"/approve"}, {"/drop", "/discard"}),
        (Phase.SUBMITTED, {"/draftgate review"}, {"/approve", "/discard"}),
    ],
)
def test_says_what_applies_in_a_phase(phase: Phase, some: set[str], not_some: set[str]) -> None:
    names = applying(phase)

    assert some <= names
    assert not names & not_some


def test_says_who_may() -> None:
    rows = {row.usage.split(" ")[0]: row.who for row in help_rows(load_commands(), None)}

    assert "author_may_approve" in rows["/approve-findings"]
    assert "author_may_approve" not in rows["/drop-finding"]
