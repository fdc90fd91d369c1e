"""Which specs a change of files reaches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError
from pyptogen.spec_files import find_specs

Stamp = tuple[int, int, int]
"""Of a file: when it was written, its bytes, its place on the disk: what any editor changes."""


@dataclass(slots=True)
class Watched:
    """Specs and the files that they name: included ones, tiling tables, C++, goldens. Files are looked at, not listened
    to, so that it works on every file system."""

    paths: tuple[Path, ...]
    _seen: dict[Path, Stamp | None] = field(default_factory=dict)
    _of: dict[Path, frozenset[Path]] = field(default_factory=dict)

    def changed(self) -> tuple[Path, ...]:
        """The specs that a change since the last call reached, in order; all of them at first. One that was deleted is
        not among them."""
        try:
            specs = find_specs(self.paths)
        except DiagnosticError:  # an empty folder, between two writes
            return ()
        stamps: dict[Path, Stamp | None] = {}
        reached = []
        for spec in specs:
            files = self._of.get(spec) or self._files(spec)
            for file in (spec, *files):
                stamps.setdefault(file, _stamp(file))
            if any(stamps[file] != self._seen.get(file, ()) for file in (spec, *files)):
                self._of[spec] = self._files(spec)
                reached.append(spec)
        for files in self._of.values():
            for file in files:
                stamps.setdefault(file, _stamp(file))
        self._seen = stamps
        return tuple(reached)

    def _files(self, spec: Path) -> frozenset[Path]:
        """What a spec names; of one with a fault, what it named before, so that mending that file is seen."""
        from pyptogen.schema import load_spec

        try:
            return frozenset(Path(file) for file in load_spec(spec).includes)
        except DiagnosticError as error:
            named = {Path(one.span.file) for one in error.diagnostics if one.span is not None}
            return self._of.get(spec, frozenset()) | frozenset(named - {spec})


def _stamp(file: Path) -> Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def reached_kernels(new: Iterable[str], removed: Iterable[str]) -> tuple[str, ...]:
    """The kernels among paths of generated files, as ``target/name``, removed ones with a minus."""
    kernels = [f"{path.split('/')[0]}/{Path(path).stem}" for path in new if "/kernels/" in path]
    return (*kernels, *(f"-{path.split('/')[0]}/{Path(path).stem}" for path in removed if "/kernels/" in path))
