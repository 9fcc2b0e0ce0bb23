"""What the image weighs, and how long a run in it takes that has nothing to do.

    make bench-image

It builds the image first. What is ours is everything above the base and git: the whole less the base and less the layer
that installs git. A run is measured inside the container, and with the start of the container around it.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measuring import Bar
from tests.image.container import ENGINE, IMAGE, READ_ONLY, in_image, run_container, variables
from tests.unit.cli.ci.payloads import comment

MEGABYTE = 1000 * 1000
RUNS = 9
PR_AGENT_MB = 428
"""PR-Agent 0.49.0 as pip installs it, with no Python, git or system around it."""

NOT_FOR_US = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_EVENT_NAME": "issue_comment",
    "GITHUB_EVENT_PATH": "/event/event.json",
}
TIME_INSIDE = """
import json, subprocess, sys, time
taken = []
for _ in range(int(sys.argv[1])):
    began = time.perf_counter()
    subprocess.run(["draftgate", "run"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken.append(time.perf_counter() - began)
print(json.dumps(taken))
"""
COMPILED = """
import sysconfig
from pathlib import Path
roots = ["/opt/draftgate", sysconfig.get_path("stdlib")]
print(sum(file.stat().st_size for root in roots for file in Path(root).rglob("*.pyc")))
"""


def main() -> None:
    """Print the figures; exit 1 if one misses its bar."""
    ours = _weigh()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "event.json").write_text(json.dumps(comment("hello")), encoding="utf-8")
        taken = _time(["--volume", f"{folder}:/event:ro", *variables(NOT_FOR_US)])
    bars = (Bar("ours above base and git, MB", ours, 260), Bar("a run with nothing to do, s", taken, 0.8))
    for bar in bars:
        print(f"{bar.name}: {bar.figure:.2f}, at most {bar.most}: {'held' if bar.is_held else 'MISSED'}")
    sys.exit(0 if all(bar.is_held for bar in bars) else 1)


def _weigh() -> float:
    """Megabytes that are ours; prints what they are of."""
    dockerfile = Path("Dockerfile").read_text(encoding="utf-8")
    base = re.findall(r"^FROM (\S*python:\S+) AS files", dockerfile, re.MULTILINE)[0]
    whole, of_base = _size(IMAGE), _size(base)
    git = sum(size for size, made_by in _layers(IMAGE) if "apt-get install" in made_by) / MEGABYTE
    ours = whole - of_base - git
    compiled = int(in_image(COMPILED)) / MEGABYTE
    print(f"the whole image: {whole:.0f} MB, unpacked; PR-Agent's packages alone: {PR_AGENT_MB} MB")
    print(f"  the base {base}: {of_base:.0f} MB; git on it: {git:.0f} MB")
    print(f"  ours: {ours:.0f} MB; compiled modules of the program and of Python in it: {compiled:.0f} MB")
    return ours


def _size(image: str) -> float:
    shown = _ask("image", "inspect", "--format", "{{.Size}}", image)
    return int(shown) / MEGABYTE


def _layers(image: str) -> list[tuple[int, str]]:
    """Size in bytes and the command of each layer."""
    if ENGINE == "podman":
        return [(each["size"], each["CreatedBy"]) for each in json.loads(_ask("history", "--format", "json", image))]
    lines = _ask("history", "--no-trunc", "--human=false", "--format", "{{json .}}", image).splitlines()
    return [(int(each["Size"]), each["CreatedBy"]) for each in map(json.loads, lines)]


def _ask(*arguments: str) -> str:
    return subprocess.run([ENGINE, *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.strip()


def _time(options: list[str]) -> float:
    """Seconds of a run inside the container, the median; prints that and more."""
    inside = json.loads(in_image(TIME_INSIDE, str(RUNS), options=[*options, *READ_ONLY]))
    around = [_time_container([*options, *READ_ONLY]) for _ in range(RUNS)]
    print(f"`draftgate run`, a comment that is not for us, read-only, {RUNS} times:")
    for name, taken in (("inside the container", inside), ("with the start of the container", around)):
        print(f"  {name}: least {min(taken):.2f} s, median {statistics.median(taken):.2f} s, most {max(taken):.2f} s")
    return statistics.median(inside)


def _time_container(options: list[str]) -> float:
    began = time.perf_counter()
    ran = run_container(options)
    taken = time.perf_counter() - began
    if ran.code != 0:
        sys.exit(ran.log)
    return taken


if __name__ == "__main__":
    main()
