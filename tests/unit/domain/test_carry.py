"""What people changed in a round comes back in the next one: under its new number, in the same words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from draftgate.commands.registry import load_grammar
from draftgate.commands.replay import amended_round
from draftgate.domain.amend import AmendedFinding, AmendedRound, unamended
from draftgate.domain.carry import apply, carry
from draftgate.domain.command import Bare, parse_comment
from draftgate.domain.command_line import MAX_TEXT
from draftgate.domain.finding import Category, Decoration, Finding, Label
from draftgate.domain.round import RoundResult
from draftgate.domain.session import AcceptedCommand
from tests.builders import blocker, finding, result, session

A, B, C = (finding(name, fingerprint=name * 64) for name in "abc")
NEW = finding("new", fingerprint="e" * 64)

REVIEWER, OTHER = "a reviewer", "a maintainer"


def said(text: str, author: str = REVIEWER, bare: Bare = Bare.OWN) -> AcceptedCommand:
    return AcceptedCommand("1", author, text, "2026-01-02T10:00:00Z", bare)


def after(findings: Iterable[Finding], *commands: AcceptedCommand) -> tuple[RoundResult, AmendedRound]:
    found = result(findings)
    return found, amended_round(session(result=found, commands=commands))


def next_round(amended: tuple[RoundResult, AmendedRound], findings: Iterable[Finding]) -> AmendedRound:
    """The next round as what was carried leaves it."""
    return apply(carry(*amended), unamended(result(findings)))


def entry_of(amended: AmendedRound, wanted: Finding) -> AmendedFinding:
    return next(entry for entry in amended.findings if entry.finding.fingerprint == wanted.fingerprint)


def test_each_kind_of_change_comes_back_under_the_new_number() -> None:
    changed = after(
        (A, B, C),
        said("/relabel-finding 1 nitpick (if-minor)"),
        said("/recategorize-finding 2 security"),
        said("/edit-finding 3\nIn my words.", OTHER),
    )

    amended = next_round(changed, (NEW, C, B, A))

    assert [entry.number for entry in amended.findings] == [1, 2, 3, 4]
    assert entry_of(amended, NEW) == AmendedFinding(1, NEW)
    assert entry_of(amended, C) == AmendedFinding(2, C, text="In my words.", changed_by=OTHER)
    assert entry_of(amended, B).finding.category is Category.SECURITY
    assert entry_of(amended, B).changed_by == REVIEWER
    assert entry_of(amended, A).finding == dataclasses.replace(
        A, label=Label.NITPICK, decorations=(Decoration.IF_MINOR,)
    )


def test_several_changes_of_one_finding_come_back_together_as_its_last_hand_left_it() -> None:
    changed = after(
        (A,),
        said("/edit-finding 1\nfirst"),
        said("/relabel-finding 1 todo"),
        said("/edit-finding 1\nsecond"),
        said("/recategorize-finding 1 tests", OTHER),
    )

    amended = next_round(changed, (A,))

    assert amended == changed[1]
    assert amended.findings[0].changed_by == OTHER


def test_what_is_gone_needs_no_command() -> None:
    changed = after((A, B), said("/edit-finding 1\nIn my words."), said("/relabel-finding 2 note"))

    assert apply(carry(*changed), unamended(result((NEW,)))) == unamended(result((NEW,)))


def test_what_nobody_changed_is_not_carried() -> None:
    assert carry(*after((A, B))) == ()


@pytest.mark.parametrize("drop", ["/drop-finding 1", "/drop-finding 1 we know"], ids=["dropped", "rejected"])
def test_what_was_dropped_is_not_carried_whatever_was_changed_before(drop: str) -> None:
    """A rejection is remembered by its decision; what was dropped without a reason is found again as it is."""
    assert carry(*after((A,), said("/edit-finding 1\nIn my words."), said(drop))) == ()


def test_a_label_that_was_given_again_as_it_was_carries_nothing() -> None:
    changed = after((A,), said("/relabel-finding 1 nitpick"), said(f"/relabel-finding 1 {A.label}"))

    [again] = apply(carry(*changed), unamended(result((A,)))).findings
    assert again.finding == A


def test_a_blocking_finding_that_was_softened_stays_so() -> None:
    hard = blocker(fingerprint="b" * 64)

    amended = next_round(after((hard,), said(f"/relabel-finding 1 {hard.label}")), (A, hard))

    assert entry_of(amended, hard).finding.decorations == ()


def test_a_label_that_a_person_gave_wins_over_one_that_the_next_round_finds() -> None:
    changed = after((A,), said("/relabel-finding 1 question"))

    amended = next_round(changed, (dataclasses.replace(A, label=Label.CHORE),))

    assert amended.findings[0].finding.label is Label.QUESTION


def test_carrying_over_three_rounds_is_carrying_over_one() -> None:
    first = after((A, B), said("/edit-finding 2\nIn my words."), said("/relabel-finding 2 thought", OTHER))

    amended = next_round(first, (B, A))
    for findings in ((NEW, B), (B,)):
        amended = next_round((result(entry.finding for entry in _as_found(amended, B)), amended), findings)

    assert (amended.findings[0].text, amended.findings[0].finding.label) == ("In my words.", Label.THOUGHT)


def _as_found(amended: AmendedRound, original: Finding) -> list[AmendedFinding]:
    """The entries with what was found put back in place of what a person made of it."""
    return [
        dataclasses.replace(entry, finding=original) if entry.finding.fingerprint == original.fingerprint else entry
        for entry in amended.findings
    ]


def test_a_text_of_the_greatest_length_fits_under_a_longer_number() -> None:
    """Under number 10 the same comment is a character longer; if it were refused, the session could not be read."""
    head = "/edit-finding 9\n"
    longest = head + "x" * MAX_TEXT.value
    findings = tuple(finding(str(number), fingerprint=f"{number:064x}") for number in range(1, 10))
    changed = after(findings, said(longest))

    amended = next_round(changed, (NEW, *findings))

    assert entry_of(amended, findings[8]).text == longest.removeprefix(head)


MARKDOWN = (
    "words",
    "",
    "   ",
    "\t",
    "- item",
    "1. one",
    "2. two",
    "> quoted",
    "# heading",
    "    code",
    "\u2028",
    "\u00a0",
)
BLOCKS = ("```", "````", "~~~", "`", "`code`", "a `b", "\\`", "2. ```", "- ```")
HTML = ("<!--", "-->", "<b>", "</b>", "<div>", "<pre>", "</pre>", "<details>")
COMMANDS = ("/drop-finding 1", "/draftgate approve", " /edit-finding 1", "    /drop-finding 1", "> /drop-finding 1")
NO_COMMANDS = ("/drop", "/help", "/edit-findng 1", "/approve", "/etc/passwd")
LINES = (*MARKDOWN, *BLOCKS, *HTML, *COMMANDS, *NO_COMMANDS)
BODIES = st.one_of(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("\n".join),
    st.text(min_size=1, max_size=60),
)
HEADS = ("/edit-finding 2\n", "/edit-finding 2\n\n", "/draftgate edit #2\n", "  /edit-finding 2\r\n")


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(HEADS), BODIES, st.sampled_from(Bare))
@example("/edit-finding 2\n\n", "</pre>\n`code`\n/drop-finding 1\n`", Bare.OWN)
@example("/edit-finding 2\n", "<b>\n```\n/drop-finding 1\n```", Bare.OWN)
def test_whatever_text_was_accepted_comes_back_to_the_letter(head: str, body: str, bare: Bare) -> None:
    command = said(head + body, OTHER, bare)
    parsed = parse_comment(command.text, load_grammar(bare))
    if parsed.refusals or len(parsed.commands) != 1:
        return  # such a comment is not accepted, or its lines are kept one command at a time
    changed = after((A, B), command)

    amended = next_round(changed, (C, NEW, B, A))

    assert entry_of(amended, B).text == entry_of(changed[1], B).text
    assert [entry.text for entry in amended.findings if entry.finding.fingerprint != B.fingerprint] == [None] * 3


DECORATIONS = st.sampled_from(
    [(), *((each,) for each in Decoration), *((each, Decoration.IF_MINOR) for each in list(Decoration)[:2])]
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(Label), DECORATIONS, st.sampled_from(Category))
def test_every_label_and_category_comes_back(
    label: Label, decorations: tuple[Decoration, ...], category: Category
) -> None:
    written = f"{label} ({', '.join(decorations)})" if decorations else str(label)
    changed = after((A, B), said(f"/relabel-finding 2 {written}"), said(f"/recategorize-finding 2 {category}"))

    amended = next_round(changed, (B,))

    assert amended.findings[0].finding == entry_of(changed[1], B).finding
    assert amended.findings[0].finding == dataclasses.replace(
        B, label=label, decorations=decorations, category=category
    )
