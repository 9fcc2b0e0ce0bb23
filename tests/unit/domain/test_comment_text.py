"""Which lines of a comment may hold a command; whole comments are in the corpus."""

from __future__ import annotations

from draftgate.domain.comment_text import covered_lines, split_lines


def covered(text: str) -> dict[int, int]:
    return covered_lines(split_lines(text))


def test_plain_text_lists_headings_and_details_are_open() -> None:
    assert covered("text\n\n- item\n  more\n\n# heading\n\n<details><summary>x</summary>\n\ntext\n</details>") == {}


def test_quotes_cover_themselves() -> None:
    assert covered("> a\n> b\nlazy\n>c") == {0: 0, 1: 1, 3: 3}


def test_a_fence_covers_up_to_its_end() -> None:
    assert covered("a\n```py\ncode\n\n```\nb") == {1: 1, 2: 1, 3: 1, 4: 1}


def test_a_span_covers_the_lines_that_begin_in_it() -> None:
    assert covered("a `b\nc\nd` e\nf") == {1: 0, 2: 0}


def test_lines_end_where_markdown_ends_them() -> None:
    assert split_lines("a\r\nb\rc\nd\u2028e\x0bf\x85g") == ["a", "b", "c", "d\u2028e\x0bf\x85g"]
