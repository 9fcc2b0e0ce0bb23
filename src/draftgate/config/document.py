"""Reads the bytes of a configuration file, or the text of one value, into a tree with positions.

What cannot be text is refused here, before YAML sees it; what a key means is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from draftgate.config.complaints import SECRET_IN_FILE, shown
from draftgate.config.composer import compose
from draftgate.config.key_shapes import find_secrets
from draftgate.config.nodes import BrokenDocument, Document, Mark, Node, problem_at
from draftgate.errors import Limit, Problem

MAX_BYTES: Final = Limit("size of the configuration file", 128 * 1024, "bytes")

_NOT_UTF_8: Final = ("this is not UTF-8 text", "save the file as UTF-8")
_REPLACED: Final = "\ufffd"
"""What forges put in the place of bytes that are no UTF-8."""

MAX_SECRETS: Final = Limit("secrets in comments and keys that are named", 51)

# What YAML forbids, and the three line ends of YAML 1.1 that no editor counts: they would shift every position.
_FORBIDDEN: Final = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def read(name: str, content: bytes) -> Document:
    """The settings of a file; an empty one has none.

    Raises:
        BrokenDocument: It cannot be read, with the one problem to mend first.
    """
    text = _decode(name, content)
    document = compose(name, text)
    root = document.root
    if root.content is None:
        root.content = {}
    if not isinstance(root.content, dict):
        raise _broken(name, root.mark, f"expected keys, got {shown(root.plain())}", "begin with `version: 1`")
    beside = islice(_secrets_beside_values(name, text, root), MAX_SECRETS.value)
    return replace(document, problems=(*document.problems, *beside))


def read_value(name: str, text: str) -> object:
    """The value that the text of a variable or input stands for, read like a value in the file.

    Raises:
        BrokenDocument: The text is no value.
    """
    document = compose(name, _decode(name, text.encode("utf-8", "surrogateescape")))
    if document.problems:
        raise BrokenDocument(document.problems[0])
    return document.root.plain()


def _secrets_beside_values(name: str, text: str, root: Node) -> Iterator[Problem]:
    """Those in comments and keys; the ones in values are found with the key that they are written under."""
    values = (value for _, value in root.scalars() if isinstance(value, str))
    known = {secret for value in values for _, secret in find_secrets(value)}
    for start, secret in find_secrets(text):
        if secret not in known:
            yield problem_at(name, _mark_after(text[:start]), *SECRET_IN_FILE)


def _decode(name: str, content: bytes) -> str:
    if len(content) > MAX_BYTES.value:
        raise _broken(name, None, f"there are {len(content)} bytes, more than {MAX_BYTES.value}", "shorten it")
    try:
        text = content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        mark = _mark_after(content[: error.start].decode("utf-8").removeprefix("\ufeff"))
        raise _broken(name, mark, *_NOT_UTF_8) from None
    if (replaced := text.find(_REPLACED)) >= 0:
        raise _broken(name, _mark_after(text[:replaced]), *_NOT_UTF_8)
    if forbidden := _FORBIDDEN.search(text):
        mark = _mark_after(text[: forbidden.start()])
        raise _broken(name, mark, f"the character U+{ord(forbidden[0]):04X} is not allowed", "delete it")
    return text


def _mark_after(text: str) -> Mark:
    lines = re.split(r"\r\n|\r|\n", text)
    return Mark(len(lines), len(lines[-1]) + 1)


def _broken(name: str, mark: Mark | None, wrong: str, write: str) -> BrokenDocument:
    return BrokenDocument(problem_at(name, mark, wrong, write))
