"""The image in a container of its own, started as GitHub's runner and GitLab's runner start one.

Docker runs it, or podman with the storage in which `.ci/no-docker` has built it.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.unit.cli.ci.gitlab_payloads import Json

IMAGE = os.environ.get("DRAFTGATE_IMAGE", "localhost/draftgate:test")
IS_PODMAN = "CONTAINERS_STORAGE_CONF" in os.environ
ENGINE = "podman" if IS_PODMAN else "docker"
SBOM = "/usr/share/sbom/draftgate.cdx.json"

IS_ROOT = os.geteuid() == 0
OWNER, GROUP = (1001, 127) if IS_ROOT else (os.getuid(), os.getgid())
"""Of the files of GitHub's hosted runners; who is no root can give files to nobody else."""

ANOTHER = (1000, 1000) if IS_ROOT else (OWNER, GROUP)

READ_ONLY = ("--read-only", "--read-only-tmpfs=false") if IS_PODMAN else ("--read-only",)
"""Podman's flag alone would mount a writable /tmp, as Docker's does not."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a container is started, and what must come of it.

    Attributes:
        owner: To whom the folders that are mounted belong.
        options: Of the engine.
        runs_as: What the log says of the user.
    """

    owner: tuple[int, int]
    options: tuple[str, ...]
    runs_as: str


MANNERS = {
    "as root, workspace of another owner": Manner((OWNER, GROUP), (), f"user {OWNER}, group {GROUP}"),
    "as root, read-only": Manner((OWNER, GROUP), READ_ONLY, f"user {OWNER}, group {GROUP}"),
    "as a user": Manner((OWNER, GROUP), ("--user", f"{OWNER}:{GROUP}"), f"user {OWNER}, group {GROUP}"),
    "as a user, read-only, no capability, a folder in memory": Manner(
        ANOTHER,
        (
            *("--user", f"{ANOTHER[0]}:{ANOTHER[1]}", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *(*READ_ONLY, "--tmpfs", "/tmp"),  # noqa: S108 - of the container
        ),
        f"user {ANOTHER[0]}, group {ANOTHER[1]}",
    ),
}
if IS_ROOT:
    MANNERS["as root, workspace of root"] = Manner((0, 0), (), "root, as root owns")


@dataclass(frozen=True, slots=True)
class Ran:
    """A container that ended."""

    code: int
    log: str


def run_container(options: Iterable[str], arguments: Sequence[str] = (), image: str = IMAGE) -> Ran:
    """Run the image to its end; both streams are the log."""
    ran = subprocess.run(
        [ENGINE, "run", "--rm", *options, image, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return Ran(ran.returncode, ran.stdout)


def in_image(script: str, *arguments: str, options: Sequence[str] = ()) -> str:
    """What a script of the image's Python prints."""
    ran = run_container([*options, "--entrypoint", "/opt/draftgate/bin/python"], ["-c", script, *arguments])
    assert ran.code == 0, ran.log
    return ran.log


def variables(values: Mapping[str, str]) -> list[str]:
    """Options that set them."""
    return [part for name, value in values.items() for part in ("--env", f"{name}={value}")]


def give(folder: Path, owner: tuple[int, int] = (OWNER, GROUP)) -> None:
    """Let a folder and all that is in it belong to an owner; who is no root owns what there is already."""
    for path in (folder, *folder.rglob("*")):
        if IS_ROOT:
            os.chown(path, *owner, follow_symlinks=False)


def owners_below(folder: Path) -> set[tuple[int, int]]:
    """To whom the files and folders in a folder belong."""
    return {(found.st_uid, found.st_gid) for found in (path.lstat() for path in folder.rglob("*"))}


@dataclass(frozen=True, slots=True)
class ActionStep:
    """A step with the action on GitHub: the folders that its runner mounts, by the names that it gives them.

    After ``ContainerActionHandler.cs`` of https://github.com/actions/runner.
    """

    folder: Path
    manner: Manner

    @property
    def workspace(self) -> Path:
        """The folder of the job's clone."""
        return self.folder / "workspace"

    def run(self, event: str, payload: Json, environment: Mapping[str, str]) -> Ran:
        """Run it for an event; what it put out is read with `file`."""
        for name in _MOUNTED:
            (self.folder / name).mkdir(exist_ok=True)
        (self.folder / "workflow" / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        for name in ("output", "summary"):
            (self.folder / "file_commands" / name).write_text("")
        give(self.folder, self.manner.owner)
        given = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTOR": "maintainer",
            "GITHUB_EVENT_NAME": event,
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "GITHUB_OUTPUT": "/github/file_commands/output",
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "1234567",
            "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
            "GITHUB_WORKSPACE": "/github/workspace",
            "HOME": "/github/home",
            "RUNNER_TEMP": "/github/runner_temp",
            **environment,
        }
        volumes = [part for name in _MOUNTED for part in ("--volume", f"{self.folder / name}:/github/{name}")]
        return run_container(
            ["--network", "host", "--workdir", "/github/workspace", *volumes, *variables(given), *self.manner.options]
        )

    def file(self, name: str) -> Path:
        """One of the files that the runner made for this step."""
        return self.folder / "file_commands" / name


_MOUNTED = ("workspace", "runner_temp", "home", "workflow", "file_commands")


@dataclass(frozen=True, slots=True)
class GitLabJob:
    """A job of the template on GitLab: the folder of the project, and the image's entry point taken away."""

    folder: Path
    manner: Manner

    def run(self, environment: Mapping[str, str], payload: Json | None = None) -> Ran:
        """Run it; the artifacts are in the folder ``draftgate``."""
        builds, temporary = self.folder / "builds", self.folder / "builds.tmp"
        builds.mkdir(exist_ok=True)
        temporary.mkdir(exist_ok=True)
        given = {"CI_PROJECT_DIR": "/builds/group/rooms", **environment}
        if payload is not None:
            (temporary / "TRIGGER_PAYLOAD").write_text(json.dumps(payload), encoding="utf-8")
            given["TRIGGER_PAYLOAD"] = "/builds/group/rooms.tmp/TRIGGER_PAYLOAD"
        give(builds, self.manner.owner)
        give(temporary, self.manner.owner)
        return run_container(
            [
                *("--network", "host", "--workdir", "/builds/group/rooms", "--entrypoint", ""),
                *("--volume", f"{builds}:/builds/group/rooms", "--volume", f"{temporary}:/builds/group/rooms.tmp"),
                *variables(given),
                *self.manner.options,
            ],
            ["sh", "-c", "draftgate run"],
        )
