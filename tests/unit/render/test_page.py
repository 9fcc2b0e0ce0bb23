"""A checkpoint over several comments: nothing is lost, nothing is left open, every body fits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.finding import Evidence
from draftgate.render.checkpoint import checkpoint
from draftgate.render.page import LIMIT, Page, close_fence, cut, paginate, read_ticks, size, without_ticks
from draftgate.render.setting import Setting
from tests.builders import amended, blocker, finding, line_anchor, session

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
URL = "https://forge.example/acme/rooms/pull/128#issuecomment-1"


def long_page(count: int, body: str = "word " * 160) -> Page:
    """A page of findings with as much text as a model writes."""
    shown = [
        finding(
            f"subject {number}",
            body=f"{body}{number}",
            anchor=line_anchor(f"src/m{number}.py", 7),
            evidence=Evidence(f"src/m{number}.py", 5, tuple(f"line_{each}()" for each in range(7))),
        )
        for number in range(1, count + 1)
    ]
    source = session(shown)
    return checkpoint(source, amended(source), Setting(integrity="a hand edit is refused."))


def is_whole(body: str) -> bool:
    """Folds are closed, and so are fences: the last line is no code."""
    tokens = PARSER.parse(f"{body}\n\nlast line")
    html = "".join(token.content for token in tokens if token.type == "html_block")
    return html.count("<details") == html.count("</details>") and tokens[-2].content == "last line"


@pytest.mark.parametrize("count", [0, 1, 6], ids=str)
def test_a_page_that_fits_is_one_comment(count: int) -> None:
    page = long_page(count)

    assert paginate(page) == (page.text,)


def test_every_card_is_shown_once_in_order_and_every_body_fits() -> None:
    page = long_page(500)

    bodies = paginate(page, reserve=2_000, head_url=URL)

    assert len(bodies) > 5
    assert max(map(size, bodies)) <= LIMIT - 2_000
    numbers = [int(number) for body in bodies for number in re.findall(r"^- \[ \] \*\*(\d+)\*\*", body, re.MULTILINE)]
    assert numbers == list(range(1, 501))
    assert all(map(is_whole, bodies))
    assert bodies[0].count("#### Your turn") == 1
    assert "".join(bodies).count("<sub>Audit") == bodies[-1].count("<sub>Audit") == 1


def test_the_head_names_its_continuations_and_they_lead_back() -> None:
    page = long_page(80)

    bodies = paginate(page, head_url=URL, urls=("https://forge.example/c/2", "https://forge.example/c/3"))

    first = re.search(
        r"\*\*Continued in other comments\*\* — \[findings (\d+)–(\d+)\]\(https://forge.example/c/2\)", bodies[0]
    )
    assert first
    assert bodies[1].startswith(
        f"### Draftgate · findings {first[1]}–{first[2]} of 80\n\nContinued from [the checkpoint]({URL})"
    )


def test_addresses_that_become_known_move_no_border() -> None:
    page = long_page(120)

    unknown = paginate(page)
    known = paginate(page, urls=["https://forge.example/" + "x" * 100] * len(unknown))

    assert unknown[1:] == known[1:]
    assert size(known[0]) <= LIMIT


def test_a_card_that_is_too_long_for_a_comment_is_cut_inside_and_says_so() -> None:
    shown = [blocker("short"), blocker("long"), *(finding(f"subject {number}") for number in range(5))]
    source = session(shown)
    edited = AmendedFinding(2, shown[1], text="~~~\n" + "é line\n" * 20_000, changed_by="a maintainer")
    page = checkpoint(source, amended(source, changed=[edited]))

    bodies = paginate(page)

    assert max(map(size, bodies)) <= LIMIT
    assert all(map(is_whole, bodies))
    assert "more characters do not fit into a comment" in bodies[1]
    assert "subject 4" in "".join(bodies)


def test_a_long_audit_is_moved_and_then_cut() -> None:
    page = Page(
        "head", ("card " * 500,), "tail", "<details><summary>Audit</summary>\n\n" + "- x\n" * 30_000 + "</details>"
    )

    head, audit = paginate(page)

    assert head == f"head\n\n{page.cards[0]}\n\n**Continued in other comments** — audit\n\ntail\n"
    assert audit.startswith("### Draftgate · audit\n")
    assert is_whole(audit)


@given(
    st.lists(st.sampled_from(["```", "````", "~~~", "x", "> ```", "a ``` b", "<details>", "é" * 40]), max_size=60),
    st.integers(400, 900),
)
def test_a_cut_block_fits_and_leaves_nothing_open(lines: list[str], room: int) -> None:
    text = "\n".join(lines)

    shown = cut(text, room)

    assert size(shown) <= room
    assert shown == text or PARSER.parse(f"{shown}\n\nlast line")[-2].content.endswith("last line")


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("Intro\n\n````py\n```\na = 1\n", "Intro\n\n````py\n```\na = 1\n````"),
        ("Text with ``` inline marker.\n\n```suggestion\nx = 1\n```\n", None),
        ("~~~\r\nx", "~~~\r\nx\n~~~"),
        ("``` a`b", None),
        ("    ```", None),
    ],
    ids=["cut inside", "inline backticks", "tildes and CRLF", "no fence", "indented code"],
)
def test_only_a_fence_that_is_open_at_the_end_is_closed(text: str, closed: str | None) -> None:
    assert close_fence(text) == (text if closed is None else closed)


def test_ticked_boxes_are_read_but_not_from_code() -> None:
    shown = [
        blocker("one", suggestion="- [x] **3** · x"),
        blocker("two", body="- [x] **2** · x"),
        blocker("three"),
    ]
    source = session(shown)
    edited = AmendedFinding(2, shown[1], text="- [x] **2** y", changed_by="a maintainer")
    page = checkpoint(source, amended(source, changed=[edited])).text

    ticked = page.replace("- [ ] **1**", "- [x] **1**").replace("\n", "\r\n")

    assert read_ticks([page]) == frozenset()
    assert read_ticks([ticked]) == {1}
    assert without_ticks(page.replace("- [ ] **1**", "- [X] **1**")) == without_ticks(page)
