"""What is in the image (compiled modules, bill of materials, the wheel of a release), and that a start writes nothing.

`.ci/test-action` builds the image and runs this. With DRAFTGATE_WHEEL, a wheel that was built elsewhere, the program in
the image must be that wheel's, byte for byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.forges import ROOT
from tests.image.container import (
    ENGINE,
    GROUP,
    IMAGE,
    OWNER,
    READ_ONLY,
    SBOM,
    give,
    in_image,
    owners_below,
    run_container,
    variables,
)
from tests.unit.cli.ci.payloads import comment

NOT_COMPILED = """
import importlib.util, json, sys, sysconfig
from pathlib import Path

HASHED_AND_NEVER_CHECKED = (1).to_bytes(4, "little")  # PEP 552
roots = [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))]
left_out = {"ensurepip", "idlelib", "lib2to3", "test", "tkinter", "turtledemo", "site-packages", "dist-packages"}
bad, seen = [], 0
for root in roots:
    for source in root.rglob("*.py"):
        if left_out & set(source.relative_to(root).parts[:-1]):
            continue
        seen += 1
        cached = Path(importlib.util.cache_from_source(str(source)))
        head = cached.read_bytes()[:16] if cached.exists() else b""
        if head[:8] != importlib.util.MAGIC_NUMBER + HASHED_AND_NEVER_CHECKED or head[8:] != importlib.util.source_hash(
            source.read_bytes()
        ):
            bad.append(str(source))
print(json.dumps({"seen": seen, "bad": bad}))
"""
INSTALLED = """
import importlib.metadata, json, re
found = importlib.metadata.distributions()
print(json.dumps({re.sub("[-_.]+", "-", each.name).lower(): each.version for each in found}))
"""
HASHES = """
import hashlib, json, sysconfig
from pathlib import Path
root = Path(sysconfig.get_path("purelib"))
print(json.dumps({str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
    for pattern in ("draftgate/**/*", "draftgate-*/**/*") for path in root.glob(pattern)
    if path.is_file() and path.suffix != ".pyc"}))
"""
PIP_WRITES = {"RECORD", "INSTALLER", "REQUESTED"}


def test_every_module_has_its_compiled_form_and_no_start_looks_at_the_source() -> None:
    found = json.loads(in_image(NOT_COMPILED))

    assert found["bad"] == []
    assert found["seen"] > 1_500


def test_a_read_only_start_compiles_nothing(tmp_path: Path) -> None:
    """Python says of each module which file it took it from."""
    (tmp_path / "event.json").write_text(json.dumps(comment("hello")), encoding="utf-8")
    tmp_path.chmod(0o755)
    given = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "issue_comment",
        "GITHUB_EVENT_PATH": "/event/event.json",
        "PYTHONVERBOSE": "1",
    }

    ran = run_container([*READ_ONLY, "--user", "1000", "--volume", f"{tmp_path}:/event:ro", *variables(given)])

    assert ran.code == 0, ran.log
    assert "skipped: the comment holds no command of Draftgate" in ran.log
    loaded = re.findall(r"^# code object from '?(/[^'\n]+)'?$", ran.log, re.MULTILINE)
    assert len(loaded) > 100
    assert [path for path in loaded if not path.endswith(".pyc")] == []
    assert "could not create" not in ran.log


def test_a_container_that_may_not_write_anywhere_says_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text(json.dumps(comment("/approve-findings")), encoding="utf-8")
    tmp_path.chmod(0o755)
    given = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": "issue_comment",
        "GITHUB_EVENT_PATH": "/event/event.json",
        "GITHUB_REPOSITORY": "acme/rooms",
        "GITHUB_TOKEN": "ghs_nothing",
    }

    ran = run_container([*READ_ONLY, "--user", "1000", "--volume", f"{tmp_path}:/event:ro", *variables(given)])

    assert ran.code == 2, ran.log
    assert "there is no folder for temporary files that can be written" in ran.log
    assert "--tmpfs /tmp" in ran.log


def test_root_that_cannot_be_given_up_is_refused(tmp_path: Path) -> None:
    give(tmp_path)

    ran = run_container(["--cap-drop", "ALL", "--volume", f"{tmp_path}:/w", "--workdir", "/w"])

    assert ran.code == 2, ran.log
    assert "/w: the program was started as root and cannot become the owner of the workspace" in ran.log


def test_any_command_leaves_its_files_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    for command in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *command], cwd=tmp_path, check=True
        )
    give(tmp_path)

    ran = run_container(
        ["--volume", f"{tmp_path}:/w", "--workdir", "/w"], ["review", "--base", "HEAD", "--agents", "builtin"]
    )

    assert ran.code == 0, ran.log
    assert owners_below(tmp_path) == {(OWNER, GROUP)}


@pytest.fixture(scope="module")
def sbom() -> Any:  # noqa: ANN401 - a document of many kinds
    """The bill of materials, taken out as the documentation says."""
    shown = subprocess.run(
        [ENGINE, "run", "--rm", "--entrypoint", "cat", IMAGE, SBOM], capture_output=True, encoding="utf-8", check=True
    )
    return json.loads(shown.stdout)


def purls(sbom: Any, kind: str) -> dict[str, str]:  # noqa: ANN401 - as above
    """Name and version of the components of a kind."""
    found = (re.match(rf"pkg:{kind}/([^@]+)@([^?]+)", each.get("purl", "")) for each in sbom["components"])
    return {match[1].lower(): match[2].replace("%2B", "+").replace("%3A", ":") for match in found if match}


def test_the_bill_names_every_python_package_and_python(sbom: Any) -> None:  # noqa: ANN401 - as above
    installed = json.loads(in_image(INSTALLED))

    named = purls(sbom, "pypi")
    assert installed.items() <= {re.sub("[-_.]+", "-", name): version for name, version in named.items()}.items()
    assert {"draftgate", "requests", "pydantic"} <= named.keys()
    [python] = purls(sbom, "generic").values()
    assert python == in_image("import platform; print(platform.python_version())").strip()
    assert sbom["metadata"]["component"]["version"] == installed["draftgate"]
    assert "file:///" not in json.dumps(sbom)


def test_the_bill_names_every_package_of_debian(sbom: Any) -> None:  # noqa: ANN401 - as above
    listed = run_container(["--entrypoint", "dpkg-query"], ["-W", "-f", "${Package} ${Version}\\n"]).log.split("\n")
    installed = dict(line.split(" ") for line in listed if line)

    named = {
        (match[1], match[2].replace("%2B", "+").replace("%3A", ":"))
        for each in sbom["components"]
        if (match := re.match(r"pkg:deb/debian/([^@]+)@([^?]+)", each.get("purl", "")))
    }
    missing = {item for item in installed.items() if (item[0].replace("+", "%2B"), item[1]) not in named}
    assert missing == set()
    assert "git" in installed


def wheel() -> Path:
    """The wheel of a release, or one of this work tree."""
    if "DRAFTGATE_WHEEL" in os.environ:
        return Path(os.environ["DRAFTGATE_WHEEL"])
    folder = tempfile.mkdtemp()
    pip = (os.environ["PYTHON"], "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    subprocess.run([*pip, "--wheel-dir", folder, str(ROOT)], check=True)
    return next(Path(folder).glob("*.whl"))


def test_the_program_is_the_wheel_byte_for_byte() -> None:
    with zipfile.ZipFile(wheel()) as archive:
        published = {
            name: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
            if not name.endswith("/RECORD")
        }

    in_it = json.loads(in_image(HASHES))

    assert published.keys() > {"draftgate/__main__.py"}
    assert {name: value for name, value in in_it.items() if Path(name).name not in PIP_WRITES} == published
