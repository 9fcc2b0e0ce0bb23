"""The jobs of the release workflow that publish nothing, run by `act` on this machine, for a tag.

Actions that need GitHub's services are stand-ins: artifacts are folders, and the Python is the one that is here. What
publishes is GitHub's and PyPI's to run; `docs/how-to/release.md` says so.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from draftgate import __version__
from tests.forges import ROOT
from tests.git_builder import git_environment

TAG = f"v{__version__}"
NOTES = "- What a user notices."
STAND_INS = {
    "setup-python": "runs: {using: composite, steps: [{shell: bash, run: python3 --version}]}\n",
    "upload-artifact": """
runs:
  using: composite
  steps:
    - shell: bash
      env: {PLACE: "${{ inputs.path }}", NAME: "${{ inputs.name }}"}
      run: mkdir -p "$ARTIFACTS/$NAME" && cp -R "${PLACE%/}" "$ARTIFACTS/$NAME"
inputs: {name: {}, path: {}, if-no-files-found: {}}
""",
}


def make_release(folder: Path) -> None:
    """A clone of the last commit here, with a changelog that names its version."""
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    changelog = (folder / "CHANGELOG.md").read_text(encoding="utf-8")
    released = changelog.replace("## Unreleased", f"## {__version__} - 2026-12-01\n\n{NOTES}\n\n## Older", 1)
    (folder / "CHANGELOG.md").write_text(released, encoding="utf-8")
    workflow = folder / ".github" / "workflows" / "release.yml"
    text = workflow.read_text(encoding="utf-8")
    for name, action in STAND_INS.items():
        text = re.sub(rf"uses: actions/{name}@[0-9a-f]{{40}}", f"uses: ./.stand-ins/{name}", text)
        (folder / ".stand-ins" / name).mkdir(parents=True)
        (folder / ".stand-ins" / name / "action.yml").write_text(f"name: {name}\n{action}", encoding="utf-8")
    workflow.write_text(text, encoding="utf-8")
    git("add", "--all", folder=folder)
    git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "Release", folder=folder)
    git("tag", TAG, folder=folder)
    git("update-ref", "refs/remotes/origin/main", "HEAD", folder=folder)


def git(*arguments: str, folder: Path) -> None:
    subprocess.run(["git", *arguments], cwd=folder, env=git_environment(), check=True)


def run_job(name: str, folder: Path, artifacts: Path) -> str:
    """The log of a job that passed."""
    (folder.parent / "event.json").write_text(json.dumps({"ref": f"refs/tags/{TAG}"}), encoding="utf-8")
    ran = subprocess.run(
        [
            *(os.environ["ACT"], "push", "--job", name, "--workflows", ".github/workflows/release.yml"),
            *("--eventpath", "../event.json", "--platform", "ubuntu-latest=-self-hosted", "--no-cache-server"),
            *("--env", f"ARTIFACTS={artifacts}"),
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_a_tag_is_checked_and_its_files_are_built_and_tried(tmp_path: Path) -> None:
    make_release(tmp_path / "release")
    artifacts = tmp_path / "artifacts"

    run_job("check", tmp_path / "release", artifacts)
    log = run_job("dist", tmp_path / "release", artifacts)

    assert (artifacts / "notes" / "notes.md").read_text(encoding="utf-8") == f"{NOTES}\n"
    built = {path.name for path in (artifacts / "dist" / "dist").iterdir()}
    assert built == {f"draftgate-{__version__}-py3-none-any.whl", f"draftgate-{__version__}.tar.gz"}
    assert f"draftgate {__version__}" in log  # the wheel, in an environment of its own
