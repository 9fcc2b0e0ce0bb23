"""The result of a review as files for the steps that follow: SARIF, and the published JSON as the report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from draftgate.cli.ci.outputs import ResultFiles, ResultPlace
from draftgate.cli.formats import Format, render
from draftgate.domain.session import Session


def write_result_files(session: Session, place: ResultPlace, hide: Callable[[str], str]) -> ResultFiles:
    """Write the files, without the secrets that ``hide`` takes out, into a new folder, which git ignores.

    Raises:
        OSError: they cannot be written.
    """
    folder = Path(tempfile.mkdtemp(prefix=".draftgate-", dir=place.folder))
    folder.chmod(0o755)  # a later step is another user than the container's
    (folder / ".gitignore").write_text("*\n", encoding="ascii")
    named = folder.relative_to(place.folder) if place.is_shared_root else folder
    for name, wanted in (("findings.sarif", Format.SARIF), ("report.json", Format.JSON)):
        (folder / name).write_text(hide(render(session, wanted)), encoding="utf-8", errors="replace")
    return ResultFiles(str(named / "findings.sarif"), str(named / "report.json"))
