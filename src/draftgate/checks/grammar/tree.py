"""Syntax trees, and which texts are worth one: the parser is linear, but what is then asked of a tree is not.

From a node to its root is as far as the tree is deep, to its column as far as its line is long, and a call's
text holds those of all calls inside. So a text that no person writes is refused, before anything is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal

from ast_grep_py import SgNode, SgRoot

# An unknown language makes the parser panic with a BaseException, so it is never text from outside.
Language = Literal["python", "ruby"]

MAX_SOURCE_CHARACTERS = 1_000_000
MAX_LINE_CHARACTERS = 10_000
MAX_DEPTH = 200
MAX_ARGUMENTS = 1_000
RUBY_ENDINGS = (".rb", ".rake", ".rabl", ".jbuilder", ".builder", ".arb", ".axlsx", ".prawn")
_ENDINGS: Mapping[Language, tuple[str, ...]] = {"python": (".py",), "ruby": RUBY_ENDINGS}


# A tree takes up to a hundred times the memory of its text, and a check asks for the same one several times in a row.
@lru_cache(maxsize=2)
def parse(text: str, language: Language) -> SgNode:
    """The root of the syntax tree; broken source gives a tree with error nodes, never an exception."""
    return SgRoot(text, language).root()


def language_of(path: str) -> Language | None:
    """The language whose grammar reads the file."""
    return next((language for language, endings in _ENDINGS.items() if path.endswith(endings)), None)


def why_refused(text: str, language: Language) -> str | None:
    """Why a text gets no tree, ``None`` if it gets one."""
    if len(text) > MAX_SOURCE_CHARACTERS:
        return f"it is longer than {MAX_SOURCE_CHARACTERS:,} characters"
    if len(text) > MAX_LINE_CHARACTERS and max(map(len, text.split("\n"))) > MAX_LINE_CHARACTERS:
        return f"a line of it is longer than {MAX_LINE_CHARACTERS:,} characters"
    return _why_unlike_code(parse(text, language)) if len(text) > MAX_DEPTH else None


def _why_unlike_code(root: SgNode) -> str | None:
    """Walks the whole tree: what a text seems to nest, by its brackets, is not what the grammar makes of it.

    What has no name is a leaf, so it is left out.
    """
    path: list[Iterator[SgNode]] = [iter((root,))]
    while path:
        node = next(path[-1], None)
        if node is None:
            path.pop()
            continue
        children = node.named_children()
        if len(children) > MAX_ARGUMENTS and node.kind() == "argument_list":
            return f"a call in it passes more than {MAX_ARGUMENTS:,} arguments"
        if children:
            path.append(iter(children))
        if len(path) > MAX_DEPTH:
            return f"it is nested more than {MAX_DEPTH} levels deep"
    return None
