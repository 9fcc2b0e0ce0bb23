"""The regular files of one commit: read by path, listed, searched.

Paths are followed through the commit's own folders, so no path leaves it: a symbolic link, a submodule or
``..`` is no regular file and therefore absent. What was left out because of a limit is kept as sentences.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence

from draftgate.domain.change import BlobId, CommitSha
from draftgate.domain.match import Match
from draftgate.git.objects import Objects, ObjectTooLarge, measure_blobs, missing_object
from draftgate.git.repository import Repository
from draftgate.git.run import BLOB_LIMIT, MEBIBYTE, TOO_LARGE
from draftgate.git.search import search_commit

_CACHED_CHARACTERS = 16 * MEBIBYTE
# Each costs a comparison with every path; beyond, the largest files are left out and the others searched.
_EXCLUDED_AT_MOST = 1000
_WORDS_NAMED = 3
_REGULAR_MODES = (b"100644", b"100755", b"100664")  # the last one from the first days of git
_FOLDER_MODE = b"40000"


class CommitSnapshot:
    """What a built-in check sees of a commit (`draftgate.domain.snapshot.Snapshot`)."""

    def __init__(self, repository: Repository, objects: Objects, commit: CommitSha) -> None:
        self._repository = repository
        self._objects = objects
        self._commit = commit
        self._root = objects.tree_of(commit)
        self._folders: dict[str, Mapping[bytes, tuple[bytes, str]]] = {}
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._cached = 0
        self._listing: Mapping[str, BlobId] | None = None
        self._unsearched: tuple[str, ...] | None = None
        self._limits: dict[str, None] = {}

    @property
    def limits(self) -> tuple[str, ...]:
        """Sentences about what could not be looked at so far."""
        return tuple(self._limits)

    def read(self, path: str) -> str | None:
        """The text of a file, undecodable bytes replaced; ``None`` if there is no regular file there.

        A file above the size limit counts as absent and is named in `limits`.
        """
        blob = self._find(path)
        if blob is None:
            return None
        if blob in self._texts:
            self._texts.move_to_end(blob)
            return self._texts[blob]
        try:
            text = self._objects.read_blob(blob).decode("utf-8", "replace")
        except ObjectTooLarge:
            self._limits[f"{path} was not read: {TOO_LARGE}"] = None
            return None
        self._remember(blob, text)
        return text

    def paths(self) -> Sequence[str]:
        """All regular files, in the order of their bytes."""
        return tuple(self._list())

    def grep(self, words: Collection[str], *, globs: Collection[str] = ()) -> Iterator[Match]:
        """Lines that hold any of `words` between identifier boundaries, in path and line order.

        Files above the size limit are not searched, and a search that finds too much is cut; `limits` says so.
        """
        git = self._repository.git
        result = search_commit(git, self._commit, words, globs=globs, without=self._find_unsearchable())
        if result.is_cut:
            named = ", ".join(sorted(words)[:_WORDS_NAMED]) + (", …" if len(words) > _WORDS_NAMED else "")
            self._limits[f"the search for {named} was cut after {len(result.matches):,} lines"] = None
        return iter(result.matches)

    def _find(self, path: str) -> BlobId | None:
        folder = self._root
        *parents, name = path.encode("utf-8", "surrogateescape").split(b"/")
        for parent in parents:
            mode, entry = self._open(folder).get(parent, (b"", ""))
            if mode != _FOLDER_MODE:
                return None
            folder = entry
        mode, entry = self._open(folder).get(name, (b"", ""))
        return BlobId(entry) if mode in _REGULAR_MODES else None

    def _open(self, folder: str) -> Mapping[bytes, tuple[bytes, str]]:
        if folder not in self._folders:
            self._folders[folder] = dict(_parse_tree(self._objects.read_tree(folder), len(folder) // 2))
        return self._folders[folder]

    def _remember(self, blob: str, text: str) -> None:
        self._texts[blob] = text
        self._cached += len(text)
        while self._cached > _CACHED_CHARACTERS:
            self._cached -= len(self._texts.popitem(last=False)[1])

    def _list(self) -> Mapping[str, BlobId]:
        if self._listing is None:
            rows = self._repository.git.run("ls-tree", "-r", "-z", "--full-tree", self._commit).split(b"\0")[:-1]
            self._listing = dict(_parse_rows(rows))
        return self._listing

    def _find_unsearchable(self) -> Sequence[str]:
        if self._unsearched is None:
            listing = self._list()
            sizes = measure_blobs(self._repository.git, set(listing.values()))
            missing = next((path for path, blob in listing.items() if sizes[blob] is None), None)
            if missing is not None:
                raise missing_object(missing)
            large = [path for path, blob in listing.items() if (sizes[blob] or 0) > BLOB_LIMIT.value]
            large.sort(key=lambda path: sizes[listing[path]] or 0, reverse=True)
            self._unsearched = tuple(large[:_EXCLUDED_AT_MOST])
            self._limits |= dict.fromkeys(f"{path} was not searched: {TOO_LARGE}" for path in self._unsearched)
        return self._unsearched


def _parse_tree(content: bytes, id_size: int) -> Iterator[tuple[bytes, tuple[bytes, str]]]:
    """Each entry is ``MODE SPACE NAME NUL ID``, the id in binary (https://git-scm.com/docs/gitformat-pack)."""
    position = 0
    while position < len(content):
        name_end = content.index(b"\0", position)
        mode, _, name = content[position:name_end].partition(b" ")
        position = name_end + 1 + id_size
        yield name, (mode, content[name_end + 1 : position].hex())


def _parse_rows(rows: Sequence[bytes]) -> Iterator[tuple[str, BlobId]]:
    """Each row is ``MODE SPACE KIND SPACE ID TAB PATH``."""
    for row in rows:
        facts, _, path = row.partition(b"\t")
        mode, _, blob = facts.split(b" ")
        if mode in _REGULAR_MODES:
            yield path.decode("utf-8", "surrogateescape"), BlobId(blob.decode())
