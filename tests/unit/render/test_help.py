"""The list of commands, as a reply and in a terminal."""

from __future__ import annotations

from draftgate.render.help import HelpRow, help_markdown, help_terminal

APPROVE = HelpRow("/approve-findings [SET] [--as VERDICT]", "publishes that set", "write access", applies_now=True)
VERDICTS = HelpRow("--as comment|approve", "chooses the verdict", "write access", applies_now=True)
RETRY = HelpRow("/retry-agent [NAME]", "runs a failed agent again", "write access", applies_now=False)


def test_what_applies_now_stands_first_and_the_rest_is_folded() -> None:
    assert help_markdown((RETRY, APPROVE)) == (
        "### Draftgate · commands\n"
        "\n"
        "| command | does | who |\n"
        "| --- | --- | --- |\n"
        "| `/approve-findings [SET] [--as VERDICT]` | publishes that set | write access |\n"
        "\n"
        "<details><summary>Not in the present phase</summary>\n"
        "\n"
        "| command | does | who |\n"
        "| --- | --- | --- |\n"
        "| `/retry-agent [NAME]` | runs a failed agent again | write access |\n"
        "</details>\n"
    )


def test_a_bar_in_a_usage_does_not_end_its_cell() -> None:
    assert "| <code>&#45;&#45;as comment&#124;approve</code> | chooses" in help_markdown((VERDICTS,))


def test_nothing_applying_now_is_said() -> None:
    assert "No command applies in the present phase." in help_markdown((RETRY,))


def test_the_terminal_lists_the_same() -> None:
    assert help_terminal((RETRY, APPROVE)) == (
        "Applies now\n"
        "  /approve-findings [SET] [--as VERDICT]\n"
        "      publishes that set (write access)\n"
        "\n"
        "Not in the present phase\n"
        "  /retry-agent [NAME]\n"
        "      runs a failed agent again (write access)\n"
    )
