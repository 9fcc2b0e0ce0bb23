"""The list of commands in a terminal."""

from __future__ import annotations

from draftgate.render.help import HelpRow, help_terminal

APPROVE = HelpRow("/approve-findings [SET] [--as VERDICT]", "Publishes that set.", "publishers", applies_now=True)
DROP = HelpRow("/drop-finding NUMBERS", "Takes findings out.", "write access", applies_now=True)
RETRY = HelpRow("/retry-agent [NAME]", "Runs a failed agent again.", "write access", applies_now=False)


def test_what_applies_now_stands_first_and_the_usual_rule_is_said_once() -> None:
    assert help_terminal((RETRY, APPROVE, DROP)) == (
        "Applies now\n"
        "  /approve-findings [SET] [--as VERDICT]\n"
        "      Publishes that set.\n"
        "  /drop-finding NUMBERS\n"
        "      Takes findings out.\n"
        "\n"
        "Not in the present phase\n"
        "  /retry-agent [NAME]\n"
        "      Runs a failed agent again.\n"
        "\n"
        "Who may, on a forge\n"
        "  /approve-findings: publishers\n"
        "  the others: write access\n"
    )
