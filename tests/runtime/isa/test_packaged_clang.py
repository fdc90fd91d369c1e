"""The headers and generated kernels by the clang of the PyPI package `ziglang`, which every development install has.

For x86-64 and AArch64, without a warning, whatever compilers the machine has.

`zig c++` would build its C++ library before its first run, a minute of work; the clang inside is called instead, with
the package's headers.
"""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from compiling import as_one_unit
from packaged_library import library_configuration

from .conftest import INCLUDE
from .reading import kept
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


def run(arguments: list[str], text: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What the compiler says of a source that is its input."""
    return subprocess.run(
        [*arguments, "-xc++", "-"], input=text, cwd=folder, capture_output=True, text=True, check=False
    )


def rejection(
    package: Path, ask: Callable[[], subprocess.CompletedProcess[str]], arguments: list[str], *texts: str
) -> str:
    """What the compiler has against its input; empty when nothing."""
    where = (argument.replace(str(package), "<package>") for argument in arguments)
    said = kept(ask, f"ziglang {version('ziglang')}", *where, *texts)
    return said.stderr[:4000] if said.returncode != 0 else ""


@pytest.mark.parametrize("machine", list(MACHINES))
def test_every_header(package: Path, machine: str) -> None:
    arguments, text = [*command(package, *MACHINES[machine]), "-fsyntax-only"], every_header()
    assert not rejection(package, lambda: run(arguments, text), arguments, text)


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
    files = dict(as_one_unit(sources))
    text = "#include <pto/pto-inst.hpp>\n" + files.pop(unit)
    arguments = [*command(package, *MACHINES[machine]), "-O1", "-ffp-contract=off", "-c", "-o", "unit.o"]

    def compiled() -> subprocess.CompletedProcess[str]:
        for path, included in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(included)
        said = run(arguments, text, tmp_path)
        assert said.returncode != 0 or (tmp_path / "unit.o").stat().st_size > 1000 * len(sources)
        return said

    texts = (part for path in sorted(files) for part in (path, files[path]))
    assert not rejection(package, compiled, arguments, text, *texts)


def test_a_fault_is_seen(package: Path) -> None:
    text = "#include <pto/pto-inst.hpp>\nint f(int a) { int unused; return a; }\n"
    arguments = [*command(package, "aarch64-linux-gnu"), "-fsyntax-only"]
    assert "unused" in rejection(package, lambda: run(arguments, text), arguments, text)
