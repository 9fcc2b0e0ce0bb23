"""What others wrote must read as it was written and do nothing once it is posted."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from draftgate.render import neutralize
from draftgate.render.visible import has_hidden, visible

HOSTILE_PARTS = st.sampled_from(
    "` `` ``` ```` ~~~ \\ [ ] ( ) ! < > * _ ~ | # @ & ; : / - = + . \" ' % $ ^ 1 a dev \n \t \r > - "
    "http:// www. mailto: @dev #1 GH-1 o/r#2 !3 ~bug &#64; &lt; &#x23; &amp; "
    "<b> </details> <!-- --> ]( ![ [x]: suggestion ENG-1 /merge caught-by: \u202e \u200b \x1b \ufeff".split(" ")
) | st.just(" ")
HOSTILE_TEXT = st.lists(HOSTILE_PARTS, max_size=25).map("".join) | st.text(max_size=60)

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTIVE_TOKENS = {"link_open", "image", "html_inline", "html_block", "table_open", "heading_open", "hr", "s_open"}
LIVE = re.compile(
    r"""
      (?<!\w)@[\w]                              # a person or a team
    | [\w.+-]+@[\w-]                            # an e-mail address
    | (?<!\w)(?:[\w./-]*\#\d|GH-\d|[!&$^]\d|[~%]["\w])   # issues, merge requests, epics, snippets, labels, milestones
    | \w://                                     # an address that is linked as it stands
    | (?<!\w)www\.\w
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokens_of(markdown: str) -> list[Token]:
    """Block tokens and the inline tokens in them, as a forge would read them."""
    blocks = PARSER.parse(markdown)
    return [*blocks, *(inline for block in blocks for inline in block.children or ())]


def text_outside_code(markdown: str) -> list[str]:
    return [token.content for token in tokens_of(markdown) if token.type == "text"]


@given(HOSTILE_TEXT)
def test_neutralized_text_holds_nothing_active(text: str) -> None:
    result = neutralize.markdown(text)

    tokens = tokens_of(result)
    assert not {token.type for token in tokens} & ACTIVE_TOKENS
    assert not [found for part in text_outside_code(result) if (found := LIVE.search(part))]
    infos = {token.info for token in tokens if token.type == "fence"}
    assert infos <= {"", *neutralize.LANGUAGES, *neutralize.LANGUAGES.values()}


@given(HOSTILE_TEXT)
def test_neutralized_text_holds_no_command_marker_or_hidden_character(text: str) -> None:
    result = neutralize.markdown(text)

    outside = re.sub(r"^(`{3,}).*?^\1$", "", result, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^\s*/\w", outside, re.MULTILINE)
    assert not any("<!--" in part for part in re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside).split("\n"))
    assert not has_hidden(result)


@given(HOSTILE_TEXT)
def test_what_follows_is_not_swallowed(text: str) -> None:
    result = neutralize.markdown(text) + "\n\n---\n\nafter"

    closing = [token.type for token in PARSER.parse(result) if token.level == 0][-3:]
    assert closing == ["hr", "paragraph_open", "paragraph_close"]


@given(HOSTILE_TEXT)
def test_neutralizing_twice_changes_nothing_more(text: str) -> None:
    once = neutralize.markdown(text)

    assert neutralize.markdown(once) == once


@given(HOSTILE_TEXT.filter(lambda text: "```" not in text and "~~~" not in text))
def test_every_word_stays_readable(text: str) -> None:
    shown = "".join(token.content for token in tokens_of(neutralize.markdown(text)) if token.type != "inline")

    assert [word for word in re.findall("dev|bug|merge", text) if word not in shown] == []


@given(HOSTILE_TEXT)
def test_a_table_cell_stays_one_cell(text: str) -> None:
    table = f"| {neutralize.cell(text)} | last |\n| --- | --- |\n| {neutralize.cell(text)} | last |\n"

    cells = [token.type for token in PARSER.parse(table)]
    assert (cells.count("th_open"), cells.count("td_open")) == (2, 2)


@given(HOSTILE_TEXT)
def test_an_inline_text_begins_no_block(text: str) -> None:
    blocks = PARSER.parse(f"- {neutralize.inline(text)}\n- x{neutralize.inline(text)}")

    expected = ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"]
    items = [token.type for token in blocks[1:-1]]
    assert [kind for kind in items if kind not in expected] == []
    assert items.count("list_item_open") == 2


class Tags(HTMLParser):
    """The tags and the text outside code of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.inside = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.inside += 1

    def handle_endtag(self, tag: str) -> None:
        self.inside -= 1

    def handle_comment(self, data: str) -> None:
        self.tags.add(f"comment {data}")

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.text += data


@given(HOSTILE_TEXT)
def test_html_holds_code_and_inert_text_only(text: str) -> None:
    parser = Tags()

    parser.feed(neutralize.html(text))
    parser.close()

    assert parser.tags <= {"code"}
    assert parser.inside == 0
    assert "\n" not in parser.text


@given(HOSTILE_TEXT)
def test_a_code_span_shows_exactly_its_text(text: str) -> None:
    token = tokens_of(f"a {neutralize.code_span(text)} b")

    (code,) = [part.content for part in token if part.type == "code_inline"]
    assert "".join(code.split()) == "".join(visible(text).split())


@given(HOSTILE_TEXT)
def test_a_fence_is_closed_by_nothing_in_it(text: str) -> None:
    lines = text.split("\n")

    (block,) = PARSER.parse(neutralize.fenced(lines, "py"))

    assert block.content == "".join(visible(line) + "\n" for line in lines)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Use @pytest.fixture here", "Use `@pytest.fixture` here"),
        ("bump @types/node and @org/team", "bump `@types/node` and `@org/team`"),
        ("mail me@example.invalid.", "mail `me@example.invalid`."),
        ("`@safe` in code is fine", "`@safe` in code is fine"),
        ('(@dev), **@dev**, "@dev"', '(`@dev`), **`@dev`**, "`@dev`"'),
        ("fixes #1, closes GH-2 and o/r#3", "fixes `#1`, closes `GH-2` and `o/r#3`"),
        ('!1 %1 ~bug ~"two words" &5', '`!1` `%1` `~bug` `~"two words"` `&5`'),
        ("C# and R&D at 50%", "C# and R&D at 50%"),
        ("\\@dev &#64;dev", "`@dev` `&#64;`dev"),
        ("&amp;1 %&quot;x&quot; a &amp; b", "`&amp;`1 %`&quot;`x`&quot;` a &amp; b"),
        ("see https://x.example/a?b=c#d).", "see `https://x.example/a?b=c#d`)."),
        ("![p](http://x.example/p.png)", "!\\[p\\](`http://x.example/p.png`)"),
        ("[go](javascript:alert(1))", "\\[go\\](javascript:alert(1))"),
        ("<!-- draftgate:checkpoint v1 -->", "&lt;!-- draftgate:checkpoint v1 -->"),
        ("x </details> y", "x &lt;/details> y"),
        ("/merge\n/etc/passwd", "\\/merge\n\\/etc/passwd"),
        ("caught-by: pre-pr/1/frontier", "caught-by\\: pre-pr/1/frontier"),
        ("# big\nline\n---\n> [!NOTE]", "\\# big\nline\n\\---\n> \\[!NOTE\\]"),
        ("- [x] **2** done", "- \\[x\\] **2** done"),
        ("| a | b |\n|---|---|", "\\| a \\| b \\|\n\\|---\\|---\\|"),
        ("```suggestion\nx", "```\nx\n```"),
        ("```py\nx\n````\n```\ny", "```py\nx\n```\n```\ny\n```"),
        ("~~~\n```\n~~~", "````\n```\n````"),
        ("tick ` and `` inline", "tick \\` and \\`\\` inline"),
        ("pass\u202eword", "pass⟨U+202E⟩word"),
        ("caf\udce9.py", "caf⟨byte E9⟩.py"),
        ("**bold** and `code`, 1 < 2 and a_b", "**bold** and `code`, 1 &lt; 2 and a_b"),
    ],
)
def test_hostile_text_is_shown_like_this(text: str, shown: str) -> None:
    assert neutralize.markdown(text) == shown


@pytest.mark.parametrize(
    "content",
    ["```python\nprint(1)\n```", "````md\n```\nx\n```\n````", "~~~\ny\n~~~", "a\r\nb", "\n\nblank", "", "    in"],
)
def test_a_fence_keeps_its_content_byte_for_byte(content: str) -> None:
    block = neutralize.fence(content, "suggestion")

    first, *rest = block.split("\n")
    ticks = first.removesuffix("suggestion")
    assert rest[-1] == ticks
    assert "\n".join(rest[:-1]) == content
    assert ticks not in content


def test_long_hostile_text_takes_linear_time() -> None:
    """Each of these made a pattern with nested repetition take minutes."""
    for part in ("a", "a.", "@", "`", "` ``", '~"', "> ", "- ", "\\", "a:", "&", "#", "%", "<", "ftp:/"):
        assert neutralize.markdown(part * (60_000 // len(part)))
