"""Path globs as configurations write them."""

from __future__ import annotations

import pytest

from draftgate.domain.paths import can_match, matches_any


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
        ("[z-a].py", "b.py", False),
        ("[!z-a].py", "b.py", False),
        ("[[a].py", "[.py", True),
        ("[a--b].py", "a.py", False),
        ("[a&&b].py", "&.py", True),
        ("[a||b].py", "b.py", True),
        ("[~~].py", "~.py", True),
        ("[\\\\].py", "\\.py", True),
    ],
)
def test_a_glob_matches_what_its_reader_expects(glob: str, path: str, matches: bool) -> None:  # noqa: FBT001 - table
    assert matches_any(path, [glob]) is matches


@pytest.mark.parametrize(
    ("glob", "can"),
    [
        ("**/*.py", True),
        ("[a-z]*", True),
        ("[z-a]*", False),
        ("src/[!9-0]/*.py", False),
        ("[", True),
        ("[]", True),
        ("[(?!)]", True),
        ("(?!)", True),
    ],
)
def test_a_glob_with_a_range_that_goes_downwards_can_match_nothing(glob: str, can: bool) -> None:  # noqa: FBT001 - table
    assert can_match(glob) is can
