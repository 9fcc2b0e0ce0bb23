"""The folder of a job whose files GitLab keeps as artifacts: written file by file, each complete or not at all.

The folder lies where the job's clone is or once was, so whatever stands there under these names may be somebody else's:
it is replaced, and never written through.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ArtifactFolder:
    """A direct child of the job's folder.

    Attributes:
        path: Need not exist yet.
    """

    path: Path

    def clear(self, names: Iterable[str]) -> None:
        """Remove the files that an earlier job in this place left, which would be taken for this one's.

        Raises:
            OSError: one cannot be removed.
        """
        self._make_way()
        for name in names:
            (self.path / name).unlink(missing_ok=True)

    def write(self, name: str, content: bytes) -> Path:
        """Write a file; returns where it is.

        Raises:
            OSError: it cannot be written.
        """
        self._make_way()
        self.path.mkdir(mode=0o755, exist_ok=True)
        descriptor, made = tempfile.mkstemp(prefix=".draftgate-", dir=self.path)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            Path(made).chmod(0o644)  # what collects artifacts may be another user
            Path(made).replace(self.path / name)
        except OSError:
            Path(made).unlink(missing_ok=True)
            raise
        return self.path / name

    def _make_way(self) -> None:
        """Nothing but a folder may stand at the path; a link to one leads out of the job's own."""
        if self.path.is_symlink() or self.path.is_file():
            self.path.unlink()
