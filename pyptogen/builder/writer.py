"""Writing a generated folder so that a reader sees the old folder or the new one, never a mixture, and a file that
does not change keeps its time.

The new folder is staged beside the old one: what changes is written, everything else is linked (so it is the same
file). Then the two change places, in one step of the file system, and the old one is deleted. A build that is killed
leaves at most a staged folder, which the next build deletes; builds of one library write one after the other.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyptogen.builder.fingerprint import MANIFEST
from pyptogen.builder.report import OperatorBuild

_STAGED = ".staged-by-pyptogen"
_ASIDE = f".old{_STAGED}"
_EARLIER_STAGED = re.compile(r"\.([a-z][a-z0-9_]*)\.(\d+)")
"""Staged folders of earlier versions: `.<operator>.<process id>`."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


@contextmanager
def exclusive(out: Path) -> Iterator[None]:
    """While other builds into ``out`` wait: makes the folder, and deletes what killed builds left in it.

    Whoever stages holds the lock, so every staged folder that is found is a dead one's. The lock is one of the
    kernel on the folder itself: it leaves no file, and ends with its process. A file system without such locks is used
    without.
    """
    out.mkdir(parents=True, exist_ok=True)
    handle = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL):
                raise
        _sweep(out)
        yield
    finally:
        os.close(handle)


def is_staging(out: Path) -> bool:
    """Whether a folder is staged in ``out``: by a build that is at work, or one that was killed."""
    return out.is_dir() and any(path.name.endswith(_STAGED) for path in out.iterdir())


def _sweep(out: Path) -> None:
    for aside in out.glob(f".*{_ASIDE}"):
        folder = out / aside.name.removesuffix(_ASIDE)[1:]
        if not folder.exists():  # killed between the two steps of a file system that cannot exchange
            aside.rename(folder)
    for path in out.iterdir():
        if path.name.endswith(_STAGED) or _is_earlier(path):
            _delete(path)


def _is_earlier(path: Path) -> bool:
    """Whether an earlier version staged it, beside the folder of that operator, and its process is dead."""
    match = _EARLIER_STAGED.fullmatch(path.name)
    if match is None or not (path.parent / match[1] / MANIFEST).is_file():
        return False
    try:
        os.kill(int(match[2]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def write(plan: OperatorBuild) -> None:
    """Make the folder of ``plan`` what the plan says: ``written`` anew, ``removed`` gone, the rest as it is. A folder
    in which nothing is left is deleted. To be called under `exclusive` of its parent. Raises ``OSError``."""
    if not plan.changed:
        return
    folder = plan.folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = folder.parent / f".{folder.name}{_STAGED}"
    if stage.exists():
        _delete(stage)
    try:
        stage.mkdir()
        _link_all(folder, stage, {*plan.written, *plan.removed})
        for path, data in plan.new.items():
            (stage / path).parent.mkdir(parents=True, exist_ok=True)
            _write(stage / path, data)
        if any(stage.iterdir()):
            _swap(stage, folder)
        else:
            shutil.rmtree(folder)
    finally:
        _delete(stage)


def replace_file(path: Path, data: bytes) -> None:
    """Make ``path`` hold ``data``, all at once. To be called under `exclusive` of its folder. Raises ``OSError``."""
    stage = path.parent / f".{path.name}{_STAGED}"
    try:
        _write(stage, data)
        os.replace(stage, path)
    finally:
        stage.unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    """Raises ``OSError`` with the file's name: one of a full disk has none."""
    try:
        path.write_bytes(data)
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _link_all(folder: Path, stage: Path, leave: set[str]) -> None:
    """The files below ``folder``, but for ``leave``, at the same places below ``stage``; folders that stay empty are
    left out."""
    for top, folders, names in os.walk(folder):
        for name in (*names, *(entry for entry in folders if (Path(top) / entry).is_symlink())):
            source = Path(top) / name
            path = source.relative_to(folder)
            if path.as_posix() in leave:
                continue
            target = stage / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target, follow_symlinks=False)
            except OSError:  # a file system without links, or a limit on them
                shutil.copy2(source, target, follow_symlinks=False)


def _swap(stage: Path, folder: Path) -> None:
    """``stage`` is called ``folder`` afterwards, and what was there ``stage``."""
    if not folder.exists():
        stage.rename(folder)
        return
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is not None:
        if renameat2(_AT_FDCWD, os.fsencode(stage), _AT_FDCWD, os.fsencode(folder), _RENAME_EXCHANGE) == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOSYS, errno.EXDEV):
            raise OSError(code, os.strerror(code), str(folder))
    # No exchange here (an old C library, some network and overlay file systems): for a moment there is no folder.
    aside = stage.with_name(f".{folder.name}{_ASIDE}")
    folder.rename(aside)
    stage.rename(folder)
    _delete(aside)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
