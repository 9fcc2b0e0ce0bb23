"""State that another release stored: it goes on with this one, or is refused by name.

``tests/corpus/state`` holds what each release wrote. Where this one would store the same in another form, the version
of the schema is raised (docs/adr/0014), and these tests say of the earlier one what becomes of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from draftgate import __version__
from draftgate.domain.artifacts import ScopeArtifacts
from draftgate.domain.canonical import digest
from draftgate.domain.review import DraftReview, PublishedReview
from draftgate.domain.session import Session
from draftgate.errors import AnotherRelease
from draftgate.forge.hidden import restore
from draftgate.forge.hosted import checkpoint
from draftgate.forge.local import forge as local
from draftgate.schemas.state import decode, encode
from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo
from tests.program import draftgate
from tests.stored_states import FOLDER, write

STORED = sorted(FOLDER.glob("*/*.json"))
KINDS: dict[str, type[Any]] = {
    local.SESSION: Session,
    local.SCOPE: ScopeArtifacts,
    local.DRAFT: DraftReview,
    local.REVIEW: PublishedReview,
    checkpoint.SCHEMA: checkpoint.Stored,
}


def documents_of(path: Path) -> list[bytes]:
    """The stored documents of one stage."""
    texts: dict[str, str] = json.loads(path.read_text())
    if path.name.startswith("terminal"):
        return [text.encode() for text in texts.values()]
    return [restore(text, texts.__getitem__) for text in texts.values()]


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_a_release_stored_is_read_or_refused_by_its_name(path: Path) -> None:
    for document in documents_of(path):
        schema = json.loads(document)["schema"]
        current = next(known for known in KINDS if known.startswith(schema.rpartition("/")[0]))
        if schema == current:
            assert encode(schema, decode(schema, KINDS[schema], document, name="state")) == document
            continue
        with pytest.raises(AnotherRelease, match=path.parent.name):
            decode(current, KINDS[current], document, name="state")


def test_this_release_is_among_them_with_the_stages_that_it_writes(tmp_path: Path) -> None:
    """A field more in what is stored is another form, which the version of the schema has to say."""
    write(tmp_path)

    assert [path.name for path in sorted(tmp_path.iterdir())] == [
        path.name for path in STORED if path.parent.name == __version__
    ]
    for path in tmp_path.iterdir():
        written, kept = documents_of(path), documents_of(FOLDER / __version__ / path.name)
        assert [_form(json.loads(document)) for document in written] == [
            _form(json.loads(document)) for document in kept
        ]


def _form(value: object) -> object:
    """A document without its values: names, kinds of value, and the schema that it names."""
    if isinstance(value, dict):
        return {name: value[name] if name == "schema" else _form(value[name]) for name in value}
    if isinstance(value, list):
        return [_form(each) for each in value]
    return type(value).__name__


@pytest.fixture
def waiting(tmp_path: Path) -> Repo:
    """A repository with a round that waits, as an earlier run of this program stored it."""
    repo = make_flawed_repository(tmp_path / "repo")
    draftgate("review", cwd=repo.path, expect=0)
    return repo


def session_of(repo: Repo) -> Path:
    return next((repo.path / ".draftgate").glob("session-*.json"))


def pass_for(repo: Repo, schema: str, release: object) -> None:
    """Make the stored session one of another release, as that would have written it."""
    document = json.loads(session_of(repo).read_text())
    document["content"] |= {"release": release, "of_then": "something"}
    session_of(repo).write_text(json.dumps({**document, "schema": schema, "digest": digest(document["content"])}))


@pytest.mark.parametrize("command", [("approve", "1"), ("do", "/drop-finding 1 no"), ("status",), ("review",)])
def test_state_of_a_later_release_is_named_and_left_alone(waiting: Repo, command: tuple[str, ...]) -> None:
    pass_for(waiting, "draftgate/session/v7", "9.1.0")
    before = {path.name: path.read_bytes() for path in (waiting.path / ".draftgate").iterdir()}

    done = draftgate(*command, cwd=waiting.path, expect=5)

    assert "Draftgate 9.1.0 wrote the stored state as draftgate/session/v7" in done.stderr
    assert f"this is Draftgate {__version__}" in done.stderr
    assert "run that release or a later one here too" in done.stderr
    assert before == {path.name: path.read_bytes() for path in (waiting.path / ".draftgate").iterdir()}


def test_state_of_an_earlier_release_that_is_not_read_any_more_is_named(waiting: Repo) -> None:
    pass_for(waiting, "draftgate/session/v0", "0.0.9")

    done = draftgate("approve", "1", cwd=waiting.path, expect=5)

    assert "Draftgate 0.0.9 wrote the stored state as draftgate/session/v0" in done.stderr
    assert "a new review takes its place" in done.stderr


@pytest.mark.parametrize("release", [None, "", 7, "**9** @everyone", "9" * 41, "\u202e"])
def test_a_release_that_is_no_version_is_not_repeated(waiting: Repo, release: object) -> None:
    pass_for(waiting, "draftgate/session/v7", release)

    done = draftgate("approve", "1", cwd=waiting.path, expect=5)

    assert "A later release of Draftgate wrote the stored state" in done.stderr


def test_finalize_removes_what_cannot_be_read_and_a_review_begins_anew(waiting: Repo) -> None:
    pass_for(waiting, "draftgate/session/v7", "9.1.0")

    draftgate("finalize", cwd=waiting.path, expect=0)

    assert draftgate("review", "--format", "json", cwd=waiting.path, expect=0).document["round"] == 1
