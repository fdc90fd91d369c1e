"""Compiling an operator: reuse, damage, errors that point at the spec, concurrent builds, headers of the
user's.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from packaged_library import library_configuration

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span
from pyptogen.runtime.native.binding import Chip, load_entry
from pyptogen.runtime.toolchain import build as build_module
from pyptogen.runtime.toolchain import compiler
from pyptogen.runtime.toolchain.build import _STDFLOAT, Toolchain, _isa_language, make_toolchain
from pyptogen.runtime.toolchain.cache import Cache
from pyptogen.runtime.toolchain.compiler import Compiler, find_compilers
from pyptogen.runtime.toolchain.headers import Headers, isa_headers, isa_root
from runtime.conftest import CPP, stub_toolchain

SOURCES = {
    "wrapper.hpp": "struct args { int* out; };\n",
    "cpu/kernels/add.cpp": 'extern "C" void add(int* out) { *out += 41; }\n',
    "cpu/orchestration.cpp": (
        '#include "../wrapper.hpp"\n'
        'extern "C" void add(int* out);\n'
        'extern "C" void op_cpu(pto_rt::Runtime&, const args& a) { add(a.out); *a.out += 1; }\n'
    ),
}


def run(library: Path) -> int:
    value = ctypes.c_int(0)
    argument = ctypes.c_void_p(ctypes.addressof(value))
    ctypes.CDLL(str(library)).op_cpu(None, ctypes.byref(argument))
    return value.value


def build(toolchain: Toolchain, **changed: str) -> Path:
    return toolchain.shared_object("op", SOURCES | changed, ["op_cpu"])


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The source files that the compiler was called for, and "link"."""
    calls: list[str] = []
    real = Compiler.run

    def spy(self: Compiler, arguments: list[str], **options: object) -> object:
        calls.append(
            arguments[arguments.index("-c") + 1] if "-c" in arguments else "link" if "-shared" in arguments else "pch"
        )
        return real(self, arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Compiler, "run", spy)
    return calls


def fault_of(call: Callable[[], object]) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        call()
    return error.value.diagnostics[0]


def test_operator_runs(toolchain: Toolchain) -> None:
    assert run(build(toolchain)) == 42


def test_second_build_calls_no_compiler(tmp_path: Path, compiled: list[str]) -> None:
    first = build(stub_toolchain(tmp_path))
    assert sorted(compiled) == ["bodies.cpp", "cpu/kernels/add.cpp", "cpu/orchestration.cpp", "link", "pch"]
    compiled.clear()
    assert build(stub_toolchain(tmp_path)) == first
    assert compiled == []


def test_changed_kernel_compiles_alone(tmp_path: Path, compiled: list[str]) -> None:
    toolchain = stub_toolchain(tmp_path)
    first = build(toolchain)
    compiled.clear()
    second = build(toolchain, **{"cpu/kernels/add.cpp": 'extern "C" void add(int* out) { *out += 1; }\n'})
    assert compiled == ["cpu/kernels/add.cpp", "link"]
    assert (run(first), run(second)) == (42, 2)


def test_changed_wrapper_compiles_what_may_include_it(tmp_path: Path, compiled: list[str]) -> None:
    toolchain = stub_toolchain(tmp_path)
    build(toolchain)
    compiled.clear()
    build(toolchain, **{"wrapper.hpp": "struct args { int* out; long more; };\n"})
    assert "cpu/orchestration.cpp" in compiled


@pytest.mark.parametrize("change", ["flags", "headers", "compiler"])
def test_key_depends_on_everything(toolchain: Toolchain, change: str) -> None:
    other = {
        "flags": lambda: replace(toolchain, flags=(*toolchain.flags, "-DX")),
        "headers": lambda: replace(toolchain, headers=Headers("other", None, toolchain.headers.own)),
        "compiler": lambda: replace(toolchain, compiler=replace(toolchain.compiler, identity="other")),
    }[change]()
    assert other.key != toolchain.key


def test_damaged_object_is_built_again(tmp_path: Path) -> None:
    library = build(stub_toolchain(tmp_path))
    library.write_bytes(library.read_bytes()[:-100])
    assert run(build(stub_toolchain(tmp_path))) == 42


def test_error_points_at_the_line_of_the_kernel(toolchain: Toolchain) -> None:
    text = "// m: amax(x)\nint fine;\n// s: sum(x, axis=-1)\nint x = missing_name;  // UB 0x0..0x40\n// y: x / s\n"
    diagnostic = fault_of(lambda: build(toolchain, **{"cpu/kernels/bad.cpp": text}))
    assert diagnostic.code == "PTG502"
    assert diagnostic.span == Span("cpu/kernels/bad.cpp", 4, 9, 4, 39)
    assert "kernel `bad` does not compile" in diagnostic.message
    assert "missing_name" in diagnostic.message
    assert diagnostic.notes[0] == ("cpu/kernels/bad.cpp:4: int x = missing_name;  // UB 0x0..0x40", None)


def test_error_inside_a_template_points_at_the_kernel_line(toolchain: Toolchain) -> None:
    wrapper = (
        SOURCES["wrapper.hpp"] + 'template <class T> void need4(T) { static_assert(sizeof(T) == 4, "four bytes"); }\n'
    )
    text = '#include "../../wrapper.hpp"\nvoid k() { need4(1); }\nvoid l() { need4(1.0); }\n'
    diagnostic = fault_of(lambda: build(toolchain, **{"wrapper.hpp": wrapper, "cpu/kernels/bad.cpp": text}))
    assert "four bytes" in diagnostic.message
    assert diagnostic.span is not None
    assert str(diagnostic.span) == "cpu/kernels/bad.cpp:3:17"


def test_the_orchestration_is_called_so(toolchain: Toolchain) -> None:
    diagnostic = fault_of(lambda: build(toolchain, **{"cpu/orchestration.cpp": "nonsense\n"}))
    assert str(diagnostic.span) == "cpu/orchestration.cpp:1:1"
    assert "the orchestration does not compile" in diagnostic.message


def test_missing_kernel_does_not_link(toolchain: Toolchain) -> None:
    sources = {path: text for path, text in SOURCES.items() if "kernels" not in path}
    diagnostic = fault_of(lambda: toolchain.shared_object("op", sources, ["op_cpu"]))
    assert diagnostic.code == "PTG502"
    assert "does not link" in diagnostic.message


def test_failed_build_leaves_no_object(tmp_path: Path) -> None:
    toolchain = stub_toolchain(tmp_path)
    fault_of(lambda: build(toolchain, **{"cpu/orchestration.cpp": "nonsense\n"}))
    assert not list(tmp_path.rglob("*.so"))
    assert run(build(toolchain)) == 42


def test_four_processes_build_at_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from runtime.toolchain.test_toolchain import *\n"
        "print(run(build(stub_toolchain(Path(sys.argv[1])))))"
    )
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [process.communicate()[0].strip() for process in processes] == ["42"] * 4
    assert len(list(tmp_path.rglob("*.so"))) == 1


def _without_library(compiler: Compiler) -> list[str]:
    """For sources that need no C++ library, but its headers: the packaged compiler would build its own first, a minute
    of work. From version 0.17 on it forgets where the headers are as well."""
    if not compiler.packaged:
        return []
    (folder,) = importlib.util.find_spec("ziglang").submodule_search_locations
    return ["-nostdlib++", f"-I{folder}/lib/libcxx/include", *library_configuration()]


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_both_families_build_with_a_precompiled_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    found = [c for c in find_compilers(family) if c.family == family]
    if not found:
        pytest.skip(f"no {family} on this machine")
    if found[0].packaged:
        monkeypatch.setattr(build_module, "_LINKER", {"clang": ("-nostdlib",)})
    flags = ("-std=c++20", "-O1", "-fPIC", *_without_library(found[0]))
    toolchain = replace(stub_toolchain(tmp_path), compiler=found[0], flags=flags)
    assert run(build(toolchain)) == 42
    assert len([*tmp_path.rglob("*.gch"), *tmp_path.rglob("*.pch")]) == 1


@pytest.mark.parametrize("family", ["gcc", "clang"])
def test_a_kernel_may_include_what_takes_lists_of_arguments(monkeypatch: pytest.MonkeyPatch, family: str) -> None:
    found = [c for c in find_compilers(family) if c.family == family and not c.packaged]
    if not found:
        pytest.skip(f"no {family} in PATH")
    monkeypatch.setenv("CXX", found[0].command[0])
    toolchain = make_toolchain()
    kernel = '#include <cstdio>\n#include <string>\nextern "C" void add(int* out) { *out += std::stoi("41"); }\n'
    assert run(build(toolchain, **{"cpu/kernels/add.cpp": kernel})) == 42


def installation(folder: Path, text: str) -> Path:
    header = folder / "include" / "pto" / "pto-inst.hpp"
    header.parent.mkdir(parents=True)
    header.write_text(text)
    return folder


def test_isa_path_replaces_the_bundled_headers(tmp_path: Path) -> None:
    stub = (CPP / "stub_pto_inst.hpp").read_text()
    root = installation(
        tmp_path / "isa", f"#ifndef __CPU_SIM\n#error not the CPU mode\n#endif\n{stub}\n#define ANSWER 42\n"
    )
    kernel = {"cpu/kernels/add.cpp": 'extern "C" void add(int* out) { *out = ANSWER - 1; }\n'}
    toolchain = make_toolchain(isa=root, cache=stub_toolchain(tmp_path / "cache").cache)
    assert run(build(toolchain, **kernel)) == 42


def test_the_simulator_of_an_installation_is_told_the_target(tmp_path: Path) -> None:
    stub = (CPP / "stub_pto_inst.hpp").read_text()
    model = """
    namespace pto {
    enum class NPUArch { A2A3, A5 };
    struct NPUMemoryModel {
        static inline NPUArch arch = NPUArch::A2A3;
        static void SetDefaultArch(NPUArch given) { arch = given; }
    };
    }  // namespace pto
    """
    root = installation(tmp_path / "isa", f"#ifndef STUB_MODEL\n#define STUB_MODEL\n{stub}{model}\n#endif\n")
    answer = "pto::NPUMemoryModel::arch == pto::NPUArch::A5"
    kernel = {"cpu/kernels/add.cpp": f'extern "C" void add(int* out) {{ *out = {answer}; }}\n'}
    cache = stub_toolchain(tmp_path / "cache").cache
    found = {
        target: run(build(make_toolchain(isa=root, target=target, cache=cache), **kernel)) for target in ("a2a3", "a5")
    }
    assert found["a5"] == found["a2a3"] + 1


def test_isa_path_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTO_ISA_ROOT", "/opt/isa")
    assert isa_root(None, "a2a3") == Path("/opt/isa")
    assert isa_root("/mine", "a2a3") == Path("/mine")
    assert isa_root(None, "cpu") is None
    monkeypatch.setenv("PTO_ISA_ROOT", "")
    assert isa_root(None, "a2a3") is None


def test_isa_path_may_be_the_include_folder(tmp_path: Path) -> None:
    root = installation(tmp_path, "")
    assert isa_headers(root / "include").isa == isa_headers(root).isa


def test_wrong_isa_path(tmp_path: Path) -> None:
    diagnostic = fault_of(lambda: isa_headers(tmp_path))
    assert diagnostic.code == "PTG503"
    assert "pto-inst.hpp" in diagnostic.expected


def test_isa_headers_that_no_compiler_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)  # the compiler of ziglang says it otherwise
    monkeypatch.setattr(compiler, "_search", compiler._search.__wrapped__)
    monkeypatch.setattr(compiler, "_looked_for", compiler._looked_for.__wrapped__)
    root = installation(tmp_path / "isa", "#error not for you\n")
    diagnostic = fault_of(lambda: make_toolchain(isa=root, cache=stub_toolchain(tmp_path / "cache").cache))
    assert diagnostic.code == "PTG503"
    assert all("not for you" in note for note, _ in diagnostic.notes)
    assert diagnostic.notes


REAL_BF16 = """
#include <limits>
#include <stdfloat>
using Bf16 = std::bfloat16_t;
constexpr unsigned bits(Bf16 value) { return __builtin_bit_cast(unsigned short, value); }
static_assert(bits(Bf16(1.0f)) == 0x3f80 && bits(Bf16(1.0f) + Bf16(0.0078125f)) == 0x3f81);
static_assert(bits(std::numeric_limits<Bf16>::max()) == 0x7f7f && bits(std::numeric_limits<Bf16>::lowest()) == 0xff7f);
static_assert(bits(std::numeric_limits<Bf16>::infinity()) == 0x7f80 && std::numeric_limits<Bf16>::digits == 8);
"""


def test_installations_get_bf16_where_the_compiler_has_it(tmp_path: Path) -> None:
    """Of the library, or of Clang where its library has none; never of a compiler that cannot calculate with it."""
    (tmp_path / "bf16.cpp").write_text(REAL_BF16)
    seen = set()
    for found in find_compilers(prefer="clang"):
        flags = _isa_language(found, Cache(tmp_path / "cache"))
        takes = found.run([*flags, "-c", str(tmp_path / "bf16.cpp"), "-o", str(tmp_path / "bf16.o")]).returncode == 0
        assert takes == ("-DPTO_CPU_SIM_ENABLE_BF16=1" in flags), found
        seen.add(takes)
    assert seen


def test_portable_flags_use_no_extension(tmp_path: Path) -> None:
    flags = make_toolchain(portable=True, cache=stub_toolchain(tmp_path).cache).flags
    assert "-DPTO_PORTABLE" in flags
    assert not any(flag.startswith("-m") for flag in flags)
    assert "-ffp-contract=off" in flags


KERNEL = """
#include <cstddef>
#include <cstdint>
#include <pto/pto-inst.hpp>

extern "C" __global__ AICORE void twice(__gm__ float* out, __gm__ float* in)
{
    using namespace pto;
    using Rows = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<128, 128, 128, 16, 1>>;
    Tile<TileType::Vec, float, 8, 16> x, y;
    TASSIGN(x, 0);
    TASSIGN(y, 4096);
    Rows from(in + get_block_idx() * 128), to(out + get_block_idx() * 128);
    TLOAD(x, from);
    TADD(y, x, x);
    TSTORE(to, y);
}
"""

ORCHESTRATION = """
#include <cstdint>
#include <cstddef>
#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

extern "C" void twice(float* out, float* in);
struct op_args { float* out; float* in; };

extern "C" void op_cpu(pto_rt::Runtime& rt, const op_args& args)
{
    float *out = args.out, *in = args.in;
    rt.launch("twice", pto_rt::Core::Vector, 4, [=] { twice(out, in); });
}
"""


@pytest.mark.parametrize("headers", ["bundled", "bundled, portable", "installed"])
def test_one_kernel_with_real_headers(headers: str) -> None:
    isa = os.environ.get("PTO_ISA_ROOT")
    if headers == "installed" and not isa:
        pytest.skip("PTO_ISA_ROOT names no installation of PTO-ISA")
    toolchain = make_toolchain(
        isa=Path(isa) if isa and headers == "installed" else None,
        portable=headers == "bundled, portable",
    )
    library = toolchain.shared_object("op", {"k.cpp": KERNEL, "o.cpp": ORCHESTRATION}, ["op_cpu"])
    x = np.random.default_rng(0).normal(size=512).astype(np.float32)
    for cores in (1, 2):
        y, chip = np.zeros_like(x), Chip(cores)
        chip.run(load_entry(library, "op_cpu"), struct.pack("=QQ", y.ctypes.data, x.ctypes.data))
        chip.close()
        assert (y == 2 * x).all()


def test_bf16_of_floats_and_doubles_is_rounded_once(tmp_path: Path) -> None:
    """Where neither the processor nor libgcc has the conversion: to nearest even, a double not by way of a float."""
    compilers = [c for c in find_compilers(prefer="clang") if _takes_bf16_by_header(c, tmp_path)]
    if not compilers:
        pytest.skip("no clang++ that has __bf16 and no <stdfloat> of its own")
    source = tmp_path / "rounding.cpp"
    source.write_text(
        f"{_STDFLOAT.replace('#pragma once', '')}\nusing Half = unsigned short;\n"
        'extern "C" Half of_float(float x) { return __builtin_bit_cast(Half, __truncsfbf2(x)); }\n'
        'extern "C" Half of_double(double x) { return __builtin_bit_cast(Half, __truncdfbf2(x)); }\n'
    )
    library = tmp_path / "rounding.so"
    flags = ["-std=c++23", "-w", "-O1", "-shared", "-fPIC", *_without_library(compilers[0])]
    said = compilers[0].run([*flags, str(source), "-o", str(library)])
    assert said.returncode == 0, said.stderr
    loaded = ctypes.CDLL(str(library))
    loaded.of_float.argtypes, loaded.of_double.argtypes = [ctypes.c_float], [ctypes.c_double]
    draw = np.random.default_rng(5)
    floats = np.concatenate(
        [draw.integers(0, 1 << 32, 2000, np.uint32).view(np.float32), np.float32([3e38, 3.4e38, 0])]
    )
    floats = floats[~np.isnan(floats)]
    wanted = floats.astype(ml_dtypes.bfloat16).view(np.uint16)
    assert [loaded.of_float(float(x)) & 0xFFFF for x in floats] == wanted.tolist()
    half = 1 + 2.0**-8  # between two neighbours; what a double has beyond a float decides
    for x, bits in ((half, 0x3F80), (half + 2.0**-40, 0x3F81), (half - 2.0**-40, 0x3F80), (1e300, 0x7F80)):
        assert (loaded.of_double(x) & 0xFFFF, loaded.of_double(-x) & 0xFFFF) == (bits, bits | 0x8000)
    assert np.isnan(np.uint16(loaded.of_double(np.nan) & 0xFFFF).view(ml_dtypes.bfloat16))


def _takes_bf16_by_header(compiler: Compiler, folder: Path) -> bool:
    """Whether installations get `_STDFLOAT` with this compiler."""
    flags = _isa_language(compiler, Cache(folder / "cache"))
    return any(flag.startswith("-isystem") for flag in flags)
