"""What a machine has of all that pyptogen uses: looked at, not changed."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyptogen._version import __version__
from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.processors import available_processors
from pyptogen.runtime.toolchain.cache import Cache
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.cpu import native_level
from pyptogen.runtime.toolchain.headers import isa_headers

EXTRAS = {
    "compiler": ("ziglang",),
    "torch": ("torch",),
    "lsp": ("pygls",),
    "ray": ("ray",),
}
"""The packages that make an extra."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One thing: what it is called, what was found, and what is wrong with it."""

    name: str
    text: str
    faults: tuple[Diagnostic, ...] = ()


def examine() -> Iterator[Examined]:
    """Everything, in the order in which a first run needs it. Nothing is compiled or imported; the folder
    of the cache is made, as every command makes it."""
    place = Path(__file__).resolve().parents[1]
    yield Examined("pyptogen", f"{__version__} in {place}, Python {platform.python_version()} ({sys.executable})")
    yield _compiler()
    level = native_level()
    yield Examined("machine", f"{platform.machine()}, level {level.name}, {available_processors()} processors")
    yield _cache()
    yield _isa()
    for extra, packages in EXTRAS.items():
        yield Examined(f"[{extra}]", ", ".join(_installed(package) for package in packages))
    yield _torch_npu()


def _compiler() -> Examined:
    try:
        found = find_compiler()
    except DiagnosticError as error:
        return Examined(
            "compiler", "none: kernels are interpreted in numpy, hundreds of times slower", error.diagnostics
        )
    version = ".".join(map(str, found.version))
    return Examined("compiler", f"{' '.join(found.command)} ({found.family} {version})")


def _cache() -> Examined:
    try:
        cache = Cache()
        entries = cache.entries()
    except DiagnosticError as error:
        return Examined("cache", "not usable", error.diagnostics)
    size = sum(entry.size for entry in entries) >> 20
    above = next(folder for folder in (cache.root, *cache.root.parents) if folder.exists())
    free = shutil.disk_usage(above).free >> 20
    return Examined("cache", f"{cache.root}: {len(entries)} entries, {size} MiB; {free} MiB free")


def _isa() -> Examined:
    given = os.environ.get("PTO_ISA_ROOT", "")
    if not given:
        return Examined("PTO-ISA", "the bundled headers (PTO_ISA_ROOT is not set)")
    try:
        found = isa_headers(Path(given))
    except DiagnosticError as error:
        return Examined("PTO-ISA", f"PTO_ISA_ROOT={given}: not usable", error.diagnostics)
    return Examined("PTO-ISA", f"{found.isa}, by PTO_ISA_ROOT: for targets other than cpu")


def _installed(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} is not installed"


def _torch_npu() -> Examined:
    home = os.environ.get("ASCEND_HOME_PATH", "")
    cann = home if home and Path(home).is_dir() else "no CANN (ASCEND_HOME_PATH)"
    return Examined("device", f"{cann}, {_installed('torch_npu')}; needed for packages alone")
