"""``pyptogen.lock``: from which spec, and by which generator, each folder of a library was made.

What people review holds no hash of the generator: a comment in the compiler would otherwise change every manifest of
a library whose kernels stay as they are. So what a build needs to know of the last one, and nobody needs to read,
stands in one file beside the operators' folders, a line an operator:

- the quick answer, that nothing changed, is given from it (`unchanged_specs`);
- ``build --check`` tells by it why a file differs: another spec, or another generator;
- a folder whose spec is gone is found by it.

It may be out of date, or missing: then a build renders and compares, and nothing is lost but time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from pyptogen._version import __version__
from pyptogen.builder.fingerprint import MANIFEST, leftovers, read_generated, sha256
from pyptogen.builder.seen import Clean, Seen, look
from pyptogen.records import dataclass
from pyptogen.regular_files import read_regular

LOCK = "pyptogen.lock"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class LockEntry:
    """What the folder of one operator was made from.

    ``spec`` and ``includes`` are paths relative to the folder that holds the lock file, with ``/``; their SHA-256 stand
    beside them. ``generator`` is the hash of the generator's sources and ``pyptogen`` its version; ``manifest`` the
    SHA-256 of the manifest that was written.
    """

    spec: str
    spec_hash: str
    includes: Mapping[str, str]
    generator: str
    pyptogen: str
    manifest: str = ""

    def made_from(self, other: LockEntry) -> bool:
        """Whether spec and includes have the same bytes in both."""
        return (self.spec_hash, dict(self.includes)) == (other.spec_hash, dict(other.includes))


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock file of a library; ``operators`` by name. An unreadable or missing file is an empty lock."""

    operators: Mapping[str, LockEntry] = field(default_factory=dict)


def entry(spec: Path, sources: Mapping[Path, str], out: Path, generator: str, manifest: str) -> LockEntry:
    """The entry of an operator that was rendered from ``spec`` for the library ``out``. ``sources``: SHA-256 of the
    spec and of what it includes, as they were read; ``manifest``: that of its manifest."""
    return LockEntry(
        relative(spec, out),
        sources[spec],
        {relative(path, out): sources[path] for path in sorted(sources) if path != spec},
        generator,
        __version__,
        manifest,
    )


def relative(path: Path, out: Path) -> str:
    """``path`` as it is seen from the folder of the library, whatever the working directory is."""
    return Places(out).of(path)


class Places:
    """Paths as they are seen from the folder of a library. Where links lead is asked once a folder, so this is for as
    long as one build takes."""

    def __init__(self, out: Path) -> None:
        self._root = os.path.realpath(out)
        self._folders: dict[str, str] = {}

    def of(self, path: Path) -> str:
        """The path relative to the library, with ``/``, behind all links."""
        head, name = os.path.split(path)
        if name in ("", ".", "..") or os.path.islink(path):
            real = os.path.realpath(path)
        else:
            if head not in self._folders:
                self._folders[head] = os.path.relpath(os.path.realpath(head), self._root)
            real = os.path.join(self._folders[head], name)
            return os.path.normpath(real).replace(os.sep, "/")
        return os.path.relpath(real, self._root).replace(os.sep, "/")


def read_lock(out: Path) -> Lock:
    """The lock of the library ``out``; entries that are no entries are left out."""
    try:
        operators = json.loads(read_generated(out / LOCK))["operators"].items()
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Lock()
    return Lock({name: found for name, value in operators if (found := _parse(value)) is not None})


def _parse(value: Any) -> LockEntry | None:
    try:
        spec, includes = value["spec"], value["includes"]
        texts = (spec["file"], spec["sha256"], value["generator"], value["pyptogen"], value["manifest"])
        if not all(isinstance(text, str) for text in (*texts, *includes, *includes.values())):
            return None
        return LockEntry(texts[0], texts[1], dict(includes), *texts[2:])
    except (KeyError, TypeError, AttributeError):
        return None


def render_lock(lock: Lock) -> bytes:
    """The text of the lock file: JSON, sorted, a line an operator, so that two branches that built different operators
    merge."""
    lines = [
        f"    {json.dumps(name)}: {json.dumps(_plain(one), sort_keys=True)}"
        for name, one in sorted(lock.operators.items())
    ]
    body = ",\n".join(lines)
    return f'{{\n  "format": {FORMAT},\n  "operators": {{\n{body}\n  }}\n}}\n'.encode()


def _plain(one: LockEntry) -> dict[str, Any]:
    return {
        "generator": one.generator,
        "includes": dict(one.includes),
        "manifest": one.manifest,
        "pyptogen": one.pyptogen,
        "spec": {"file": one.spec, "sha256": one.spec_hash},
    }


@dataclass(frozen=True, slots=True)
class Unchanged:
    """An operator whose folder no build would change. ``folder``: what the file system said about the folder itself
    before it was looked at; a build that writes puts another one in its place."""

    name: str
    folder: tuple[int, int]


def identity(folder: Path) -> tuple[int, int]:
    """Inode of a folder, and the time of its last change; zeros where there is none."""
    try:
        status = os.stat(folder)
    except OSError:
        return (0, 0)
    return status.st_ino, status.st_ctime_ns


def unchanged_specs(
    specs: Collection[Path],
    out: Path,
    targets: Collection[str] | None,
    generator: str,
    seen: Seen | None = None,
    places: Places | None = None,
) -> dict[Path, Unchanged | None]:
    """By spec the operator where a build into ``out`` would change nothing, else None.

    Asked of bytes alone, without reading the spec as a spec: importing the schema and sympy costs more than the whole
    answer. None also when it cannot be told cheaply (no lock or manifest, unreadable ones): then the build goes the
    long way. ``targets`` None means the targets that the spec declares. What is ``seen`` of folders spares reading
    them, and is added to.
    """
    by_spec: dict[str, list[tuple[str, LockEntry]]] = {}
    for name, one in read_lock(out).operators.items() if specs else ():
        by_spec.setdefault(one.spec, []).append((name, one))
    places = places or Places(out)
    included, found = dict[Path, str](), dict[Path, Unchanged | None]()
    for spec in specs:
        found[spec] = None
        entries = by_spec.get(places.of(spec), [])
        if len(entries) == 1:
            name, one = entries[0]
            folder = identity(out / name)
            if _unchanged(name, one, spec, out, targets, generator, seen, included):
                found[spec] = Unchanged(name, folder)
    return found


def _unchanged(
    name: str,
    one: LockEntry,
    spec: Path,
    out: Path,
    targets: Collection[str] | None,
    generator: str,
    seen: Seen | None,
    included: dict[Path, str],
) -> bool:
    """``included`` has the hashes of files that specs of before include, too."""
    folder = out / name
    try:
        if (one.generator, one.pyptogen) != (generator, __version__) or one.spec_hash != sha256(read_regular(spec)):
            return False
        for path, digest in one.includes.items():
            file = out / path
            if file not in included:
                included[file] = sha256(read_regular(file))
            if included[file] != digest:
                return False
        held = None if seen is None else seen.clean(folder)
        if held is None:
            before = look(folder)
            data = read_generated(folder / MANIFEST)
            manifest = json.loads(data)
            files, listed = manifest["files"], manifest["targets"]
            held = Clean(sha256(data), tuple(listed["built"]), tuple(listed["declared"]))
            if leftovers(folder, files) or any(
                sha256(read_generated(folder / path)) != digest for path, digest in files.items()
            ):
                return False
            if seen is not None:
                seen.note(folder, before, held)
        asked = held.declared if targets is None else targets
        return one.manifest == held.manifest and set(held.built) == set(asked)
    except (KeyError, TypeError, AttributeError, OSError, ValueError, RecursionError):
        return False
