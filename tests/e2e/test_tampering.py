"""State that somebody changed: nothing is published from it, and the part that differs is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forging import Content, forge, one
from tests.git_builder import Repo
from tests.program import draftgate


def _first(content: Content) -> Content:
    finding = content["result"]["findings"][0]["finding"]
    assert isinstance(finding, dict)
    return finding


FORGED = {
    "a-subject": ("session", lambda content: _first(content).update(subject="all is well"), "findings"),
    "an-anchor": ("session", lambda content: _first(content)["anchor"].update(line=1), "findings"),
    "the-body": ("session", lambda content: content["result"].update(body="Fine."), "review body"),
    "the-verdict": (
        "session",
        lambda content: content["result"].update(recommended="approve"),
        "recommended verdict",
    ),
    "the-base": ("session", lambda content: content["scope"].update(base_tip="1" * 40), "range"),
    "the-round": ("session", lambda content: content.update(round=7), "round"),
    "the-seal": ("session", lambda content: content.update(seal="0" * 64), "seal"),
    "a-comment-of-the-draft": ("draft", lambda content: content["comments"][0].update(text="Fine."), "comments"),
    "a-comment-too-many": ("draft", lambda content: content["comments"].append(content["comments"][0]), "comments"),
    "the-body-of-the-draft": ("draft", lambda content: content.update(body="Fine."), "review body"),
    "the-seal-of-the-draft": ("draft", lambda content: content["seal"][0].__setitem__(1, "0" * 64), "round"),
    "the-evidence": ("scope", lambda content: content["evidence"].update(merge_base="1" * 40), "scope evidence"),
    "the-decision": ("scope", lambda content: content["decision"].update(reasons=["because"]), "scope decision"),
    "the-handoff": ("scope", lambda content: content["handoff"].update(head="1" * 40), "handoff"),
}


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_part_is_named_and_nothing_published(reviewed: Repo, case: str) -> None:
    kind, change, part = FORGED[case]
    forge(one(reviewed, kind), change)

    done = draftgate("approve", cwd=reviewed.path, expect=5)

    assert part in done.stderr
    assert "nothing was" in done.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []


BROKEN = {
    "a-field-too-many": (lambda content: content.update(approved=True), "approved"),
    "a-field-too-few": (lambda content: content.pop("instance"), "instance"),
    "another-type": (lambda content: content.update(round="1"), "round"),
    "another-phase": (lambda content: content.update(phase="published"), "phase"),
}


@pytest.mark.parametrize(
    ("command", "case"),
    [("status", "a-field-too-many"), ("review", "another-type"), *(("approve", case) for case in BROKEN)],
    ids=lambda value: value,
)
def test_a_session_that_cannot_be_trusted_stops_every_command(reviewed: Repo, command: str, case: str) -> None:
    change, field = BROKEN[case]
    forge(one(reviewed, "session"), change)

    done = draftgate(command, cwd=reviewed.path, expect=5)

    assert field in done.stderr
    assert "draftgate finalize" in done.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []


DAMAGE = {
    "cut-off": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "changed": lambda content: content.replace(b"removed", b"renamed"),
    "not-text": lambda content: b"\xff\xfe" + content,
}


@pytest.mark.parametrize(
    ("kind", "case"),
    [("draft", "empty"), ("scope", "cut-off"), *(("session", case) for case in DAMAGE)],
    ids=lambda value: value,
)
def test_a_damaged_file_is_named_and_nothing_published(reviewed: Repo, kind: str, case: str) -> None:
    file = one(reviewed, kind)
    file.write_bytes(DAMAGE[case](file.read_bytes()))

    done = draftgate("approve", cwd=reviewed.path, expect=5)

    assert f".draftgate/{file.name}" in done.stderr
    assert list((reviewed.path / ".draftgate").glob("review-*")) == []


@pytest.mark.parametrize("kind", ["draft", "scope"])
def test_a_part_that_is_gone_is_named(reviewed: Repo, kind: str) -> None:
    one(reviewed, kind).unlink()

    done = draftgate("approve", cwd=reviewed.path, expect=5)

    assert f"the {'draft review' if kind == 'draft' else 'scope evidence of this round'} is gone" in done.stderr


def test_a_new_round_mends_what_was_damaged(reviewed: Repo) -> None:
    one(reviewed, "draft").write_bytes(b"")

    draftgate("review", "--force", cwd=reviewed.path, expect=0)
    draftgate("approve", "1", cwd=reviewed.path, expect=0)


def test_a_session_that_cannot_be_read_is_removed_by_finalize(reviewed: Repo) -> None:
    one(reviewed, "session").write_bytes(b"{")

    done = draftgate("finalize", cwd=reviewed.path, expect=0)
    draftgate("review", cwd=reviewed.path, expect=0)

    assert "could not be read" in done.stdout


@pytest.mark.parametrize("command", ["review", "approve", "status", "finalize"])
def test_a_state_folder_that_is_a_link_is_not_followed(reviewed: Repo, tmp_path: Path, command: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    (reviewed.path / ".draftgate").rename(elsewhere)
    (reviewed.path / ".draftgate").symlink_to(elsewhere)
    before = {file.name: file.read_bytes() for file in elsewhere.iterdir()}

    done = draftgate(command, cwd=reviewed.path, expect=5)

    assert "it is not a folder" in done.stderr
    assert {file.name: file.read_bytes() for file in elsewhere.iterdir()} == before


def test_a_state_file_that_is_a_link_is_not_followed(reviewed: Repo, tmp_path: Path) -> None:
    draft = one(reviewed, "draft")
    draft.rename(tmp_path / "draft.json")
    draft.symlink_to(tmp_path / "draft.json")

    done = draftgate("approve", cwd=reviewed.path, expect=5)

    assert draft.name in done.stderr
    assert "symbolic link" in done.stderr


def test_a_folder_that_cannot_be_written_is_explained(reviewed: Repo) -> None:
    """A file in place of the folder: permissions do not stop whoever runs the tests as root."""
    for file in (reviewed.path / ".draftgate").iterdir():
        file.unlink()
    (reviewed.path / ".draftgate").rmdir()
    (reviewed.path / ".draftgate").write_text("", encoding="utf-8")

    done = draftgate("review", cwd=reviewed.path, expect=5)

    assert ".draftgate" in done.stderr
