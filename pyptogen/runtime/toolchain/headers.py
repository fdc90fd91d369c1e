"""Which PTO-ISA headers kernels are compiled against: the bundled ones, or an installation of the user's."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import fault
from pyptogen.runtime.toolchain.cache import Cache, digest

BUNDLED = Path(__file__).parents[1] / "include"
_ORCHESTRATION = "orchestration"
"""Headers by names that other runtimes have, too: found by programs of this runtime only, not by whoever takes the
bundled folder for an installation of PTO-ISA."""
_OWN_HEADERS = (
    "orchestration/intrinsic.h",
    "orchestration/orchestration_api.h",
    "orchestration/pto_orchestration_api.h",
    "orchestration/tensor.h",
    "pto/field.hpp",
    "pto/field_tensor.hpp",
    "pto/orchestration.hpp",
    "pto/runtime.hpp",
    "pto/side_by_side.hpp",
    "pto/simulated_fifos.hpp",
)
_NOT_FOR_CPUS = ("npu", "costmodel")


@dataclass(frozen=True, slots=True)
class Headers:
    """A set of headers. ``key`` is a hash of all their content; ``isa`` is the user's include folder, if
    one is used.

    Compilation never reads the bundled folder itself but a copy in the cache, named by its hash: so an
    upgrade of the package during a build, or a changed file date, cannot lead to objects that do not match
    their key.
    """

    key: str
    isa: Path | None
    own: tuple[tuple[str, bytes], ...]

    def include_flags(self, cache: Cache) -> tuple[str, ...]:
        """``-I`` flags; the user's installation comes first."""
        own = cache.tree("headers", _content_key(self.own), dict(self.own))
        isa = () if self.isa is None else (f"-I{self.isa}",)
        return (*isa, f"-I{own}", f"-I{own / _ORCHESTRATION}")


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".hpp", ".h", ".inc") and path.is_file():
            yield path.relative_to(folder).as_posix(), path


def bundled_headers() -> Headers:
    """This project's own implementation for CPUs."""
    own = tuple((name, path.read_bytes()) for name, path in _files(BUNDLED))
    return Headers(digest("bundled", _content_key(own)), None, own)


@functools.lru_cache(maxsize=8)
def _content_key(own: tuple[tuple[str, bytes], ...]) -> str:
    """Hash of names and content. A process asks several times for each operator, and it is a megabyte."""
    return digest(*(part for name, data in own for part in (name, data)))


def isa_root(given: str | Path | None, target: str) -> Path | None:
    """The installation to use for a target: the given one, else the one that PTO_ISA_ROOT names, else none.

    The environment variable does not concern target ``cpu``: its kernels use forms that only the bundled
    headers have, such as packed weights.
    """
    if given is None and target != "cpu":
        given = os.environ.get("PTO_ISA_ROOT") or None
    return None if given is None else Path(given)


def isa_headers(root: Path) -> Headers:
    """An installation of PTO-ISA: ``root`` holds ``include/pto/pto-inst.hpp``, or is that ``include`` folder.

    Only the launch interface (``pto/runtime.hpp`` and the headers above it) is still this project's. Raises
    PTG503.
    """
    for include in (root / "include", root):
        if (include / "pto" / "pto-inst.hpp").is_file():
            break
    else:
        raise fault(
            "PTG503",
            f"no PTO-ISA headers in {root}",
            None,
            expected=f"the file {root / 'include' / 'pto' / 'pto-inst.hpp'}",
            fix="give the folder that holds `include/pto`, or leave it out to use the bundled headers",
        )
    own = tuple((name, (BUNDLED / name).read_bytes()) for name in _OWN_HEADERS)
    include = include.absolute()
    return Headers(digest("isa", str(include), _tree_hash(include), *(data for _, data in own)), include, own)


@functools.cache
def _tree_hash(include: Path) -> str:
    """Hash of what a CPU build can include. One read per process: an installation does not change under a
    program.
    """
    parts: list[str | bytes] = []
    for name, path in _files(include / "pto"):
        if name.split("/", 1)[0] not in _NOT_FOR_CPUS:
            parts += (name, path.read_bytes())
    return digest(*parts)
