"""The action of a release: one line is another, and whatever is not as expected is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.forges import ROOT

IMAGE = f"ghcr.io/owner/draftgate@sha256:{'0123456789abcdef' * 4}"
ACTION = (ROOT / "action.yml").read_bytes()


def pin(path: Path, image: str = IMAGE) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, ROOT / "scripts" / "pin-action", image, path]
    return subprocess.run(program, capture_output=True, encoding="utf-8", check=False)


def test_one_line_names_the_image_and_every_other_byte_stays(tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_bytes(ACTION)

    pinned = pin(tmp_path / "action.yml")

    assert (pinned.returncode, pinned.stderr) == (0, "")
    written = (tmp_path / "action.yml").read_bytes()
    assert written == ACTION.replace(b"  image: Dockerfile\n", f"  image: docker://{IMAGE}\n".encode())
    before, after = yaml.safe_load(ACTION), yaml.safe_load(written)
    assert after["runs"] == {"using": "docker", "image": f"docker://{IMAGE}"}
    assert {**after, "runs": None} == {**before, "runs": None}


@pytest.mark.parametrize(
    "action",
    [
        pytest.param(ACTION.replace(b"image: Dockerfile", f"image: docker://{IMAGE}".encode()), id="pinned already"),
        pytest.param(ACTION.replace(b"image: Dockerfile", b"image: 'Dockerfile'"), id="quoted"),
        pytest.param(ACTION + b"  args: [run]\n", id="something behind"),
        pytest.param(ACTION.removesuffix(b"\n"), id="no final newline"),
        pytest.param(ACTION.replace(b"\n", b"\r\n"), id="other line ends"),
        pytest.param(ACTION.replace(b"\ninputs:", b"\n# See Dockerfile\ninputs:"), id="named elsewhere"),
        pytest.param(ACTION.replace(b"\ninputs:", b"\nruns:\n  using: node24\ninputs:"), id="runs twice"),
        pytest.param(b"", id="empty"),
    ],
)
def test_another_action_is_refused_and_left_as_it_is(action: bytes, tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_bytes(action)

    pinned = pin(tmp_path / "action.yml")

    assert pinned.returncode == 1
    assert "the action does not end with the lines" in pinned.stderr
    assert (tmp_path / "action.yml").read_bytes() == action


@pytest.mark.parametrize(
    "image",
    [
        pytest.param("ghcr.io/owner/draftgate:1.2.3", id="a tag"),
        pytest.param(f"ghcr.io/owner/draftgate:1.2.3@sha256:{'0' * 64}", id="a tag too"),
        pytest.param(f"ghcr.io/Owner/draftgate@sha256:{'0' * 64}", id="upper case"),
        pytest.param(f"docker.io/owner/draftgate@sha256:{'0' * 64}", id="another registry"),
        pytest.param(f"ghcr.io/owner/draftgate@sha256:{'0' * 63}", id="a digest too short"),
        pytest.param(f"{IMAGE}\n", id="a line end"),
        pytest.param(f"{IMAGE} #", id="a comment"),
        pytest.param(f"ghcr.io/../draftgate@sha256:{'0' * 64}", id="a step up"),
        pytest.param("", id="nothing"),
    ],
)
def test_only_an_image_by_its_digest_is_taken(image: str, tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_bytes(ACTION)

    pinned = pin(tmp_path / "action.yml", image)

    assert pinned.returncode == 1
    assert "is no image by its digest; write ghcr.io/OWNER/draftgate@sha256:" in pinned.stderr
    assert (tmp_path / "action.yml").read_bytes() == ACTION


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    pinned = pin(tmp_path / "action.yml")

    assert (pinned.returncode, pinned.stderr) == (
        1,
        f"pin-action: {tmp_path / 'action.yml'}: No such file or directory\n",
    )
