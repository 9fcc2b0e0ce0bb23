"""A configuration file as people and editors really save it: broken, hostile or merely unusual YAML."""

from __future__ import annotations

import time

import pytest

from draftgate.config.model import Config
from draftgate.errors import ConfigurationError, Problem
from tests.unit.config.loading import load_text, problems_of

BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (name, name, b",".join([b"*%c" % (name - 1)] * 9)) for name in b"bcdefghi"
)


@pytest.mark.parametrize(
    "content",
    [b"", b"# nothing yet\n# max: 3\n", b"---\n", b"\xef\xbb\xbf", b"\n\n", b"---\n...\n", b"null\n", b"{}\n"],
    ids=["empty", "comments", "dashes", "bom", "blank", "end", "null", "braces"],
)
def test_a_file_that_says_nothing_means_the_defaults(content: bytes) -> None:
    assert load_text(content).config == Config()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"skip:\n\tdrafts: true\n", "2:1: tabs are not allowed — use spaces", id="tab-indentation"),
        pytest.param(
            b"skip:\n  drafts: true\t# y\n", "2:15: tabs are not allowed — use spaces", id="tab-before-comment"
        ),
        pytest.param(
            b"draft: held\n---\ndraft: held\n",
            "2:1: a second document begins here — keep one and delete this `---`",
            id="two-documents",
        ),
        pytest.param(b"- draft\n", "1:1: expected keys, got a list — begin with `version: 1`", id="list"),
        pytest.param(b"draft\n", "1:1: expected keys, got the text 'draft' — begin with `version: 1`", id="word"),
        pytest.param(b"draft: h\0ld\n", "1:9: the character U+0000 is not allowed — delete it", id="nul"),
        pytest.param(b"draft: \xe2\x80\xa8x\n", "1:8: the character U+2028 is not allowed — delete it", id="separator"),
        pytest.param(b"draft: caf\xe9\n", "1:11: this is not UTF-8 text — save the file as UTF-8", id="latin-1"),
        pytest.param(
            "draft: held".encode("utf-16"), "1:1: this is not UTF-8 text — save the file as UTF-8", id="utf-16"
        ),
        pytest.param(
            b"skip: {labels: ['a', 'b'\n",
            "2:1: the list that opens at 1:16 is not closed — write `]` or a comma",
            id="unclosed-list",
        ),
        pytest.param(
            b"draft: 'held\n",
            "2:1: the quotes that open at 1:8 are not closed — write the closing quote",
            id="unclosed-quotes",
        ),
        pytest.param(
            b"draft: a: b\n",
            "1:9: a colon where no key can stand — put the value in quotes, or mend the indentation",
            id="colon",
        ),
        pytest.param(
            b"skip:\n    drafts: true\n  labels: []\n",
            "3:3: the indentation does not fit the lines above — align it with its neighbours",
            id="indentation",
        ),
        pytest.param(
            b"draft\nskip: {}\n",
            "2:5: a colon where no key can stand — put the value in quotes, or mend the indentation",
            id="no-colon",
        ),
        pytest.param(
            b"draft: @held\n", "1:8: a value cannot begin with this character — put the value in quotes", id="at-sign"
        ),
        pytest.param(
            b"skip: *nope\n",
            "1:7: the alias *nope has no anchor — write `&nope` before the value it repeats",
            id="undefined-alias",
        ),
        pytest.param(
            b"skip: &a\n  labels: *a\n",
            "2:11: this alias stands inside the block it repeats — write the block out",
            id="recursive",
        ),
        pytest.param(
            BOMB,
            "5:8: there are more than 10000 values, counted each time an alias repeats them — shorten the file",
            id="alias-bomb",
        ),
        pytest.param(b"draft: " + b"[" * 30, "1:28: this is nested more than 20 levels deep — flatten it", id="deep"),
        pytest.param(b"? [a]\n: 1\n", "1:3: this key is not text — write a plain word and a colon", id="list-as-key"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem_with_its_place(content: bytes, problem: str) -> None:
    assert problems_of(content) == [f"draftgate.yml:{problem}"]


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        pytest.param(
            b"skip: !!python/object/apply:os.system ['echo pwned']\n",
            [
                "1:7: tags are not read (!!python/object/apply:os.system) — delete the tag; quotes make text",
                "1:7  skip: expected keys with values, got a list — write `skip: {drafts: false}`",
            ],
            id="tag",
        ),
        pytest.param(
            b"draft: held\nwhen: once\ndraft: held\n",
            ["3:1: the key 'draft' is written twice, on line 1 and here — keep one of them"],
            id="duplicate",
        ),
        pytest.param(
            b"checks: {naming.consistency: {<<: {enabled: true}}}\n",
            ["1:31: merge keys are not read — write the keys out, or repeat a whole block by alias"],
            id="merge-key",
        ),
    ],
)
def test_notation_that_is_not_read_is_named_together_with_other_problems(content: bytes, problems: list[str]) -> None:
    assert problems_of(content) == [f"draftgate.yml:{problem}" for problem in problems]


def test_an_escape_that_is_no_character_has_no_place() -> None:
    """PyYAML does not say where it stands."""
    assert problems_of(b'draft: "\\UFFFFFFFF"\n') == [
        "draftgate.yml: an escape that is no character — use single quotes"
    ]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    loaded = load_text(b"\xef\xbb\xbfskip:\r\n  labels:\r\n    - 'a'\r\nwhen: once\r\n")

    assert loaded.config.skip.labels == ("a",)
    assert loaded.config.when == "once"


def test_an_alias_repeats_a_block() -> None:
    config = load_text(b"skip: {labels: &names [a, b], authors: *names}\n").config

    assert config.skip.labels == config.skip.authors == ("a", "b")


@pytest.mark.parametrize("word", ["no", "on", "Yes", "1:30", "0777", "2026-01-01", "1_000", "0x10"])
def test_a_word_that_only_yaml_1_1_turns_into_something_else_stays_text(word: str) -> None:
    assert load_text(f"skip: {{labels: [{word}]}}\n").config.skip.labels == (word,)


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 131_000,
        b"code_review: {agents: [" + b"a," * 9_000 + b"]}",
        b"".join(b"k%d: 1\n" % number for number in range(4_900)),
        b"".join(b"a%d: &a%d [*a%d]\n" % (number, number, number - 1) for number in range(1, 3_000)),
        b"version: " + b"1" * 131_000,
        b"#\n" * 65_000,
        BOMB,
        b"x" * 10_000_000,
    ],
    ids=["brackets", "many-agents", "many-unknown-keys", "alias-chain", "digits", "comments", "bomb", "too-large"],
)
def test_hostile_input_is_answered_quickly_and_briefly(content: bytes) -> None:
    """The bound is generous for a loaded machine; each took at most 0.4 s on two shared cores."""
    began = time.process_time()
    problems: tuple[Problem, ...] = ()

    try:
        load_text(content)
    except ConfigurationError as error:
        problems = error.problems

    assert time.process_time() - began < 3
    assert len(problems) <= 51
    assert sum(len(str(problem)) for problem in problems) < 20_000
