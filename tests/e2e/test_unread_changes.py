"""What a review did not look at is said, and silence about it is no praise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.git_builder import Content, Repo
from tests.program import draftgate

CONFIGURATION = "version: 1\n"
OFF = "version: 1\nchecks:\n  db.column-removed: {enabled: false}\n"


def checkpoint(repo: Repo) -> str:
    [file] = (repo.path / ".draftgate").glob("checkpoint-*.md")
    return file.read_text(encoding="utf-8")


EDITS: dict[str, tuple[dict[str, Content], dict[str, Content]]] = {
    "added": ({}, {"draftgate.yml": CONFIGURATION}),
    "edited": ({"draftgate.yml": CONFIGURATION}, {"draftgate.yml": OFF}),
    "removed": ({"draftgate.yml": CONFIGURATION}, {"draftgate.yml": None}),
    "moved-away": ({"draftgate.yml": OFF}, {"draftgate.yml": None, "old.yml": OFF}),
    "moved-here": ({"new.yml": OFF}, {"new.yml": None, "draftgate.yml": OFF}),
    "in-a-folder": ({}, {".github/draftgate.yml": OFF}),
    "elsewhere": ({}, {".gitlab/draftgate.yml": OFF}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_change_that_edits_the_configuration_is_named(tmp_path: Path, edit: str) -> None:
    before, after = EDITS[edit]
    repo = Repo.create(tmp_path)
    repo.commit({"lib.py": "x = 1\n", **before})
    repo.branch("work")
    repo.commit({"lib.py": "x = 2\n", **after})
    [name] = {path for path in (*before, *after) if path.endswith("draftgate.yml")}

    cards = draftgate("review", cwd=tmp_path, expect=0).stdout

    sentence = f"this change edits {name}, which decides how changes are reviewed"
    assert sentence in " ".join(cards.split())
    assert sentence in checkpoint(repo)


def test_a_change_that_leaves_the_configuration_alone_is_not_suspected(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"draftgate.yml": CONFIGURATION, "docs/draftgate.yml": "x\n", "lib.py": "x = 1\n"})
    repo.branch("work")
    repo.commit({"docs/draftgate.yml": "y\n", "lib.py": "x = 2\n"})

    cards = draftgate("review", cwd=tmp_path, expect=0).stdout

    assert "decides how changes are reviewed" not in cards + checkpoint(repo)


def test_a_check_that_is_switched_off_is_named(flawed: Repo) -> None:
    flawed.write({"draftgate.yml": OFF})

    cards = draftgate("review", cwd=flawed.path, expect=0).stdout

    sentence = "db.column-removed is switched off by the configuration"
    assert sentence in " ".join(cards.split())
    assert sentence in checkpoint(flawed)
    assert "1 of 2" in cards


def test_a_change_that_nobody_read_is_not_recommended_for_approval(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"notes.txt": "a\n"})
    repo.branch("work")
    repo.commit({"notes.txt": "b\n", "logo.png": b"\x89PNG\0\0"})

    document = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document
    cards = draftgate("review", cwd=tmp_path, expect=0).stdout

    assert (document["coverage"]["files"], document["coverage"]["reviewed"]) == (2, 0)
    assert document["recommended_verdict"] == "comment"
    assert "Recommended: comment" in " ".join(cards.split())
    assert "Recommended: **comment**" in checkpoint(repo)


def test_a_change_that_was_read_without_findings_is_recommended_for_approval(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"lib.py": "x = 1\n", "notes.txt": "a\n"})
    repo.branch("work")
    repo.commit({"lib.py": "x = 2\n", "notes.txt": "b\n"})

    document = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document

    assert document["recommended_verdict"] == "approve"


def test_with_every_check_of_its_files_switched_off_a_change_is_not_recommended_for_approval(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"app/models/team.rb": "class Team\nend\n"})
    repo.branch("work")
    repo.commit({"app/models/team.rb": "class Team\n  X = 1\nend\n"})
    repo.write(
        {"draftgate.yml": f"{OFF}  db.unique-validation: {{enabled: false}}\n"},
    )

    document = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document

    assert (document["coverage"]["files"], document["coverage"]["reviewed"]) == (1, 0)
    assert document["recommended_verdict"] == "comment"


def test_a_file_that_every_check_refuses_does_not_count_as_read(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path)
    repo.commit({"lib.py": "x = 1\n"})
    repo.branch("work")
    repo.commit({"lib.py": "x = 2\n", "big.py": "x = 1\n" * 200_000})

    coverage = draftgate("review", "--format", "json", cwd=tmp_path, expect=0).document["coverage"]

    assert coverage == {
        "files": 2,
        "reviewed": 1,
        "left_out": [{"path": "big.py", "reason": "it is longer than 1,000,000 characters"}],
    }
