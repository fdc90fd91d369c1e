"""The headers and generated kernels by the clang of the PyPI package `ziglang`, which every development install has.

For x86-64 and AArch64, without a warning, whatever compilers the machine has.

`zig c++` would build its C++ library before its first run, a minute of work; the clang inside is called instead, with
the package's headers.
"""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest
from compiling import as_one_unit
from packaged_library import library_configuration

from .conftest import INCLUDE
from .test_compilers import every_header

GENERATED = INCLUDE.parents[2] / "generated"
OPERATORS = {"cpu": ("softmax", "rms_norm_bf16", "matmul_int8", "indexer_prolog"), "a2a3": ("softmax",)}
MACHINES = {
    "x86-64 portable": ("x86_64-linux-gnu", "-DPTO_PORTABLE"),
    "x86-64 AVX-512": ("x86_64-linux-gnu", "-march=skylake-avx512"),
    "x86-64 AVX-512 BF16": ("x86_64-linux-gnu", "-march=icelake-server", "-mavx512bf16"),
    "x86-64 AMX": ("x86_64-linux-gnu", "-march=sapphirerapids"),
    "x86-64 checked": ("x86_64-linux-gnu", "-DPTO_CHECKED"),
    "AArch64": ("aarch64-linux-gnu",),
    "AArch64 checked": ("aarch64-linux-gnu", "-DPTO_CHECKED"),
}


@pytest.fixture(scope="module")
def package() -> Path:
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        pytest.skip("no package `ziglang` here (it is part of the extra `dev`)")
    return Path(found.origin).parent


def command(package: Path, target: str, *flags: str) -> list[str]:
    """clang for a target such as `aarch64-linux-gnu`, with all warnings as errors."""
    processor = target.partition("-")[0].removesuffix("_64")
    libc = package / "lib" / "libc" / "include"
    systems = [libc / name for name in (f"{processor}-linux-gnu", "generic-glibc", f"{processor}-linux-any")]
    folders = [package / "lib" / "libcxx" / "include", package / "lib" / "include", *systems, libc / "any-linux-any"]
    return [
        *(str(package / "zig"), "clang", "--no-default-config", "-target", target, "-nostdinc", "-nostdinc++"),
        *(argument for folder in folders if folder.exists() for argument in ("-isystem", str(folder))),
        *library_configuration(),
        *("-D__GLIBC_MINOR__=31", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{INCLUDE}", *flags),
    ]


def rejection(arguments: list[str]) -> str:
    """What the compiler has against its input; empty when nothing."""
    said = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return said.stderr[:4000] if said.returncode != 0 else ""


@pytest.mark.parametrize("machine", list(MACHINES))
def test_every_header(package: Path, machine: str, tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(every_header())
    assert not rejection([*command(package, *MACHINES[machine]), "-fsyntax-only", str(source)])


@pytest.mark.parametrize("machine", ["x86-64 AMX", "AArch64"])
@pytest.mark.parametrize("target", list(OPERATORS))
def test_generated_kernels(package: Path, machine: str, target: str, tmp_path: Path) -> None:
    """Down to objects: what a header promises an instruction selector has to keep. All kernels of a target are one
    unit, which reads the headers once."""
    folders = [GENERATED / operator / target / "kernels" for operator in OPERATORS[target]]
    sources = {
        path.relative_to(GENERATED).as_posix(): path.read_text() for at in folders for path in sorted(at.glob("*.cpp"))
    }
    assert len(sources) >= len(folders)
    (unit,) = (path for path in as_one_unit(sources) if path.endswith(".cpp"))
    for path, text in as_one_unit(sources).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("#include <pto/pto-inst.hpp>\n" + text if path == unit else text)
    output = tmp_path / "unit.o"
    arguments = [*command(package, *MACHINES[machine]), "-O1", "-ffp-contract=off", "-c"]
    assert not rejection([*arguments, str(tmp_path / unit), "-o", str(output)])
    assert output.stat().st_size > 1000 * len(sources)


def test_a_fault_is_seen(package: Path, tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text("#include <pto/pto-inst.hpp>\nint f(int a) { int unused; return a; }\n")
    assert "unused" in rejection([*command(package, "aarch64-linux-gnu"), "-fsyntax-only", str(source)])
