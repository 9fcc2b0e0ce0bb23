"""The result of a review as files for the steps that follow: SARIF, and the published JSON as the report."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from draftgate.cli.ci.outputs import REPORT_NAME, SARIF_NAME, ResultFiles, ResultPlace
from draftgate.cli.formats import Format, render
from draftgate.domain.session import Session


def result_contents(session: Session, hide: Callable[[str], str]) -> dict[str, bytes]:
    """What the files hold, by name, without the secrets that ``hide`` takes out."""
    formats = {SARIF_NAME: Format.SARIF, REPORT_NAME: Format.JSON}
    return {name: hide(render(session, wanted)).encode("utf-8", "replace") for name, wanted in formats.items()}


def write_result_files(session: Session, place: ResultPlace, hide: Callable[[str], str]) -> ResultFiles:
    """Write the files into a new folder, which git ignores.

    Raises:
        OSError: they cannot be written.
    """
    folder = Path(tempfile.mkdtemp(prefix=".draftgate-", dir=place.folder))
    folder.chmod(0o755)  # a later step is another user than the container's
    (folder / ".gitignore").write_text("*\n", encoding="ascii")
    named = folder.relative_to(place.folder) if place.is_shared_root else folder
    for name, content in result_contents(session, hide).items():
        (folder / name).write_bytes(content)
    return ResultFiles(str(named / SARIF_NAME), str(named / REPORT_NAME))
