"""A project that includes the template, run by gitlab-ci-local in place of GitLab and its runner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "templates" / "draftgate" / "template.yml"
IMAGE = "registry.example.com/draftgate:1"
PATH = "group/sub/rooms"


def _home() -> Path:
    return Path(os.environ["GITLAB_CI_LOCAL"]) / "node_modules"


@dataclass(frozen=True, slots=True)
class Ran:
    """A job that was run.

    Attributes:
        folder: Where it ran; its artifacts are below.
    """

    code: int
    log: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Project:
    """A repository in a folder."""

    folder: Path

    def jobs(self, **variables: str) -> dict[str, str]:
        """The jobs of a pipeline with these variables, and when each runs; those that never do are left out."""
        listed = self._run("--list-json", variables)
        jobs = json.loads(listed[listed.index("[\n") if "[\n" in listed else 0 :])
        return {job["name"]: job["when"] for job in jobs if job["when"] != "never"}

    def expanded(self) -> dict[str, Any]:
        """The configuration with everything included and extended."""
        loaded = yaml.safe_load(self._run("--preview", {}))
        assert isinstance(loaded, dict)
        return loaded

    def run(self, job: str, files: dict[str, str], programs: Path, **variables: str) -> Ran:
        """Run a job with the programs of a folder first on the PATH; ``files`` are variables of the type file."""
        written = {name: {"type": "file", "values": {"*": content}} for name, content in files.items()}
        (self.folder / ".gitlab-ci-local-variables.yml").write_text(yaml.safe_dump(written), encoding="utf-8")
        folder = self.folder / ".gitlab-ci-local" / "builds" / job.replace(":", "Og")
        ran = self._start(
            ["--force-shell-executor", "--shell-isolation", job],
            {"CI_PROJECT_DIR": str(folder), **variables},
            f"{programs}:{_home() / '.bin'}:{os.environ['PATH']}",
        )
        return Ran(ran.returncode, ran.stdout + ran.stderr, folder)

    def _run(self, what: str, variables: dict[str, str]) -> str:
        ran = self._start([what], variables, f"{_home() / '.bin'}:{os.environ['PATH']}")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def _start(self, arguments: list[str], variables: dict[str, str], path: str) -> subprocess.CompletedProcess[str]:
        program = [str(_home() / ".bin" / "node"), str(_home() / "gitlab-ci-local" / "dist" / "index.js")]
        given = [part for name, value in variables.items() for part in ("--variable", f"{name}={value}")]
        return subprocess.run(
            # It sets some of them by itself, and warns of others' values.
            [*program, "--no-color", "--ignore-predefined-vars", ",".join(variables), *given, *arguments],
            cwd=self.folder,
            env={"HOME": str(self.folder), "PATH": path},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


def make_project(folder: Path, configuration: str = "", **inputs: object) -> Project:
    """A repository whose pipeline is the template, with inputs, and jobs of the project's own."""
    shutil.copy(TEMPLATE, folder / "template.yml")
    include = {"include": [{"local": "template.yml", "inputs": {"image": IMAGE, **inputs}}]}
    (folder / ".gitlab-ci.yml").write_text(f"{yaml.safe_dump(include)}{configuration}", encoding="utf-8")
    for command in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("config", "user.name", "a"),
        ("config", "user.email", "a@example.com"),
        ("add", "--all"),
        ("commit", "--quiet", "--message", "A project"),
        ("remote", "add", "origin", f"https://forge.example.com/{PATH}.git"),
        ("update-ref", "refs/remotes/origin/main", "HEAD"),
        ("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"),
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return Project(folder)
