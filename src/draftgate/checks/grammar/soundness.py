"""Whether an edit leaves a file that can still be parsed, for every language that the parser knows.

A grammar recovers from most mistakes and marks what it could not place; only marks that were not there before count. A
token that is merely missing leaves no mark, so a sound file is likely and not certain.
"""

from __future__ import annotations

from ast_grep_py import SgRoot

from draftgate.checks.grammar.tree import MAX_SOURCE_CHARACTERS

# An unknown language makes the parser panic with a BaseException, so it is never text from outside.
_LANGUAGES = {
    "bash": "bash", "c": "c", "cc": "cpp", "cpp": "cpp", "cs": "csharp", "css": "css", "ex": "elixir", "exs": "elixir",
    "go": "go", "h": "c", "hpp": "cpp", "java": "java", "js": "javascript", "json": "json", "jsx": "javascript",
    "kt": "kotlin", "lua": "lua", "mjs": "javascript", "php": "php", "py": "python", "pyi": "python", "rb": "ruby",
    "rs": "rust", "scala": "scala", "sh": "bash", "swift": "swift", "ts": "typescript", "tsx": "tsx", "yaml": "yaml",
    "yml": "yaml",
}  # fmt: skip


def is_broken_by(path: str, before: str, after: str) -> bool:
    """Whether the edit of a file brings in what its grammar cannot place; of an unknown language nothing is said."""
    language = _LANGUAGES.get(path.rpartition(".")[2].lower())
    if language is None or max(len(before), len(after)) > MAX_SOURCE_CHARACTERS:
        return False
    return _count_errors(after, language) > _count_errors(before, language)


def _count_errors(text: str, language: str) -> int:
    return len(SgRoot(text, language).root().find_all(kind="ERROR"))
