"""Compiles the C++ kernels of this directory, once for each flavour of the bundled PTO-ISA implementation.

The flavours are the best path of this machine, the portable one, and for some tests the path of processors with a
matrix unit and arithmetic of halves, both in software (emulated/).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from compiling import NIGHTLY, QUICK

from pyptogen.processors import available_processors
from pyptogen.runtime.toolchain.build import Toolchain
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import Compiler, find_compiler
from pyptogen.runtime.toolchain.cpu import PORTABLE, X86_LEVELS, features
from pyptogen.runtime.toolchain.headers import Headers, bundled_headers

from . import emulated

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "pyptogen" / "runtime" / "include"
COMMON_FLAGS = ("-std=c++20", "-ffp-contract=off", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror")
# Precompiled, the pragma around <immintrin.h> no longer silences gcc 12 about its "undefined" operands.
QUIET = ("-Wno-uninitialized", "-Wno-maybe-uninitialized")

Build = Callable[[str], ctypes.CDLL]


def is_of_a_machine(header: Path) -> bool:
    """Whether a header is a machine's part of another one, which alone may include it."""
    machines = ("_avx512", "_avx2", "_generic")
    return header.stem.endswith(machines) and "only." in header.read_text().partition("#pragma once")[0]


def compiler() -> str:
    return os.environ.get("CXX", "g++")


OPTIMISATION = ("-O2",) if NIGHTLY else QUICK
CHECKED_OPTIMISATION = () if NIGHTLY else ("-O0",)
"""Of kernels that define PTO_CHECKED: a call is short, and to optimise the checks is a third of compiling them."""
_FAST = next((level for level in X86_LEVELS if level.needs <= features()), None)
FLAVOURS = {
    "fast": None if _FAST is None else (*OPTIMISATION, *_FAST.flags, *QUIET),
    "portable": (*OPTIMISATION, *PORTABLE.flags),
}
"""The best path of this machine, None where it has none, and the one that every machine has."""
CHECKED_FLAVOURS = list(FLAVOURS) if NIGHTLY else ["portable"]
"""For the checked mode, whose checks stand before the instructions and are the same code on every path. Whole operators
are run in it on the best path: `tests/properties`."""

ALSO_EMULATED = {
    *("test_cube_forms", "test_held", "test_matmul", "test_vector_pass"),
    *("test_compare", "test_convert", "test_halves"),
}
"""The tests of what the headers do otherwise where there is a matrix unit, and where there is arithmetic of halves."""


@dataclass(frozen=True)
class Kernels:
    """Shared objects of the kernels here, made by the runtime's toolchain with its precompiled header and cache."""

    toolchain: Toolchain

    def compile(self, name: str) -> Path:
        """The shared object of kernels/NAME.cpp; fails with what the compiler says, warnings too."""
        source = HERE / "kernels" / f"{name}.cpp"
        text = source.read_text()
        shared = [header.read_text() for header in sorted((HERE / "kernels").glob("*.hpp"))]
        key = digest("isa tests", self.toolchain.key, *CHECKED_OPTIMISATION, text, *shared)
        return self.toolchain.cache.file("tests", key, ".so", lambda output: self._compile(source, text, output))

    def _compile(self, source: Path, text: str, output: Path) -> None:
        toolchain = self.toolchain
        # What a kernel defines is for the headers: then they are not the precompiled ones.
        own = text.partition("#include")[0]
        precompiled = "#define" not in own
        optimisation = CHECKED_OPTIMISATION if "#define PTO_CHECKED\n" in own else ()
        prefix = ("-include", str(toolchain.prefix_header())) if precompiled else ()
        bodies = map(str, toolchain.bodies()) if precompiled else ()
        include = toolchain.headers.include_flags(toolchain.cache)
        said = toolchain.compiler.run(
            [*toolchain.flags, *optimisation, *include, *prefix, "-shared", str(source), *bodies, "-o", str(output)]
        )
        assert said.returncode == 0, said.stderr


def kernels_for(compiler: Compiler, flags: tuple[str, ...], headers: Headers | None = None) -> Kernels:
    """The kernels compiled by a compiler for a machine, with the bundled headers unless others are given."""
    return Kernels(Toolchain(compiler, "tests", (*COMMON_FLAGS, *flags), headers or bundled_headers(), Cache()))


def emulated_kernels() -> Kernels:
    """The kernels for a matrix unit in software; skips where the machine lacks what is beside that unit."""
    if not emulated.LEVEL.needs <= features():
        pytest.skip("this CPU has no AVX-512 with bf16 and VBMI")
    return kernels_for(find_compiler(), (*OPTIMISATION, *emulated.LEVEL.flags, *QUIET), emulated.headers())


def flavours_of(module: str) -> list[str]:
    """The flavours in which the tests of a module run."""
    flavours = CHECKED_FLAVOURS if module.startswith("test_checked") else list(FLAVOURS)
    return [*flavours, *([emulated.LEVEL.name] if module in ALSO_EMULATED else [])]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each flavour in turn for tests that ask for ``build``."""
    if "build" in metafunc.fixturenames:
        flavours = flavours_of(metafunc.module.__name__.rpartition(".")[2])
        metafunc.parametrize("build", flavours, indirect=True, scope="session")


def flavour_of(item: pytest.Item) -> str | None:
    """Of a collected test, None where it is for none."""
    call = getattr(item, "callspec", None)
    return None if call is None else call.params.get("build")


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Iterator[Build]:
    """``build("elementwise")`` is the shared object of kernels/elementwise.cpp in the current flavour.

    Compilations of the kernels that the test files collected for this flavour are named after begin at once, as many at
    a time as there are processors.
    """
    if request.param == emulated.LEVEL.name:
        kernels = emulated_kernels()
    else:
        flags = FLAVOURS[request.param]
        if flags is None:
            pytest.skip("this CPU has no AVX2")
        kernels = kernels_for(find_compiler(), flags)
    kernels.toolchain.prefix_header()
    kernels.toolchain.bodies()
    mine = (item for item in request.session.items if flavour_of(item) == request.param)
    collected = dict.fromkeys(item.path.stem.removeprefix("test_") for item in mine)
    pool = ThreadPoolExecutor(max_workers=available_processors())
    objects: dict[str, Future[Path]] = {
        name: pool.submit(kernels.compile, name) for name in collected if (HERE / "kernels" / f"{name}.cpp").exists()
    }
    loaded: dict[str, ctypes.CDLL] = {}

    def load(name: str) -> ctypes.CDLL:
        if name not in loaded:
            path = objects[name].result() if name in objects else kernels.compile(name)
            loaded[name] = ctypes.CDLL(str(path))
        return loaded[name]

    yield load
    pool.shutdown(cancel_futures=True)
