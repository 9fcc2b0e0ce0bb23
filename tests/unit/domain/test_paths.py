"""Path globs as configurations write them."""

from __future__ import annotations

import pytest

from draftgate.domain.paths import matches_any


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("vendor/**", "vendor/a/b.py", True),
        ("vendor/**", "src/vendor/a.py", False),
        ("vendor/", "vendor/a/b.py", True),
        ("**/*.lock", "Gemfile.lock", True),
        ("**/*.lock", "a/b/yarn.lock", True),
        ("*.lock", "a/b/yarn.lock", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("**/migrations/**", "app/migrations/0001.py", True),
        ("**/migrations/**", "migrations/0001.py", True),
        ("**/migrations/**", "app/migrationsx/0001.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].py", "x/b.py", True),
        ("[!ab].py", "x/b.py", False),
        ("[", "[", True),
        ("a.b", "aXb", False),
        ("**", "anything/at/all", True),
    ],
)
def test_a_glob_matches_what_its_reader_expects(glob: str, path: str, matches: bool) -> None:  # noqa: FBT001 - table
    assert matches_any(path, [glob]) is matches
