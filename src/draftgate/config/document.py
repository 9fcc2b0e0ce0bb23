"""Reads the bytes of a configuration file, or the text of one value, into a tree with positions.

What cannot be text is refused here, before YAML sees it; what a key means is not known here.
"""

from __future__ import annotations

import re
from typing import Final

from draftgate.config.complaints import shown
from draftgate.config.composer import compose
from draftgate.config.nodes import BrokenDocument, Document, Mark, problem_at
from draftgate.errors import Limit

MAX_BYTES: Final = Limit("size of the configuration file", 128 * 1024, "bytes")

# What YAML forbids, and the three line ends of YAML 1.1 that no editor counts: they would shift every position.
_FORBIDDEN: Final = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read(name: str, content: bytes) -> Document:
    """The settings of a file; an empty one has none.

    Raises:
        BrokenDocument: It cannot be read, with the one problem to mend first.
    """
    document = compose(name, _decode(name, content))
    root = document.root
    if root.content is None:
        root.content = {}
    if not isinstance(root.content, dict):
        raise _broken(name, root.mark, f"expected keys, got {shown(root.plain())}", "begin with `version: 1`")
    return document


def read_value(name: str, text: str) -> object:
    """The value that the text of a variable or input stands for, read like a value in the file.

    Raises:
        BrokenDocument: The text is no value.
    """
    document = compose(name, _decode(name, text.encode("utf-8", "surrogateescape")))
    if document.problems:
        raise BrokenDocument(document.problems[0])
    return document.root.plain()


def _decode(name: str, content: bytes) -> str:
    if len(content) > MAX_BYTES.value:
        raise _broken(name, None, f"there are {len(content)} bytes, more than {MAX_BYTES.value}", "shorten it")
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        mark = _mark_after(content[: error.start].decode("utf-8").removeprefix("\ufeff"))
        raise _broken(name, mark, "this is not UTF-8 text", "save the file as UTF-8") from None
    if forbidden := _FORBIDDEN.search(text):
        mark = _mark_after(text[: forbidden.start()])
        raise _broken(name, mark, f"the character U+{ord(forbidden[0]):04X} is not allowed", "delete it")
    return text


def _mark_after(text: str) -> Mark:
    lines = re.split(r"\r\n|\r|\n", text)
    return Mark(len(lines), len(lines[-1]) + 1)


def _broken(name: str, mark: Mark | None, wrong: str, write: str) -> BrokenDocument:
    return BrokenDocument(problem_at(name, mark, wrong, write))
