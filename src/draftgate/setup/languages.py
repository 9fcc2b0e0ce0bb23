"""Which languages a repository is written in, and which of its files the built-in checks read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from draftgate.domain.paths import matches_any

_ENDINGS = {
    "Python": "py pyi",
    "Ruby": "rb rake",
    "JavaScript": "js jsx mjs cjs",
    "TypeScript": "ts tsx mts cts",
    "Go": "go",
    "Java": "java",
    "Kotlin": "kt kts",
    "Rust": "rs",
    "C": "c h",
    "C++": "cc cpp cxx hh hpp hxx",
    "C#": "cs",
    "PHP": "php",
    "Swift": "swift",
    "Scala": "scala",
    "Elixir": "ex exs",
    "Dart": "dart",
    "Shell": "sh bash zsh",
    "SQL": "sql",
    "Vue": "vue",
    "Svelte": "svelte",
    "HTML": "html htm erb haml slim jinja j2",
    "CSS": "css scss sass less",
    "Terraform": "tf",
    "Lua": "lua",
    "Perl": "pl pm",
    "R": "r",
    "Haskell": "hs",
    "Clojure": "clj cljs cljc",
    "Objective-C": "m mm",
    "Zig": "zig",
}
_LANGUAGE_OF = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the built-in checks see.

    Attributes:
        source_files: Files in a language that is known here.
        by_check: Files that each check reads, by its id.
        unread: Files that no check reads, by language, most first.
    """

    source_files: int
    by_check: Mapping[str, int]
    unread: tuple[tuple[str, int], ...]


def language_of(path: str) -> str | None:
    """The language of a file, by the ending of its name."""
    return _LANGUAGE_OF.get(path.rpartition("/")[2].rpartition(".")[2].lower()) if "." in path else None


def languages(paths: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Each language with its number of files, most first."""
    return _most_first(Counter(name for path in paths if (name := language_of(path)) is not None))


def reach(paths: Iterable[str], covers: Mapping[str, tuple[str, ...]]) -> Reach:
    """What the checks read of these files.

    Args:
        paths: Those that a review does not leave out.
        covers: The globs that each check reads, by its id.
    """
    named = [(path, name) for path in paths if (name := language_of(path)) is not None]
    by_check = {check: sum(matches_any(path, globs) for path, _ in named) for check, globs in covers.items()}
    every = tuple(glob for globs in covers.values() for glob in globs)
    unread = Counter(name for path, name in named if not matches_any(path, every))
    return Reach(len(named), by_check, _most_first(unread))


def _most_first(counted: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
