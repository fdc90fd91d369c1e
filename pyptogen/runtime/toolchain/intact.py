"""Whether an entry of the store is what was written, and can be changed by nobody else.

Reading tens of megabytes of a precompiled header costs as much as a small kernel takes to compile. So a process reads
an entry once, and after that looks at inodes, sizes and dates: nothing writes to a file without a new date of change,
which no program can set. An entry that was changed in the last moments is read each time: dates have steps.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pyptogen.runtime.toolchain.ownership import is_ours

COMPLETE = ".complete"
"""The file of a folder that is written last: the SHA-256 of the others."""
_STEP_NS = 2_000_000_000
"""Nanoseconds: more than the dates of any file system are apart."""


class _Seen(NamedTuple):
    """What tells of a file or folder whether it was written since: its path below the entry, and of its status the
    dates in nanoseconds."""

    name: str
    inode: int
    mode: int
    owner: int
    bytes: int
    written: int
    changed: int


_read: dict[Path, tuple[_Seen, ...]] = {}
"""Entries that this process has read and found intact."""


def mark_of(entry: Path) -> Path:
    """The file beside an entry that holds its SHA-256."""
    return entry.with_name(entry.name + ".sha256")


def content_hash(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tree_hash(folder: Path) -> str:
    """SHA-256 over the names and the content of a folder's files, its mark apart."""
    sha = hashlib.sha256()
    files = sorted((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())
    for name, path in files:
        if name != COMPLETE:
            for data in (name.encode(), path.read_bytes()):
                sha.update(len(data).to_bytes(8, "little"))
                sha.update(data)
    return sha.hexdigest()


def is_intact(entry: Path, *, anew: bool = False) -> bool:
    """Whether a file or folder of the store holds what its mark says; ``anew`` reads it whatever was read before."""
    try:
        state = _state(entry)
        if not anew and _read.get(entry) == state:
            return True
        if not _is_ours(state):
            return False
        if stat.S_ISDIR(state[0].mode):
            right = (entry / COMPLETE).read_text(encoding="ascii") == tree_hash(entry)
        else:
            right = mark_of(entry).read_text(encoding="ascii") == content_hash(entry)
        return right and _note(entry, state)
    except (OSError, UnicodeDecodeError):
        return False


def holds(entry: Path, files: Mapping[str, bytes]) -> bool:
    """Whether a folder is there, complete, with exactly these files, of which its name is made."""
    try:
        state = _state(entry)
        if _read.get(entry) == state:
            return True
        # An empty mark is of an older version, which kept no hash there.
        right = (
            _is_ours(state)
            and stat.S_ISDIR(state[0].mode)
            and (entry / COMPLETE).stat().st_size > 0
            and sum(stat.S_ISREG(of.mode) for of in state) == len(files) + 1
            and all((entry / name).read_bytes() == content for name, content in files.items())
        )
        return right and _note(entry, state)
    except OSError:
        return False


def _note(entry: Path, state: tuple[_Seen, ...]) -> bool:
    """Remember what was read, of which ``state`` was seen before."""
    if max(of.changed for of in state) < time.time_ns() - _STEP_NS:
        _read[entry] = state
    return True


def _is_ours(state: tuple[_Seen, ...]) -> bool:
    """Whether there are files and folders only, of this user, that nobody else may write."""
    return all((stat.S_ISREG(of.mode) or stat.S_ISDIR(of.mode)) and is_ours(of.owner, of.mode) for of in state)


def _state(entry: Path) -> tuple[_Seen, ...]:
    """An entry first, then its mark, or what is in it. Raises ``OSError`` for a file without a mark."""
    first = _seen("", os.lstat(entry))
    if not stat.S_ISDIR(first[2]):
        return first, _seen(".sha256", os.lstat(mark_of(entry)))
    found = [first]
    folders = [(str(entry), "")]
    while folders:
        folder, below = folders.pop()
        with os.scandir(folder) as inside:
            for item in inside:
                name = f"{below}{item.name}"
                found.append(_seen(name, item.stat(follow_symlinks=False)))
                if item.is_dir(follow_symlinks=False):
                    folders.append((item.path, f"{name}/"))
    return (first, *sorted(found[1:]))


def _seen(name: str, status: os.stat_result) -> _Seen:
    dates = status.st_mtime_ns, status.st_ctime_ns
    return _Seen(name, status.st_ino, status.st_mode, status.st_uid, status.st_size, *dates)
