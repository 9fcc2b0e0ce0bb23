"""The runner's side: reads outputs and log lines as GitHub's runner does, and sets up a job as it would.

After ``FileCommandManager.cs`` and ``ActionCommand.cs`` of https://github.com/actions/runner; characters without width
are skipped, as the runner's culture-aware comparison does.
"""

from __future__ import annotations

import io
import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from draftgate.cli.ci.job import Job
from draftgate.cli.ci.log import GuardedStream
from draftgate.cli.ci.outputs import ResultPlace
from draftgate.config.key_shapes import mask

TOKEN = "ghs_not_a_real_token_0123456789"  # noqa: S105 - as it says
REGISTERED = frozenset(
    "add-mask add-matcher debug echo endgroup error group notice set-output stop-commands warning".split()
)

_COMMAND = re.compile(r"::(?P<name>[^ :]+)(?: [^:]*)?::(?P<data>.*)", re.DOTALL)
_OLD_COMMAND = re.compile(r"##\[(?P<name>[^ \]]+)[^\]]*\](?P<data>.*)", re.DOTALL)


def read_outputs(path: Path) -> dict[str, str]:
    """The outputs as the runner takes them; fails where it would."""
    lines = iter(path.read_text(encoding="utf-8").split("\n"))
    outputs: dict[str, str] = {}
    for line in lines:
        if not line:
            continue
        name, mark, delimiter = line.partition("<<")
        assert mark, f"no heredoc: {line!r}"
        assert "=" not in name, f"no heredoc: {line!r}"
        value = []
        for inner in lines:
            if inner == delimiter:
                break
            value.append(inner)
        else:
            raise AssertionError(f"no end: {delimiter!r}")
        outputs[name] = "\n".join(value)
    return outputs


def obeyed(log: str) -> list[tuple[str, str]]:
    """The commands that the runner would obey, each with its data as it reads it."""
    found = []
    for line in re.split("\r\n|\r|\n", log):
        seen = "".join(char for char in line if unicodedata.category(char) != "Cf").lstrip()
        match = _COMMAND.match(seen) or _OLD_COMMAND.search(seen)
        if match and match["name"] in REGISTERED:
            found.append((match["name"], match["data"].replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%")))
    return found


@dataclass(frozen=True, slots=True)
class Here:
    """A job in a folder of a test."""

    folder: Path
    log: io.StringIO

    @property
    def job(self) -> Job:
        """The job as the program sees it."""
        return Job(
            log=GuardedStream(self.log, (TOKEN,)),
            outputs=self.folder / "output",
            summary=self.folder / "summary.md",
            results=ResultPlace(self.folder),
            hide=lambda text: mask(text, (TOKEN,)),
        )

    @property
    def outputs(self) -> dict[str, str]:
        """What the step put out."""
        return read_outputs(self.folder / "output")

    @property
    def summary(self) -> str:
        """The page of the run."""
        return (self.folder / "summary.md").read_text(encoding="utf-8")


def job_environment(folder: Path, event: str, payload: object, **more: str) -> dict[str, str]:
    """The variables that the runner sets for an event, as far as the published interface names them."""
    folder.mkdir(exist_ok=True)
    (folder / "event.json").write_text(json.dumps(payload), encoding="utf-8")
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": "author",
        "GITHUB_API_URL": "http://127.0.0.1:9/api/v3",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/api/graphql",
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_REPOSITORY": "maintainer/rooms",
        "GITHUB_RUN_ATTEMPT": "1",
        "GITHUB_RUN_ID": "1234567",
        "GITHUB_SERVER_URL": "http://127.0.0.1:9",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_TRIGGERING_ACTOR": "author",
        "GITHUB_WORKSPACE": str(folder),
        "INPUT_GITHUB-TOKEN": TOKEN,
        "RUNNER_TEMP": str(folder),
        **more,
    }
