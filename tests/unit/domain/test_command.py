"""A comment as a whole: several commands, their bodies, slips of the pen, and bounds."""

from __future__ import annotations

import pytest

from draftgate.commands.registry import load_grammar
from draftgate.commands.verbs.approve_findings import ApproveFindings
from draftgate.commands.verbs.drop_finding import DropFinding
from draftgate.commands.verbs.edit_finding import EditFinding
from draftgate.commands.verbs.edit_review_body import EditReviewBody
from draftgate.commands.verbs.help import ShowHelp
from draftgate.domain.command import MAX_COMMANDS, MAX_COMMENT, MAX_LINE, Bare, Parsed, ParsedComment, parse_comment
from draftgate.domain.refusal import quoted


def read(text: str, bare: Bare = Bare.OWN) -> ParsedComment:
    return parse_comment(text, load_grammar(bare))


def understood(text: str, bare: Bare = Bare.OWN) -> list[Parsed]:
    comment = read(text, bare)
    assert comment.refusals == ()
    return [command.parsed for command in comment.commands]


def refused(text: str, bare: Bare = Bare.OWN) -> list[tuple[int, str]]:
    comment = read(text, bare)
    assert comment.commands == ()
    return [(line.line, f"{line.refusal.reason}: {line.refusal.write}") for line in comment.refusals]


def test_commands_come_in_the_order_and_with_the_place_in_which_they_stand() -> None:
    comment = read("thanks\n/drop-finding 2\n\nand then\n/approve-findings all \n")

    assert [(command.name, command.line, command.text) for command in comment.commands] == [
        ("drop-finding", 2, "/drop-finding 2"),
        ("approve-findings", 5, "/approve-findings all "),
    ]


def test_every_line_that_is_wrong_is_named() -> None:
    lines = refused("/drop-finding x\n/relabel-finding 2 nitpick\n/edit-finding 3\n/approve-findings 1-")

    assert [line for line, _ in lines] == [1, 3, 4]


@pytest.mark.parametrize(
    "change",
    [
        "/drop-finding 2",
        "/edit-finding 2\ntext",
        "/edit-reply A\ntext",
        "/edit-review-body\ntext",
        "/relabel-finding 2 nitpick",
        "/recategorize-finding 2 docs",
        "/discard-findings",
    ],
)
def test_a_change_may_precede_a_submission_but_not_follow_it(change: str) -> None:
    assert len(understood(f"{change}\n/approve-findings")) == 2
    assert refused(f"/approve-findings\n{change}")[0][0] == 2


def test_what_changes_no_finding_may_follow_a_submission() -> None:
    assert len(understood("/approve-findings\n/draftgate help\n/finalize-review")) == 3


def test_a_submission_written_twice_is_done_once() -> None:
    assert len(understood("/approve-findings 1,3\n/draftgate approve 3;1")) == 1


class TestBody:
    def test_runs_to_the_next_command(self) -> None:
        edit, drop = understood("/edit-finding 2\n\n- one\n\n- two\n\n/drop-finding 3")

        assert edit == EditFinding(2, "- one\n\n- two")
        assert isinstance(drop, DropFinding)

    @pytest.mark.parametrize(
        "line",
        ["/lgtm", "/review", "/usr/bin/env", "> /drop-finding 3", "`/drop-finding 3`", "see /drop-finding 3"],
    )
    def test_holds_what_is_no_command_of_ours(self, line: str) -> None:
        assert understood(f"/edit-finding 2\ntext\n{line}\nmore") == [EditFinding(2, f"text\n{line}\nmore")]

    def test_holds_a_command_in_code(self) -> None:
        body = "Say it so:\n\n```\n/approve-findings 1\n```\n\n~~~~ md\n/drop-finding 2\n~~~~"

        assert understood(f"/edit-review-body\n{body}") == [EditReviewBody(body)]

    def test_keeps_what_is_written_except_line_ends(self) -> None:
        body = "    x\u00a0= \u201c1\u201d \u2014 \u200b\r\n\ttab  \r\nend"

        assert understood(f"/edit-finding 2\r\n{body}\r\n") == [EditFinding(2, body.replace("\r\n", "\n"))]

    def test_belongs_to_no_command_that_has_none(self) -> None:
        assert understood("/draftgate help\nThank you!") == [ShowHelp()]


class TestSlips:
    @pytest.mark.parametrize(
        ("word", "meant"),
        [
            ("/approve-finding", "/approve-findings"),
            ("/aprove-findigs", "/approve-findings"),
            ("/drop-findings", "/drop-finding"),
            ("/approve-findings:", "/approve-findings"),
            ("/edit_finding", "/edit-finding"),
            ("/draftgaet", "/draftgate"),
        ],
    )
    def test_two_at_most_get_a_suggestion_and_nothing_runs(self, word: str, meant: str) -> None:
        comment = read(f"/preview-findings\n{word} 1")

        assert comment.commands == ()
        assert [line.is_suggestion for line in comment.refusals] == [True]
        assert meant in comment.refusals[0].refusal.write

    def test_alone_do_not_make_a_comment_ours(self) -> None:
        assert [line.is_suggestion for line in read("/approve-finding 1").refusals] == [True]
        assert [line.is_suggestion for line in read("/draftgate aprove 1").refusals] == [False]

    @pytest.mark.parametrize("word", ["/hold", "/approve", "/lgtm", "/retest", "/approve-findings-later", "/find"])
    def test_other_words_are_another_bots(self, word: str) -> None:
        assert understood(f"{word}\n/draftgate help") == [ShowHelp()]

    def test_short_names_get_fewer(self) -> None:
        assert read("/hold", Bare.ALL) == ParsedComment()
        assert refused("/hlp", Bare.ALL)

    @pytest.mark.parametrize("verb", ["", " aprove 1", " /approve", " frobnicate", " approve-findings-later"])
    def test_after_our_name_are_always_answered(self, verb: str) -> None:
        assert len(refused(f"/draftgate{verb}")) == 1


class TestBareNames:
    def test_only_own_ones_work_by_default(self) -> None:
        assert read("/review\n/help\n/approve\n/abort") == ParsedComment()

    def test_all_work_where_the_configuration_says_so(self) -> None:
        assert len(read("/review\n/help\n/retry", Bare.ALL).commands) == 3


class TestBounds:
    def test_a_long_comment_without_commands_is_not_ours(self) -> None:
        assert read("x /\n" * MAX_COMMENT) == ParsedComment()

    @pytest.mark.parametrize(
        "text",
        [
            "/preview-findings\n" + "x" * MAX_COMMENT,
            "/approve-findings " + "1," * MAX_LINE + "1",
            "/draftgate help\n" * (MAX_COMMANDS + 1),
        ],
        ids=["comment", "line", "commands"],
    )
    def test_too_much_is_refused_once(self, text: str) -> None:
        assert len(refused(text)) == 1

    def test_a_full_comment_is_read(self) -> None:
        assert len(understood("/draftgate help\n" * MAX_COMMANDS)) == MAX_COMMANDS


class TestEcho:
    def test_is_short_and_inactive(self) -> None:
        [(_, said)] = refused("/approve-findings @everyone `x` \u0007<b> [a](b) " + "y" * 500)

        assert "`@everyone 'x' \\u0007<b>" in said
        assert len(said) < 250

    @pytest.mark.parametrize("text", ["\ud800", "\u202e", "\x00", "\u2028"])
    def test_shows_what_cannot_be_seen(self, text: str) -> None:
        assert quoted(f"a{text}b") == f"`a\\u{ord(text):04x}b`"


def test_the_set_is_everything_shown_when_none_is_written() -> None:
    [short] = understood("/approve-findings")
    [long] = understood("/approve-findings all --replies none --resolve none")

    assert isinstance(short, ApproveFindings)
    assert short == long
