"""What `draftgate doctor` says of the machine and the clone, and how it says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftgate.schemas.doctor import json_schema
from tests.fakes.doctor_room import GitHubRoom
from tests.git_builder import Repo
from tests.program import Done, draftgate, program_environment


def rows(done: Done, check: str) -> list[dict[str, object]]:
    return [row for row in done.document["rows"] if row["check"] == check]


def look(folder: Path, *arguments: str, **variables: str) -> Done:
    environment = program_environment(**variables)
    done = draftgate("doctor", "--format", "json", *arguments, cwd=folder, environment=environment)
    assert done.code != 70, done.stderr
    return done


@pytest.fixture
def work(source: Repo, tmp_path: Path) -> Repo:
    """A clone without a remote."""
    work = source.clone(tmp_path / "work")
    work.git("branch", "main", "origin/main")
    work.git("remote", "remove", "origin")
    return work


def test_a_repository_without_a_forge_is_fine(work: Repo) -> None:
    done = look(work.path)

    assert done.code == 0
    assert done.document["forge"] is None
    assert "reviews stay on this machine" in str(rows(done, "local.forge")[0]["says"])
    assert {row["outcome"] for row in done.document["rows"]} == {"ok"}


def test_a_folder_that_is_no_repository(tmp_path: Path) -> None:
    done = look(tmp_path)

    assert done.code == 0
    assert rows(done, "local.clone")[0]["outcome"] == "could-not-look"
    assert rows(done, "local.configuration")[0]["outcome"] == "could-not-look"


def test_a_clone_that_is_cut_off(source: Repo, tmp_path: Path) -> None:
    shallow = Repo(tmp_path)
    shallow.git("clone", "--quiet", "--depth=1", "--branch=main", f"file://{source.path}", "shallow")

    done = look(tmp_path / "shallow")

    assert rows(done, "local.clone")[0]["outcome"] == "warning"
    assert rows(done, "local.clone")[0]["lines"] == ["git fetch --unshallow"]


def test_every_problem_of_the_configuration_is_a_row(work: Repo) -> None:
    text = "code_review: {agents: []}\nbudgets: {tokens: many}\nlanguag: de\n"
    (work.path / "draftgate.yml").write_text(text, encoding="utf-8")

    done = look(work.path)

    said = [str(row["says"]) for row in rows(done, "local.configuration") if row["outcome"] == "wrong"]
    assert done.code == 2
    assert len(said) == 3
    assert any("draftgate.yml:3:1: `languag`" in text for text in said)
    assert [row["outcome"] for row in done.document["rows"] if row["area"] == "model"] == ["could-not-look"]


@pytest.mark.parametrize(
    ("key", "outcome", "code"),
    [
        ("0123456789abcdef" * 4, "ok", 0),
        ("short-one", "warning", 0),
        ("a" * 64, "warning", 0),
        ("two words", "wrong", 3),
    ],
    ids=["good", "short", "of one letter", "of two words"],
)
def test_the_strength_of_a_signing_key(key: str, outcome: str, code: int, work: Repo) -> None:
    done = look(work.path, DRAFTGATE_SIGNING_KEY=key)

    assert (done.code, [row["outcome"] for row in rows(done, "local.signing-key")]) == (code, [outcome])
    assert key not in done.stdout


def test_state_that_cannot_be_read(work: Repo) -> None:
    draftgate("review", cwd=work.path, expect=0)
    fine = look(work.path)
    for session in (work.path / ".draftgate").glob("session-*.json"):
        session.write_text("{", encoding="utf-8")
    broken = look(work.path)

    assert "1 stored review can be read" in str(rows(fine, "local.state")[0]["says"])
    assert (broken.code, rows(broken, "local.state")[0]["outcome"]) == (2, "wrong")


def test_the_highest_exit_code_counts(work: Repo) -> None:
    (work.path / "draftgate.yml").write_text("x: 1\n", encoding="utf-8")

    done = look(work.path, DRAFTGATE_SIGNING_KEY="two words")

    assert {row["exit_code"] for row in done.document["rows"]} == {0, 2, 3}
    assert done.code == done.document["exit_code"] == 3


def test_without_git_nothing_else_can_be_looked_at(tmp_path: Path) -> None:
    done = look(tmp_path, PATH=str(tmp_path))

    assert done.code == 2
    assert "not found on PATH" in str(rows(done, "local.git-version")[0]["says"])


def test_a_file_with_a_hostile_name_is_shown_plainly(github: GitHubRoom) -> None:
    github.write({".github/workflows/a\x1b[2J\u202eb.yml": "on: ["})

    done, _ = github.run()
    document = github.look().document

    assert not set("\x1b\u202e") & set(done.stdout)
    assert "⟨U+001B⟩" in done.stdout
    assert "⟨U+001B⟩" in json.dumps(document, ensure_ascii=False)


def test_a_link_in_place_of_a_workflow_is_not_followed(github: GitHubRoom, tmp_path: Path) -> None:
    (tmp_path / "secret.yml").write_text("hunter2: [", encoding="utf-8")
    folder = github.work.path / ".github/workflows"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "link.yml").symlink_to(tmp_path / "secret.yml")

    look = github.look()

    assert "link.yml cannot be read" in look.row("workflow.present", "wrong")["says"]
    assert "hunter2" not in look.done.stdout


def test_the_text_says_what_to_change_and_where(github: GitHubRoom) -> None:
    github.scenario.repository.environments["draftgate"].branches = None

    done, _ = github.run()

    lines = done.stdout.splitlines()
    row = next(number for number, line in enumerate(lines) if line.startswith("  ✗ environment:"))
    assert "every branch may use the environment draftgate" in lines[row]
    assert "→ under *Deployment branches and tags* allow main" in done.stdout
    assert "/acme/rooms/settings/environments" in done.stdout
    assert done.stdout.rstrip().endswith("Asked: 8 requests to GitHub. Nothing was written.")
    assert "1 wrong, 1 could not be looked at, " in done.stdout
    assert done.stderr == ""


def test_the_published_schema_is_that_of_the_document(github: GitHubRoom) -> None:
    schema = json_schema()
    document = github.look().document

    assert set(schema["properties"]) == set(document)  # type: ignore[call-overload]
    rows = schema["$defs"]["DoctorRow"]["properties"]  # type: ignore[index]
    assert all(set(row) == set(rows) for row in document["rows"])
