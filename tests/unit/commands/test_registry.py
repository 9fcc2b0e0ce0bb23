"""The contract of every comment command, from its own examples."""

from __future__ import annotations

import pytest

from draftgate.commands.base import CommandSpec
from draftgate.commands.registry import load_commands, load_grammar
from draftgate.domain.command import Bare, ParsedComment, parse_comment

COMMANDS = load_commands()
GOOD = [pytest.param(command, text, id=repr(text)) for command in COMMANDS for text in command.good]
BAD = [pytest.param(command, text, id=f"{command.name}:{text!r}") for command in COMMANDS for text in command.bad]

COVERS = {
    "quoted": "> {0}",
    "fenced": "```\n{0}\n```",
    "fenced-by-tildes": "~~~~ text\n{0}\n~~~~",
    "in-an-open-fence": "```\n{0}",
    "indented": "    {0}",
    "in-a-comment": "<!-- {0} -->",
    "in-a-comment-over-lines": "<!--\n{0}\n-->",
    "in-inline-code": "`{0}`",
    "in-inline-code-over-lines": "`\n{0}\n`",
    "in-pre": "<pre>\n{0}\n</pre>",
    "in-mid-line": "please {0}",
    "in-a-list": "- {0}",
}


def read(text: str) -> ParsedComment:
    return parse_comment(text, load_grammar(Bare.OWN))


def test_all_commands_are_found_in_name_order() -> None:
    assert [command.name for command in COMMANDS] == [
        "abort",
        "approve-findings",
        "delegate",
        "discard-findings",
        "discuss",
        "drop-finding",
        "edit-finding",
        "edit-reply",
        "edit-review-body",
        "finalize-review",
        "fix",
        "gate",
        "help",
        "implement",
        "pause",
        "preview-findings",
        "proceed-without",
        "recategorize-finding",
        "reject",
        "relabel-finding",
        "reply",
        "respond",
        "resume",
        "retry-agent",
        "review",
        "stop",
    ]


def test_exactly_twelve_work_bare_without_configuration() -> None:
    assert sorted(load_grammar(Bare.OWN).bare) == [
        "approve-findings",
        "discard-findings",
        "drop-finding",
        "edit-finding",
        "edit-reply",
        "edit-review-body",
        "finalize-review",
        "preview-findings",
        "proceed-without",
        "recategorize-finding",
        "relabel-finding",
        "retry-agent",
    ]


def test_short_forms_are_nine() -> None:
    assert {command.short: command.name for command in COMMANDS if command.short} == {
        "approve": "approve-findings",
        "discard": "discard-findings",
        "drop": "drop-finding",
        "edit": "edit-finding",
        "finalize": "finalize-review",
        "preview": "preview-findings",
        "recategorize": "recategorize-finding",
        "relabel": "relabel-finding",
        "retry": "retry-agent",
    }


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_has_examples_of_both_kinds(command: CommandSpec) -> None:
    assert command.bad
    assert bool(command.good) is command.is_available


@pytest.mark.parametrize(("command", "text"), GOOD)
def test_good_example_is_understood(command: CommandSpec, text: str) -> None:
    comment = read(text)

    assert comment.refusals == ()
    assert [found.name for found in comment.commands] == [command.name]


@pytest.mark.parametrize(("command", "text"), BAD)
def test_bad_example_is_refused_or_not_ours(command: CommandSpec, text: str) -> None:
    comment = read(text)

    assert comment.commands == ()
    assert all(line.refusal.reason and line.refusal.write for line in comment.refusals), command.name


@pytest.mark.parametrize(("command", "text"), GOOD)
@pytest.mark.parametrize("cover", COVERS)
def test_covered_example_is_no_command(command: CommandSpec, text: str, cover: str) -> None:
    first, *rest = text.split("\n")

    assert read("\n".join([COVERS[cover].format(first), *rest])) == ParsedComment(), command.name


@pytest.mark.parametrize("command", [spec for spec in COMMANDS if not spec.is_available], ids=lambda spec: spec.name)
def test_what_is_not_available_says_so(command: CommandSpec) -> None:
    [line] = read(f"/draftgate {command.name} 1 text").refusals

    assert "not available in this release" in line.refusal.reason
