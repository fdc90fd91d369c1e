"""A content-addressed store of build results, shared by all processes of a user, bounded in size.

An entry is a file named by the SHA-256 of everything that it was made from. It is written to a scratch folder,
then renamed; its own SHA-256 stands beside it, so a damaged entry is noticed and made again. One lock
file per entry keeps processes from building the same thing twice; a lock dies with its process. An entry's
file date is when it was used last (to the hour); what was not used for longest goes first when the store
outgrows its bound.

What the store gives out is executed. So every folder from the top of the file system down to an entry, and the entry,
must be of this user and writable by nobody else, or it is not used (`ownership`).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.runtime.toolchain.intact import COMPLETE, content_hash, holds, is_intact, mark_of, tree_hash
from pyptogen.runtime.toolchain.ownership import is_our_file, is_our_folder, open_folder_above
from pyptogen.scratch import left_over, scratch, sweep

MOST_BYTES = 2 << 30
"""Size that the store keeps to by itself."""
_JUST_USED = 3600.0
"""Seconds for which an entry counts as in use: it is neither dated anew nor removed to make room."""
_UNSEEN = 16
"""The part of the bound that a process may add before it looks through the store."""

_SCRATCH = ".scratch"
"""The folder of work in progress."""
_PRUNED = ".pruned"
"""A file whose date says when the store was last looked through."""

_made: dict[Path, int] = {}
"""Bytes of the entries that this process has made in a store since it looked through it."""


def digest(*parts: str | bytes) -> str:
    """SHA-256 over the parts; where one ends and the next begins matters."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(len(data).to_bytes(8, "little"))
        sha.update(data)
    return sha.hexdigest()


def default_root() -> Path:
    """``PYPTOGEN_CACHE_DIR``, else ``pyptogen`` in the user's cache directory."""
    given = os.environ.get("PYPTOGEN_CACHE_DIR")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyptogen"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or folder of the store: what kind of thing, its bytes, when it was used last (seconds since the
    epoch).
    """

    kind: str
    path: Path
    size: int
    used: float


class Cache:
    """The store below one directory, private to the user.

    Raises PTG504 when the directory cannot be made or written, or somebody else may write it: its content gets
    executed.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or default_root()).absolute()
        with self._written():
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = self.root.stat()
            if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077:
                self.root.chmod(0o700)
            above = open_folder_above(self.root)
        if status.st_uid != os.geteuid():
            raise _foreign(self.root)
        if above is not None:
            raise fault(
                "PTG504",
                f"other users may replace the cache for compiled kernels: they may write {above}",
                None,
                expected="folders above it that only their owners may write, because what is in it gets executed",
                fix="set PYPTOGEN_CACHE_DIR to another directory",
            )

    def get(self, kind: str, key: str, suffix: str) -> bytes | None:
        """The entry's bytes; None when it is missing, damaged or not this user's."""
        entry = self.root / kind / key[:2] / f"{key}{suffix}"
        try:
            if not (is_our_file(entry) and is_our_file(mark_of(entry))):
                return None
            data = entry.read_bytes()
            if mark_of(entry).read_text(encoding="ascii") != hashlib.sha256(data).hexdigest():
                return None
        except (OSError, UnicodeDecodeError):  # none, or another process prunes at this moment
            return None
        _note_use(entry)
        return data

    def file(self, kind: str, key: str, suffix: str, make: Callable[[Path], None], *, prune: bool = True) -> Path:
        """The entry's file; ``make(path)`` writes it when it is missing, damaged or not this user's. Its exceptions
        pass through, but for ``OSError``, which becomes PTG504. Whoever makes many entries lets the store keep to
        its bound once, at the end (``prune``).
        """
        folder = self._folder(kind, key)
        entry = folder / f"{key}{suffix}"
        if is_intact(entry):
            _note_use(entry)
            return entry
        with self._written(), _locked(folder / f"{key}.lock"):
            if is_intact(entry):
                return entry
            sweep(self.root / _SCRATCH, "")
            with self.scratch() as work:
                new = work / entry.name
                make(new)
                new.chmod(new.stat().st_mode & ~0o022)
                mark = work / "sha256"
                mark.write_text(content_hash(new), encoding="ascii")
                mark.chmod(0o600)
                _make_room(entry)
                os.replace(mark, mark_of(entry))
                os.replace(new, entry)
        if prune:
            self._keep_to_bound(entry.stat().st_size)
        return entry

    def put(self, kind: str, key: str, suffix: str, data: bytes) -> None:
        """Make the entry hold ``data``, whatever it held before: for what the key does not decide, and others can do
        without. Raises PTG504."""
        folder = self._folder(kind, key)
        entry = folder / f"{key}{suffix}"
        with self._written(), _locked(folder / f"{key}.lock"), self.scratch() as work:
            new, mark = work / entry.name, work / "sha256"
            for path, content in ((new, data), (mark, hashlib.sha256(data).hexdigest().encode())):
                path.write_bytes(content)
                path.chmod(0o600)
            _make_room(entry)
            os.replace(mark, mark_of(entry))
            os.replace(new, entry)

    def tree(self, kind: str, key: str, files: dict[str, bytes]) -> Path:
        """A folder with exactly these files (by relative path). The key must be made from their content."""
        folder = self._folder(kind, key)
        entry = folder / key
        if holds(entry, files):
            _note_use(entry)
            return entry
        with self._written(), _locked(folder / f"{key}.lock"):
            if holds(entry, files):
                return entry
            sweep(self.root / _SCRATCH, "")
            with self.scratch() as work:
                new = work / key
                for name, content in files.items():
                    path = new / name
                    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    path.write_bytes(content)
                (new / COMPLETE).write_text(tree_hash(new), encoding="ascii")
                for path in (new, *new.rglob("*")):
                    path.chmod(0o700 if path.is_dir() else 0o600)
                _make_room(entry, folders=True)
                os.rename(new, entry)
        return entry

    def scratch(self) -> AbstractContextManager[Path]:
        """A folder for work in progress, on the file system of the store."""
        return scratch(self.root / _SCRATCH, "")

    def sweep(self) -> list[Path]:
        """Removes what interrupted processes have left, and says what that was."""
        old = []
        for path in self._old_scratch():
            with suppress(FileNotFoundError):  # another process may be sweeping too
                if path.stat().st_mtime < time.time() - _JUST_USED:
                    old.append(path)
        for path in old:
            shutil.rmtree(path, ignore_errors=True)
        return [*sweep(self.root / _SCRATCH, ""), *old]

    def left_over(self) -> list[Entry]:
        """What interrupted processes have left; the next compilation removes it."""
        found = [*left_over(self.root / _SCRATCH, ""), *self._old_scratch()]
        entries = []
        for path in found:
            with suppress(FileNotFoundError):
                entries.append(Entry("left over", path, _size(path), path.stat().st_mtime))
        return entries

    def _old_scratch(self) -> list[Path]:
        """Scratch folders as earlier versions made them, without a lock."""
        # Not `Path.glob`: it raises where a folder goes away while it looks, as those of other processes do.
        found = (self.root / name for name in glob("*/*/.new-*", root_dir=self.root))
        return sorted(path for path in found if path.is_dir() and not path.is_symlink())

    def trim(self, kind: str, suffix: str, keep: int) -> None:
        """Remove all but the ``keep`` newest entries of a kind and suffix.

        Only for entries that others can do without while they use them.
        """
        entries = []
        for path in (self.root / kind).glob(f"*/*{suffix}"):
            # Another process may be trimming too.
            with suppress(FileNotFoundError):
                entries.append((path.stat().st_mtime, path))
        for _, path in sorted(entries, reverse=True)[keep:]:
            path.unlink(missing_ok=True)
            mark_of(path).unlink(missing_ok=True)

    def entries(self) -> list[Entry]:
        """All entries, those used longest ago first."""
        found = []
        for kind in _folders(self.root):
            for shard in _folders(kind):
                for path in shard.iterdir():
                    if path.suffix in (".lock", ".sha256") or path.name.startswith("."):
                        continue
                    # Another process may remove it meanwhile.
                    with suppress(FileNotFoundError):
                        found.append(Entry(kind.name, path, _size(path), path.stat().st_mtime))
        return sorted(found, key=lambda entry: (entry.used, entry.path.name))

    def _keep_to_bound(self, made: int) -> None:
        """`prune_now_and_then`, and once this process has made a good part of what the store may hold; ``made`` are the
        bytes of a new entry."""
        _made[self.root] = _made.get(self.root, 0) + made
        if _made[self.root] > MOST_BYTES // _UNSEEN:
            self.prune(MOST_BYTES)
        else:
            self.prune_now_and_then()

    def prune_now_and_then(self) -> None:
        """`prune` to the store's own bound, but not when that was done within the last hour: it looks at every entry.
        For those that make entries many times an hour, a few each time."""
        stamp = self.root / _PRUNED
        with suppress(OSError):
            if 0 <= time.time() - stamp.stat().st_mtime < _JUST_USED:
                return
        with suppress(OSError):
            stamp.touch(0o600)
            os.utime(stamp)
        self.prune(MOST_BYTES)

    def prune(self, most_bytes: int, *, unused_days: float | None = None, everything: bool = False) -> list[Entry]:
        """Remove entries, those used longest ago first, until the rest has at most ``most_bytes``; also those
        not used for ``unused_days``. Returns what was removed.

        Entries used within the last hour stay, unless ``everything`` is to go: another process may be about
        to load them.
        """
        _made.pop(self.root, None)
        self.sweep()
        entries = self.entries()
        now = time.time()
        left = sum(entry.size for entry in entries)
        removed = []
        for entry in entries:
            stale = unused_days is not None and now - entry.used > unused_days * 86400
            if not everything and (now - entry.used < _JUST_USED or (left <= most_bytes and not stale)):
                continue
            _remove(entry.path)
            left -= entry.size
            removed.append(entry)
        return removed

    def damaged(self) -> list[Entry]:
        """The entries whose content is not what was written. They are made again when they are needed."""
        return [entry for entry in self.entries() if not is_intact(entry.path, anew=True)]

    def _folder(self, kind: str, key: str) -> Path:
        """The folder of an entry, made if need be. One of this user that others may write is emptied before it is used:
        nobody knows who made what is in it. Raises PTG504 for one of another user."""
        folder = self.root
        with self._written():
            for part in (kind, key[:2]):
                folder = folder / part
                with suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                if is_our_folder(folder):
                    continue
                status = os.lstat(folder)
                if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
                    raise _foreign(folder)
                folder.chmod(0o700)
                for path in folder.iterdir():
                    _make_room(path, folders=True)
        return folder

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Within it, an error of the file system is a diagnostic."""
        try:
            yield
        except OSError as error:
            raise fault(
                "PTG504",
                f"the cache for compiled kernels cannot be used: {error.filename or self.root}: {error.strerror}",
                None,
                expected="a directory that this user may write, with room",
                fix="set PYPTOGEN_CACHE_DIR to one",
            ) from error


def _foreign(path: Path) -> DiagnosticError:
    return fault(
        "PTG504",
        f"the cache for compiled kernels belongs to another user, or is no directory: {path}",
        None,
        expected="a directory of this user, because what is in it gets executed",
        fix="remove it, or set PYPTOGEN_CACHE_DIR to another one",
    )


def _make_room(path: Path, *, folders: bool = False) -> None:
    """Removes what is in the place of a new entry, if that is a link or, where ``folders``, anything at all: a file is
    replaced by renaming."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif folders or path.is_symlink():
        path.unlink(missing_ok=True)


def _note_use(entry: Path) -> None:
    # A read-only store, or one that another process prunes at this moment, serves all the same.
    with suppress(OSError):
        if time.time() - entry.stat().st_mtime > _JUST_USED:
            os.utime(entry)


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _size(path: Path) -> int:
    """Bytes of an entry, its mark not counted."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file() and file.name != COMPLETE)


def _remove(entry: Path) -> None:
    """Remove an entry, its mark and its lock. Whoever holds the lock goes on; at worst an entry is made twice."""
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
        mark_of(entry).unlink(missing_ok=True)
    (entry.parent / f"{entry.name.split('.')[0]}.lock").unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
