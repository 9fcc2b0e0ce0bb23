"""A round from its first phase to findings that wait, with checks that do as they are told."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftgate.checks.base import Change, Check
from draftgate.commands.registry import load_grammar
from draftgate.domain.change import CommitSha
from draftgate.domain.command import Bare, parse_comment
from draftgate.domain.finding import Evidence, Finding
from draftgate.domain.phase import Phase
from draftgate.errors import AgentFailed, EvidenceError, UsageError
from draftgate.pipeline.request import GatheredChange, ReviewRequest
from draftgate.pipeline.review import is_answered
from tests.builders import finding, line_anchor
from tests.fakes.bench import Bench, open_bench, review_settings
from tests.fakes.checks import make_check
from tests.fakes.forge import MemoryForge

FOUND = finding(check="a.check", anchor=line_anchor("lib.py", 1), evidence=Evidence("lib.py", 1, ("new",)))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    head = {"lib.py": "new\n", "left.py": "x\n"}
    with open_bench(tmp_path, {"lib.py": "old\n"}, head, {"left.py": "larger than 10 MiB"}) as made:
        yield made


def broken(check_id: str) -> Check:
    def fail(_change: Change) -> Iterator[Finding]:
        raise ValueError("no")
        yield

    return dataclasses.replace(make_check(check_id), run=fail)


def endless(check_id: str) -> Check:
    def run(_change: Change) -> Iterator[Finding]:
        while True:
            pass
        yield

    return dataclasses.replace(make_check(check_id), run=run)


def test_every_phase_is_recorded_before_the_next_begins(bench: Bench) -> None:
    session = bench.review(make_check("a.check", FOUND))

    assert bench.pages == ["validating", "identifying", "gathering", "running-agents", "scoring", "awaiting-approval"]
    assert session == bench.session
    assert session.revision == 6


def test_the_draft_stands_before_the_findings_are_shown(bench: Bench) -> None:
    bench.review(make_check("a.check", FOUND))

    assert bench.kept.writes[-2:] == ["draft", "session"]
    draft = bench.forge.load_draft()
    assert draft is not None
    assert [comment.number for comment in draft.comments] == [1]


def test_without_findings_nothing_is_held(bench: Bench) -> None:
    session = bench.review(make_check("a.check"))

    assert session.phase is Phase.AWAITING_APPROVAL
    assert bench.forge.load_draft() is None


def test_just_in_time_holds_nothing(bench: Bench) -> None:
    session = bench.review(make_check("a.check", FOUND), holds_draft=False)

    assert session.result is not None
    assert len(session.result.findings) == 1
    assert bench.forge.load_draft() is None


def test_coverage_names_what_was_left_out(bench: Bench) -> None:
    session = bench.review(make_check("a.check", FOUND))

    assert session.result is not None
    assert (session.result.coverage.files, session.result.coverage.reviewed) == (2, 1)
    assert [each.path for each in session.result.coverage.left_out] == ["left.py"]


# --- Failures --------------------------------------------------------------------------------------------------------


def test_a_check_that_fails_stops_the_round_and_shows_nothing(bench: Bench) -> None:
    with pytest.raises(AgentFailed, match=r"b\.check failed: ValueError: no") as caught:
        bench.review(make_check("a.check", FOUND), broken("b.check"))

    assert caught.value.exit_code == 6
    assert "/proceed-without b.check" in caught.value.hint
    assert bench.session.phase is Phase.AGENTS_FAILED
    assert bench.session.result is None
    assert bench.forge.load_draft() is None


def test_a_check_that_never_ends_is_a_failed_one_and_the_others_can_be_shown(bench: Bench) -> None:
    bench.settings["time_limit_s"] = 0.2
    checks = (make_check("a.check", FOUND), endless("b.check"))

    with pytest.raises(AgentFailed, match=r"b\.check failed: .*not done after 1 s") as caught:
        bench.review(*checks)
    stopped = bench.session
    bench.settings.clear()
    session = bench.review(*checks, without=frozenset({"b.check"}))

    assert caught.value.exit_code == 6
    assert (stopped.phase, stopped.result) == (Phase.AGENTS_FAILED, None)
    assert session.phase is Phase.AWAITING_APPROVAL
    assert session.result is not None
    assert "limited: b.check failed, and a person chose to go on without it" in session.result.coverage.limits


def test_a_person_may_go_on_without_it_under_the_same_number(bench: Bench) -> None:
    checks = (make_check("a.check", FOUND), broken("b.check"))
    with pytest.raises(AgentFailed):
        bench.review(*checks)

    session = bench.review(*checks, without=frozenset({"b.check"}))

    assert (session.phase, session.round, session.failure) == (Phase.AWAITING_APPROVAL, 1, None)


def test_a_round_that_fails_says_why_and_runs_again_under_the_same_number(bench: Bench) -> None:
    gather = bench.gather

    def fail(_request: ReviewRequest) -> GatheredChange:
        raise UsageError("the disk is on fire", hint="put it out")

    bench.gather = fail
    with pytest.raises(UsageError):
        bench.review(make_check("a.check", FOUND))
    failed = bench.session
    bench.gather = gather
    session = bench.review(make_check("a.check", FOUND))

    assert failed.phase is Phase.FAILED
    assert failed.failure is not None
    assert (failed.failure.phase, failed.failure.reason) == (Phase.IDENTIFYING, "the disk is on fire")
    assert (session.phase, session.round, session.failure) == (Phase.AWAITING_APPROVAL, 1, None)


def test_neither_the_failure_nor_the_error_names_a_key_that_a_file_is_named_for(bench: Bench) -> None:
    """Whoever catches the error may answer a comment with it."""

    def fail(_request: ReviewRequest) -> GatheredChange:
        raise EvidenceError("the-key cannot be read", context="notes-the-key.txt", hint="rename it")

    bench.gather = fail
    bench.settings["hide"] = lambda text: text.replace("the-key", "[hidden]")
    with pytest.raises(EvidenceError) as caught:
        bench.review(make_check("a.check", FOUND))

    assert str(caught.value) == "notes-[hidden].txt: [hidden] cannot be read"
    assert bench.session.failure is not None
    assert bench.session.failure.reason == str(caught.value)


def test_a_draft_that_does_not_arrive_is_not_shown(bench: Bench) -> None:
    reviewer = bench.reviewer(make_check("a.check", FOUND), forge=MemoryForge(bench.kept, loses="draft"))

    with pytest.raises(Exception, match="draft read back"):
        reviewer.review(bench.request())

    assert bench.session.phase is Phase.FAILED


def test_a_head_that_moves_during_the_review_shows_nothing(bench: Bench) -> None:
    bench.kept.head = bench.repository.resolve("main")

    session = bench.review(make_check("a.check", FOUND))

    assert session.phase is Phase.SUPERSEDED
    assert session.result is None
    assert bench.forge.load_draft() is None


# --- The next round --------------------------------------------------------------------------------------------------


def test_a_shown_round_is_followed_by_the_next_number_and_starts_clean(bench: Bench) -> None:
    first = bench.review(make_check("a.check", FOUND))

    second = bench.review(make_check("a.check"))

    assert (first.round, second.round) == (1, 2)
    assert (second.commands, second.payload, second.submission) == ((), None, None)
    assert bench.forge.load_draft() is None


@pytest.mark.parametrize(
    ("changes", "is_known"),
    [
        ({}, True),
        ({"force": True}, False),
        ({"head": CommitSha("1" * 40)}, False),
        ({"base_tip": CommitSha("1" * 40)}, False),
    ],
    ids=["the-same", "forced", "another-head", "another-target"],
)
def test_the_same_request_is_answered_from_what_waits(
    bench: Bench, changes: dict[str, object], *, is_known: bool
) -> None:
    session = bench.review(make_check("a.check", FOUND))

    assert is_answered(session, bench.request(**changes), review_settings()) is is_known
    assert not is_answered(None, bench.request(), review_settings())
    assert not is_answered(session, bench.request(), review_settings(digest="d" * 64))


def test_with_the_same_head_the_findings_are_shown_again_while_a_verdict_is_to_be_chosen(bench: Bench) -> None:
    session = dataclasses.replace(bench.review(), phase=Phase.CHOOSING_VERDICT)

    assert is_answered(session, bench.request(), review_settings())


def test_the_hint_after_two_failed_checks_is_a_command_that_is_understood(bench: Bench) -> None:
    with pytest.raises(AgentFailed) as caught:
        bench.review(broken("a.check"), broken("b.check"))

    written = re.search(r"draftgate do '([^']*)'", caught.value.hint)
    assert written is not None
    assert parse_comment(written[1], load_grammar(Bare.OWN)).refusals == ()


def test_one_can_go_on_without_two_failed_checks_one_after_the_other(bench: Bench) -> None:
    checks = (broken("a.check"), broken("b.check"))
    with pytest.raises(AgentFailed, match=r"b\.check"):
        bench.review(*checks, without=frozenset({"a.check"}))

    stopped = bench.forge.load_session()
    assert stopped is not None
    assert stopped.without == ("a.check",)
    bench.review(*checks, without=frozenset({"a.check", "b.check"}))
