"""Files of a checkout for `draftgate init`: whole files in, whole files out, never through a link.

Every folder on the way is opened by descriptor and not followed if it is a link, so nothing outside the repository is
reached. A file is written beside its place and renamed into it, so a killed run leaves the old file or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from draftgate.errors import Limit, Unavailable, UsageError

SIZE_LIMIT = Limit("a file that is read to set Draftgate up", 1024 * 1024, "bytes")

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_NO_FOLDER = frozenset({errno.ELOOP, errno.ENOTDIR})
_NEW_FILE = 0o666


class NotPlain(Exception):
    """Something else than a plain file below plain folders; the message says what, as part of a sentence."""


class CheckoutFiles:
    """The files below the top folder of a checkout, by their paths from there.

    Args:
        root: The top folder, which may itself be reached by a link.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> bytes | None:
        """The content of a file; ``None`` if there is none.

        Raises:
            NotPlain: It is, or is below, a link or anything else that is no file.
            UsageError: It is larger than `SIZE_LIMIT`, or cannot be read.
        """
        try:
            with _explained(path), self._folder_of(path, make=False) as (folder, name):
                return None if folder is None else _read(folder, name, path)
        except FileNotFoundError:
            return None

    def replace(self, path: str, before: bytes | None, after: bytes) -> None:
        """Put a file in place, all or nothing, with the mode of the one that was there.

        Args:
            path: Where.
            before: What must be there still; ``None`` for nothing.
            after: What will be there.

        Raises:
            NotPlain: As `read`.
            UsageError: Something else is there by now.
        """
        if self.read(path) != before:
            raise UsageError("it has changed meanwhile", context=path, hint="give the command again")
        with _explained(path), self._folder_of(path, make=True) as (folder, name):
            if folder is None:
                raise NotPlain("its folder went away")
            _put(folder, name, after)

    @contextlib.contextmanager
    def _folder_of(self, path: str, *, make: bool) -> Iterator[tuple[int | None, str]]:
        """The folder of a file, opened; ``None`` if it is not there and not to be made."""
        *folders, name = path.split("/")
        with contextlib.ExitStack() as opened:
            current = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
            opened.callback(os.close, current)
            for folder in folders:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(folder, dir_fd=current)
                following = _open_folder(current, folder)
                if following is None:
                    yield None, name
                    return
                current = following
                opened.callback(os.close, current)
            yield current, name


def _open_folder(parent: int, name: str) -> int | None:
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in _NO_FOLDER:
            raise NotPlain(f"`{name}` is a symbolic link or no folder") from error
        raise
    try:
        os.stat(".git", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return folder
    os.close(folder)
    raise NotPlain(f"`{name}` is a repository of its own")


def _read(folder: int, name: str, path: str) -> bytes:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotPlain("it is a symbolic link") from error
        raise
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        os.close(descriptor)
        raise NotPlain("it is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        if state.st_size > SIZE_LIMIT.value:
            raise UsageError(
                f"it is larger than {SIZE_LIMIT.value:,} {SIZE_LIMIT.unit}", context=path, hint="shorten or move it"
            )
        return file.read(SIZE_LIMIT.value + 1)


def _put(folder: int, name: str, content: bytes) -> None:
    temporary = f".{name}.draftgate-new"  # always the same, so that the next run takes away what a killed one left
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(temporary, flags, _NEW_FILE, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with contextlib.suppress(FileNotFoundError):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    os.fsync(folder)


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unavailable(
            f"it cannot be read or written: {error.strerror}",
            context=path,
            hint="make file and folder readable and writable, and give the command again: what is written stays",
        ) from error
