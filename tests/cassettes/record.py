"""Record every cassette anew from the simulated forges: ``python -m tests.cassettes.record [FOLDER]``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.cassettes.forges import FORGES, Forge, Simulator
from tests.cassettes.tape import FOLDER, record
from tests.flawed_change import make_flawed_repository


def main() -> int:
    """Write the cassettes of all calls into a folder for each forge, and nothing else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        recorded, source = Path(temporary, "recorded"), make_flawed_repository(Path(temporary, "source"))
        for forge in FORGES:
            forge.tape("", recorded).parent.mkdir(parents=True)
            for name in forge.calls:
                with forge.simulate(Path(temporary, forge.name, name), source) as simulator:
                    _record(forge, name, recorded, simulator, Path(temporary, "opening.yaml"))
        for forge in FORGES:
            _replace(folder / forge.name, recorded / forge.name)
    return 0


def _replace(folder: Path, recorded: Path) -> None:
    """All or nothing: a call that fails leaves the cassettes as they were."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.yaml"):
        stale.unlink()
    for path in recorded.iterdir():
        shutil.move(path, folder)


def _record(forge: Forge, name: str, recorded: Path, simulator: Simulator, beside: Path) -> None:
    call = forge.calls[name]
    os.environ["HTTP_PROXY"] = simulator.git_url
    forge.advance(call.start)
    opening, tape = beside, forge.tape(name, recorded)
    if name.startswith("bundle"):
        opening, tape = tape, beside
    with record(opening), forge.open() as stage:
        if call.lost:
            simulator.faults.add("502", writes_only=True, when="after")
        with record(tape):
            read = call.send(stage)
    wrong = [*([f"read {read!r}, not {call.read!r}"] if read != call.read else []), *simulator.violations]
    if wrong:
        sys.exit(f"{forge.name}/{name}: {'; '.join(wrong)}")


if __name__ == "__main__":
    sys.exit(main())
