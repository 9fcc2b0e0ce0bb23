"""What holds for every text: the parser returns, covers nothing up, and reaches no number that is not written."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from draftgate.commands.registry import load_commands, load_grammar
from draftgate.commands.verbs.approve_findings import ApproveFindings
from draftgate.commands.verbs.drop_finding import DropFinding
from draftgate.domain.command import Bare, ParsedCommand, parse_comment
from draftgate.domain.selection import Kind

WORDS = (
    *(
        "/approve-findings",
        "/draftgate",
        "approve",
        "/drop-finding",
        "/edit-finding",
        "/preview-findings",
        "/draftgate",
    ),
    *(
        "all",
        "except",
        "checked",
        "none",
        "and",
        "--as",
        "comment",
        "--skip-below",
        "nitpick",
        "--replies",
        "A",
        "\u2014",
    ),
    *("1", "2-4", "10", "#", ",", ";", "&", "-", "\u2013", "0", "\uff11", "\u200b", "\u00a0", "\u202e", "\u0661"),
    *("```", "~~~", "`", "<!--", "-->", "> ", "- ", "1. ", "    ", "\t", "\r\n", "\n", "\n\n", "<pre>", "</pre>", "\\"),
)
COMMENTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(WORDS), max_size=30).map("".join),
    st.lists(st.sampled_from((*WORDS, " ", "\n")), max_size=30).map(" ".join),
    st.tuples(st.sampled_from([text for spec in load_commands() for text in spec.good]), st.text(max_size=30)).map(
        "".join
    ),
)


def reaches_more_than_it_says(command: ParsedCommand) -> bool:
    if not isinstance(command.parsed, ApproveFindings | DropFinding):
        return False
    selection = command.parsed.selection
    line = unicodedata.normalize("NFKC", command.text).lower()
    written = {int(digits) for digits in re.findall("[0-9]+", line)}
    if not all({part.first, part.last} <= written for part in selection.ranges):
        return True
    says_all = bool(re.search(r"\ball\b", line)) or not re.search(r"[^-]\b(?:none|checked|[0-9]+)\b", line)
    return selection.kind in (Kind.ALL, Kind.ALL_EXCEPT) and not says_all


@settings(max_examples=600, deadline=None)
@given(COMMENTS, st.sampled_from(Bare))
def test_any_text_gives_commands_or_refusals_and_never_both(text: str, bare: Bare) -> None:
    comment = parse_comment(text, load_grammar(bare))

    assert not (comment.commands and comment.refusals)
    assert not [command for command in comment.commands if reaches_more_than_it_says(command)]
    for line in comment.refusals:
        assert line.refusal.reason.isprintable()
        assert line.refusal.write.isprintable()


@settings(max_examples=200, deadline=None)
@given(COMMENTS)
def test_a_quoted_comment_is_never_a_command(text: str) -> None:
    quoted = "\n".join(f"> {line}" for line in re.split("\r\n|\r|\n", text))

    comment = parse_comment(quoted, load_grammar(Bare.ALL))

    assert not comment.commands
    assert not comment.refusals


@settings(max_examples=200, deadline=None)
@given(COMMENTS)
def test_a_fenced_comment_is_never_a_command(text: str) -> None:
    fence = "`" * 40

    comment = parse_comment(f"{fence}\n{text}\n{fence}", load_grammar(Bare.ALL))

    assert not comment.commands
    assert not comment.refusals
