"""Writing a generated folder so that a reader sees either the old or the new file, and an unchanged file is
left alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pyptogen.builder.fingerprint import MANIFEST, leftovers, read_manifest
from pyptogen.builder.report import OperatorBuild


def compare_with_disk(name: str, folder: Path, files: Mapping[str, bytes]) -> OperatorBuild:
    """What :func:`write` would do: files that differ from ``files``, and files that an older build left
    behind."""
    written = tuple(sorted(path for path, data in files.items() if _read(folder / path) != data))
    return OperatorBuild(name, folder, written, _obsolete(folder, files))


def write(name: str, folder: Path, files: Mapping[str, bytes]) -> OperatorBuild:
    """Make ``folder`` hold ``files`` (relative path to bytes), and say what changed.

    Everything is staged beside the folder first and then renamed into place, the manifest last: after an
    interruption the manifest does not fit the files, and the next build repairs them. A new folder appears in
    one rename.
    """
    plan = compare_with_disk(name, folder, files)
    if not plan.changed:
        return plan
    folder.parent.mkdir(parents=True, exist_ok=True)
    stage = folder.parent / f".{folder.name}.{os.getpid()}"
    try:
        for path in plan.written:
            staged = stage / path
            staged.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(files[path])
        if folder.exists():
            _move_into(stage, folder, plan)
        else:
            stage.rename(folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)
    return plan


def _move_into(stage: Path, folder: Path, plan: OperatorBuild) -> None:
    for path in plan.removed:
        (folder / path).unlink(missing_ok=True)
        _prune_empty((folder / path).parent, folder)
    for path in sorted(plan.written, key=lambda p: (p == MANIFEST, p)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(stage / path, folder / path)


def _prune_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _obsolete(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """Files of an earlier build that are not of this one. Anything that a build did not make is not ours to
    delete."""
    recorded = read_manifest(folder)
    listed = recorded.get("files") if isinstance(recorded, dict) else None
    earlier = {path for path in listed if _is_inside(path)} if isinstance(listed, dict) else set()
    gone = {path for path in earlier if path not in files and (folder / path).is_file()}
    return tuple(sorted(gone | set(leftovers(folder, files))))


def _is_inside(path: str) -> bool:
    """A manifest is a file anyone may have edited: never follow it out of its folder."""
    return not os.path.isabs(path) and ".." not in Path(path).parts


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
