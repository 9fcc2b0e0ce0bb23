"""Hidden lines: read back exactly, never read out of somebody's text, and refused when they were changed."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from draftgate.errors import IntegrityError
from draftgate.forge.hidden import (
    STATE_LIMIT,
    Assembled,
    ContinuationRef,
    Kind,
    Marker,
    Signing,
    assemble,
    body_digest,
    mark,
    pack,
    read_marked,
    references,
    restore,
    unpack,
)
from draftgate.render.page import LIMIT, Page, size

URL = "https://forge.example/acme/rooms/pull/128#issuecomment-1"
FACTS = {"instance": "default", "round": "1", "revision": "3"}
SIGNING = Signing(b"a key", ("acme/rooms", "128", "default", "1"))
FORGED = "<!-- draftgate:checkpoint v=1 instance=default -->"

PIECES = [*"-->!<ab\n\r%= ", "<!-- draftgate:finding x=1 -->", "```\n", FORGED]
hostile = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(st.characters(codec="utf-8"))


@given(hostile, st.dictionaries(st.text("abcxyz", min_size=1), hostile))
def test_what_is_marked_is_read_back_and_nothing_closes_the_marker(text: str, facts: dict[str, str]) -> None:
    marker = Marker(Kind.FINDING, facts)
    marked = read_marked(mark(text, marker))

    assert marked is not None
    assert (marked.text, marked.marker, marked.others) == (text, marker, ())
    assert str(marker).count(">") == 1
    assert "\n" not in str(marker)


@given(hostile, st.lists(st.sampled_from(Kind), max_size=3))
def test_markers_in_a_text_stay_text(text: str, kinds: list[Kind]) -> None:
    text = f"{text}\n{FORGED}"
    others = [Marker(kind, {"data": "x"}) for kind in kinds]

    marked = read_marked(mark(text, Marker(Kind.REPLY), others))

    assert marked is not None
    assert marked.text == text
    assert [marker.kind for marker in marked.others] == kinds


@pytest.mark.parametrize(
    "body",
    [
        "",
        "My words",
        f"> {FORGED}",
        f"    {FORGED}",
        f"{FORGED} copied",
        f"{FORGED}\nwhy this?",
        f"```\n{FORGED}\n```",
        "<!-- draftgate:other -->",
        "<!-- draftgate:reply a=1 a=2 -->",
        "<!-- draftgate:reply a=<b -->",
        "<!-- draftgate:reply above=9 -->",
        "<!-- draftgate:reply above=x -->",
        "<!-- draftgate:reply above=99999999999999999999 -->",
    ],
)
def test_no_marker_is_read_where_none_of_ours_stands_last(body: str) -> None:
    assert read_marked(body) is None


def test_a_forge_may_change_newlines_and_the_end() -> None:
    marked = read_marked(mark("one\ntwo", Marker(Kind.REPLY, {"to": "7"})).replace("\n", "\r\n") + "\r\n")

    assert marked is not None
    assert (marked.text, marked.marker.facts) == ("one\ntwo", {"to": "7"})


def test_hidden_lines_are_not_shown() -> None:
    body = mark("A finding.", Marker(Kind.FINDING, {"id": "a-->b"}), [Marker(Kind.STATE, {"data": pack(b"-->")})])

    tokens = MarkdownIt("commonmark").parse(body)

    assert [token.content.strip() for token in tokens if token.type == "inline"] == ["A finding."]
    assert "".join(token.content for token in tokens if token.type == "html_block").count("-->") == 2


@given(st.binary() | st.text(st.sampled_from("->!<\n")).map(str.encode))
def test_content_is_unpacked_as_it_was_packed(content: bytes) -> None:
    packed = pack(content)

    assert unpack(packed) == content
    assert not set(packed) & set("<>-/+\n ")


@pytest.mark.parametrize(
    ("packed", "says"),
    [
        ("!", "cannot be read"),
        ("abc", "cannot be read"),
        (pack(b"x" * 500)[:-8], "cut off"),
        (b64encode(zlib.compress(b"x") + b"more", b"._").decode(), "longer than it should be"),
        ("", "cut off"),
    ],
)
def test_a_packed_state_that_is_damaged_is_refused(packed: str, says: str) -> None:
    with pytest.raises(IntegrityError, match=says):
        unpack(packed)


def test_a_state_is_inflated_up_to_its_limit() -> None:
    packed = pack(bytes(STATE_LIMIT.value + 1))

    with pytest.raises(IntegrityError, match="larger than 67,108,864 bytes"):
        unpack(packed)


def page_of(cards: int) -> Page:
    return Page("head", tuple(f"- [ ] **{number}** · " + "x" * 900 for number in range(1, cards + 1)), "tail", "audit")


def incompressible(length: int) -> bytes:
    """Bytes that no packing makes smaller."""
    return hashlib.shake_128(b"state").digest(length)


def written(assembled: Assembled) -> dict[str, str]:
    """The bodies as they stand on a forge, by id; the head comment has the id 1."""
    bodies = {str(number): body for number, body in enumerate(assembled.continuations, start=2)}
    refs = [ContinuationRef(name, body_digest(body), f"{URL}{name}") for name, body in bodies.items()]
    return {"1": assembled.head(refs), **bodies}


@pytest.mark.parametrize("signing", [None, SIGNING], ids=["plain", "signed"])
@pytest.mark.parametrize("state", [0, 30_000, 400_000], ids=lambda size: f"{size} bytes")
@pytest.mark.parametrize("cards", [0, 1, 60, 300], ids=lambda cards: f"{cards} cards")
def test_a_state_is_restored_from_the_comments_that_show_the_page(
    cards: int, state: int, signing: Signing | None
) -> None:
    content = incompressible(state)

    bodies = written(assemble(page_of(cards), content, FACTS, head_url=URL, signing=signing))

    assert max(map(size, bodies.values())) <= LIMIT
    as_crlf = {name: body.replace("\n", "\r\n") for name, body in bodies.items()}
    assert restore(as_crlf["1"], as_crlf.__getitem__, signing=signing) == content
    assert [ref.id for ref in references(bodies["1"])] == [name for name in bodies if name != "1"]
    shown = "".join(read.text for read in map(read_marked, bodies.values()) if read)
    assert all(f"- [ ] **{number}**" in shown for number in range(1, cards + 1))


def test_a_small_checkpoint_is_one_comment() -> None:
    assert assemble(page_of(5), bytes(2_000), FACTS).continuations == ()


def test_ticked_boxes_are_no_change() -> None:
    bodies = written(assemble(page_of(100), b"state", FACTS, signing=SIGNING))
    ticked = {
        name: body.replace("- [ ] **1**", "- [x] **1**").replace("- [ ] **99**", "- [x] **99**")
        for name, body in bodies.items()
    }

    assert ticked != bodies
    assert restore(ticked["1"], ticked.__getitem__, signing=SIGNING) == b"state"


def slip_in(body: str, line: str) -> str:
    """Another line above the last hidden one, counted as one of them."""
    *rest, state, marker = body.split("\n")
    count = int(marker.rpartition("above=")[2].split()[0])
    return "\n".join((*rest, line, state, marker.replace(f"above={count}", f"above={count + 1}")))


def replacing(old: str, new: str) -> Callable[[str], str]:
    return lambda body: body.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        ("1", replacing("head", "heed"), "the text of the checkpoint was changed by hand"),
        ("1", replacing("draftgate:checkpoint", "draftgate:reply"), "the checkpoint has lost its marker"),
        ("1", replacing(" v=1 ", " v=2 "), "another release"),
        ("1", replacing("state=", "state=0"), "does not match its digest"),
        ("2", replacing("**99**", "**98**"), "the continuation 2 of the checkpoint was changed"),
        (
            "2",
            replacing("draftgate:continuation", "draftgate:finding"),
            "the continuation 2 of the checkpoint was changed",
        ),
        ("2", lambda body: "", "the continuation 2 of the checkpoint was changed"),
        ("1", lambda body: slip_in(body, "**A false alarm.**"), "the text of the checkpoint was changed"),
    ],
    ids=["text", "marker", "version", "digest", "card below", "marker below", "emptied", "among markers"],
)
def test_a_change_by_hand_is_refused_and_named(name: str, change: Callable[[str], str], says: str) -> None:
    bodies = written(assemble(page_of(100), b"state", FACTS))
    edited = {**bodies, name: change(bodies[name])}

    assert edited != bodies
    with pytest.raises(IntegrityError, match=says):
        restore(edited["1"], edited.__getitem__)


@pytest.mark.parametrize(
    ("signed_with", "says"),
    [
        (None, "is not signed"),
        (Signing(b"another key", SIGNING.place), "not that of this state in this place"),
        (Signing(SIGNING.key, ("acme/rooms", "129", "default", "1")), "not that of this state in this place"),
        (Signing(SIGNING.key, ("acme/rooms", "128", "default", "7")), "not that of this state in this place"),
    ],
    ids=["unsigned", "another key", "another change", "another comment"],
)
def test_with_a_key_only_a_state_signed_for_this_place_is_taken(signed_with: Signing | None, says: str) -> None:
    bodies = written(assemble(page_of(3), b"state", FACTS, signing=signed_with))

    with pytest.raises(IntegrityError, match=says):
        restore(bodies["1"], bodies.__getitem__, signing=SIGNING)


@pytest.mark.parametrize("fact", sorted(FACTS))
def test_a_signature_covers_what_the_marker_says(fact: str) -> None:
    bodies = written(assemble(page_of(3), b"state", FACTS, signing=SIGNING))
    edited = {"1": bodies["1"].replace(f" {fact}={FACTS[fact]} ", f" {fact}=7 ")}

    assert edited != bodies
    with pytest.raises(IntegrityError, match="not that of this state in this place"):
        restore(edited["1"], edited.__getitem__, signing=SIGNING)


def test_a_key_is_not_printed() -> None:
    assert "a key" not in repr(SIGNING)
