"""The page of a run says what happened, and shows the findings where nothing else can."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.phase import Phase
from draftgate.domain.review import Verdict
from draftgate.domain.session import Submission
from draftgate.render.links import Links
from draftgate.render.page import size
from draftgate.render.summary import LIMIT, Happened, Timing, job_summary, timing_line
from tests.builders import amended, blocker, change, finding, session

TITLES: list[str] = json.loads((Path(__file__).parents[2] / "corpus/render/titles.json").read_text())
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
URL = "https://forge.example/acme/rooms"
WAITING = Happened("findings wait", checkpoint_url=f"{URL}/pull/128#issuecomment-1")


@pytest.mark.parametrize(
    ("timing", "line"),
    [
        (Timing(12.3, 7380.0, 9), "automated 12.3 s · waited 2 h 3 min · 9 requests"),
        (Timing(0.04, None, 1), "automated 0.0 s · 1 request"),
        (Timing(0.3), "automated 0.3 s"),
        (Timing(180, 0, 1200), "automated 3 min · waited 0.0 s · 1,200 requests"),
    ],
)
def test_time_is_told_on_one_line(timing: Timing, line: str) -> None:
    assert timing_line(timing) == line


def test_a_run_that_wrote_points_to_the_checkpoint_and_lists_the_findings() -> None:
    source = session([blocker("rows | repeat"), finding("x")], change=change(number=128, url=f"{URL}/pull/128"))

    text = job_summary(WAITING, Timing(1, None, 9), source, amended(source), Links(URL))

    assert text.startswith(
        "### Draftgate · findings wait\n"
        "\n"
        f"**Add invitations to teams** · {URL}/pull/128 · `3f9c2ab` · round 1"
        f" · [the checkpoint]({URL}/pull/128#issuecomment-1)\n"
        "\n"
        "🛑 **1** blocker · ⚠️ **1** important — read 3 of 3 files\n"
        "\n"
        "| | finding | place | subject |\n"
        "| ---: | --- | --- | --- |\n"
        f"| 1 | 🛑 issue | [`app/models/team.py:44`]({URL}/blob/3f9c2ab"
    )
    assert "rows \\| repeat |\n" in text
    assert text.endswith("\n\n<sub>automated 1.0 s · 9 requests</sub>\n")


def test_what_a_review_does_not_hold_or_says_in_other_words_is_marked() -> None:
    shown = [finding(f"rows {number}") for number in range(1, 5)]
    submission = Submission(f"{URL}/pull/128", Verdict.COMMENT, (1, 2), "b" * 64, "2026-01-02T10:05:00Z")
    source = session(shown, phase=Phase.SUBMITTED, submission=submission)
    changed = (AmendedFinding(2, shown[1], text="Mine."), AmendedFinding(3, shown[2], dropped=True))

    text = job_summary(WAITING, Timing(1), source, amended(source, changed=changed))

    labels = [line.split(" | ")[1] for line in text.splitlines() if " | rows " in line]
    assert labels == ["⚠️ issue", "⚠️ issue (reworded)", "⚠️ issue (dropped)", "⚠️ issue (left out)"]


def test_a_run_that_could_not_write_shows_the_findings_without_boxes() -> None:
    source = session([blocker("rows repeat"), finding("callers break")])
    happened = Happened("read-only", "The token cannot write.", shows_findings=True)

    text = job_summary(happened, Timing(1), source, amended(source))

    assert "> **issue (blocking):** rows repeat" in text
    assert "\n\n**2** · ⚠️ **issue** · confidence 75" in text
    assert "[ ]" not in text


def test_a_skipped_run_says_why() -> None:
    text = job_summary(Happened("skipped", "The change is a draft (`skip.drafts`)."), Timing(0.2, None, 1))

    assert text == (
        "### Draftgate · skipped\n\nThe change is a draft (`skip.drafts`).\n\n<sub>automated 0.2 s · 1 request</sub>\n"
    )


@pytest.mark.parametrize("in_full", [True, False], ids=["in full", "table"])
@pytest.mark.parametrize("text", TITLES, ids=range(len(TITLES)))
def test_texts_of_others_do_nothing(text: str, in_full: bool) -> None:  # noqa: FBT001 - a parameter of the test
    source = session([finding(text, body=text)] * 3, change=change(title=text, url=text))
    happened = Happened(text, text, text, text, shows_findings=in_full)

    tokens = PARSER.parse(job_summary(happened, Timing(1), source, amended(source)))

    inline = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inline} & {"link_open", "image"}
    assert len([token for token in tokens if token.type == "tr_open"]) == (0 if in_full else 4)


def test_a_summary_stays_within_what_a_forge_takes() -> None:
    source = session([finding(f"subject {number}", body="é " * 5_000) for number in range(300)])

    text = job_summary(Happened("read-only", shows_findings=True), Timing(1), source, amended(source))

    assert size(text) <= LIMIT
    assert "more characters do not fit" in text
    assert text.endswith("</sub>\n")
