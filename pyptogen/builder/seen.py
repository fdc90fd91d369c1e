"""What generated folders held when a build last read all of their bytes, so that it need not read them again.

Hashing a library of a thousand operators takes seconds, and mostly says that nothing happened. As git's index does,
this remembers of each folder what the file system says about its files (name, inode, size, and the times of the last
change of content and of inode), and which manifest they all agreed with. While all of that is the same, so are the
bytes: whoever writes a file, also with its old size and date, changes the inode's time (`st_ctime`), which no program
can set.

A file that was changed a moment before it was read may change once more within the same tick of the file system's
clock. So a folder counts as seen only where its newest time is older than the look at it by more than a tick (git's
rule of racily clean entries), and is read again otherwise.

Kept in the user's cache, by the path of the library; ``--no-cache`` reads every byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.runtime.toolchain.cache import Cache

_FORMAT = "1"
_KIND = "seen"
_TICK, _COARSE_TICK = 100_000_000, 2_000_000_000
"""Nanoseconds within which a file system may give two changes one time, with some to spare: kernels tick every 1 to
10 ms; times of whole seconds are of a file system that knows no finer ones (FAT: 2 s)."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the file system says about a folder now: a hash over it, the newest time in it, and when the look began, in
    nanoseconds since the epoch."""

    state: str
    newest: int
    began: int

    @property
    def lasting(self) -> bool:
        """Whether a later change would be told from this state."""
        return self.newest + (_COARSE_TICK if self.newest % 1_000_000_000 == 0 else _TICK) < self.began


@dataclass(frozen=True, slots=True)
class Clean:
    """A folder whose files are those of its manifest, and no others that a build could have made: the manifest's
    SHA-256, and the targets that it was built for and that its spec declares."""

    manifest: str
    built: tuple[str, ...]
    declared: tuple[str, ...]


@dataclass(slots=True)
class Seen:
    """What is known of the folders of one library."""

    cache: Cache
    key: str
    known: dict[str, tuple[str, Clean]] = field(default_factory=dict)
    """By the folder's name its state, and what it held."""
    changed: bool = False

    @classmethod
    def open(cls, out: Path) -> Seen | None:
        """What is known of the library ``out``; None where the user's cache cannot be used."""
        from pyptogen.diagnostics import DiagnosticError
        from pyptogen.runtime.toolchain.cache import Cache, digest

        try:
            seen = cls(Cache(), digest(_FORMAT, os.path.realpath(out)))
        except DiagnosticError:
            return None
        try:
            known = json.loads(seen.cache.get(_KIND, seen.key, ".json") or "{}")
            for name, (state, manifest, built, declared) in known.items():
                seen.known[name] = state, Clean(manifest, tuple(built), tuple(declared))
        except (OSError, ValueError, TypeError, AttributeError):
            seen.known = {}
        return seen

    def clean(self, folder: Path) -> Clean | None:
        """What a folder holds, where it is as it was when all of it was read."""
        before = self.known.get(folder.name)
        if before is None:
            return None
        now = look(folder)
        return before[1] if now is not None and now.state == before[0] else None

    def note(self, folder: Path, before: Look | None, held: Clean) -> None:
        """All of a folder was read, after the look ``before``, and agrees with its manifest."""
        if before is not None and before.lasting and self.known.get(folder.name) != (before.state, held):
            self.known[folder.name] = before.state, held
            self.changed = True

    def save(self) -> None:
        """Keep what is known. Where that cannot be done, the next build reads the bytes."""
        from pyptogen.diagnostics import DiagnosticError

        if not self.changed:
            return
        plain = {name: (state, one.manifest, one.built, one.declared) for name, (state, one) in self.known.items()}
        try:
            self.cache.put(_KIND, self.key, ".json", json.dumps(plain).encode())
        except (DiagnosticError, OSError):
            return


def look(folder: Path) -> Look | None:
    """What the file system says about all files and folders below ``folder``; None where there is none, or anything
    else in it (a link may lead to what changes elsewhere)."""
    began, newest, lines = time.time_ns(), 0, list[str]()
    waiting = [os.fspath(folder)]
    start = len(waiting[0])
    try:
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    newest = max(newest, status.st_mtime_ns, status.st_ctime_ns)
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                        lines.append(f"{entry.path[start:]}\0")
                    elif stat.S_ISREG(status.st_mode):
                        times = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
                        lines.append(f"{entry.path[start:]}\0{status.st_dev} {status.st_ino} {times}")
                    else:
                        return None
    except OSError:
        return None
    lines.sort()
    state = hashlib.sha256("\0".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    return Look(state, newest, began) if lines else None
