"""Folders for work in progress, which a process that is killed leaves behind and the next one removes."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder ``parent/<prefix><random>``, private to the user, that is removed at the end.

    While it is in use its process holds a lock on it, which the system takes back however the process ends: `sweep`
    tells by that what is left over. Raises ``OSError`` where the folder cannot be made.
    """
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        folder = parent / f"{prefix}{secrets.token_hex(8)}"
        folder.mkdir(mode=0o700)
        lock = _locked(folder)
        if lock is not None:
            break
        # A sweep came between the two steps and has taken it for left over: once more.
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def left_over(parent: Path, prefix: str) -> list[Path]:
    """The folders ``parent/<prefix>…`` of this user whose process has ended."""
    found = []
    for folder in _candidates(parent, prefix):
        lock = _locked(folder)
        if lock is not None:
            os.close(lock)
            found.append(folder)
    return found


def sweep(parent: Path, prefix: str) -> list[Path]:
    """Removes the folders ``parent/<prefix>…`` of this user whose process has ended, and says which."""
    removed = []
    for folder in _candidates(parent, prefix):
        lock = _locked(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            removed.append(folder)
    return removed


def _candidates(parent: Path, prefix: str) -> list[Path]:
    with suppress(OSError), os.scandir(parent) as entries:
        return sorted(
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False)
        )
    return []


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the lock of a folder of this user, or None where another process has it, or the folder
    is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = os.lstat(folder)
        if status.st_uid == os.geteuid() and (there.st_dev, there.st_ino) == (status.st_dev, status.st_ino):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None
