"""The same facts in a terminal: plain without colours, within the width, and safe."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from draftgate.domain.amend import AmendedFinding, AmendedRound
from draftgate.domain.finding import Category, Evidence, Label
from draftgate.domain.phase import Phase
from draftgate.domain.review import PublishedReview, ReviewComment, Verdict
from draftgate.domain.round import Coverage, Dropped, LeftOut
from draftgate.domain.session import Failure, Session, Submission
from draftgate.render.terminal import (
    Screen,
    preview,
    published_page,
    review_page,
    status_page,
    submitted_page,
)
from tests.builders import HEAD, amended, blocker, change, finding, line_anchor, result, scope, session

TITLES: list[str] = json.loads((Path(__file__).parents[2] / "corpus/render/titles.json").read_text())
PLAIN = Screen(width=76)
ANCHOR = line_anchor("db/migrate/20261104_create_invitations.rb", 9)
BLOCKER = blocker(
    "two requests can invite the same address twice",
    check="db.unique-index",
    category=Category.DATABASE,
    body="`Invitation` validates that `email` is unique per team, but the index on the same columns is not unique.",
    anchor=ANCHOR,
    evidence=Evidence(
        ANCHOR.path or "", 7, ("  t.string :email, null: false", "end", "add_index :invitations, :email")
    ),
    suggestion="add_index :invitations, :email, unique: true",
)
QUESTION = finding(
    "is this public?", label=Label.QUESTION, body="", anchor=line_anchor("config/routes.rb", 18), evidence=None
)


def two_findings() -> Session:
    return session(
        [BLOCKER, QUESTION],
        scope=scope(uncommitted=2),
        result=result(
            [BLOCKER, QUESTION],
            coverage=Coverage(15, 14, (LeftOut("Gemfile.lock", "lock file"),)),
            dropped=(Dropped("unsupported", "not there"),),
        ),
    )


def test_a_review_is_shown_as_cards_summary_and_next_commands() -> None:
    source = two_findings()

    assert (
        review_page(source, amended(source), PLAIN)
        == """\
══ 1 of 2 ══════════════════════════════════════════════════════════════════
🛑 issue (blocking) · confidence 90 · database · in the diff
   db/migrate/20261104_create_invitations.rb:9

   two requests can invite the same address twice

   `Invitation` validates that `email` is unique per team, but the index on
   the same columns is not unique.

   ┌ db/migrate/20261104_create_invitations.rb
 7 │   t.string :email, null: false
 8 │ end
 9 │ add_index :invitations, :email
   └
   suggested:
   + add_index :invitations, :email, unique: true
   found by db.unique-index

══ 2 of 2 ══════════════════════════════════════════════════════════════════
💬 question · confidence 75 · impact · in the diff
   config/routes.rb:18

   is this public?

   found by impact.callers

2 findings: 1 blocker · 1 question (1 more found and not shown)
Read 14 of 15 files in 0.8 s; left out: Gemfile.lock (lock file).
Uncommitted changes in 2 files were not reviewed; `--worktree` includes
them.
Nothing has been posted. Recommended: request changes, because finding 1 is
a blocker.

  draftgate approve                       publishes both
  draftgate approve 1                     publishes only that
  draftgate do '/drop-finding 2 reason'   rejects one for good
  draftgate do /preview-findings          shows the exact texts
"""
    )


def test_nothing_found_is_four_lines_and_what_can_be_done() -> None:
    source = session()

    assert (
        review_page(source, amended(source), PLAIN)
        == """\
Nothing found
Read 3 of 3 files in 0.8 s.
Nothing has been posted. Recommended: approve, because there is no finding.

  draftgate approve none --as comment   publishes a review without findings
  draftgate do '/discard-findings'      ends the round
"""
    )


def test_where_something_was_found_and_none_of_it_is_shown_nothing_found_is_not_said() -> None:
    source = session(result=result(dropped=(Dropped("unsupported", "not there"),)))

    page = review_page(source, amended(source), PLAIN)

    assert page.startswith("Nothing to show (1 more found and not shown)\n")
    assert "Nothing found" not in page


def test_dropped_and_rewritten_findings_are_shown_as_such() -> None:
    source = two_findings()
    dropped = AmendedFinding(1, BLOCKER, dropped=True, reason="on purpose", changed_by="a maintainer")
    edited = AmendedFinding(2, QUESTION, text="My words.", changed_by="a maintainer")

    page = review_page(source, amended(source, changed=(dropped, edited)), PLAIN)

    assert "two requests can invite the same address twice\n   dropped by a maintainer: on purpose\n" in page
    assert "   rewritten by a maintainer; this will be posted:\n   My words.\n" in page
    assert "1 finding (1 dropped): 1 question" in page
    assert "  draftgate approve " in page
    assert "publishes it" in page


def test_status_says_where_the_session_stands() -> None:
    source = two_findings()

    page = status_page(source, amended(source), PLAIN)

    assert page.startswith(
        "Add invitations to teams\n"
        "feature/invitations against main · 3f9c2ab · round 1\n"
        "Phase: awaiting-approval\n"
        "\n"
        "  1 🛑 issue (blocking) · db/migrate/20261104_create_invitations.rb:9\n"
        "       two requests can invite the same address twice\n"
    )
    assert "  draftgate approve " in page


@pytest.mark.parametrize(
    ("names", "without"), [(("security",), "security"), (("security", "tests"), "NAME")], ids=["one", "several"]
)
def test_status_after_a_failed_agent_says_what_can_be_done(names: tuple[str, ...], without: str) -> None:
    failure = Failure(Phase.RUNNING_AGENTS, "it is down", recoverable=True, at="2026-01-02T10:00:00Z", names=names)
    source = session(phase=Phase.AGENTS_FAILED, failure=failure, result=None)

    page = status_page(source, AmendedRound((), None), PLAIN)

    for command in ("/retry-agent", f"'/proceed-without {without}'", "'/draftgate abort'"):
        assert f"  draftgate do {command} " in page


def test_status_of_a_failed_session_says_why() -> None:
    failure = Failure(Phase.GATHERING, "no base", recoverable=True, at="2026-01-02T10:00:00Z")
    source = session(phase=Phase.FAILED, failure=failure, result=None, scope=None)

    assert status_page(source, amended(source), PLAIN) == (
        "Add invitations to teams\n"
        "feature/invitations against main · round 1\n"
        "Phase: failed\n"
        "Stopped while gathering: no base\n"
        "\n"
    )


def test_a_submitted_review_lists_what_became_of_each_finding() -> None:
    at = "2026-01-02T10:12:01Z"
    submission = Submission(".draftgate/review-1.json", Verdict.REQUEST_CHANGES, (1,), "d", at)
    source = session([BLOCKER, QUESTION], phase=Phase.SUBMITTED, submission=submission)

    assert (
        submitted_page(source, amended(source), PLAIN)
        == """\
Submitted: changes requested
   .draftgate/review-1.json

  1 🛑 issue (blocking) · db/migrate/20261104_create_invitations.rb:9
       two requests can invite the same address twice
       posted

  2 💬 question · config/routes.rb:18
       is this public?
       left out — not raised again while the code is unchanged

2 findings (1 approved, 1 not), reviewed in 0.8 s, waited 12 min.
"""
    )


def test_a_preview_shows_the_exact_texts() -> None:
    source = session([QUESTION])

    page = preview("The body.", amended(source).findings, Screen(width=50))

    assert (
        page
        == """\
══ the review's body ═════════════════════════════
The body.

══ 1 · config/routes.rb:18 ═══════════════════════
**question:** is this public?

This is a preview. Nothing has been posted.
"""
    )


def test_a_published_review_is_shown_as_it_stands() -> None:
    comment = ReviewComment(1, "f", ANCHOR, "**issue:** text")
    review = PublishedReview(
        "r.json", "s", "p", (1,), "a maintainer", HEAD, Verdict.COMMENT, "Body.", (comment,), "2026-01-02"
    )

    page = published_page(review, Screen(width=60))

    assert page.startswith("Commented by a maintainer\nr.json · 3f9c2ab · 2026-01-02\n\nBody.\n\n══ 1 · db/migrate/")
    assert page.endswith("\n**issue:** text\n")


@pytest.mark.parametrize("width", [40, 60, 120])
@pytest.mark.parametrize("text", [*TITLES, "説明" * 60, "\x1b]0;title\x07", "a\u202eb\tc"], ids=range(len(TITLES) + 3))
def test_whatever_is_shown_stays_within_the_width_and_holds_no_control_character(text: str, width: int) -> None:
    anchor = line_anchor(f"src/{text}.py", 3)
    hostile = finding(
        text, body=text, anchor=anchor, evidence=Evidence(anchor.path or "", 2, (text, text)), suggestion=text
    )
    source = session([hostile], change=change(title=text, head_ref=text))

    page = review_page(source, amended(source), Screen(width)) + status_page(source, amended(source), Screen(width))

    assert max(cell_len(line) for line in page.split("\n")) <= width
    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", page) is None


def test_colour_only_adds_colour() -> None:
    source = two_findings()

    coloured = review_page(source, amended(source), Screen(76, color=True))

    assert "\x1b[" in coloured
    assert "".join(re.sub(r"\x1b\[[0-9;]*m", "", coloured).split()) == "".join(
        review_page(source, amended(source), PLAIN).split()
    )


def test_markup_of_rich_in_a_text_is_text() -> None:
    source = session([finding("[bold]x[/bold] :smile: [link=http://x.example]y[/link]")])

    page = review_page(source, amended(source), Screen(100, color=True))

    assert "[bold]x[/bold] :smile: [link=http://x.example]y[/link]" in page
