"""The tag of a release moves by one commit, once, and only if it is still the one that was built."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.forges import ROOT
from tests.git_builder import git_environment

TAG = "v1.2.3"
SOMEBODY = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "releaser"), ("EMAIL", "releaser@example.com"))
}
IMAGE = f"ghcr.io/owner/draftgate@sha256:{'a' * 64}"


@dataclass(frozen=True, slots=True)
class Release:
    """A repository on a server, and the checkout of a job that was started for its tag."""

    server: Path
    job: Path

    def git(self, *arguments: str, where: Path | None = None) -> str:
        command = ["git", "-C", str(where or self.server), *arguments]
        ran = subprocess.run(
            command, env=git_environment() | SOMEBODY, capture_output=True, encoding="utf-8", check=True
        )
        return ran.stdout.strip()

    def commit(self, image: str = IMAGE) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.job / ".ci" / "release-commit", TAG, image],
            env=git_environment() | SOMEBODY,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture
def release(tmp_path: Path) -> Release:
    made = Release(tmp_path / "server.git", tmp_path / "job")
    source = tmp_path / "source"
    for name in ("action.yml", ".ci/release-commit", "scripts/pin-action"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    made.git("init", "--quiet", "--initial-branch", "main", where=source)
    made.git("add", "--all", where=source)
    made.git("commit", "--quiet", "--message", "Released", where=source)
    made.git("tag", "--annotate", "--message", "1.2.3", TAG, where=source)
    made.git("clone", "--quiet", "--bare", str(source), str(made.server), where=tmp_path)
    made.git(
        "clone", "--quiet", "--depth", "1", "--branch", TAG, f"file://{made.server}", str(made.job), where=tmp_path
    )
    return made


def test_the_tag_names_a_commit_that_differs_in_the_image_alone(release: Release) -> None:
    built = release.git("rev-parse", "main")

    done = release.commit()

    assert done.returncode == 0, done.stderr
    assert release.git("rev-parse", f"{TAG}^{{commit}}^") == built
    assert release.git("cat-file", "-t", TAG) == "tag"
    changed = release.git("diff", "--unified=0", f"{TAG}^", TAG).splitlines()
    assert changed[-2:] == ["-  image: Dockerfile", f"+  image: docker://{IMAGE}"]
    assert release.git("diff", "--name-only", f"{TAG}^", TAG) == "action.yml"
    assert release.git("rev-parse", "main") == built


def test_done_again_it_changes_nothing(release: Release) -> None:
    release.commit()
    moved = release.git("rev-parse", TAG)
    release.git("checkout", "--quiet", "--force", "--detach", "HEAD~1", where=release.job)

    again = release.commit()

    assert again.returncode == 0, again.stderr
    assert "already" in again.stdout
    assert release.git("rev-parse", TAG) == moved


def test_a_tag_that_somebody_moved_is_left_alone(release: Release) -> None:
    tree = release.git("rev-parse", "main^{tree}")
    other = release.git("commit-tree", tree, "-p", "main", "-m", "Something else")
    release.git("tag", "--force", TAG, other)

    done = release.commit()

    assert done.returncode == 1
    assert f"{TAG} is not the commit that was built" in done.stderr
    assert release.git("rev-parse", TAG) == other


def test_a_tag_that_is_gone_is_an_error(release: Release) -> None:
    release.git("tag", "--delete", TAG)

    done = release.commit()

    assert done.returncode == 1
    assert f"there is no tag {TAG}" in done.stderr


def test_an_image_without_a_digest_stops_it(release: Release) -> None:
    before = release.git("rev-parse", TAG)

    done = release.commit("ghcr.io/owner/draftgate:1.2.3")

    assert done.returncode == 1
    assert release.git("rev-parse", TAG) == before
