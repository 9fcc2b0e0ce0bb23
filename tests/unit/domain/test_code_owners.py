"""CODEOWNERS as GitHub reads it (https://docs.github.com/articles/about-code-owners)."""

from __future__ import annotations

import pytest

from draftgate.domain.code_owners import SIZE_LIMIT, CodeOwners

DOCUMENTED = """\
# The example of GitHub's page, with roles for names.
*       @owner-one @owner-two
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @example/texts
/build/logs/ @log-owner
docs/*  @docs-owner
apps/ @apps-owner
/docs/ @all-docs
/scripts/ @script-owner @apps-owner
**/logs @any-logs
/apps/ @root-apps
/apps/github
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("README", {"owner-one", "owner-two"}),
        ("src/deep/page.js", {"js-owner"}),
        ("main.go", set()),
        ("notes/a.txt", {"example/texts"}),
        ("build/logs/today", {"any-logs"}),
        ("deeply/nested/logs/today", {"any-logs"}),
        ("docs/start.md", {"all-docs"}),
        ("docs/build/trouble.md", {"all-docs"}),
        ("old/docs/start.md", {"owner-one", "owner-two"}),
        ("tools/apps/a.py", {"apps-owner"}),
        ("scripts/run", {"script-owner", "apps-owner"}),
        ("apps/main.py", {"root-apps"}),
        ("apps/github/main.py", set()),
        ("apps/github", set()),
    ],
)
def test_the_last_line_that_matches_decides(path: str, owners: set[str]) -> None:
    assert set(CodeOwners.parse(DOCUMENTED).of(path)) == owners


@pytest.mark.parametrize(
    ("pattern", "covered", "not_covered"),
    [
        ("*", ("a", "a/b/c"), ()),
        ("/*", ("a",), ("a/b",)),
        ("foo", ("foo", "foo/a", "x/foo", "x/foo/a"), ("food", "afoo")),
        ("/foo", ("foo", "foo/a"), ("x/foo", "food")),
        ("foo/", ("foo/a", "x/foo/a/b"), ("foo", "x/foo")),
        ("foo/bar", ("foo/bar", "foo/bar/a"), ("x/foo/bar", "foo/bars")),
        ("docs/*", ("docs/a.md",), ("docs/b/a.md", "x/docs/a.md", "docs")),
        ("docs/*.md", ("docs/a.md",), ("docs/b/a.md", "docs/a.txt")),
        ("docs/**", ("docs/a", "docs/b/a"), ("docs", "x/docs/a")),
        ("**/logs", ("logs", "logs/a", "x/logs", "x/y/logs/a"), ("logsx", "x/alogs")),
        ("a/**/z", ("a/z", "a/b/z", "a/b/c/z/d"), ("x/a/z", "a/bz")),
        ("foo/*/baz", ("foo/bar/baz", "foo/bar/baz/a"), ("foo/baz", "foo/a/b/baz")),
        ("f?o", ("foo", "x/f-o"), ("fo", "f/o")),
        ("f**o", ("fo", "foxo"), ("f/o",)),
        (r"with\ space/a", ("with space/a",), ("with", "space/a")),
        (r"pages/\[id\].tsx", ("pages/[id].tsx",), ("pages/i.tsx",)),
        (r"f\*o", ("f*o",), ("foo",)),
        ("a.py", ("a.py",), ("aXpy",)),
        ("(a|b)", ("(a|b)",), ("a",)),
        ("A.py", ("A.py",), ("a.py",)),
        ("line", ("line/x\ny", "x\ny/line"), ("line\n", "x\nline")),
    ],
)
def test_a_pattern_covers_what_gitignore_says(
    pattern: str, covered: tuple[str, ...], not_covered: tuple[str, ...]
) -> None:
    owners = CodeOwners.parse(f"{pattern} @owner")

    assert [path for path in covered if not owners.of(path)] == []
    assert [path for path in not_covered if owners.of(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "!docs/ @outsider",
        "doc[st]/ @outsider",
        r"\#docs/ @outsider",
        "docs/ @outsider and others",
        "docs/ @-outsider",
        "docs/ @@outsider",
        "# docs/ @outsider",
        "docs @owner # ask @outsider",
        "docs\u2028@outsider",
        "docs\\\r\n@outsider",
    ],
)
def test_a_line_that_github_would_skip_makes_nobody_an_owner(line: str) -> None:
    owners = CodeOwners.parse(f"* @owner\n{line}\n")

    assert owners.of("docs/a") == ("owner",)


def test_lines_end_with_or_without_a_carriage_return_and_names_have_no_case() -> None:
    assert CodeOwners.parse("* @Owner\r\n*.py\t@Example/Team\r\n").of_any(["a", "a.py"]) == {"owner", "example/team"}


def test_a_file_that_github_would_not_load_has_no_owners() -> None:
    assert CodeOwners.parse("* @owner\n" + "#" * SIZE_LIMIT).of("a") == ()


def test_many_stars_over_a_long_path_end_soon() -> None:
    owners = CodeOwners.parse("**/a*b*c*d/**/e @owner")

    assert owners.of("/".join(["abcabcabc" * 20] * 20)) == ()


SECTIONED = """\
* @everybody
[Docs] @writers
*.md
docs/api/ @api
^[Database][2] @acme/tools/dba
db/
[docs]
README.md @front.page
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("app.py", ("everybody",)),
        ("guide.md", ("everybody", "writers")),
        ("docs/api/x.md", ("everybody", "api")),
        ("db/migrate/1.rb", ("everybody", "acme/tools/dba")),
        ("README.md", ("everybody", "front.page")),
    ],
)
def test_on_gitlab_each_section_has_its_own_last_match(path: str, owners: tuple[str, ...]) -> None:
    assert CodeOwners.parse(SECTIONED, has_sections=True).of(path) == owners
