"""How Rails turns a class into a table and back, for the English names that real schemas use.

Not a full inflector: a name it gets wrong is a table it does not find, and then a check stays silent.
"""

from __future__ import annotations

import re

_IRREGULAR = (
    ("people", "person"), ("children", "child"), ("men", "man"), ("data", "datum"), ("media", "medium"),
    ("criteria", "criterion"), ("taxa", "taxon"), ("indices", "index"), ("matrices", "matrix"),
    ("vertices", "vertex"), ("statuses", "status"), ("aliases", "alias"), ("addresses", "address"),
    ("movies", "movie"), ("series", "series"), ("news", "news"), ("equipment", "equipment"),
    ("information", "information"), ("analyses", "analysis"), ("caches", "cache"),
)  # fmt: skip
_TO_SINGULAR = (
    (r"(sh|ch|x|ss|zz)es$", r"\1"), (r"([^aeiou])ies$", r"\1y"), (r"ses$", "se"), (r"([^s])s$", r"\1"),
)  # fmt: skip
_TO_PLURAL = ((r"(sh|ch|x|s|z)$", r"\1es"), (r"([^aeiou])y$", r"\1ies"), (r"$", "s"))


def singular(name: str) -> str:
    """The singular of the last word of a snake-case name."""
    for plural_form, singular_form in _IRREGULAR:
        if re.search(rf"(^|_){plural_form}$", name):
            return name.removesuffix(plural_form) + singular_form
    return _replace_first(name, _TO_SINGULAR)


def plural(name: str) -> str:
    """The plural of the last word of a snake-case name."""
    for plural_form, singular_form in _IRREGULAR:
        if re.search(rf"(^|_){singular_form}$", name):
            return name.removesuffix(singular_form) + plural_form
    return _replace_first(name, _TO_PLURAL)


def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a snake-case, camel-case or dotted name."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3 \2", name)
    return tuple(word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word)


def snake(name: str) -> str:
    """The snake-case form of a name: ``Spree::StockItem`` is ``spree_stock_item``."""
    return "_".join(words(name))


def _replace_first(name: str, rules: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in rules:
        changed, count = re.subn(pattern, replacement, name, count=1)
        if count:
            return changed
    return name
