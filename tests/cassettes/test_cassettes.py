"""What the adapter sends is what it sent when the cassettes were recorded, and it reads the answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import draftgate
from draftgate.forge.github.documents import read_document
from tests.cassettes.calls import CALLS
from tests.cassettes.stage import open_stage
from tests.cassettes.tape import FOLDER, comparable, replay

SOURCE = Path(draftgate.__path__[0])
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("bundle")])
def test_a_call_sends_what_was_recorded_and_reads_the_answer(name: str) -> None:
    call = CALLS[name]

    with replay(call.opening), open_stage() as stage, replay(name) as cassette:
        read = call.send(stage)

        assert read == call.read
        assert cassette.all_played


@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("bundle")])
def test_a_run_opens_with_one_request(name: str) -> None:
    with replay(name) as cassette, open_stage() as stage:
        read = CALLS[name].send(stage)

    assert read == CALLS[name].read
    assert cassette.play_count == 1


def test_another_request_than_the_recorded_one_is_an_error() -> None:
    with replay("bundle"), open_stage() as stage, replay("reply") as cassette:
        with pytest.raises(Exception, match="no recorded interaction matches it"):
            stage.forge.reply(stage.question, "Something else.")

        assert not cassette.all_played


def test_every_document_that_is_sent_is_in_a_cassette() -> None:
    recorded = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml"))
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    sent = {read_document(name) for name in re.findall(r"\b(?:query|mutate)\(\s*\"(\w+)\"", source)}

    operations = [found[0] for text in sent if (found := re.search(r"^(?:query|mutation) \w+", text, re.MULTILINE))]

    assert len(operations) == len(sent) > 0
    assert [operation for operation in operations if operation not in recorded] == []


def test_no_cassette_holds_a_token() -> None:
    texts = {path.name: path.read_text(encoding="utf-8").lower() for path in FOLDER.glob("*.yaml")}

    assert texts.keys() == {f"{name}.yaml" for name in CALLS}
    assert [name for name, text in texts.items() if "authorization" in text or "ghs_" in text] == []


def test_recording_anew_changes_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "tests.cassettes.record", tmp_path], cwd=ROOT, check=True)

    recorded = {path.name: comparable(path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()}
    kept = {path.name: comparable(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.yaml")}
    differing = [name for name in sorted({*recorded, *kept}) if recorded.get(name) != kept.get(name)]
    assert not differing, f"run `make cassettes` and look at what changed in {differing}"
