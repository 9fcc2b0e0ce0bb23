"""What is posted is exactly this text."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from draftgate.domain.amend import AmendedFinding
from draftgate.domain.diff import Side
from draftgate.domain.finding import Anchor, AnchorKind, Category, Decoration, Evidence, Finding, Label, Scope
from draftgate.domain.review import ReviewComment, Verdict
from draftgate.domain.round import EarlierFinding
from draftgate.render.comment import comment_text, narrow_body, posted_text, review_body, whole_body
from draftgate.render.draft import draft_comments
from draftgate.render.page import size
from tests.builders import HEAD, blocker, finding, line_anchor

PRESENT = Evidence("pay.py", 5, ("    step_5(retry=True)", "    log('five')", "    step_6()"))


def with_suggestion(suggestion: str | None, anchor: Anchor | None = None) -> Finding:
    return finding(
        "say it", body="", anchor=anchor or line_anchor("pay.py", 6), evidence=PRESENT, suggestion=suggestion
    )


def test_a_comment_is_title_discussion_and_suggested_change() -> None:
    text = comment_text(
        blocker(
            "two requests can invite the same address",
            body="The index is not unique.",
            anchor=line_anchor("db/m.rb", 9),
            evidence=Evidence("db/m.rb", 9, ("add_index :a, :b",)),
            suggestion="add_index :a, :b, unique: true",
        )
    )

    assert text == (
        "**issue (blocking):** two requests can invite the same address\n"
        "\n"
        "The index is not unique.\n"
        "\n"
        "```suggestion\n"
        "add_index :a, :b, unique: true\n"
        "```"
    )


@pytest.mark.parametrize(
    ("suggestion", "block"),
    [
        pytest.param(None, "", id="none offered"),
        pytest.param("", "\n\n```suggestion\n```", id="delete the line"),
        pytest.param("    log('five')", "", id="equal to the present text"),
        pytest.param("    log('five')\n", "", id="equal but for the final newline"),
        pytest.param("    log('six')", "\n\n```suggestion\n    log('six')\n```", id="replace the line"),
        pytest.param("a\nb\n", "\n\n```suggestion\na\nb\n```", id="two lines for one"),
        pytest.param("\n", "\n\n```suggestion\n\n```", id="an empty line for one"),
    ],
)
def test_a_suggestion_becomes_a_block_only_if_it_changes_something(suggestion: str | None, block: str) -> None:
    assert comment_text(with_suggestion(suggestion)) == "**issue:** say it" + block


def test_deleting_an_empty_line_is_a_change() -> None:
    blank = finding(
        "say it", body="", anchor=line_anchor("a.py", 1), evidence=Evidence("a.py", 1, ("",)), suggestion=""
    )

    assert comment_text(blank).endswith("```suggestion\n```")


def test_a_range_is_compared_with_all_its_lines() -> None:
    anchor = line_anchor("pay.py", 7, start_line=6)

    assert "```" not in comment_text(with_suggestion("    log('five')\n    step_6()", anchor))
    assert "```suggestion" in comment_text(with_suggestion("    log('five')", anchor))


@pytest.mark.parametrize(
    "anchor",
    [
        pytest.param(Anchor(AnchorKind.LINE, "pay.py", Side.LEFT, None, 6), id="removed line"),
        pytest.param(Anchor(AnchorKind.FILE, "pay.py"), id="whole file"),
        pytest.param(Anchor(AnchorKind.NONE), id="no place"),
    ],
)
def test_a_suggestion_that_cannot_be_applied_is_posted_as_code(anchor: Anchor) -> None:
    text = comment_text(with_suggestion("x = 1", anchor))

    assert "```suggestion" not in text
    assert "Suggested change:\n\n```" in text


def test_a_suggestion_with_invisible_characters_cannot_be_applied_with_a_click() -> None:
    text = comment_text(with_suggestion("if a\u202e:\n    b"))

    assert text.endswith("Suggested change:\n\n```python\nif a⟨U+202E⟩:\n    b\n```")


SUGGESTIONS = json.loads((Path(__file__).parents[2] / "corpus/render/suggestions.json").read_text())


@pytest.mark.parametrize("suggestion", SUGGESTIONS, ids=range(len(SUGGESTIONS)))
def test_a_suggestion_is_kept_byte_for_byte(suggestion: str) -> None:
    text = comment_text(with_suggestion(suggestion))

    fence = next(line for line in text.split("\n") if line.endswith("suggestion")).removesuffix("suggestion")
    content = text[text.index("suggestion\n") + len("suggestion\n") :].removesuffix(fence)
    assert content in {suggestion, suggestion + "\n"}
    assert fence not in suggestion


def test_a_thread_on_the_file_names_the_lines_it_is_about() -> None:
    text = comment_text(
        finding("say it", body="", anchor=Anchor(AnchorKind.FILE, "pay.py"), scope=Scope.FILE, evidence=PRESENT)
    )

    assert text == "**issue:** say it\n\nThis is about `pay.py:5-7`."


def test_subject_and_body_are_neutralized() -> None:
    text = comment_text(finding("fixes #1 for @dev\n# big", body="/merge\n<!-- draftgate:x -->\n```\nopen"))

    assert text == ("**issue:** fixes `#1` for `@dev` # big\n\n\\/merge\n&lt;!-- draftgate:x -->\n```\nopen\n```")


def test_the_words_of_a_person_are_posted_as_written() -> None:
    entry = AmendedFinding(1, finding(), text="@dev see #1", changed_by="a maintainer")

    assert posted_text(entry) == "@dev see #1"


def test_a_relabelled_finding_is_posted_under_its_new_label() -> None:
    entry = AmendedFinding(1, finding("say it", label=Label.NITPICK, decorations=(Decoration.NON_BLOCKING,), body=""))

    assert posted_text(entry) == "**nitpick (non-blocking):** say it"


def test_a_huge_body_is_cut_and_says_so() -> None:
    text = comment_text(finding(body="@dev `x`\n" * 20_000))

    assert len(text) < 65_536
    assert text.endswith("… (180,000 characters in all)")


ONE = blocker("rows can repeat", category=Category.DATABASE, anchor=line_anchor("db/m.rb", 9))
TWO = finding("callers break", category=Category.IMPACT, anchor=line_anchor("team.rb", 44))
THREE = finding("names differ", category=Category.DATABASE, label=Label.NITPICK, anchor=Anchor(AnchorKind.FILE, "a.rb"))


def test_the_body_begins_with_a_sentence_and_groups_findings_by_category() -> None:
    gone = EarlierFinding("was unsafe", "x.rb", 3, 1)
    still = EarlierFinding("still slow", None, None, 1)

    body = review_body(HEAD, (ONE, TWO, THREE), addressed=(gone,), unresolved=(still,))

    assert body == (
        "Draftgate reviewed `3f9c2ab`, and a person approved what is published here.\n"
        "\n"
        "✅ `x.rb:3` was unsafe (code changed, addresses it)\n"
        "\n"
        "⟳ still slow (see thread)\n"
        "\n"
        "- 🛑 database · `db/m.rb:9` · rows can repeat\n"
        "- 🔹 database · `a.rb` · names differ\n"
        "- ⚠️ impact · `team.rb:44` · callers break"
    )


def test_a_body_without_findings_is_its_sentence() -> None:
    assert review_body(HEAD, ()) == "Draftgate reviewed `3f9c2ab`, and a person approved what is published here."


@pytest.mark.parametrize("removed", [(ONE,), (TWO, THREE), (ONE, TWO, THREE)], ids=["one", "two", "all"])
def test_narrowing_a_body_only_removes_lines(removed: tuple[Finding, ...]) -> None:
    kept = tuple(each for each in (ONE, TWO, THREE) if each not in removed)

    narrowed = narrow_body(review_body(HEAD, (ONE, TWO, THREE)), removed)

    assert narrowed == review_body(HEAD, kept)


def test_narrowing_removes_one_of_two_equal_lines() -> None:
    body = review_body(HEAD, (ONE, ONE))

    assert narrow_body(body, (ONE,)) == review_body(HEAD, (ONE,))


def test_narrowing_leaves_a_persons_body_alone() -> None:
    assert narrow_body("My own words.\n\n- and a list", (ONE,)) == "My own words.\n\n- and a list"


def test_every_part_of_the_body_is_inert() -> None:
    hostile = finding("[x](http://a.example) @dev </details>", anchor=line_anchor("a`b @dev.py", 1))

    tokens = MarkdownIt("commonmark").parse(review_body(HEAD, (hostile,)))

    inline = [child for token in tokens for child in token.children or ()]
    assert not {child.type for child in inline} & {"link_open", "html_inline", "image"}
    assert not any("@" in child.content for child in inline if child.type == "text")


def test_a_persons_open_code_block_is_closed() -> None:
    assert posted_text(AmendedFinding(1, finding(), text="Look:\n```py\nx = 1")) == "Look:\n```py\nx = 1\n```"


def test_fixed_sentences_are_in_the_language_and_labels_are_not() -> None:
    shown = finding("zu lang", body="", anchor=Anchor(AnchorKind.FILE, "a.py"), evidence=Evidence("a.py", 3, ("x",)))
    shown = dataclasses.replace(shown, suggestion="")

    text = comment_text(shown, "de")

    assert text == "**issue:** zu lang\n\nGemeint ist `a.py:3`.\n\nVorgeschlagene Änderung: diese Zeilen löschen."
    assert review_body(HEAD, (), language="de-AT").startswith("Draftgate hat `3f9c2ab` geprüft")


def test_praise_opens_no_thread_where_a_change_is_approved() -> None:
    entries = (AmendedFinding(1, finding(label=Label.PRAISE)), AmendedFinding(2, finding()))

    approving = draft_comments(entries, Verdict.APPROVE)
    commenting = draft_comments(entries, Verdict.COMMENT)

    assert [comment.anchor.kind for comment in approving] == [AnchorKind.NONE, AnchorKind.LINE]
    assert [comment.anchor.kind for comment in commenting] == [AnchorKind.LINE, AnchorKind.LINE]
    assert [comment.text for comment in approving] == [comment.text for comment in commenting]


def homeless(number: int, text: str) -> ReviewComment:
    return ReviewComment(number, "f", Anchor(AnchorKind.NONE), text)


def test_what_no_thread_can_carry_stands_in_the_body() -> None:
    comments = (homeless(1, "**issue:** one"), ReviewComment(2, "f", line_anchor(), "two"), homeless(3, "three"))

    assert whole_body("Body.", comments) == "Body.\n\n#### Without a thread\n\n**issue:** one\n\nthree"
    assert whole_body("Body.", comments[1:2]) == "Body."


def test_a_body_of_many_findings_fits_and_counts_those_without_a_line() -> None:
    many = [finding(f"subject {number} " + "é" * 200) for number in range(400)]
    earlier = [EarlierFinding("x" * 250, "a.py", number, 1) for number in range(400)]

    body = review_body(HEAD, many, earlier, earlier)
    listed = body.count("\n- ⚠️")

    assert size(body) < 40_000
    assert body.endswith(f"\n- … and {400 - listed} more, each in its thread")
    assert narrow_body(body, many[-3:]).endswith(f"\n- … and {397 - listed} more, each in its thread")
    assert "- …" not in narrow_body(body, many[listed:])
    assert narrow_body(body, many[1:]).count("\n- ") == 1


def test_texts_without_a_thread_stand_in_the_body_as_far_as_they_fit() -> None:
    posted = whole_body("Body.", [homeless(number, "é" * 3_000) for number in range(1, 11)])

    assert size(posted) < 21_000
    assert posted.count("é" * 3_000) == 3
    assert posted.endswith("\n\n7 more do not fit here.")
