"""The state folder ``.draftgate/``: whole files in, whole files out, never through a link.

Every file is a direct child, written beside its place and renamed into it, so a killed process leaves the
old file or the new one. Links, folders and other file types are refused on read and write. The folder
ignores itself in git by a file that it writes inside.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from draftgate.errors import IntegrityError, Limit, Unavailable, UsageError

FOLDER_NAME = ".draftgate"
SIZE_LIMIT = Limit("a state file", 64 * 1024 * 1024, "bytes")

_NAME = re.compile(r"\A[A-Za-z0-9._-]{1,200}\Z")
_TEMPORARY = ".tmp-"


class StateFolder:
    """One ``.draftgate/`` folder, opened by descriptor so that it cannot be swapped for a link meanwhile.

    Args:
        parent: The folder that holds it: the top of the work tree, or the git directory of a bare repository.
    """

    def __init__(self, parent: Path) -> None:
        self.path = parent / FOLDER_NAME

    def exists(self) -> bool:
        """Whether the folder is there; a link or file in its place is refused."""
        try:
            mode = self.path.lstat().st_mode
        except FileNotFoundError:
            return False
        if not stat.S_ISDIR(mode):
            raise _refuse(self.path, "it is not a folder")
        return True

    def read(self, name: str) -> bytes | None:
        """The content of a file; ``None`` if there is none.

        Raises:
            IntegrityError: it is a link, no regular file, or larger than `SIZE_LIMIT`.
        """
        if not self.exists():
            return None
        with _explained(self.path / name), self._directory() as directory:
            try:
                descriptor = os.open(_checked(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise _refuse(self.path / name, "it is a symbolic link") from error
                raise
            try:
                state = os.fstat(descriptor)
                if not stat.S_ISREG(state.st_mode):
                    raise _refuse(self.path / name, "it is not a regular file")
                if state.st_size > SIZE_LIMIT.value:
                    raise _refuse(self.path / name, f"it is larger than {SIZE_LIMIT.value} {SIZE_LIMIT.unit}")
                with os.fdopen(descriptor, "rb", closefd=False) as file:
                    return file.read(SIZE_LIMIT.value)
            finally:
                os.close(descriptor)

    def write(self, name: str, content: bytes) -> None:
        """Put a file in place, all or nothing, durable when this returns."""
        if len(content) > SIZE_LIMIT.value:
            raise UsageError(
                f"the state would be larger than {SIZE_LIMIT.value} {SIZE_LIMIT.unit}",
                context=str(self.path / name),
                hint="review a smaller range, as in `--base HEAD~1`",
            )
        self._create()
        self._put(name, content)

    def _put(self, name: str, content: bytes) -> None:
        with _explained(self.path / name), self._directory() as directory:
            self._require_replaceable(_checked(name), directory)
            temporary = f"{_TEMPORARY}{secrets.token_hex(8)}"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            descriptor = os.open(temporary, flags, 0o600, dir_fd=directory)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.rename(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=directory)
                raise
            os.fsync(directory)

    def remove(self, name: str) -> None:
        """Remove a file if it is there; only a regular file is ever removed."""
        if not self.exists():
            return
        with _explained(self.path / name), self._directory() as directory:
            self._require_replaceable(_checked(name), directory)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=directory)
            os.fsync(directory)

    def names(self) -> tuple[str, ...]:
        """The names of the state files, sorted, without what a killed write left behind."""
        if not self.exists():
            return ()
        with self._directory() as directory:
            return tuple(sorted(name for name in _list(directory) if not name.startswith(".")))

    def sweep(self) -> None:
        """Remove what killed writes left behind. Call it only while holding `locked`."""
        if not self.exists():
            return
        with _explained(self.path), self._directory() as directory:
            for name in _list(directory):
                if name.startswith(_TEMPORARY):
                    os.unlink(name, dir_fd=directory)

    @contextlib.contextmanager
    def locked(self, waiting: Callable[[], None]) -> Iterator[None]:
        """Let one process at a time change the state of this repository.

        The lock belongs to the process and goes with it, so a killed run never blocks the repair. It is taken on
        the parent folder, so that a command that finds nothing to do leaves nothing behind.

        Args:
            waiting: Called once if another process holds the lock.
        """
        with _explained(self.path.parent):
            descriptor = os.open(self.path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waiting()
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            self.sweep()
            yield
        finally:
            os.close(descriptor)

    def _create(self) -> None:
        if not self.exists():
            with _explained(self.path):
                self.path.mkdir(mode=0o700, exist_ok=True)
        if self.read(".gitignore") is None:
            self._put(".gitignore", b"# Draftgate keeps its state here; nothing of it belongs in a commit.\n*\n")

    @contextlib.contextmanager
    def _directory(self) -> Iterator[int]:
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _require_replaceable(self, name: str, directory: int) -> None:
        try:
            mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISREG(mode):
            raise _refuse(self.path / name, "it is not a regular file")


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"the state cannot be read or written: {error.strerror}",
            context=str(path),
            hint="make the folder writable or free some space, and give the command again: it goes on from there",
        ) from error


def _list(directory: int) -> list[str]:
    with os.scandir(directory) as entries:
        return [entry.name for entry in entries]


def _checked(name: str) -> str:
    if not _NAME.match(name) or name in {".", ".."}:
        raise _refuse(Path(FOLDER_NAME) / name, "it is not a plain file name")
    return name


def _refuse(path: Path, wrong: str) -> IntegrityError:
    return IntegrityError(
        f"this state file is refused: {wrong}", context=str(path), hint="move it away and run the command again"
    )
