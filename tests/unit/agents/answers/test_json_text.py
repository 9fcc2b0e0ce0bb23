"""What models wrap around JSON, and how they break it: read where it can mean one thing, refused where it cannot."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftgate.agents.answers.claim import UnusableAnswer
from draftgate.agents.answers.json_text import DEEPEST, MOST_CHARACTERS, read_json

PLAIN = '{"findings": [{"path": "src/app.py", "line": 12}, {"path": "src/db.py", "line": 40}]}'
INDENTED = json.dumps(json.loads(PLAIN), indent=2)

WRAPPED = {
    "bare": PLAIN,
    "blanks-around": f"\n\n  {INDENTED}\n \n",
    "byte-order-mark": f"\ufeff{PLAIN}",
    "fence": f"```json\n{INDENTED}\n```",
    "fence-without-a-word": f"```\n{INDENTED}\n```\n",
    "fence-in-capitals-with-blanks-behind": f"```JSON\n{INDENTED}\n```  ",
    "indented-fence": f"\n\n  ```json\n{INDENTED}\n  ```",
    "tildes": f"~~~json\n{INDENTED}\n~~~",
    "crlf": f"```json\n{INDENTED}\n```\n".replace("\n", "\r\n"),
    "prose-before": f"Here is the review: {PLAIN}",
    "prose-after": f"{PLAIN}\n\nI hope this helps!",
    "prose-and-fence": f"I read the change.\n\n```json\n{INDENTED}\n```\nLet me know.",
    "code-in-the-prose": f"The f-string {{self.name}} and the block `if (x) {{` and {{}} are odd.\n{PLAIN}",
    "a-link-in-the-prose": f"[the docs](https://example.org) [1] say so: {PLAIN}",
    "said-twice": f"Draft:\n{INDENTED}\n\nFinal:\n```json\n{PLAIN}\n```",
}


@pytest.mark.parametrize("name", WRAPPED)
def test_the_object_is_found_in_what_is_around_it(name: str) -> None:
    assert read_json(WRAPPED[name]) == json.loads(PLAIN)


def test_a_fence_inside_a_string_is_text() -> None:
    body = "use\n```python\n{}\n```\ninstead of `{`"

    assert read_json(f"```json\n{json.dumps({'body': body})}\n```") == {"body": body}


def test_a_list_of_objects_may_stand_alone() -> None:
    assert read_json('Found:\n[{"path": "a.py"}]') == [{"path": "a.py"}]


MENDED = {
    "raw-newline": ('{"body": "line one\nline two"}', "line one\nline two"),
    "raw-tab": ('{"body": "a\tb"}', "a\tb"),
    "trailing-commas": ('{"body": "B", "more": [1, 2 , ],}', "B"),
    "bad-escapes": (r'{"body": "use \s+ and C:\dir"}', r"use \s+ and C:\dir"),
    "bad-escape-beside-good-ones": (r'{"body": "\"\d\"\\d\u00e9\u12"}', '"\\d"\\dé\\u12'),
    "a-comma-in-a-string-stays": (r'{"body": "a,]\d,}",}', r"a,]\d,}"),
    "nan": ('{"body": NaN}', None),
    "infinity": ('{"body": -Infinity}', None),
    "beyond-all-numbers": ('{"body": 1e999}', None),
    "a-number-without-end": (f'{{"body": {"9" * 5000}}}', None),
    "equal-keys": ('{"body": "first", "body": "last"}', "last"),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_slip_that_can_mean_one_thing_is_mended(name: str) -> None:
    text, body = MENDED[name]

    value = read_json(text)

    assert isinstance(value, dict)
    assert value["body"] == body


WHOLE = '{"findings": [{"path": "a.py", "line": 1}, {"path": "b.py", "line": 2}, {"path": "c.py", "subject": "Unbounded'

UNUSABLE = {
    "empty": "",
    "blank": "  \n",
    "prose": "I'm sorry, but I can't review this code.",
    "prose-with-braces": "The block `if (x) {` is never closed.",
    "empty-object-in-prose": "The default {} is fine.",
    "empty-list": "[]",
    "list-of-numbers": "[1, 2]",
    "text": '"findings"',
    "null": "null",
    "cut-in-a-string": WHOLE,
    "cut-after-a-string": WHOLE + '"',
    "cut-before-the-last-brace": PLAIN[:-1],
    "cut-list": PLAIN.removeprefix('{"findings": ').removesuffix("]}"),
    "cut-behind-prose": f"Here is the review:\n```json\n{WHOLE}",
    "cut-with-keys-in-no-quotes": '{findings: [{"path": "a.py"}], more: [',
    "cut-with-a-comment": '{ // all of them\n"findings": [{"path": "a.py"}], "more": [',
    "brackets-crossed": '{"findings": [{"path": "a.py"]}}',
    "single-quotes": "{'findings': [{'path': 'src/app.py'}]}",
    "single-quotes-outside": 'Here: {\'findings\': [{"path": "src/app.py"}]}',
    "comment": '{"findings":[ // none of style\n {"path":"src/app.py"}]}',
    "python": '{"findings":[{"path":"src/app.py","suggestion":None,"blocking":True}]}',
    "only-a-comma": '{"findings": [,]}',
    "two-commas": '{"findings": [1,,]}',
    "no-comma": '{"findings": [] "more": []}',
    "yaml": "```yaml\nfindings:\n- path: src/app.py\n  title: format: {self.name} not closed\n```",
    "several": f'{PLAIN}\n{{"findings": []}}',
    "broken-then-empty": 'Found {"findings": [{"path": None}]}, else {"findings": []}',
    "too-deep": '{"a":' * (DEEPEST + 1) + "1" + "}" * (DEEPEST + 1),
    "too-long": f'{{"findings": "{"x" * MOST_CHARACTERS}"}}',
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_what_could_mean_another_thing_is_asked_for_again(name: str) -> None:
    with pytest.raises(UnusableAnswer, match=r"^[A-Z].*\.$"):
        read_json(UNUSABLE[name])


def test_nesting_within_the_limit_is_read() -> None:
    assert read_json('{"a":' * DEEPEST + "1" + "}" * DEEPEST)


HOSTILE = {
    "open-braces": "{ " * (MOST_CHARACTERS // 2),
    "open-brackets": "x[" * (MOST_CHARACTERS // 2),
    "brackets-and-blanks": ("x[" + " " * 1000) * 1000,
    "quotes": "{" + '"' * (MOST_CHARACTERS - 1),
    "quotes-in-code": "if (x) {( " * 100 + '"" ' * (MOST_CHARACTERS // 4),
    "backslashes": '{"' + "\\" * (MOST_CHARACTERS - 4),
    "escapes": '{"a": "' + r"\s" * (MOST_CHARACTERS // 2 - 8) + '"}',
    "commas": "{" + " ," * (MOST_CHARACTERS // 2 - 2) + "}",
    "blanks": '{"a": 1' + " " * (MOST_CHARACTERS - 12) + "x}",
    "a-word": "{" + "a" * (MOST_CHARACTERS - 3) + "}",
    "many-objects": '{"a": 1} ' * (MOST_CHARACTERS // 9),
    "many-broken-ones": "{x y} " * (MOST_CHARACTERS // 6),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_more_than_its_share_of_time(name: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(UnusableAnswer):
        read_json(HOSTILE[name])

    assert time.perf_counter() - start < 10


PIECES = st.lists(
    st.one_of(
        st.sampled_from(["{", "}", "[", "]", '"', ",", ":", "\\", "\n", "```", "json", "'", "NaN", "1e9", "//", " "]),
        st.sampled_from(['{"findings": []}', '"a": 1', '{"a": ', "[{", "\\u", "\ud83d", "\x00", "\ufeff"]),
        st.text(max_size=3),
    ),
    max_size=30,
).map("".join)


@given(PIECES)
def test_any_text_is_read_or_unusable(text: str) -> None:
    try:
        value = read_json(text)
    except UnusableAnswer:
        return
    assert isinstance(value, dict | list)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), JSON, min_size=1, max_size=4), st.booleans())
def test_json_is_read_as_the_standard_library_reads_it(value: dict[str, object], is_ascii: bool) -> None:  # noqa: FBT001 - drawn
    text = json.dumps(value, ensure_ascii=is_ascii)

    assert read_json(f"Here it is:\n```json\n{text}\n```") == value


@given(st.dictionaries(st.text(max_size=5), JSON, min_size=1, max_size=4), st.data())
def test_no_beginning_of_an_object_is_taken_for_the_whole(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps({"findings": [value]})

    with pytest.raises(UnusableAnswer):
        read_json(text[: data.draw(st.integers(0, len(text) - 1))])
