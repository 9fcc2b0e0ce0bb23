"""The image on its way to users: a registry on this machine, and the digest that it gives.

Needs the podman, buildah, skopeo and registry that `.ci/no-docker` installs where there is no Docker.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forges import ROOT
from tests.image.container import IS_PODMAN

pytestmark = pytest.mark.skipif(not IS_PODMAN, reason="Docker is here, and buildah's storage is not set up")

BUILT = Path(os.environ.get("CONTAINERS_STORAGE_CONF", "/")).parent / "release"
REPOSITORY = "owner/draftgate"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    settings = {
        "version": 0.1,
        "storage": {"filesystem": {"rootdirectory": str(tmp_path / "registry")}},
        "http": {"addr": address},
    }
    (tmp_path / "registry.yml").write_text(json.dumps(settings), encoding="utf-8")
    with (
        (tmp_path / "registry.log").open("wb") as log,
        subprocess.Popen(["docker-registry", "serve", tmp_path / "registry.yml"], stdout=log, stderr=log) as server,
    ):
        while True:
            try:
                urllib.request.urlopen(f"http://{address}/v2/").close()
                break
            except OSError:
                assert server.poll() is None, (tmp_path / "registry.log").read_text()
                time.sleep(0.05)
        yield address
        server.terminate()


@pytest.fixture
def archives(tmp_path: Path) -> Path:
    """What the release built on this machine, and the same as if a machine of another kind had built it."""
    (own,) = BUILT.glob("draftgate-*.tar")
    other = {"amd64": "arm64", "arm64": "amd64"}[own.stem.removeprefix("draftgate-")]
    (tmp_path / "built").mkdir()
    shutil.copy(own, tmp_path / "built")
    container = buildah("from", "--pull-never", "localhost/draftgate:release")
    buildah("config", "--arch", other, container)
    buildah("commit", "--quiet", container, "localhost/draftgate:other")
    buildah(
        "push", "--quiet", "localhost/draftgate:other", f"oci-archive:{tmp_path}/built/draftgate-{other}.tar:release"
    )
    buildah("rm", container)
    buildah("rmi", "localhost/draftgate:other")
    return tmp_path / "built"


def buildah(*arguments: str) -> str:
    return subprocess.run(["buildah", *arguments], capture_output=True, encoding="utf-8", check=True).stdout.strip()


def push(folder: Path, registry: str, tag: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / ".ci" / "release-image", "push", folder, f"{registry}/{REPOSITORY}", tag],
        env={**os.environ, "REGISTRY_OPTIONS": "--tls-verify=false"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_what_was_tested_is_published_for_both_kinds_and_runs_by_its_digest(registry: str, archives: Path) -> None:
    pushed = push(archives, registry, "1.2.3")

    assert pushed.returncode == 0, pushed.stderr
    digests = dict(line.split(" ") for line in pushed.stdout.splitlines())
    assert digests.keys() == {"amd64", "arm64", "index"}
    image = f"{registry}/{REPOSITORY}@{digests['index']}"
    with tempfile.TemporaryDirectory() as folder:  # podman takes no path as long as pytest's
        elsewhere = ("--root", f"{folder}/store", "--runroot", f"{folder}/run")
        ran = subprocess.run(
            ["podman", *elsewhere, "run", "--rm", "--tls-verify=false", image, "--version"],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        subprocess.run(["podman", *elsewhere, "rmi", "--all", "--force"], capture_output=True, check=True)
        subprocess.run(["umount", f"{folder}/store/overlay"], check=False)
    assert (ran.returncode, ran.stdout.split(" ")[0]) == (0, "draftgate"), ran.stderr


def test_a_push_that_leaves_something_else_than_was_tested_is_an_error(registry: str, archives: Path) -> None:
    container = buildah("from", "--pull-never", "localhost/draftgate:release")
    (own,) = BUILT.glob("draftgate-*.tar")
    buildah("config", "--env", "MORE=1", container)
    (archives / own.name).unlink()
    buildah("commit", "--quiet", container, f"oci-archive:{archives / own.name}:release")  # uncompressed; a push is not
    buildah("rm", container)

    pushed = push(archives, registry, "1.2.4")

    assert pushed.returncode == 1
    assert "the registry holds" in pushed.stderr
    assert pushed.stdout == ""


def test_a_folder_without_archives_is_refused(registry: str, tmp_path: Path) -> None:
    pushed = push(tmp_path, registry, "1.2.5")

    assert pushed.returncode == 1
    assert "there is no archive in" in pushed.stderr
