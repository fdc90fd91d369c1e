"""Other compilers and other machines: every header by itself, without a warning, and some kernels run."""

from __future__ import annotations

import ctypes
import functools
import platform
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from compiling import QUICK

from pyptogen.runtime.toolchain.compiler import Compiler, compiler_for, find_compiler, find_compilers

from .arrays import DTYPES, guarded, pointer, values
from .conftest import FLAVOURS, HERE, INCLUDE, is_of_a_machine, kernels_for
from .reading import kept

AARCH64 = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64"
STRICT = ("-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-pthread")

MACHINES = {
    "portable": ("-DPTO_PORTABLE",),
    "avx2": ("-march=haswell",),
    "avx512": ("-march=skylake-avx512",),
    "avx512-bf16": ("-march=icelake-server", "-mavx512bf16"),
    "amx": ("-march=sapphirerapids",),
    "checked": ("-DPTO_CHECKED",),
    "simulation": ("-D__CPU_SIM",),
}


@functools.cache
def clang() -> Compiler | None:
    """A clang++ of 15 or later, by any of its names; `test_packaged_clang` has the one of the package ziglang."""
    found = (one for one in find_compilers(prefer="clang") if one.family == "clang")
    return next((one for one in found if not one.packaged), None)


def rejection(found: Compiler, flags: tuple[str, ...], text: str) -> str:
    """What a compiler has against a source; empty when nothing."""
    arguments = [*STRICT, *flags, f"-I{INCLUDE}", "-xc++", "-"]
    said = kept(lambda: found.run(arguments, stdin=text), found.identity, *arguments, text)
    return said.stderr if said.returncode != 0 else ""


def every_header() -> str:
    """A source that includes all headers, the kernels' first."""
    paths = sorted(path for path in INCLUDE.glob("pto/**/*.hpp") if not is_of_a_machine(path))
    names = [name for name in (path.relative_to(INCLUDE).as_posix() for path in paths) if "/checked/" not in name]
    return "".join(f"#include <{name}>\n" for name in ("pto/pto-inst.hpp", *names))


def test_aarch64() -> None:
    if shutil.which(AARCH64) is None:
        pytest.skip(f"no {AARCH64} here (Debian: apt install g++-aarch64-linux-gnu)")
    assert not rejection(compiler_for("aarch64"), (), every_header())


PROGRAM = """
#include "expand_exp.cpp"
#include <cstdio>

int main()
{
    static half a[16 * 160], part[160], out[16 * 160];
    for (int i = 0; i < 16 * 160; ++i) {
        a[i] = static_cast<half>(static_cast<float>(i * 7919 % 2003) * 0.01f - 12.0f);
    }
    for (int i = 0; i < 160; ++i) {
        part[i] = static_cast<half>(static_cast<float>(i) * 0.03f - 1.0f);
    }
    expand_exp_fp16(0, out, a, part, 16, 157);
    return fwrite(out, sizeof(out), 1, stdout) == 1 ? 0 : 1;
}
"""


def test_aarch64_gives_the_bits_of_the_portable_path(tmp_path: Path) -> None:
    if shutil.which(AARCH64) is None or shutil.which(EMULATOR) is None:
        pytest.skip(f"no {AARCH64} and {EMULATOR} here (Debian: apt install g++-aarch64-linux-gnu qemu-user)")
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM)
    said = []
    for compiler, flags, emulator in (
        (find_compiler().command, ("-DPTO_PORTABLE",), ()),
        ((AARCH64,), (), (EMULATOR,)),
    ):
        program = tmp_path / compiler[0].rpartition("/")[2]
        folders = (f"-I{INCLUDE}", f"-I{HERE / 'kernels'}")
        command = [*compiler, "-std=c++20", "-O1", "-ffp-contract=off", "-static", "-pthread", *flags, *folders]
        subprocess.run([*command, str(source), "-o", str(program)], check=True)
        said.append(subprocess.run([*emulator, str(program)], check=True, capture_output=True).stdout)
    assert len(set(said[0])) > 100
    assert said[0] == said[1]


@pytest.mark.parametrize("machine", list(MACHINES))
def test_clang_takes_every_header(machine: str) -> None:
    found = clang()
    if found is None:
        pytest.skip("no clang++ of 15 or later here")
    if platform.machine() != "x86_64" and machine.startswith(("avx", "amx")):
        pytest.skip("these flags are for x86-64")
    assert not rejection(found, MACHINES[machine], every_header())


@pytest.mark.parametrize("machine", list(MACHINES))
def test_gcc_takes_every_header(machine: str) -> None:
    found = find_compiler()
    if platform.machine() != "x86_64" and machine.startswith(("avx", "amx")):
        pytest.skip("these flags are for x86-64")
    assert not rejection(found, MACHINES[machine], every_header())


@pytest.mark.parametrize("flavour", list(FLAVOURS))
def test_kernels_of_clang_give_the_bits_of_gcc(flavour: str) -> None:
    """Exponentials of differences and casts; neither compiler may reorder or contract arithmetic."""
    found, gcc = clang(), find_compiler()
    if found is None or gcc.family != "gcc":
        pytest.skip("not both a g++ of 12 or later and a clang++ of 15 or later here")
    own_flags = FLAVOURS[flavour]
    if own_flags is None:
        pytest.skip("this CPU has no AVX2")
    flags = tuple(flag for flag in own_flags if flag not in ("-Wno-maybe-uninitialized", *QUICK[1:]))
    rng = np.random.default_rng(1)
    exponents, column = values(rng, (16, 160), "bf16"), values(rng, (160,), "bf16")
    data = values(rng, (4, 288), "fp32")
    results = []
    for compiler, own in ((gcc, own_flags), (found, flags)):
        kernels = kernels_for(compiler, own)
        exponentials, whole = guarded((16, 160), DTYPES["bf16"]), guarded((4, 288), np.dtype(np.int8))
        expand = ctypes.CDLL(str(kernels.compile("expand_exp")))
        expand.expand_exp_bf16(0, pointer(exponentials), pointer(exponents), pointer(column), 16, 157)
        convert = ctypes.CDLL(str(kernels.compile("convert")))
        convert.convert_fp32_int8(pointer(whole), pointer(data), 1, 1, 4, 287)
        results.append((exponentials, whole))
    assert results[0][0].tobytes() == results[1][0].tobytes()
    assert np.array_equal(results[0][1], results[1][1])
    assert len(np.unique(results[0][1])) > 3
