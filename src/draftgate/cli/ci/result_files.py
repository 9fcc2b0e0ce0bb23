"""The result of a review as files for the steps that follow: SARIF, and the published JSON as the report.

They lie where the next step finds them under the same name. The container of an action has folders of its own: only
the workspace is at hand for both, and there the path is given from the workspace, in which a step starts. (The mounts:
``ContainerActionHandler.cs`` of https://github.com/actions/runner; outputs are not translated.)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from draftgate.cli.ci.outputs import ResultFiles
from draftgate.cli.formats import Format, render
from draftgate.domain.session import Session

IN_CONTAINER = Path("/github/workspace")
"""Where the runner mounts the workspace for an action that is a container."""

_PREFIX = ".draftgate-"


def write_result_files(
    session: Session, *, workspace: Path | None, temp: Path, hide: Callable[[str], str]
) -> ResultFiles:
    """Write the files, without the secrets that ``hide`` takes out, into a new folder, which git ignores.

    Raises:
        OSError: they cannot be written.
    """
    shared = workspace if workspace == IN_CONTAINER else None
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=shared or temp))
    folder.chmod(0o755)  # a later step is another user than the container's
    (folder / ".gitignore").write_text("*\n", encoding="ascii")
    named = folder if shared is None else folder.relative_to(shared)
    for name, wanted in (("findings.sarif", Format.SARIF), ("report.json", Format.JSON)):
        (folder / name).write_text(hide(render(session, wanted)), encoding="utf-8", errors="replace")
    return ResultFiles(str(named / "findings.sarif"), str(named / "report.json"))
