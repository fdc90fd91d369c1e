"""What was rendered before, kept by the hash of what it was made from.

Rendering a spec takes a few tenths of a second and depends on nothing but bytes: those of the spec and of what it
includes, the generator's sources, and the packages that these use. So a build, and a check above all, renders only what
nobody rendered before; ``--no-cache`` renders everything.

An entry is found by the hash of the spec. Which files a spec includes is not known before it is read, so that is an
entry too: it names them, and the hash over it and them leads on.

The store is that of compiled kernels (`runtime.toolchain.cache`): of one user, checked before use, bounded in size.
Where it cannot be used, a build renders.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pyptogen.builder.fingerprint import sha256
from pyptogen.builder.rendered import Packed, Rendered
from pyptogen.diagnostics import DiagnosticError
from pyptogen.regular_files import read_regular
from pyptogen.runtime.toolchain.cache import MOST_BYTES, Cache, digest

_FORMAT = "1"
_KIND = "rendered"
_FEW = 32
"""Entries after which the whole store is not looked through each time."""
_PACKAGES = ("jinja2", "ml_dtypes", "numpy", "pydantic", "ruamel.yaml", "sympy")
"""Packages that decide what is generated, besides our own sources."""


@dataclass(slots=True)
class Kept:
    """The kept folders that ``generator`` (the hash of its sources) made; ``targets`` as in `build`."""

    generator: str
    targets: Sequence[str] | None
    cache: Cache
    read: dict[Path, bytes | None] = field(default_factory=dict, repr=False)
    """Files that several specs include are read once."""

    @classmethod
    def open(cls, generator: str, targets: Sequence[str] | None) -> Kept | None:
        """The user's store, or None where it cannot be used."""
        try:
            return cls(generator, targets, Cache())
        except DiagnosticError:
            return None

    def find(self, spec: Path, lenient: bool) -> Rendered | None:
        """What was rendered of ``spec``, if it was made from the same bytes; ``lenient`` as in `render_operator`."""
        try:
            return self._follow(spec, lenient, {spec: read_regular(spec)})[2]
        except OSError:
            return None

    def keep(self, spec: Path, lenient: bool, rendered: Rendered, sources: Mapping[Path, bytes]) -> None:
        """Keep what was rendered of ``spec``; ``sources`` are the bytes of it and of what it includes, of which it was
        rendered. What cannot be kept is rendered again the next time."""
        root = spec.resolve().parent
        try:
            beside = {path: path.resolve().relative_to(root).as_posix() for path in rendered.includes}
            includes = list(beside.values())
            contents = {spec.parent / beside.get(path, spec.name): data for path, data in sources.items()}
            key, listed, there = self._follow(spec, lenient, contents)
            if there is not None:
                return
            if not set(includes) <= set(listed):
                self._write(key, {"includes": includes}, b"")
                key = self._key_behind(key, spec, includes, contents)
            self._write(key, *_parts(rendered, includes))
        except (OSError, ValueError, DiagnosticError):
            return

    def tidy(self, made: int) -> None:
        """Let the store keep to its bound, once ``made`` entries were made: a few of them cannot do much harm."""
        if made > _FEW:
            self.cache.prune(MOST_BYTES)
        else:
            self.cache.prune_now_and_then()

    def _follow(
        self, spec: Path, lenient: bool, contents: Mapping[Path, bytes]
    ) -> tuple[str, Sequence[str], Rendered | None]:
        """The key at which a spec's folder is kept or belongs, the included files that went into it, and what is
        kept; ``contents`` are bytes of files that are known, the spec's among them."""
        asked = "*" if self.targets is None else " ".join(sorted(set(self.targets)))
        key = digest(_FORMAT, self.generator, _environment(), spec.name, contents[spec], asked, str(lenient))
        listed: Sequence[str] = ()
        while (found := self.cache.get(_KIND, key, ".zz")) is not None:
            head, _, data = found.partition(b"\n")
            entry = json.loads(head)
            if "name" in entry:
                read = {path: self._content(path, contents) for path in (spec, *_beside(entry, spec))}
                sources = {path: sha256(bytes_) for path, bytes_ in read.items() if bytes_ is not None}
                return key, listed, replace(_rendered(entry, data, spec), sources=sources)
            listed = entry["includes"]
            key = self._key_behind(key, spec, listed, contents)
        return key, listed, None

    def _key_behind(self, key: str, spec: Path, includes: Sequence[str], contents: Mapping[Path, bytes]) -> str:
        found = [self._content(spec.parent / path, contents) for path in includes]
        return digest(key, *(b"absent" if data is None else b"there" + data for data in found))

    def _content(self, path: Path, contents: Mapping[Path, bytes]) -> bytes | None:
        if path in contents:
            return contents[path]
        if path not in self.read:
            try:
                self.read[path] = read_regular(path)
            except OSError:
                self.read[path] = None
        return self.read[path]

    def _write(self, key: str, entry: Mapping[str, Any], data: bytes) -> None:
        content = json.dumps(entry).encode() + b"\n" + data

        def make(path: Path) -> None:
            path.write_bytes(content)

        self.cache.file(_KIND, key, ".zz", make, prune=False)


def _parts(rendered: Rendered, includes: Sequence[str]) -> tuple[dict[str, Any], bytes]:
    files = Packed.of(rendered.files)
    head = {
        "name": rendered.name,
        "notes": rendered.notes,
        "includes": includes,
        "sizes": files.sizes,
        "hashes": dict(rendered.hashes()),
    }
    return head, files.data


def _rendered(entry: Mapping[str, Any], data: bytes, spec: Path) -> Rendered:
    files = Packed(entry["sizes"], data)
    return Rendered(entry["name"], files, tuple(entry["notes"]), _beside(entry, spec), entry["hashes"])


def _beside(entry: Mapping[str, Any], spec: Path) -> tuple[Path, ...]:
    return tuple(spec.parent / path for path in entry["includes"])


@lru_cache(maxsize=1)
def _environment() -> str:
    """What decides what is generated besides our own sources."""
    return " ".join((platform.python_version(), *(f"{name}={_version(name)}" for name in _PACKAGES)))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
