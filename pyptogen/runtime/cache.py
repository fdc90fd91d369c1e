"""A content-addressed store of build results, shared by all processes of a user.

An entry is a file named by the SHA-256 of everything that it was made from. It is written to a temporary
name, then renamed; its own SHA-256 stands beside it, so a damaged entry is noticed and made again. One lock
file per entry keeps processes from building the same thing twice; a lock dies with its process.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyptogen.diagnostics import fault


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


class Cache:
    """The store below one directory, private to the user.

    Raises PTG504 when the directory cannot be made, or belongs to somebody else (its content gets executed).
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (root or default_root()).absolute()
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = self.root.stat()
            if status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) & 0o077:
                self.root.chmod(0o700)
        except OSError as error:
            raise fault(
                "PTG504",
                f"the cache for compiled kernels cannot be used: {self.root}: {error.strerror}",
                None,
                expected="a directory that this user may write",
                fix="set PYPTOGEN_CACHE_DIR to one",
            ) from error
        if status.st_uid != os.geteuid():
            raise fault(
                "PTG504",
                f"the cache for compiled kernels belongs to another user: {self.root}",
                None,
                expected="a directory of this user, because what is in it gets executed",
                fix="set PYPTOGEN_CACHE_DIR to one",
            )

    def file(self, kind: str, key: str, suffix: str, make: Callable[[Path], None]) -> Path:
        """The entry's file; ``make(path)`` writes it when it is missing or damaged, and its exceptions pass
        through.
        """
        folder = self._folder(kind, key)
        entry = folder / f"{key}{suffix}"
        if _intact(entry):
            return entry
        with _locked(folder / f"{key}.lock"):
            if _intact(entry):
                return entry
            with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as scratch:
                new = Path(scratch) / entry.name
                make(new)
                mark = Path(scratch) / "sha256"
                mark.write_text(_content_hash(new), encoding="ascii")
                os.replace(mark, _mark_of(entry))
                os.replace(new, entry)
        return entry

    def tree(self, kind: str, key: str, files: dict[str, bytes]) -> Path:
        """A folder with exactly these files (by relative path). The key must be made from their content."""
        folder = self._folder(kind, key)
        entry = folder / key
        if (entry / ".complete").is_file():
            return entry
        with _locked(folder / f"{key}.lock"):
            if (entry / ".complete").is_file():
                return entry
            with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as scratch:
                new = Path(scratch) / key
                for name, content in files.items():
                    path = new / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                (new / ".complete").touch()
                os.rename(new, entry)
        return entry

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
            _mark_of(path).unlink(missing_ok=True)

    def _folder(self, kind: str, key: str) -> Path:
        folder = self.root / kind / key[:2]
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


def _mark_of(entry: Path) -> Path:
    return entry.with_name(entry.name + ".sha256")


def _content_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _intact(entry: Path) -> bool:
    try:
        return _mark_of(entry).read_text(encoding="ascii") == _content_hash(entry)
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
