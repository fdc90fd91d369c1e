"""The library's A2/A3 kernels with the device's own headers, where the user names an installation of PTO-ISA.

What those say at compile time is said of every kernel; what they say at run time (``PTO_ASSERT``) of kernels that need
no second core, run once on the first case of their spec. The mocked intrinsics move no data: values are not judged,
and what a kernel reads from a result of another one is whatever was there.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from operators.conftest import SPECS
from operators.device_headers import CORES, copied, device_toolchain
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.package.launches import device_operator
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import Toolchain
from pyptogen.runtime.toolchain.compiler import find_compilers
from pyptogen.schema import load_spec
from pyptogen.verify.cases import case_dims

ROOT = os.environ.get("PTO_ISA_ROOT", "")
pytestmark = pytest.mark.skipif(not ROOT, reason="PTO_ISA_ROOT names no installation of the public PTO-ISA headers")
MIXED = "pto/side_by_side.hpp"
"""What the orchestration of an operator with mixed kernels includes."""
FOLDERS = sorted(path.parent for path in (SPECS.parent / "generated").glob("*/a2a3") if (path / "kernels").is_dir())

PACKAGED = [folder.name for folder in FOLDERS]


@pytest.fixture(scope="module")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    """A compiler with the device's headers, read once."""
    compilers = [c for c in find_compilers(prefer="clang") if c.family == "clang"]
    if not compilers:
        pytest.skip("no clang++, which the public headers need")
    folder = tmp_path_factory.mktemp("device")
    return device_toolchain(compilers[0], copied(Path(ROOT), folder / "isa"), folder / "cache")


def refusal(toolchain: Toolchain, file: Path) -> str:
    """What the device's headers say against a kernel, empty if nothing."""
    flags = (*toolchain.flags, *toolchain.headers.include_flags(toolchain.cache))
    flags += ("-include", str(toolchain.prefix_header()))
    with TemporaryDirectory() as folder:  # clang as Zig packages it wants to write something
        said = toolchain.compiler.run([*flags, "-c", str(file), "-o", f"{folder}/kernel.o"])
    return said.stderr if said.returncode else ""


def run(toolchain: Toolchain, folder: Path) -> None:
    """Compile a generated folder for A2/A3 and run the first case of its spec on one core."""
    spec = load_spec(next(iter(sorted(folder.glob("*.yaml")))))
    program = from_spec(spec)
    paths = [folder / "wrapper.hpp", *sorted((folder / "a2a3").rglob("*.cpp"))]
    sources = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    library = toolchain.shared_object(program.name, sources, [entry_name(program.name, "a2a3")])
    operator = CompiledOperator(spec, program, "a2a3", library, 1)
    operator(**operator.example_inputs(seed=7, **case_dims(spec, program, {})))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_kernels_of_the_library(toolchain: Toolchain, folder: Path) -> None:
    """Mixed kernels wait for each other, which the mocks cannot: they are compiled only."""
    orchestration = (folder / "a2a3" / "orchestration.cpp").read_text()
    if MIXED not in orchestration:
        run(toolchain, folder)
        return
    for file in sorted((folder / "a2a3" / "kernels").glob("*.cpp")):
        assert refusal(toolchain, file) == ""


@pytest.mark.parametrize("name", PACKAGED)
def test_kernels_of_a_package(toolchain: Toolchain, tmp_path: Path, name: str) -> None:
    """Each file for the kind of core that `build.sh` names for it, a mixed one for both, as the build does."""
    kernels = device_operator(lower(from_spec(load_spec(SPECS / f"{name}.yaml")), "a2a3")).kernels
    kinds = kernels.kinds()
    assert kinds
    for kernel, text in kernels.files().items():
        file = tmp_path / f"{kernel}.cpp"
        file.write_text(str(text))
        for core in CORES if kinds[kernel] == "mixed" else (kinds[kernel],):
            assert refusal(of_core(toolchain, core), file) == "", f"{kernel} for {core} cores"


def of_core(toolchain: Toolchain, core: str) -> Toolchain:
    """The compiler for one kind of core alone."""
    others = {flag for kind, flags in CORES.items() if kind != core for flag in flags}
    return replace(toolchain, flags=tuple(flag for flag in toolchain.flags if flag not in others))
