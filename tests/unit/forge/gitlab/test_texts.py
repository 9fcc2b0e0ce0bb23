"""What is read back from a note is what was written into it, whatever the text; and no line of it is obeyed."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from draftgate.domain.change import CommitSha
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind
from draftgate.domain.review import DraftReview, ReviewComment, Verdict
from draftgate.domain.session import AcceptedCommand, ApprovedPayload
from draftgate.errors import IntegrityError
from draftgate.forge.gitlab.texts import (
    FoundNote,
    moved_text,
    note_text,
    read_held,
    read_note,
    read_summary,
    seal_of,
    summary_text,
)
from draftgate.forge.hidden import Kind, Marker, mark, pack, read_marked
from tests.fakes.gitlab.texts import take_commands

HEAD = CommitSha("c" * 40)
LINE = Anchor(AnchorKind.LINE, "a.py", Side.RIGHT, None, 7)
RANGE = Anchor(AnchorKind.LINE, "a.py", Side.RIGHT, 5, 7)
REMOVED = Anchor(AnchorKind.LINE, "a.py", Side.LEFT, 5, 7)
FILE, NOWHERE = Anchor(AnchorKind.FILE, "a.py"), Anchor(AnchorKind.NONE)
MARKER = "<!-- draftgate:finding instance=default number=1 id=x side=RIGHT seal=0 part=1:1 -->"
STATE = "<!-- draftgate:state data=eJwDAAAAAAE= -->"
FENCES = ("```", "````", "~~~", "```suggestion", "````suggestion", "```suggestion:-2+0", "```suggestion:-0+1", "```py")
LINES = st.sampled_from(
    [
        *FENCES,
        MARKER,
        STATE,
        "<!-- draftgate:review verdict=approve above=1 -->",
        "<!--",
        "-->",
        "/approve",
        " /merge",
        "\\/close",
        "\u00a0/label ~bug",
        "",
        " ",
        "x",
        ">>>",
        "@everyone !1 #2",
        "a\rb",
        "\r",
    ]
)
TEXTS = st.one_of(
    st.text(),
    st.lists(st.one_of(LINES, st.text(max_size=12)), max_size=9).map("\n".join),
    st.lists(LINES, max_size=9).map("\r\n".join),
)
ANCHORS = st.sampled_from([LINE, RANGE, REMOVED, FILE])


def draft_of(*comments: ReviewComment, body: str = "Two things.") -> DraftReview:
    return DraftReview((("head", "0" * 64),), HEAD, body, comments)


def position(anchor: Anchor) -> dict[str, object]:
    """As GitLab answers: every key is there."""
    refs = {"base_sha": "a" * 40, "start_sha": "b" * 40, "head_sha": HEAD, "old_path": "a.py", "new_path": "a.py"}
    if anchor.kind is AnchorKind.FILE:
        return {**refs, "position_type": "file", "old_line": None, "new_line": None, "line_range": None}
    name = "old_line" if anchor.side is Side.LEFT else "new_line"
    other = "new_line" if anchor.side is Side.LEFT else "old_line"
    start = {"line_code": "x_1_1", "type": "new", name: anchor.start_line, other: None}
    ends = None if anchor.start_line is None else {"start": start, "end": {**start, name: anchor.line}}
    return {**refs, "position_type": "text", name: anchor.line, other: None, "line_range": ends}


def read(text: str, anchor: Anchor, *, is_draft: bool = True) -> FoundNote:
    entry = {"id": 3, "note" if is_draft else "body": text, "position": position(anchor), "line_code": "x_1_1"}
    found = read_note(entry, instance="default", is_draft=is_draft)
    assert found is not None
    return found


@given(TEXTS, ANCHORS, st.booleans())
@example("```suggestion\r\nx\r\ny\r\n```", RANGE, False)
@example("```suggestion\nx\n```\n\n```suggestion:-2+0\ny\n```", RANGE, False)
@example("```suggestion:-2+0\ny\n```", LINE, False)
@example(f"{MARKER}\n{STATE}\n{MARKER}", LINE, True)
@example("", LINE, False)
@example("\n\n", LINE, True)
@example("trailing\r", LINE, False)
def test_a_note_gives_back_the_comment_that_was_written(text: str, anchor: Anchor, is_public: bool) -> None:  # noqa: FBT001 - hypothesis passes it
    comment = ReviewComment(1, "f" * 64, anchor, text)
    draft = draft_of(comment)

    written = note_text("default", draft, comment)
    found = read(take_commands(written)[0] if is_public else written, anchor, is_draft=not is_public)

    assert found.comment == comment
    assert found.seal == seal_of(draft)
    assert read_held([found]).body == draft.body


@given(TEXTS, TEXTS, TEXTS)
@example("a\r\nb", "```suggestion\r\nx\r\n```", "\r")
def test_the_last_note_holds_what_the_others_do_not_say(body: str, first: str, without_place: str) -> None:
    one, two = ReviewComment(1, "1" * 64, LINE, first), ReviewComment(3, "3" * 64, RANGE, "last")
    loose = ReviewComment(2, "2" * 64, NOWHERE, without_place)
    draft = draft_of(one, loose, two, body=body)

    notes = [read(note_text("default", draft, comment), comment.anchor) for comment in (one, two)]

    assert [bool(note.state) for note in notes] == [False, True]
    held = read_held(notes)
    assert (held.seal, held.head, held.body, held.unplaced) == (draft.seal, HEAD, body, (loose,))
    assert [note.comment for note in notes] == [one, two]


@given(st.text() | st.lists(LINES, max_size=9).map("\n".join), ANCHORS)
def test_no_line_of_a_note_is_a_command_whatever_the_text(text: str, anchor: Anchor) -> None:
    comment = ReviewComment(1, "f" * 64, anchor, text)

    written = note_text("default", draft_of(comment), comment)

    assert take_commands(written) == (written, [])


@given(TEXTS, TEXTS, st.sampled_from(Verdict))
@example("One\r\nthing.", "```suggestion\r\nx\r\n```", Verdict.COMMENT)
@example("```\n/x\n```", "```\n/y\n```", Verdict.APPROVE)
@example("```\nopen", "```\n/y\n```", Verdict.APPROVE)
@example(f"{MARKER}\n", MARKER, Verdict.REQUEST_CHANGES)
def test_a_summary_gives_back_the_review_that_was_approved(body: str, text: str, verdict: Verdict) -> None:
    payload = payload_of(body, text, verdict)

    written = summary_text("default", payload, "s1,s2", "en")
    found = read_summary(take_commands(written)[0], "default")

    assert take_commands(written) == (written, [])
    assert found is not None
    assert (found.body, found.unplaced) == (body, (payload.comments[1],))
    assert (found.verdict, found.numbers, found.head, found.seal) == (verdict, (1, 2), HEAD, payload.seal)
    assert found.drafted == "s1,s2"


def payload_of(body: str, text: str = "loose", verdict: Verdict = Verdict.COMMENT) -> ApprovedPayload:
    comments = (ReviewComment(1, "1" * 64, LINE, "placed"), ReviewComment(2, "2" * 64, NOWHERE, text))
    given_by = AcceptedCommand("41", "maintainer", "/approve-findings", "2026-01-02T10:00:00Z")
    return ApprovedPayload("0" * 64, "5" * 64, HEAD, (1, 2), verdict, body, comments, (), "", given_by)


@pytest.mark.parametrize(
    ("text", "anchor", "written"),
    [
        ("```suggestion\nx\n```", RANGE, "```suggestion:-2+0\nx\n```"),
        ("```suggestion\nx\n```", LINE, "```suggestion\nx\n```"),
        ("````suggestion\n```\n````", RANGE, "````suggestion:-2+0\n```\n````"),
        ("```suggestion\r\nx\r\n```", RANGE, "```suggestion:-2+0\nx\n```"),
        ("```suggestion:-1+1\nx\n```", RANGE, "```suggestion:-1+1\nx\n```"),
        ("see ```suggestion", RANGE, "see ```suggestion"),
    ],
    ids=["a range", "a line", "four backticks", "CRLF", "a person's own", "no block"],
)
def test_a_suggestion_replaces_the_lines_of_its_comment(text: str, anchor: Anchor, written: str) -> None:
    """A multi-line suggestion on GitLab says how many lines above its own it replaces."""
    comment = ReviewComment(1, "f" * 64, anchor, text)

    marked = read_marked(note_text("default", draft_of(comment), comment))

    assert marked is not None
    assert marked.text == written


@pytest.mark.parametrize(
    "anchor",
    [
        LINE,
        RANGE,
        REMOVED,
        FILE,
        Anchor(AnchorKind.LINE, "a.py", Side.LEFT, None, 5),
        Anchor(AnchorKind.LINE, "a.py", Side.RIGHT, 1, 2),
    ],
)
def test_the_place_is_read_from_the_position_and_the_side_from_the_mark(anchor: Anchor) -> None:
    comment = ReviewComment(1, "f" * 64, anchor, "text")

    assert read(note_text("default", draft_of(comment), comment), anchor).comment.anchor == anchor


def test_a_removed_line_of_a_renamed_file_keeps_the_path_that_it_has_now() -> None:
    anchor = Anchor(AnchorKind.LINE, "new.py", Side.LEFT, None, 7)
    comment = ReviewComment(1, "f" * 64, anchor, "text")
    place = {**position(anchor), "old_path": "old.py", "new_path": "new.py"}

    entry = {"id": 3, "note": note_text("default", draft_of(comment), comment), "position": place, "line_code": "x"}
    found = read_note(entry, instance="default", is_draft=True)

    assert found is not None
    assert found.comment == comment


def test_numbers_inside_of_a_range_may_come_as_text() -> None:
    comment = ReviewComment(1, "f" * 64, RANGE, "text")
    place = position(RANGE)
    place["line_range"] = {"start": {"new_line": "5"}, "end": {"new_line": "7"}}
    entry = {"id": 3, "note": note_text("default", draft_of(comment), comment), "position": place, "line_code": "x"}

    found = read_note(entry, instance="default", is_draft=True)

    assert found is not None
    assert found.comment.anchor == RANGE


@pytest.mark.parametrize("anchor", [LINE, RANGE, REMOVED])
def test_a_note_that_went_to_its_file_tells_which_lines_were_meant(anchor: Anchor) -> None:
    comment = ReviewComment(1, "f" * 64, anchor, "a\r\n```suggestion\r\nx\r\n```")
    moved = moved_text(note_text("default", draft_of(comment), comment), anchor)

    assert read(moved, FILE).comment == comment


@pytest.mark.parametrize("anchor", [LINE, RANGE, REMOVED, FILE])
def test_a_note_without_a_place_tells_which_one_was_meant(anchor: Anchor) -> None:
    comment = ReviewComment(1, "f" * 64, anchor, "a\r\n```suggestion\r\nx\r\n```")
    moved = moved_text(note_text("default", draft_of(comment), comment), anchor)

    found = read_note({"id": 3, "body": moved, "position": None}, instance="default", is_draft=False)

    assert found is not None
    assert (found.comment, found.is_moved) == (comment, True)


def test_a_text_that_somebody_changed_is_read_as_it_stands() -> None:
    comment = ReviewComment(1, "f" * 64, RANGE, "a\r\nb\r\n```suggestion\r\nx\r\n```")
    written = note_text("default", draft_of(comment), comment)

    found = read(written.replace("a\n", "another\n", 1), RANGE)

    assert found.comment.text == "another\nb\n```suggestion:-2+0\nx\n```"


@pytest.mark.parametrize("facts", [{"said": "x"}, {"said": pack(b"other")}, {"said": pack(b"\xff")}, {"meant": "x:y"}])
def test_a_mark_that_somebody_changed_does_no_harm(facts: dict[str, str]) -> None:
    marker = Marker(Kind.FINDING, {"instance": "default", "number": "1", "id": "f", "side": "RIGHT", **facts})

    assert read(mark("text", marker), LINE).comment.text == "text"


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"instance": "another", "number": "1"},
        {"instance": "default"},
        {"instance": "default", "number": "one"},
        {"instance": "default", "number": "9" * 30},
    ],
    ids=["no facts", "another instance", "no number", "no digits", "too many digits"],
)
def test_a_note_that_is_not_one_of_this_instance_is_none(facts: dict[str, str]) -> None:
    entry = {"id": 3, "note": mark("text", Marker(Kind.FINDING, facts)), "position": None}

    assert read_note(entry, instance="default", is_draft=True) is None


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.FINDING])
def test_another_mark_of_ours_is_no_finding(kind: Kind) -> None:
    entry = {"id": 3, "note": mark("text", Marker(kind, {"instance": "default", "number": "1"})), "position": None}

    assert read_note(entry, instance="default", is_draft=True) is None


@pytest.mark.parametrize("note", [None, "", "plain", f"> {MARKER}", f"{MARKER}\nand more", f"{MARKER} copied"])
def test_a_note_without_our_mark_below_it_is_none(note: object) -> None:
    """P19: a quoted or a copied mark is text."""
    assert read_note({"id": 3, "note": note, "position": None}, instance="default", is_draft=True) is None


def test_a_note_without_a_place_is_read_as_one_without_a_place() -> None:
    comment = ReviewComment(1, "f" * 64, LINE, "text")
    entry = {"id": 3, "note": note_text("default", draft_of(comment), comment), "position": None, "line_code": None}

    found = read_note(entry, instance="default", is_draft=True)

    assert found is not None
    assert (found.comment.anchor, found.line_code) == (NOWHERE, "")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"seal": 1}',
        b'{"seal": [["a", "b"]], "head": "x", "body": "", "unplaced": [{}]}',
        b"[" * 9000,
    ],
    ids=["empty", "cut off", "a list", "no pairs", "no comment", "nested"],
)
def test_a_state_that_is_not_ours_is_refused(content: bytes) -> None:
    marker = Marker(Kind.FINDING, {"instance": "default", "number": "1", "id": "f", "side": "RIGHT"})
    note = read(mark("text", marker, [Marker(Kind.STATE, {"data": pack(content)})]), LINE)

    with pytest.raises(IntegrityError):
        read_held([note])


def test_two_notes_that_say_different_things_of_their_draft_are_refused() -> None:
    comment = ReviewComment(1, "f" * 64, LINE, "text")
    notes = [read(note_text("default", draft_of(comment, body=body), comment), LINE) for body in ("one", "two")]

    assert read_held([notes[0], notes[0]]).body == "one"
    for found in (notes, []):
        with pytest.raises(IntegrityError, match="do not say"):
            read_held(found)


def test_a_summary_that_people_changed_is_read_as_it_stands() -> None:
    written = summary_text("default", payload_of("One thing."), "s1", "en")

    changed = read_summary(written.replace("One thing.", "Another thing."), "default")

    assert changed is not None
    assert changed.body.startswith("Another thing.\n")
    assert "loose" in changed.body
    assert (changed.unplaced, changed.numbers) == ((), (1, 2))


def test_a_summary_whose_state_was_spoilt_is_read_as_it_stands() -> None:
    written = summary_text("default", payload_of("One thing."), "s1", "en")

    spoilt = read_summary(re.sub(r"data=[\w.=]+", f"data={pack(b'[]')}", written), "default")

    assert spoilt is not None
    assert spoilt.unplaced == ()
    assert spoilt.body.startswith("One thing.")


def test_a_verdict_that_is_none_is_refused() -> None:
    written = summary_text("default", payload_of("One thing."), "s1", "en").replace("verdict=comment", "verdict=merge")

    with pytest.raises(IntegrityError):
        read_summary(written, "default")


@pytest.mark.parametrize("text", ["", "plain", MARKER, "<!-- draftgate:review instance=another verdict=approve -->"])
def test_another_text_is_no_summary(text: str) -> None:
    assert read_summary(text, "default") is None


def test_the_seal_is_of_the_whole_draft() -> None:
    comment = ReviewComment(1, "f" * 64, LINE, "text")
    first = draft_of(comment)

    assert seal_of(first) == seal_of(draft_of(comment, body="other"))
    assert seal_of(first) != seal_of(dataclasses.replace(first, seal=(("head", "1" * 64),)))
