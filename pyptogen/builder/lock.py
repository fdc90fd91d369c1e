"""``pyptogen.lock``: from which spec, and by which generator, each folder of a library was made.

What people review holds no hash of the generator: a comment in the compiler would otherwise change every manifest of
a library whose kernels stay as they are. So what a build needs to know of the last one, and nobody needs to read,
stands in one file beside the operators' folders, a line an operator:

- the quick answer, that nothing changed, is given from it (`unchanged`);
- ``build --check`` tells by it why a file differs: another spec, or another generator;
- a folder whose spec is gone is found by it.

It may be out of date, or missing: then a build renders and compares, and nothing is lost but time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyptogen._version import __version__
from pyptogen.builder.fingerprint import MANIFEST, leftovers, read_generated, sha256
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


def entry(spec: Path, includes: Collection[Path], out: Path, generator: str, manifest: bytes) -> LockEntry:
    """The entry of an operator that was rendered from ``spec`` for the library ``out``. Raises ``OSError`` where a file
    cannot be read."""
    return LockEntry(
        relative(spec, out),
        sha256(read_regular(spec)),
        {relative(path, out): sha256(read_regular(path)) for path in sorted(includes)},
        generator,
        __version__,
        sha256(manifest),
    )


def relative(path: Path, out: Path) -> str:
    """``path`` as it is seen from the folder of the library, whatever the working directory is."""
    return Path(os.path.relpath(path.resolve(), out.resolve())).as_posix()


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


def unchanged(spec: Path, out: Path, targets: Collection[str] | None, generator: str) -> str | None:
    """The operator's name when a build of ``spec`` into ``out`` would change nothing, else None.

    Asked of bytes alone, without reading the spec as a spec: importing the schema and sympy costs more than the whole
    answer. None also when it cannot be told cheaply (no lock or manifest, unreadable ones): then the build goes the
    long way. ``targets`` None means the targets that the spec declares.
    """
    return _unchanged(read_lock(out), spec, out, targets, generator)


def unchanged_specs(
    specs: Collection[Path], out: Path, targets: Collection[str] | None, generator: str
) -> dict[Path, str | None]:
    """`unchanged` of many specs, which reads the lock once."""
    lock = read_lock(out)
    return {spec: _unchanged(lock, spec, out, targets, generator) for spec in specs}


def _unchanged(lock: Lock, spec: Path, out: Path, targets: Collection[str] | None, generator: str) -> str | None:
    place = relative(spec, out)
    found = [(name, one) for name, one in lock.operators.items() if one.spec == place]
    if len(found) != 1:
        return None
    name, one = found[0]
    folder = out / name
    try:
        data = read_generated(folder / MANIFEST)
        manifest = json.loads(data)
        declared = manifest["targets"]["declared"] if targets is None else targets
        same = (
            one == entry(spec, [out / path for path in one.includes], out, generator, data)
            and set(manifest["targets"]["built"]) == set(declared)
            and all(sha256(read_generated(folder / path)) == digest for path, digest in manifest["files"].items())
            and not leftovers(folder, manifest["files"])
        )
    except (KeyError, TypeError, AttributeError, OSError, ValueError, RecursionError):
        return None
    return name if same else None
