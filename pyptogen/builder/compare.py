"""A generated folder beside what a build makes: which files differ, and why."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from pyptogen.builder.fingerprint import MANIFEST, leftovers, read_generated, read_manifest, sha256
from pyptogen.builder.lock import LockEntry
from pyptogen.builder.rendered import Rendered
from pyptogen.builder.report import OperatorBuild, State
from pyptogen.builder.seen import Clean, Seen, look


def compare(
    made: Rendered, folder: Path, before: LockEntry | None, now: LockEntry | None, seen: Seen | None = None
) -> OperatorBuild:
    """What a build that has ``made`` these files would write and delete in ``folder``, and why.

    ``before`` and ``now`` are the lock's entry of the last build and that of this one: they tell another spec from
    another generator. Anything in the folder that no build made, and that is no kernel, is left out of account. What
    is ``seen`` of folders spares reading them, and is added to.
    """
    hashes = made.hashes()
    held = None if seen is None else seen.clean(folder)
    if held is not None and held.manifest == hashes.get(MANIFEST):
        return OperatorBuild(made.name, folder)  # the manifest has the hashes of all others
    first = None if seen is None else look(folder)
    recorded = recorded_files(folder)
    cause = _cause(before, now)
    disk = {path: _hash(folder / path) for path in hashes}
    written = {
        path: _state(path, disk[path], recorded, folder, before, cause)
        for path, digest in hashes.items()
        if disk[path] != digest
    }
    removed = {}
    for path in sorted({*recorded, *leftovers(folder, hashes)}.difference(hashes)):
        old = _hash(folder / path)
        if old is not None:
            removed[path] = cause if recorded.get(path) == old else State.EDITED
    if seen is not None and not written and not removed and MANIFEST in hashes:
        targets = json.loads(made.files[MANIFEST])["targets"]
        seen.note(folder, first, Clean(hashes[MANIFEST], tuple(targets["built"]), tuple(targets["declared"])))
    new = made.some(written)
    return OperatorBuild(made.name, folder, tuple(new), tuple(removed), states={**written, **removed}, new=new)


def compare_orphan(name: str, folder: Path, given: Path) -> OperatorBuild:
    """What a build of ``given`` deletes of an operator whose spec is gone: the manifest, and what it owns and nobody
    edited."""
    recorded = recorded_files(folder)
    disk = {path: _hash(folder / path) for path in recorded}
    states = {
        path: State.ORPHAN if recorded[path] == digest else State.EDITED
        for path, digest in disk.items()
        if digest is not None
    }
    if (folder / MANIFEST).is_file():
        states[MANIFEST] = State.ORPHAN
    return OperatorBuild(name, folder, removed=tuple(sorted(states)), states=states, given=given)


def recorded_files(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path of the files that the last build wrote, as its manifest says; empty where that cannot be
    read. A manifest is a file that anyone may have edited: paths out of its folder are left out."""
    manifest = read_manifest(folder)
    listed = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(listed, dict):
        return {}
    return {path: digest for path, digest in listed.items() if isinstance(digest, str) and _is_inside(path)}


def _state(
    path: str,
    disk: str | None,
    recorded: Mapping[str, str],
    folder: Path,
    before: LockEntry | None,
    cause: State,
) -> State:
    if disk is None:
        known = path in recorded or path == MANIFEST or not folder.exists()
        return State.MISSING if known else cause
    if path == MANIFEST:
        return State.EDITED if before is not None and before.manifest != disk else cause
    return cause if recorded.get(path) == disk else State.EDITED


def _cause(before: LockEntry | None, now: LockEntry | None) -> State:
    """Why rendering gives something else than what a build wrote before."""
    if before is None or now is None or not before.made_from(now) or before.generator == now.generator:
        return State.CHANGED
    return State.OTHER_GENERATOR


def _is_inside(path: str) -> bool:
    return not os.path.isabs(path) and ".." not in Path(path).parts


def _hash(path: Path) -> str | None:
    """SHA-256 of a file; None where there is none."""
    try:
        return sha256(read_generated(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
