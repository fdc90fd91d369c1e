"""Who may change a file that is about to be executed: this user and the administrator, nobody else.

A path is safe when every folder on it is. A folder that only its owner may write keeps the names in it; a sticky one
(`/tmp`) keeps those of their owners. What was found safe can then be changed or replaced by nobody between the look and
the use, as it takes write access to one of these folders.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_ADMINISTRATOR = 0


def is_ours(owner: int, mode: int) -> bool:
    """Whether a file or folder belongs to this user, or to the administrator, and only its owner may write it."""
    return _trusted(owner) and not mode & (stat.S_IWGRP | stat.S_IWOTH)


def is_our_folder(path: Path) -> bool:
    """Whether ``path`` is a folder, no link to one, that `is_ours`."""
    status = os.lstat(path)
    return stat.S_ISDIR(status.st_mode) and is_ours(status.st_uid, status.st_mode)


def is_our_file(path: Path) -> bool:
    """Whether ``path`` is a regular file, no link to one, that `is_ours`."""
    status = os.lstat(path)
    return stat.S_ISREG(status.st_mode) and is_ours(status.st_uid, status.st_mode)


def open_folder_above(path: Path) -> Path | None:
    """The first folder above ``path``, links followed, in which another user may replace what leads to it; None when
    there is none. Members of a folder's group are trusted: many systems give each user a group of his own."""
    for folder in path.resolve().parents:
        status = os.stat(folder)
        if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
            return folder
        if not _trusted(status.st_uid) and status.st_uid != _nobody():
            return folder
    return None


def _trusted(user: int) -> bool:
    return user in (os.geteuid(), _ADMINISTRATOR)


def _nobody() -> int:
    """The owner that a container shows of what belongs to users outside of it, such as the folder it is in."""
    try:
        with open("/proc/sys/kernel/overflowuid", encoding="ascii") as stream:
            return int(stream.read())
    except (OSError, ValueError):
        return _ADMINISTRATOR
