"""Addresses of what a page names, as each forge writes them."""

from __future__ import annotations

import pytest

from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.render.links import DASHED, PLAIN, Links, LinkStyle
from tests.builders import finding

URL = "https://forge.example/group/rooms"
HEAD, BASE = "a" * 40, "b" * 40

ONE_LINE = Anchor(AnchorKind.LINE, "src/a b.py", Side.RIGHT, line=7)
RANGE = Anchor(AnchorKind.LINE, "src/app.py", Side.RIGHT, start_line=3, line=7)
FILE = Anchor(AnchorKind.FILE, "src/app.py")


@pytest.mark.parametrize(
    ("style", "anchor", "address"),
    [
        (PLAIN, ONE_LINE, f"{URL}/blob/{HEAD}/src/a%20b.py#L7"),
        (PLAIN, RANGE, f"{URL}/blob/{HEAD}/src/app.py#L3-L7"),
        (PLAIN, FILE, f"{URL}/blob/{HEAD}/src/app.py"),
        (DASHED, ONE_LINE, f"{URL}/-/blob/{HEAD}/src/a%20b.py#L7"),
        (DASHED, RANGE, f"{URL}/-/blob/{HEAD}/src/app.py#L3-7"),
        (DASHED, FILE, f"{URL}/-/blob/{HEAD}/src/app.py"),
    ],
)
def test_a_place_has_the_address_of_its_forge(style: LinkStyle, anchor: Anchor, address: str) -> None:
    links = Links(URL, HEAD, BASE, style)

    assert links.place(finding(anchor=anchor)).endswith(f"({address})")


@pytest.mark.parametrize(("style", "below"), [(PLAIN, "/commit/"), (DASHED, "/-/commit/")])
def test_a_commit_has_the_address_of_its_forge(style: LinkStyle, below: str) -> None:
    assert Links(URL, HEAD, BASE, style).commit(HEAD) == f"[`{HEAD[:7]}`]({URL}{below}{HEAD})"


@pytest.mark.parametrize("style", [PLAIN, DASHED])
def test_nothing_is_linked_where_the_repository_has_no_address(style: LinkStyle) -> None:
    assert Links("", HEAD, BASE, style).commit(HEAD) == f"`{HEAD[:7]}`"
