"""Record every cassette anew from the simulated GitHub: ``python -m tests.cassettes.record [FOLDER]``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.cassettes.calls import CALLS, Call
from tests.cassettes.stage import advance, open_stage, simulated
from tests.cassettes.tape import FOLDER, record
from tests.flawed_change import make_flawed_repository
from tests.git_builder import Repo


def main() -> int:
    """Write the cassettes of all calls into a folder, and nothing else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        recorded, source = Path(temporary, "recorded"), make_flawed_repository(Path(temporary, "source"))
        recorded.mkdir()
        for name, call in CALLS.items():
            _record(name, call, recorded, Path(temporary, name), source)
        _replace(folder, recorded)
    return 0


def _replace(folder: Path, recorded: Path) -> None:
    """All or nothing: a call that fails leaves the cassettes as they were."""
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.yaml"):
        stale.unlink()
    for path in recorded.iterdir():
        shutil.move(path, folder)


def _record(name: str, call: Call, folder: Path, root: Path, source: Repo) -> None:
    with simulated(root, source) as simulator:
        os.environ["HTTP_PROXY"] = simulator.web
        advance(call.start)
        opening, tape = (root / "opening.yaml", folder / f"{name}.yaml")
        if name.startswith("bundle"):
            opening, tape = tape, root / "none.yaml"
        with record(opening), open_stage() as stage:
            if call.lost:
                simulator.faults.add("502", writes_only=True, when="after")
            with record(tape):
                read = call.send(stage)
        wrong = [*([f"read {read!r}, not {call.read!r}"] if read != call.read else []), *simulator.violations]
        if wrong:
            sys.exit(f"{name}: {'; '.join(wrong)}")


if __name__ == "__main__":
    sys.exit(main())
