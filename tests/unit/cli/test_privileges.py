"""Root is given up in real processes that start as root, with folders of another owner; only root can make those."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OWNER, GROUP = 1234, 2345
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be given up")

LEAVE_AND_TELL = """
import json, os, subprocess, sys
from pathlib import Path
from draftgate.cli.privileges import describe_user, leave_root
from draftgate.errors import DraftgateError

try:
    leave_root(os.environ, is_image=sys.argv[1] == "image")
except DraftgateError as error:
    print(json.dumps({"refused": str(error), "hint": error.hint, "code": error.exit_code}))
    sys.exit()
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
report = {
    "uids": os.getresuid(),
    "gids": os.getresgid(),
    "groups": os.getgroups(),
    "capabilities": [int(status[name], 16) for name in ("CapEff", "CapPrm")],
    "described": describe_user(os.environ),
    "home": os.environ.get("HOME"),
}
try:
    os.setuid(0)
    report["back"] = True
except PermissionError:
    report["back"] = False
if len(sys.argv) > 2:
    report["raised"] = subprocess.run([sys.argv[2], "-u"], capture_output=True).stdout.decode().strip()
for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
    if name in os.environ:
        try:
            with open(os.environ[name], "a") as file:
                file.write("x")
            report[name] = True
        except OSError:
            report[name] = False
Path("made").write_text("")
print(json.dumps(report))
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that any user may enter, as pytest's own are not."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        (Path(made) / "workspace").mkdir()
        yield Path(made)


@pytest.fixture
def workspace(folder: Path) -> Path:
    """A folder of the owner's, with the group of a runner."""
    os.chown(folder / "workspace", OWNER, GROUP)
    return folder / "workspace"


def leave_root_in(
    workspace: Path, *arguments: str, where: str = "image", through: tuple[str, ...] = (), **variables: str
) -> Any:  # noqa: ANN401 - a report in JSON
    ran = subprocess.run(
        [*through, sys.executable, "-c", LEAVE_AND_TELL, where, *arguments],
        cwd=workspace,
        env={"PATH": os.environ["PATH"], "GITHUB_WORKSPACE": str(workspace), "HOME": str(workspace), **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@AS_ROOT
def test_root_becomes_the_owner_of_the_workspace_for_good(workspace: Path) -> None:
    report = leave_root_in(workspace)

    assert (report["uids"], report["gids"], report["groups"]) == ([OWNER] * 3, [GROUP] * 3, [])
    assert (report["capabilities"], report["back"]) == ([0, 0], False)
    assert report["described"] == f"user {OWNER}, group {GROUP}"
    made = (workspace / "made").stat()
    assert (made.st_uid, made.st_gid) == (OWNER, GROUP)


@AS_ROOT
def test_no_program_makes_it_root_again(workspace: Path, folder: Path) -> None:
    program = folder / "id"
    shutil.copy("/usr/bin/id", program)
    program.chmod(0o4755)
    by_hand = ("setpriv", f"--reuid={OWNER}", f"--regid={GROUP}", "--clear-groups", str(program), "-u")
    assert subprocess.run(by_hand, capture_output=True, encoding="ascii", check=True).stdout.strip() == "0"

    assert leave_root_in(workspace, str(program))["raised"] == str(OWNER)


@AS_ROOT
@pytest.mark.parametrize(
    "variables",
    [
        {"GITHUB_WORKSPACE": "", "CI_PROJECT_DIR": "{workspace}"},
        {"GITHUB_WORKSPACE": ""},
        {"GITHUB_WORKSPACE": "{workspace}/none"},
    ],
    ids=["on GitLab", "in a folder", "in a folder, where the named one is not there"],
)
def test_the_workspace_is_the_folder_of_the_job(variables: dict[str, str], workspace: Path) -> None:
    named = {name: value.format(workspace=workspace) for name, value in variables.items()}

    assert leave_root_in(workspace, **named)["uids"] == [OWNER] * 3


@AS_ROOT
def test_root_stays_where_root_owns_the_workspace(folder: Path) -> None:
    report = leave_root_in(folder / "workspace")

    assert report["uids"] == [0, 0, 0]
    assert report["described"] == f"root, as root owns {folder / 'workspace'}"


@AS_ROOT
def test_root_stays_outside_the_image(workspace: Path) -> None:
    assert leave_root_in(workspace, where="elsewhere")["uids"] == [0, 0, 0]


@AS_ROOT
def test_another_user_stays(workspace: Path) -> None:
    shutil.chown(workspace, 4321)

    report = leave_root_in(workspace, through=("setpriv", "--reuid=4321", "--regid=5", "--clear-groups"))

    assert (report["uids"], report["gids"]) == ([4321] * 3, [5] * 3)


@AS_ROOT
def test_files_of_this_step_are_handed_over_and_no_others(workspace: Path, folder: Path) -> None:
    for name in ("output", "linked", "of-two-names"):
        (folder / name).write_text("")
        (folder / name).chmod(0o600)
    (folder / "link").symlink_to("linked")
    (folder / "second-name").hardlink_to(folder / "of-two-names")

    output, summary = str(folder / "output"), str(folder / "link")
    assert leave_root_in(workspace, GITHUB_OUTPUT=output, GITHUB_STEP_SUMMARY=summary)["GITHUB_OUTPUT"] is True
    twice = leave_root_in(workspace, GITHUB_OUTPUT=str(folder / "second-name"), GITHUB_STEP_SUMMARY="/none")

    assert (folder / "output").stat().st_uid == OWNER
    assert (folder / "linked").stat().st_uid == 0
    assert (twice["GITHUB_OUTPUT"], (folder / "of-two-names").stat().st_uid) == (False, 0)


@AS_ROOT
@pytest.mark.parametrize(("mode", "kept"), [(0o700, False), (0o755, True)])
def test_a_home_that_is_closed_to_the_owner_is_none(mode: int, *, kept: bool, workspace: Path, folder: Path) -> None:
    (folder / "home").mkdir(mode=mode)

    report = leave_root_in(workspace, HOME=str(folder / "home"))

    assert report["home"] == (str(folder / "home") if kept else "/")


@AS_ROOT
@pytest.mark.parametrize("capability", ["setuid", "setgid"])
def test_a_container_that_may_not_change_users_is_refused(capability: str, workspace: Path) -> None:
    report = leave_root_in(workspace, through=("setpriv", f"--bounding-set=-{capability}"))

    assert report["refused"] == (
        f"{workspace}: the program was started as root and cannot become the owner of the workspace: "
        "Operation not permitted"
    )
    assert "--user UID:GID" in report["hint"]
    assert report["code"] == 2
    assert not (workspace / "made").exists()


def test_nothing_is_given_up_by_who_is_not_root(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("this is root")

    assert leave_root_in(tmp_path)["uids"] == list(os.getresuid())
