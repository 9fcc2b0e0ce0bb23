"""What the adapter sends is what it sent when the cassettes were recorded, and it reads the answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import draftgate
from draftgate.forge.github.documents import read_document
from draftgate.forge.gitlab import bundle, verdicts
from tests.cassettes.forges import FORGES, Forge
from tests.cassettes.tape import FOLDER, comparable, replay

SOURCE = Path(draftgate.__path__[0])
ROOT = Path(__file__).parents[2]

EACH = pytest.mark.parametrize("forge", FORGES, ids=[forge.name for forge in FORGES])
CALLS = [(forge, name) for forge in FORGES for name in forge.calls if not name.startswith("bundle")]
OPENINGS = [(forge, name) for forge in FORGES for name in forge.calls if name.startswith("bundle")]


def recorded(forge: Forge, root: Path = FOLDER) -> dict[str, str]:
    """The cassettes of a forge by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in forge.tape("", root).parent.glob("*.yaml")}


@pytest.mark.parametrize(("forge", "name"), CALLS, ids=[f"{forge.name}-{name}" for forge, name in CALLS])
def test_a_call_sends_what_was_recorded_and_reads_the_answer(forge: Forge, name: str) -> None:
    call = forge.calls[name]

    with replay(forge.tape(call.opening)), forge.open() as stage, replay(forge.tape(name)) as cassette:
        read = call.send(stage)

        assert read == call.read
        assert cassette.all_played


@pytest.mark.parametrize(("forge", "name"), OPENINGS, ids=[f"{forge.name}-{name}" for forge, name in OPENINGS])
def test_a_run_opens_with_one_request(forge: Forge, name: str) -> None:
    with replay(forge.tape(name)) as cassette, forge.open() as stage:
        read = forge.calls[name].send(stage)

    assert read == forge.calls[name].read
    assert cassette.play_count == 1


@EACH
def test_another_request_than_the_recorded_one_is_an_error(forge: Forge) -> None:
    with replay(forge.tape("bundle")), forge.open() as stage, replay(forge.tape("reply")) as cassette:
        with pytest.raises(Exception, match="no recorded interaction matches it"):
            stage.forge.reply(stage.question, "Something else.")

        assert not cassette.all_played


def test_every_document_that_is_sent_to_github_is_in_a_cassette() -> None:
    on_tape = "".join(recorded(FORGES[0]).values())
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    sent = {read_document(name) for name in re.findall(r"\b(?:query|mutate)\(\s*\"(\w+)\"", source)}

    operations = [found[0] for text in sent if (found := re.search(r"^(?:query|mutation) \w+", text, re.MULTILINE))]

    assert len(operations) == len(sent) > 0
    assert [operation for operation in operations if operation not in on_tape] == []


def test_every_document_that_is_sent_to_gitlab_is_in_a_cassette() -> None:
    on_tape = "".join(recorded(FORGES[1]).values())
    source = "".join(path.read_text(encoding="utf-8") for path in Path(bundle.__file__).parent.glob("*.py"))

    operations = set(re.findall(r"\b(?:query|mutation) [A-Z]\w+(?=\()", source))

    assert operations > {"query Bundle", f"mutation {verdicts._REQUEST_CHANGES.split()[1].partition('(')[0]}"}  # noqa: SLF001
    assert [operation for operation in operations if operation not in on_tape] == []


@EACH
def test_no_cassette_holds_a_token(forge: Forge) -> None:
    texts = {name: text.lower() for name, text in recorded(forge).items()}
    secrets = ("authorization", "private-token", "ghs_", "glpat-")

    assert texts.keys() == forge.calls.keys()
    assert [name for name, text in texts.items() if any(secret in text for secret in secrets)] == []


def test_recording_anew_changes_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "tests.cassettes.record", tmp_path], cwd=ROOT, check=True)

    for forge in FORGES:
        anew, kept = (
            {name: comparable(text) for name, text in recorded(forge, root).items()} for root in (tmp_path, FOLDER)
        )
        differing = [name for name in sorted({*anew, *kept}) if anew.get(name) != kept.get(name)]
        assert not differing, f"run `make cassettes` and look at what changed in {forge.name}: {differing}"
