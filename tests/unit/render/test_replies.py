"""An answer says what happened, what to write, and gives no command to anybody."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.review import ReviewComment
from draftgate.render import replies
from draftgate.render.help import HelpRow
from draftgate.render.page import LIMIT, outside_code, size
from tests.builders import line_anchor

TITLES: list[str] = json.loads((Path(__file__).parents[2] / "corpus/render/titles.json").read_text())
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ROWS = (
    HelpRow("/approve-findings [--replies A|all]", "Publishes.", "who may write", applies_now=True),
    HelpRow("/drop-finding N", "Drops.", "who may write, or is named", applies_now=True),
    HelpRow("/retry-agent", "Again.", "who may write, or is named", applies_now=False),
)


def test_a_refusal_names_the_reason_and_what_to_write() -> None:
    text = replies.refused("/approve-findings 9", "`9` is not a finding of this round", "the findings are `1-5`")

    assert text == (
        "> `/approve-findings 9`\n"
        "\n"
        "**Not done** — `9` is not a finding of this round\n"
        "\n"
        "**Instead** — the findings are `1-5`"
    )


def test_who_may_not_is_told_who_may_and_what_would_allow_it() -> None:
    text = replies.not_allowed("/approve-findings", "who may write", "approval:\n  author_may_approve: always")

    assert "**Not done** — you may not give this command here.\n\n**Who may** — who may write\n\n" in text
    assert "This setting would allow it:\n\n```yaml\napproval:\n  author_may_approve: always\n```" in text


def test_a_refused_verdict_comes_with_the_command_that_would_submit() -> None:
    text = replies.verdict_refused("/approve-findings --as approve", "not permitted.", "/approve-findings --as comment")

    assert "**Not done** — the review was not submitted with this verdict. not permitted.\n" in text
    assert "This would submit it:\n\n```\n/approve-findings --as comment\n```\n\nNothing was posted." in text


@pytest.mark.parametrize(
    ("url", "link"),
    [("https://forge.example/runs/1", " → [the run](https://forge.example/runs/1)"), ("", ""), ("x)", "")],
)
def test_a_command_during_a_review_gets_the_run(url: str, link: str) -> None:
    assert f"a review is being made.{link}\n\nGive the command again" in replies.running("/approve-findings", url)


def test_a_stale_command_gets_the_command_for_a_new_round() -> None:
    text = replies.superseded("/approve-findings", "`main` is at `abc1234` now.", language="fr")

    assert "**Non exécuté** — la modification n’est plus celle qui a été relue. `main` is at `abc1234` now." in text  # noqa: RUF001 - as it is written in French
    assert "```\n/draftgate review\n```" in text


def test_only_the_commands_of_a_comment_are_quoted() -> None:
    text = replies.done("Hello,\n /drop-finding 2\r\nmore\n" + "/x\n" * 6, "Done.")

    assert text.startswith(
        "> `/drop-finding 2`  \n> `/x`  \n> `/x`  \n> `/x`  \n> `/x`  \n> and 2 more\n\n**Done** — Done."
    )


def test_help_is_a_table_of_what_applies_now_and_of_the_rest() -> None:
    page = replies.help_page(ROWS)

    assert page == (
        "| Applies now | |\n"
        "| --- | --- |\n"
        "| <code>/approve-findings &#91;&#45;&#45;replies A&#124;all&#93;</code> | Publishes. |\n"
        "| `/drop-finding N` | Drops. |\n"
        "\n"
        "| Not in the present phase | |\n"
        "| --- | --- |\n"
        "| `/retry-agent` | Again. |\n"
        "\n"
        "**Who may**\n"
        "\n"
        "- `/approve-findings`: who may write\n"
        "- the others: who may write, or is named"
    ).replace("/approve-findings &#", "&#47;approve&#45;findings &#")


def test_a_preview_quotes_what_would_be_posted() -> None:
    comments = (
        ReviewComment(1, "f", line_anchor("a.py", 3), "**issue:** one\n\n```py\nopen"),
        ReviewComment(4, "f", Anchor(AnchorKind.NONE), "four"),
    )

    page = replies.preview_page("Body.", comments)

    assert page == (
        "> Body.\n\n**1** · `a.py:3`\n\n> **issue:** one\n>\n> ```py\n> open\n> ```\n\n**4** · in the body\n\n> four"
    )


@pytest.mark.parametrize("text", [*TITLES, "/approve-findings", "x\n/approve-findings all"], ids=range(len(TITLES) + 2))
@pytest.mark.parametrize(
    "reply",
    [
        lambda text: replies.refused(text, text, text),
        lambda text: replies.not_allowed(text, text, text),
        lambda text: replies.verdict_refused(text, text, text),
        lambda text: replies.superseded(text, text),
        lambda text: replies.running(text, text),
        lambda text: replies.done(text, text),
    ],
    ids=["refused", "not allowed", "verdict refused", "superseded", "running", "done"],
)
def test_texts_of_others_do_nothing(reply: Callable[[str], str], text: str) -> None:
    answer = reply(text)
    tokens = PARSER.parse(answer)

    inline = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inline} & {"link_open", "image", "html_inline"}
    assert not [token for token in tokens if token.type in {"html_block", "heading_open"}]
    assert not [line for line in outside_code(answer) if line.lstrip().startswith("/")]


def test_a_reply_fits_into_a_comment() -> None:
    assert size(replies.done("/preview-findings", "Shown.", page=replies.preview_page("é\n" * 90_000, ()))) < LIMIT
