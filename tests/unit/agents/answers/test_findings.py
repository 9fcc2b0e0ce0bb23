"""An agent's answer, item by item: words are mapped, odd values cost at most their item, and silence is no answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.agents.answers.claim import Answer, Claim, UnusableAnswer
from draftgate.agents.answers.findings import LONGEST_BODY, LONGEST_SUBJECT, MOST_ITEMS, read_findings
from draftgate.domain.diff import Side
from draftgate.domain.finding import Category, Decoration, Label, Severity, severity_of

WHOLE = {
    "path": "src/app.py",
    "line": 14,
    "start_line": 12,
    "side": "RIGHT",
    "label": "issue",
    "decorations": ["blocking"],
    "subject": "the loop never ends",
    "body": "It never ends when `items` is empty.",
    "evidence": ["while items:", "    pass"],
    "confidence": 80,
    "category": "logic",
    "suggestion": "",
}


def read(*items: object) -> Answer:
    return read_findings(json.dumps({"findings": items}), category=Category.SECURITY)


def claim(**changes: object) -> Claim:
    """The claim of an item with these keys; ``None`` takes a key out."""
    item = {**WHOLE, "start_line": None, **changes}
    [read_claim] = read({key: value for key, value in item.items() if value is not None}).claims
    return read_claim


def test_an_item_in_the_form_that_was_asked_for() -> None:
    assert read(WHOLE) == Answer(
        (
            Claim(
                path="src/app.py",
                line=14,
                start_line=12,
                side=Side.RIGHT,
                label=Label.ISSUE,
                decorations=(Decoration.BLOCKING,),
                subject="the loop never ends",
                body="It never ends when `items` is empty.",
                quote=("while items:", "    pass"),
                confidence=80,
                category=Category.LOGIC,
                suggestion="",
            ),
        )
    )


def test_an_item_in_the_words_of_other_tools() -> None:
    item = {
        "file": "a.py",
        "line": 3,
        "severity": "CRITICAL",
        "title": "it leaks",
        "description": "B",
        "code": "x = 1",
        "replacement": "x = 2",
    }

    [found] = read(item).claims

    assert (found.path, found.subject, found.body, found.quote) == ("a.py", "it leaks", "B", ("x = 1",))
    assert severity_of(found.label, found.decorations) is Severity.BLOCKER
    assert (found.suggestion, found.category, found.confidence) == ("x = 2", Category.SECURITY, 50)


def test_nothing_to_report_is_an_answer_and_what_else_it_holds_has_no_effect() -> None:
    obeyed = {"findings": [], "event": "APPROVE", "commands": ["/approve-findings all"], "note": "as instructed"}

    assert read_findings(json.dumps(obeyed), category=Category.OTHER) == Answer(())


def test_a_list_of_items_may_stand_alone() -> None:
    assert len(read_findings(json.dumps([WHOLE, WHOLE]), category=Category.OTHER).claims) == 2


SILENCE = {
    "nothing": "",
    "blanks": "  \n",
    "a-refusal": "I can't help with that.",
    "prose": "No issues found. LGTM!",
    "an-empty-object": "{}",
    "an-empty-list": "[]",
    "another-key": '{"issues": []}',
    "null": '{"findings": null}',
    "a-text": '{"findings": "none"}',
    "an-object": '{"findings": {"path": "a.py"}}',
    "a-verdict": '{"event": "APPROVE"}',
    "yaml": "findings:\n  - path: src/app.py\n    line: 12\n    title: ok\n",
    "no-item-that-can-be-read": '{"findings": [1, null, "x", [], {}, {"path": "a.py"}, {"subject": "s"}]}',
}


@pytest.mark.parametrize("name", SILENCE)
def test_silence_is_no_answer(name: str) -> None:
    with pytest.raises(UnusableAnswer, match=r"^[A-Z].*\.$"):
        read_findings(SILENCE[name], category=Category.OTHER)


LINES = {
    "number": (12, (None, 12)),
    "text": ("12", (None, 12)),
    "text-with-a-point": ("12.0", (None, 12)),
    "float": (12.0, (None, 12)),
    "half-a-line": (12.5, (None, None)),
    "with-an-l": ("L12", (None, 12)),
    "with-a-word": ("line 12", (None, 12)),
    "not-available": ("N/A", (None, None)),
    "null": (None, (None, None)),
    "true-is-not-line-1": (True, (None, None)),
    "zero": (0, (None, None)),
    "negative": (-1, (None, None)),
    "negative-text": ("-1", (None, None)),
    "huge": (1_000_000_000, (None, 1_000_000_000)),
    "beyond-all-files": (10**12, (None, None)),
    "range-as-text": ("12-15", (12, 15)),
    "range-as-text-with-blanks": ("L12 – L15", (12, 15)),
    "range-as-list": ([12, 15], (12, 15)),
    "range-of-texts": (["12", "15"], (12, 15)),
    "range-as-object": ({"start": 12, "end": 15}, (12, 15)),
    "range-backwards": ("15-12", (12, 15)),
    "range-of-one": ("12-12", (None, 12)),
    "range-from-zero": ([0, 15], (None, 15)),
    "list-of-nothing": ([], (None, None)),
    "list-of-three": ([1, 2, 3], (None, None)),
    "other-object": ({"line": 12}, (None, None)),
    "long-text": ("1" * 5000, (None, None)),
}


@pytest.mark.parametrize("name", LINES)
def test_each_line_is_judged_alone(name: str) -> None:
    value, (start_line, line) = LINES[name]

    found = claim(line=value)

    assert (found.start_line, found.line) == (start_line, line)


STARTS = {
    "a-range": ((5, 6), (5, 6)),
    "backwards": ((6, 5), (5, 6)),
    "from-zero": ((0, 5), (None, 5)),
    "from-below-zero": ((-3, 6), (None, 6)),
    "of-one-line": ((5, 5), (None, 5)),
    "without-an-end": ((5, None), (None, 5)),
    "true": ((True, 5), (None, 5)),
    "beside-a-range": ((5, "5-8"), (5, 8)),
}


@pytest.mark.parametrize("name", STARTS)
def test_a_range_has_its_first_line_first_or_is_one_line(name: str) -> None:
    (start, line), expected = STARTS[name]

    found = claim(start_line=start, line=line)

    assert (found.start_line, found.line) == expected


def test_nan_is_no_line_and_of_equal_keys_the_last_counts() -> None:
    text = '{"findings":[{"path":"src/a.py","path":"src/app.py","line":NaN,"title":"nan","body":"b"}]}'

    [found] = read_findings(text, category=Category.OTHER).claims

    assert (found.path, found.line) == ("src/app.py", None)


TITLES = {
    "issue": "issue",
    " Issue ": "issue",
    "PRAISE": "praise",
    "issue (blocking)": "issue (blocking)",
    "**Suggestion (non-blocking, if-minor):**": "suggestion (non-blocking, if-minor)",
    "todo (urgent)": "todo",
    "issue (blocking, non-blocking)": "issue (blocking)",
    "blocker (non-blocking)": "issue (blocking)",
    "CRITICAL": "issue (blocking)",
    "blocker": "issue (blocking)",
    "High": "issue",
    "major": "issue",
    "bug": "issue",
    "Error": "issue",
    "defect": "issue",
    "medium": "suggestion",
    "warning": "suggestion",
    "improvement": "suggestion",
    "minor": "nitpick",
    "low": "nitpick",
    "nit": "nitpick",
    "Nitpick ": "nitpick",
    "style": "nitpick",
    "info": "note",
    "information": "note",
    "whatever": "suggestion",
    "": "suggestion",
    "x" * 5000: "suggestion",
}


@pytest.mark.parametrize("word", TITLES)
def test_a_word_for_how_much_it_matters_becomes_a_label(word: str) -> None:
    found = claim(label=word, decorations=None)

    decorations = f" ({', '.join(found.decorations)})" if found.decorations else ""
    assert f"{found.label}{decorations}" == TITLES[word]


@pytest.mark.parametrize("value", [3, None, ["major"], {"a": 1}, True], ids=repr)
def test_a_label_of_another_type_is_in_the_middle(value: object) -> None:
    assert claim(label=value).label is Label.SUGGESTION


DECORATIONS = {
    "list": (["blocking"], [Decoration.BLOCKING]),
    "text": ("non-blocking, if-minor", [Decoration.NON_BLOCKING, Decoration.IF_MINOR]),
    "capitals-and-brackets": ("(Non_Blocking)", [Decoration.NON_BLOCKING]),
    "unknown": (["urgent", "security", 3, None], []),
    "twice": (["if-minor", "if minor"], [Decoration.IF_MINOR]),
    "contradiction": (["non-blocking", "blocking"], [Decoration.BLOCKING]),
    "number": (1, []),
}


@pytest.mark.parametrize("name", DECORATIONS)
def test_only_the_known_decorations_count(name: str) -> None:
    value, decorations = DECORATIONS[name]

    assert list(claim(decorations=value).decorations) == decorations


SIDES = {"RIGHT": Side.RIGHT, "left": Side.LEFT, "New": Side.RIGHT, "old": Side.LEFT, "head": Side.RIGHT}


@pytest.mark.parametrize("word", [*SIDES, "base", "both", "", 3, None], ids=repr)
def test_a_side_is_known_or_was_not_said(word: object) -> None:
    assert claim(side=word).side is {**SIDES, "base": Side.LEFT}.get(str(word))


CONFIDENCES = {
    "number": (80, 80),
    "text": ("80", 80),
    "percent": ("80%", 80),
    "less-than-one-percent": ("0.8%", 1),
    "share": (0.8, 80),
    "share-as-text": ("0.85", 85),
    "float": (74.6, 75),
    "one": (1, 1),
    "zero": (0, 0),
    "too-high": (10**10, 100),
    "too-low": (-5, 0),
    "high": ("High", 75),
    "medium": ("medium", 50),
    "low": ("low", 25),
    "missing": (None, 50),
    "another-word": ("pretty sure", 50),
    "true": (True, 50),
    "list": ([80], 50),
}


@pytest.mark.parametrize("name", CONFIDENCES)
def test_confidence_is_between_0_and_100(name: str) -> None:
    value, confidence = CONFIDENCES[name]

    assert claim(confidence=value).confidence == confidence


CATEGORIES = {"Tests": Category.TESTS, "api_design": Category.API_DESIGN, "api design": Category.API_DESIGN}


@pytest.mark.parametrize("value", [*CATEGORIES, "style", None, 3, ["tests"]], ids=repr)
def test_an_unknown_category_is_that_of_the_agent(value: object) -> None:
    assert claim(category=value).category is CATEGORIES.get(str(value), Category.SECURITY)


SUBJECTS = {
    "as-it-is": ("it leaks", "B", ("it leaks", "B")),
    "over-lines": (" it\n  leaks\t", "B", ("it leaks", "B")),
    "with-a-label": ("issue: it leaks", "B", ("it leaks", "B")),
    "with-a-title": ("**issue (blocking):** it leaks", "B", ("it leaks", "B")),
    "with-a-bold-label": ("**Nitpick**: it leaks", "B", ("it leaks", "B")),
    "a-word-that-is-no-label": ("error: it leaks", "B", ("error: it leaks", "B")),
    "a-label-inside": ("the issue: it leaks", "B", ("the issue: it leaks", "B")),
    "too-long": ("x" * 300, "B", ("x" * (LONGEST_SUBJECT - 1) + "…", "B")),
    "too-long-and-alone": ("x " * 150, None, (f"{'x ' * 99}x…", ("x " * 150).strip())),
    "alone": ("it leaks", None, ("it leaks", "")),
    "said-twice": ("it leaks", "it leaks", ("it leaks", "")),
    "missing": (None, "It leaks e.g. here. And there.", ("It leaks e.g.", "It leaks e.g. here. And there.")),
    "missing-beside-a-version": (None, "Since v1.2 it leaks! Fix it.", ("Since v1.2 it leaks!", None)),
    "missing-beside-a-heading": (None, "## It leaks\n\nB", ("It leaks", "## It leaks\n\nB")),
    "missing-beside-one-sentence": (None, "It leaks.", ("It leaks.", "")),
    "of-another-type": (3, "It leaks. Badly.", ("It leaks.", "It leaks. Badly.")),
    "a-body-in-parts": ("it leaks", ["a", 3, "b"], ("it leaks", "a\nb")),
    "a-body-of-another-type": ("it leaks", {"text": "b"}, ("it leaks", "")),
}


@pytest.mark.parametrize("name", SUBJECTS)
def test_subject_and_body_do_for_each_other(name: str) -> None:
    subject, body, (expected, expected_body) = SUBJECTS[name]

    found = claim(subject=subject, body=body)

    assert (found.subject, found.body) == (expected, body if expected_body is None else expected_body)


def test_a_body_is_cut_where_nobody_would_read_on() -> None:
    assert claim(body="x" * 10_000).body == "x" * (LONGEST_BODY - 1) + "…"


def test_a_message_beside_a_title_is_the_body() -> None:
    [found] = read({"path": "a.py", "title": "it leaks", "message": "B"}).claims

    assert (found.subject, found.body) == ("it leaks", "B")


QUOTES = {
    "list": (["a", "  b "], ("a", "  b ")),
    "text": ("a\n  b", ("a", "  b")),
    "crlf": ("a\r\nb\r\n", ("a", "b", "")),
    "list-with-lines-inside": (["a\nb", "c"], ("a", "b", "c")),
    "object": ({"lines": ["a", "b"]}, ("a", "b")),
    "fence": ("```python\na\n\n  b\n```", ("a", "", "  b")),
    "fence-with-blanks-around": ("\n  ~~~\na\n  ~~~\n", ("a",)),
    "half-a-fence": ("```\na", ("```", "a")),
    "null": (None, ()),
    "empty": ("", ()),
    "blank": (["", " "], ()),
    "empty-fence": ("```\n```", ()),
    "number": (12, ()),
    "numbers": ([12], ()),
}


@pytest.mark.parametrize("name", QUOTES)
def test_a_quote_is_lines_as_written(name: str) -> None:
    value, quote = QUOTES[name]

    assert claim(evidence=value).quote == quote


SUGGESTIONS = {
    "text": ("a.py", "  x = 1\n", "  x = 1\n"),
    "deletion": ("a.py", "", ""),
    "none": ("a.py", None, None),
    "list": ("a.py", ["x"], None),
    "fence": ("a.py", "```suggestion\n  x = 1\n```", "  x = 1"),
    "fence-in-markdown": ("a.md", "```python\nx = 1\n```", "```python\nx = 1\n```"),
}


@pytest.mark.parametrize("name", SUGGESTIONS)
def test_a_suggestion_is_a_text_or_none(name: str) -> None:
    path, value, suggestion = SUGGESTIONS[name]

    assert claim(path=path, suggestion=value).suggestion == suggestion


def test_no_text_keeps_what_cannot_be_stored_or_shown() -> None:
    bad = "nul \x00 esc \x1b[31m red \x9b2J \ud83d half\r\n\tend"

    found = claim(path=f"a{bad}", subject=bad, body=bad, evidence=[bad], suggestion=bad)

    assert found.body == "nul  esc [31m red 2J \ufffd half\n\tend"
    assert found.subject == "nul esc [31m red 2J \ufffd half end"
    assert (found.quote, found.suggestion) == (("nul  esc [31m red 2J \ufffd half", "\tend"), found.body)


MALFORMED = {
    "no-object": ("x", "", None),
    "no-path": ({"subject": "it leaks"}, "it leaks", None),
    "null-as-path": ({"path": None, "subject": "it leaks"}, "it leaks", None),
    "number-as-path": ({"path": 3, "subject": "it leaks"}, "it leaks", None),
    "path-of-nothing": ({"path": "\x00", "subject": "it leaks"}, "it leaks", None),
    "blank-path": ({"path": " ", "subject": "it leaks"}, "it leaks", None),
    "no-words": ({"path": "src/app.py", "line": 1}, "", "src/app.py"),
    "only-a-label": ({"path": "src/app.py", "subject": "issue:"}, "", "src/app.py"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_an_item_that_says_nothing_of_a_file_is_dropped_alone(name: str) -> None:
    item, subject, path = MALFORMED[name]

    answer = read(item, WHOLE)

    assert len(answer.claims) == 1
    assert [(each.reason, each.subject, each.path) for each in answer.dropped] == [("malformed", subject, path)]


def test_what_is_too_many_is_dropped_by_name() -> None:
    answer = read(*({**WHOLE, "subject": f"number {number}"} for number in range(MOST_ITEMS + 2)), "x")

    assert len(answer.claims) == MOST_ITEMS
    assert [(each.reason, each.subject) for each in answer.dropped] == [
        ("too many", f"number {MOST_ITEMS}"),
        ("too many", f"number {MOST_ITEMS + 1}"),
        ("too many", ""),
    ]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.text(st.characters(categories=["Cs", "Cc", "L"]), max_size=5)
    | st.sampled_from(["12-15", "issue (blocking)", "80%", "0.8", "```\nx\n```", "a.py", "RIGHT", "**note:** x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["lines", "start", "end"]), inner),
    max_leaves=4,
)
ITEMS = st.dictionaries(st.sampled_from([*WHOLE, "title", "message", "code", "severity", "file"]), VALUES) | VALUES


@given(st.lists(ITEMS, max_size=4))
def test_any_list_is_claims_and_dropped_items_or_unusable(items: list[object]) -> None:
    try:
        answer = read(*items)
    except UnusableAnswer:
        return
    assert len(answer.claims) + len(answer.dropped) == len(items)
    for each in answer.claims:
        assert each.path.strip()
        assert 0 < len(each.subject) <= LONGEST_SUBJECT
        assert len(each.body) <= LONGEST_BODY
        assert 0 <= each.confidence <= 100
        assert each.line is None or 0 < (each.start_line or 1) <= each.line
        "".join((each.path, each.subject, each.body, *each.quote, each.suggestion or "")).encode()
