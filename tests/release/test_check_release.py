"""A tag is a release only if version and changelog say the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forges import ROOT

CHANGELOG = """# Changelog

## Unreleased

- Not yet.

## 1.2.3 - 2026-12-01

### Added

- Something for a user.

## 1.2.2 - 2026-11-01

- Something older.
"""


def check(
    folder: Path, tag: str, *, version: str = "1.2.3", changelog: str = CHANGELOG
) -> subprocess.CompletedProcess[str]:
    (folder / "src" / "draftgate").mkdir(parents=True)
    (folder / "src" / "draftgate" / "__init__.py").write_text(f'"""A program."""\n\n__version__ = "{version}"\n')
    (folder / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "check-release", folder / "scripts")
    program = [sys.executable, folder / "scripts" / "check-release", tag]
    return subprocess.run(program, capture_output=True, encoding="utf-8", check=False)


def test_the_section_of_a_release_is_what_its_page_will_say(tmp_path: Path) -> None:
    checked = check(tmp_path, "v1.2.3")

    assert (checked.returncode, checked.stdout) == (0, "### Added\n\n- Something for a user.\n")


def test_the_last_section_ends_with_the_file(tmp_path: Path) -> None:
    checked = check(tmp_path, "v1.2.2", version="1.2.2")

    assert (checked.returncode, checked.stdout) == (0, "- Something older.\n")


@pytest.mark.parametrize(
    ("tag", "version", "changelog", "says"),
    [
        ("v1.2.4", "1.2.3", CHANGELOG, "the tag is v1.2.4 and the program's version 1.2.3; tag it v1.2.3"),
        ("1.2.3", "1.2.3", CHANGELOG, "tag it v1.2.3"),
        ("v1.2", "1.2", CHANGELOG, "it says no version like 1.2.3"),
        ("v1.2.4", "1.2.4", CHANGELOG, "it needs one heading `## 1.2.4 - YYYY-MM-DD`, and has 0"),
        ("v1.2.3", "1.2.3", CHANGELOG.replace(" - 2026-12-01", ""), "`## 1.2.3 - YYYY-MM-DD`"),
        ("v1.2.3", "1.2.3", CHANGELOG * 2, "and has 2"),
        ("v1.2.3", "1.2.3", "## 1.2.3 - 2026-12-01\n\n## 1.2.2 - 2026-11-01\n- old\n", "the section 1.2.3 is empty"),
    ],
)
def test_what_does_not_agree_is_refused(tag: str, version: str, changelog: str, says: str, tmp_path: Path) -> None:
    checked = check(tmp_path, tag, version=version, changelog=changelog)

    assert (checked.returncode, checked.stdout) == (1, "")
    assert says in checked.stderr


def test_this_work_tree_has_a_version_that_can_be_released() -> None:
    program = [sys.executable, ROOT / "scripts" / "check-release", "v0"]
    checked = subprocess.run(program, capture_output=True, encoding="utf-8", check=False)

    assert "the tag is v0 and the program's version" in checked.stderr
