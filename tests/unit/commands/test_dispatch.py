"""Comments run: all understood before any runs, each only in its phase, nothing approved that was not shown."""

from __future__ import annotations

import pytest

from draftgate.commands.dispatch import run_comment
from draftgate.commands.replay import amended_round, replay
from draftgate.commands.scene import Given, Reply, RoundWish
from draftgate.domain.agent_run import AgentRun
from draftgate.domain.agents import AgentOutcome, KeptOutcomes
from draftgate.domain.command import Bare
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Failure, Session
from draftgate.errors import CommandRefused, IntegrityError
from draftgate.render.page import Page
from tests.builders import blocker, finding, session
from tests.fakes.forge import MemoryForge
from tests.fakes.rounds import Shown, show

FINDINGS = (blocker(fingerprint="b" * 16), finding(fingerprint="a" * 16), finding("a third", fingerprint="c" * 16))


@pytest.fixture
def shown() -> Shown:
    return show(FINDINGS)


def run(shown: Shown, text: str) -> list[Reply]:
    return list(run_comment(shown.scene(), shown.given(text)))


def kept(shown: Shown) -> list[int]:
    return [entry.number for entry in amended_round(shown.session).kept]


def in_phase(phase: Phase, **changes: object) -> Shown:
    """A session that stands in a phase."""
    shown = Shown()
    shown.forge.save_session(session(FINDINGS, revision=1, phase=phase, shown_at="", **changes), Page(""))
    shown.forge.kept.writes.clear()
    return shown


# --- All or nothing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "/drop-finding 1\n/drop-finding",
        "/drop-finding 1\n/drop-findng 2",
        "/approve-findings 1\n/drop-finding 2",
        "/drop-finding 1\n/draftgate respond",
        "/edit-finding 1\n\n/drop-finding 2",
    ],
    ids=["half", "misspelt", "change-after-submission", "later-release", "no-body"],
)
def test_if_one_line_is_not_understood_nothing_is_written(shown: Shown, text: str) -> None:
    with pytest.raises(CommandRefused) as caught:
        run(shown, text)

    assert caught.value.hint
    assert shown.forge.kept.writes == []


def test_every_line_that_is_not_understood_is_named(shown: Shown) -> None:
    with pytest.raises(CommandRefused, match=r"line 1: .*; line 3: "):
        run(shown, "/drop-finding\n/drop-finding 1\n/edit-finding x\ntext")


def test_commands_run_in_their_order_and_each_is_answered(shown: Shown) -> None:
    replies = run(shown, "Hello.\n\n/drop-finding 1 known\n/edit-finding 2\nWho?\n\n- a\n/preview-findings\n")

    assert [reply.shows for reply in replies] == ["counts", "preview"]
    assert kept(shown) == [2, 3]
    assert amended_round(shown.session).findings[1].text == "Who?\n\n- a"


def test_each_command_is_kept_as_it_was_written(shown: Shown) -> None:
    run(shown, "Hello.\n/drop-finding 1: known — really\n/edit-finding 2\nWho?\n")

    assert [command.text for command in shown.session.commands] == [
        "/drop-finding 1: known — really",
        "/edit-finding 2\nWho?",
    ]


def test_a_command_that_does_not_fit_stops_those_that_follow(shown: Shown) -> None:
    with pytest.raises(CommandRefused, match="there is no finding 9"):
        run(shown, "/drop-finding 1\n/drop-finding 9\n/drop-finding 2")

    assert kept(shown) == [1, 2, 3]


def test_a_change_touches_neither_result_nor_draft_nor_seal(shown: Shown) -> None:
    before, draft = shown.session, shown.forge.load_draft()

    run(shown, "/drop-finding 1\n/relabel-finding 2 note")

    assert (shown.session.result, shown.session.seal) == (before.result, before.seal)
    assert shown.forge.load_draft() == draft
    assert shown.forge.kept.writes == ["session"]


# --- Phases ----------------------------------------------------------------------------------------------------------

AMENDS = ("/drop-finding 1", "/edit-finding 1\ntext", "/relabel-finding 1 note", "/recategorize-finding 1 logic")
WAITS = {Phase.AWAITING_APPROVAL}

ALLOWED: dict[str, set[Phase]] = {
    **dict.fromkeys(AMENDS, WAITS),
    "/edit-review-body\ntext": WAITS,
    "/discard-findings": {Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT},
    "/preview-findings": {Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT},
    "/approve-findings": {Phase.AWAITING_APPROVAL, Phase.CHOOSING_VERDICT, Phase.SUBMITTING, Phase.SUBMITTED},
    "/retry-agent": {Phase.AGENTS_FAILED, Phase.FAILED},
    "/proceed-without impact.callers": {Phase.AGENTS_FAILED, Phase.FAILED},
    "/draftgate abort": {Phase.AGENTS_FAILED},
}
REFUSALS = [
    pytest.param(text, phase, id=f"{text.splitlines()[0]} while {phase}")
    for text, phases in ALLOWED.items()
    for phase in Phase
    if phase not in phases and phase is not Phase.FINALIZED
]


@pytest.mark.parametrize(("text", "phase"), REFUSALS)
def test_a_command_in_the_wrong_phase_is_refused_without_a_write(text: str, phase: Phase) -> None:
    shown = in_phase(phase)

    with pytest.raises(CommandRefused, match=f"not possible while the review is {phase}") as caught:
        run(shown, text)

    assert "now possible:" in caught.value.hint or "`draftgate review` goes on" in caught.value.hint
    assert shown.forge.kept.writes == []


@pytest.mark.parametrize("phase", list(Phase), ids=str)
def test_help_and_finalize_work_in_every_phase(phase: Phase) -> None:
    shown = in_phase(phase)

    [reply] = run(shown, "/draftgate help")

    assert reply.shows == "help"
    if phase is not Phase.FINALIZED:
        run(shown, "/finalize-review")
        assert shown.session.phase is Phase.FINALIZED


@pytest.mark.parametrize("text", [*sorted(ALLOWED), "/finalize-review"])
def test_without_a_session_a_review_comes_first(text: str) -> None:
    for shown in (Shown(MemoryForge()), in_phase(Phase.FINALIZED)):
        with pytest.raises(CommandRefused, match="needs a review"):
            run(shown, text)


# --- Shown before approved -------------------------------------------------------------------------------------------


def test_what_was_written_before_the_findings_were_shown_is_refused(shown: Shown) -> None:
    with pytest.raises(CommandRefused, match="changed after you wrote this"):
        list(run_comment(shown.scene(seen="the seal of an earlier round"), shown.given("/approve-findings")))

    assert shown.forge.kept.writes == []


# --- Single commands -------------------------------------------------------------------------------------------------


def test_approving_again_is_answered_and_not_done_again(shown: Shown) -> None:
    run(shown, "/drop-finding 1 known\n/approve-findings --as comment")
    shown.forge.kept.writes.clear()

    [reply] = run(shown, "/approve-findings --as comment")

    assert reply.shows == "review"
    assert shown.forge.kept.writes == []


def test_approving_something_else_afterwards_is_refused(shown: Shown) -> None:
    run(shown, "/approve-findings 1")

    for text in ("/approve-findings 2", "/approve-findings 1 --as approve", "/approve-findings none"):
        with pytest.raises(CommandRefused, match="submitted with 1 as request-changes"):
            run(shown, text)


def test_a_verdict_is_asked_for_where_somebody_can_answer(shown: Shown) -> None:
    asked: list[Verdict] = []

    def answer(recommended: Verdict) -> Verdict:
        asked.append(recommended)
        assert shown.session.phase is Phase.CHOOSING_VERDICT
        return Verdict.APPROVE

    scene = shown.scene(ask_verdict=answer, verdict_is_asked=True)
    list(run_comment(scene, shown.given("/approve-findings 2")))

    assert asked == [Verdict.COMMENT]
    assert shown.session.submission is not None
    assert shown.session.submission.verdict is Verdict.APPROVE


def test_where_nobody_can_answer_the_commands_are_named_and_the_phase_stays(shown: Shown) -> None:
    scene = shown.scene(verdict_is_asked=True)

    with pytest.raises(CommandRefused, match="recommended: request-changes") as caught:
        list(run_comment(scene, shown.given("/approve-findings")))

    assert "`--as approve`" in caught.value.hint
    assert shown.forge.kept.writes == []


def test_a_failed_check_is_retried_or_left_out_by_name() -> None:
    wishes: list[RoundWish] = []
    failure = Failure(
        Phase.RUNNING_AGENTS, "impact.callers failed: KeyError: 'x'", recoverable=True, at="", names=("impact.callers",)
    )
    shown = in_phase(Phase.AGENTS_FAILED, failure=failure)

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return shown.session

    for text in ("/retry-agent", "/proceed-without impact.callers"):
        list(run_comment(shown.scene(start_round=start), shown.given(text)))
    with pytest.raises(CommandRefused, match="did not fail"):
        run(shown, "/proceed-without db.column-removed")

    assert wishes == [RoundWish(force=True), RoundWish(force=True, without=frozenset({"impact.callers"}))]


def test_where_the_run_that_went_on_was_cut_off_what_had_failed_can_still_be_named() -> None:
    wishes: list[RoundWish] = []
    fine, broken = (
        AgentOutcome(AgentRun(name, "standard", "openai:small", "llm.example.com", failure=failure))
        for name, failure in (("correctness", ""), ("security", "it is down"))
    )
    failure = Failure(Phase.GATHERING, "the disk is on fire", recoverable=True, at="")
    shown = in_phase(Phase.FAILED, failure=failure, without=("tests",), kept=KeptOutcomes("a" * 64, (fine, broken)))

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return shown.session

    for text in ("/retry-agent security", "/proceed-without security"):
        list(run_comment(shown.scene(start_round=start), shown.given(text)))
    with pytest.raises(CommandRefused, match="correctness did not fail"):
        run(shown, "/proceed-without correctness")

    assert wishes == [
        RoundWish(force=True, without=frozenset({"tests"}), retry=frozenset({"security"})),
        RoundWish(force=True, without=frozenset({"tests", "security"})),
    ]


def test_a_round_in_which_a_check_failed_can_be_aborted() -> None:
    failure = Failure(
        Phase.RUNNING_AGENTS, "impact.callers failed: KeyError: 'x'", recoverable=True, at="", names=("impact.callers",)
    )
    shown = in_phase(Phase.AGENTS_FAILED, failure=failure, result=None, seal="")

    [reply] = run(shown, "/draftgate abort")

    assert shown.session.phase is Phase.ABORTED
    assert "nothing was posted" in reply.text
    assert "review" not in shown.forge.kept.writes


def test_a_round_is_started_by_command() -> None:
    wishes: list[RoundWish] = []
    shown = in_phase(Phase.SUBMITTED)

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return shown.session

    list(run_comment(shown.scene(start_round=start), shown.given("/draftgate review --force")))
    for text in ("/draftgate review --own", "/draftgate review --issue ENG-302"):
        with pytest.raises(CommandRefused, match="not available in this release"):
            list(run_comment(shown.scene(start_round=start), shown.given(text)))

    assert wishes == [RoundWish(force=True)]


# --- Replay ----------------------------------------------------------------------------------------------------------


def test_an_accepted_command_that_is_not_understood_any_more_is_refused() -> None:
    broken = session(FINDINGS, commands=(Given("1", "a maintainer", "/drop-finding", "2026-01-02T10:00:02Z"),))

    with pytest.raises(IntegrityError, match="not understood any more"):
        amended_round(broken)


def test_an_edited_text_ends_where_it_ended_when_it_was_written() -> None:
    """Under ``commands: {bare: all}`` a line ``/help`` is a command; under the default it is text."""
    round_ = amended_round(session(FINDINGS))
    text = "/edit-finding 2\nSee below.\n/help"

    as_text = replay(round_, Given("1", "a maintainer", text, "", Bare.OWN))
    as_command = replay(round_, Given("1", "a maintainer", text, "", Bare.ALL))

    assert as_text.findings[1].text == "See below.\n/help"
    assert as_command.findings[1].text == "See below."


def test_amendments_of_one_comment_are_one_write_and_the_same_comment_again_adds_nothing() -> None:
    shown = in_phase(Phase.AWAITING_APPROVAL)
    comment = "/drop-finding 2 known\n/edit-finding 1\nAnother text."

    run(shown, comment)
    run(shown, comment)

    assert [command.text for command in shown.session.commands].count("/drop-finding 2 known") == 1


def test_going_on_without_a_second_check_keeps_the_first_one_out() -> None:
    failure = Failure(Phase.RUNNING_AGENTS, "b.check failed: no", recoverable=True, at="", names=("b.check",))
    shown = in_phase(Phase.AGENTS_FAILED, without=("a.check",), failure=failure)
    wishes: list[RoundWish] = []

    def start(wish: RoundWish) -> Session:
        wishes.append(wish)
        return shown.session

    list(run_comment(shown.scene(start_round=start), shown.given("/proceed-without b.check")))

    assert wishes == [RoundWish(force=True, without=frozenset({"a.check", "b.check"}))]
