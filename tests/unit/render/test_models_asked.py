"""Which models were asked, what it cost and what was sent to whom, as the audit and a stopped round show it."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from draftgate.domain.agent_run import NOTHING_SPENT, AgentRun, Spent
from draftgate.domain.agents import AgentOutcome, KeptOutcomes
from draftgate.domain.amend import AmendedRound
from draftgate.domain.phase import Phase
from draftgate.domain.session import Failure, Session
from draftgate.render.audit import models_asked
from draftgate.render.checkpoint import checkpoint
from draftgate.render.wording import cost_of, spent_in_words
from tests.builders import amended, change, finding, result, session

PARSER = MarkdownIt("commonmark").enable(["table"])
SPENT = Spent(requests=3, input_tokens=12_345, output_tokens=678, cached_tokens=10_000, usd=0.0421)


def run(name: str = "correctness", **changes: object) -> AgentRun:
    made = AgentRun(
        name=name,
        tier="standard",
        model="openai:small",
        host="api.openai.com",
        spent=SPENT,
        seconds=12.4,
        findings=3,
        kept=2,
        sent=("title, names of branches and of changed files", "diff of lib.py", "lib.py lines 1–40 at head"),
        sent_characters=4_321,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def cells_of(text: str) -> list[list[str]]:
    """The rows of the table as a reader sees them, without the head."""
    tokens = PARSER.parse(text)
    rows: list[list[str]] = []
    for before, token in pairwise(tokens):
        if before.type == "tr_open":
            rows.append([])
        if before.type in {"td_open", "th_open"}:
            rows[-1].append(token.content)
    return rows[1:]


# --- The table -------------------------------------------------------------------------------------------------------


def test_two_agents_make_this_table() -> None:
    critic = run(
        "critic",
        tier="capable",
        model="anthropic:large",
        host="api.anthropic.com",
        effort="high",
        sent=(),
        spent=Spent(),
    )

    assert models_asked((run(), critic), SPENT + SPENT) == (
        "| agent | model | requests | tokens | cost | findings | kept | time |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| correctness | openai:small (standard) | 3 | 12,345 in (10,000 cached), 678 out | $0.04 | 3 | 2 | 12 s |\n"
        "| critic | anthropic:large (capable, effort high) | 0 | 0 in, 0 out | $0 | 3 | 2 | 12 s |\n"
        "\n"
        "On this change so far: 6 requests, 26,046 tokens, $0.08.\n"
        "\n"
        "**Sent to models**\n"
        "\n"
        "- correctness, 4,321 characters to `api.openai.com`: title, names of branches and of changed files; "
        "`diff of lib.py`; `lib.py lines 1–40 at head`\n"
        "- critic, 4,321 characters to `api.anthropic.com`: nothing of the change"
    )


def test_nobody_asked_makes_no_table() -> None:
    assert models_asked((), NOTHING_SPENT) == ""


@pytest.mark.parametrize(
    ("changes", "column", "shown"),
    [
        ({"spent": dataclasses.replace(SPENT, usd=None)}, 4, "cost unknown"),
        ({"failure": "it is down"}, 0, "correctness — failed: it is down"),
        ({"stopped_early": "30 turns were taken"}, 0, "correctness — answered early: 30 turns were taken"),
        ({"answered_as": "small-2026"}, 1, "openai:small (standard), answered as small-2026"),
        ({"answered_as": "small"}, 1, "openai:small (standard)"),
        ({"model": "openai:org/small:free", "answered_as": "org/small:free"}, 1, "openai:org/small:free (standard)"),
    ],
    ids=["unknown-cost", "failed", "early", "another-model", "the-same-model", "a-colon-in-its-name"],
)
def test_what_a_reader_should_know_stands_in_its_cell(changes: dict[str, object], column: int, shown: str) -> None:
    [row] = cells_of(models_asked((run(**changes),), SPENT))

    assert row[column] == shown


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    assert "On this change so far: 3 requests, 13,023 tokens, cost unknown." in models_asked(
        (run(),), dataclasses.replace(SPENT, usd=None)
    )


@pytest.mark.parametrize("field", ["name", "model", "effort", "answered_as", "failure", "stopped_early"])
@pytest.mark.parametrize(
    "text",
    ["a | b", "a\n| b", "@everyone", "<!-- x -->", "`", "**bold", "![x](https://example.com/x.png)", "fixes #1"],
    ids=["bar", "row", "mention", "comment", "tick", "emphasis", "image", "reference"],
)
def test_no_text_of_others_breaks_the_table_or_acts(field: str, text: str) -> None:
    shown = models_asked((run(**{field: text}), run("critic")), SPENT)

    rows = cells_of(shown)
    assert [len(row) for row in rows] == [8, 8]
    assert rows[1][0] == "critic"
    html = PARSER.render(shown)
    assert "<img" not in html
    assert "<!--" not in shown
    assert "@everyone" not in shown.replace("`@everyone`", "")
    assert "#1" not in shown.replace("`#1`", "")


@pytest.mark.parametrize("before", [(), ("title",)], ids=["first", "later"])
@pytest.mark.parametrize(
    "path",
    ["a`b @everyone.py", "a\n- forged.py", "a\n\n**Integrity** — it is fine", "<details>", "a\u202eb.py"],
    ids=["tick-and-mention", "item", "paragraph", "element", "right-to-left"],
)
def test_a_hostile_path_stays_in_its_line_of_what_was_sent(path: str, before: tuple[str, ...]) -> None:
    shown = models_asked((run(sent=(*before, f"{path} lines 1–4 at head", "lib.py")), run("critic")), SPENT)
    listed = shown.partition("**Sent to models**\n\n")[2].split("\n")

    assert [line.partition(",")[0] for line in listed] == ["- correctness", "- critic"]
    html = PARSER.render(shown)
    assert "<details>" not in html
    assert "\u202e" not in shown
    assert "@everyone" not in re.sub("<code>.*?</code>", "", html)


def test_a_host_cannot_leave_its_code() -> None:
    assert "to ``a`b``: " in models_asked((run(host="a`b"),), SPENT)


def test_what_was_sent_is_cut_where_it_is_endless() -> None:
    shown = models_asked((run(sent=("x" * 10_000,)),), SPENT)

    assert len(shown) < 2_000


# --- Words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usd", "said"),
    [
        (None, "cost unknown"),
        (0.0, "$0"),
        (0.0042, "$0.0042"),
        (0.00999, "$0.0100"),
        (0.01, "$0.01"),
        (1.239, "$1.24"),
        (12.0, "$12.00"),
    ],
)
def test_a_cost_is_said_in_dollars(usd: float | None, said: str) -> None:
    assert cost_of(Spent(usd=usd)) == said


def test_what_was_spent_is_said_in_words() -> None:
    assert spent_in_words(Spent(1, 999, 1, 0, 0.5)) == "1 request, 1,000 tokens, $0.50"


# --- In the audit ----------------------------------------------------------------------------------------------------


def test_the_audit_counts_agents_and_their_cost_in_its_heading() -> None:
    shown = result([finding()], agents=(run(), run("critic")))
    source = session([finding()], result=shown, spent=SPENT + SPENT + SPENT)

    audit = checkpoint(source, amended(source)).audit

    assert "Audit · 1 check · 2 agents · $0.08 · " in audit
    assert "On this change so far: 9 requests" in audit
    assert "| correctness | openai:small (standard) |" in audit


def test_without_agents_the_audit_is_silent_about_models() -> None:
    source = session([finding()])

    audit = checkpoint(source, amended(source)).audit

    assert "Audit · 1 check · 0.8 s" in audit
    assert "model" not in audit


# --- A round that stopped --------------------------------------------------------------------------------------------


def stopped(*names: str, outcomes: tuple[AgentOutcome, ...] = (), **changes: object) -> Session:
    reason = "; ".join(f"{name} failed: it is down" for name in names)
    failure = Failure(Phase.RUNNING_AGENTS, reason, recoverable=True, at="now", names=names)
    made = session(
        (),
        phase=Phase.AGENTS_FAILED,
        result=None,
        failure=failure,
        kept=KeptOutcomes("a" * 64, outcomes) if outcomes else None,
        spent=SPENT,
    )
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # fields by name


def page_of(source: Session) -> str:
    return checkpoint(source, AmendedRound((), None)).text


FINE, BROKEN = AgentOutcome(run()), AgentOutcome(run("security", failure="it is down", findings=0))


def test_the_page_names_what_failed_and_what_is_kept() -> None:
    page = page_of(stopped("security", outcomes=(FINE, BROKEN)))

    assert page.startswith("### Draftgate · security failed\n")
    assert "\nsecurity failed: it is down\n" in page
    assert (
        "Nothing is shown, since it would not be complete. What correctness found is kept and not asked for again."
        in page
    )
    assert "draftgate do '/retry-agent'" in page
    assert "draftgate do '/proceed-without security'" in page
    assert "<details><summary>What was asked</summary>" in page
    assert "| security — failed: it is down |" in page
    assert "On this change so far: 3 requests, 13,023 tokens, $0.04." in page


def test_where_several_failed_a_name_has_to_be_chosen() -> None:
    page = page_of(stopped("security", "tests", outcomes=(BROKEN,)))

    assert page.startswith("### Draftgate · security and tests failed\n")
    assert "draftgate do '/proceed-without NAME'" in page
    assert "is kept" not in page


def test_on_a_forge_the_ways_out_are_comments() -> None:
    page = page_of(stopped("security", outcomes=(FINE, BROKEN), change=change(number=7, forge="github")))

    assert "\n/proceed-without security\n" in page
    assert "draftgate do" not in page


def test_where_a_check_failed_and_no_agent_was_asked_nothing_is_said_of_models() -> None:
    page = page_of(stopped("db.unique-index"))

    assert page.startswith("### Draftgate · db.unique-index failed\n")
    assert "What was asked" not in page


def test_a_reason_of_others_cannot_act_on_the_page() -> None:
    failure = Failure(
        Phase.RUNNING_AGENTS, "security failed: @everyone\n\n/approve-findings", True, "now", ("security",)
    )

    page = page_of(stopped("security", failure=failure))

    assert "\n/approve-findings" not in page
    assert "@everyone" not in page.replace("`@everyone`", "")
