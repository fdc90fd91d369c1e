"""From C++ sources to a shared object: flags, precompiled header, compilation in parallel, one link, all
through the cache.
"""

from __future__ import annotations

import functools
import platform
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.processors import available_processors
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import Compiler, compiler_for, find_compiler, find_compilers
from pyptogen.runtime.toolchain.cpu import PORTABLE, Level, native_level
from pyptogen.runtime.toolchain.cxx_errors import compile_fault, first_error
from pyptogen.runtime.toolchain.headers import Headers, bundled_headers, isa_headers

OPTIMISATION = "-O3"
"""How far the compiler optimises kernels. Their bits do not depend on it, which tests of values make use of."""
COMMON = ("-fPIC", "-pthread", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math")
_BY_FAMILY = {
    "gcc": (
        "-fno-diagnostics-show-caret",
        "-fdiagnostics-color=never",
        "-fdiagnostics-column-unit=byte",  # as clang counts; by default g++ takes a tab for eight columns
        "-fmax-errors=20",
    ),
    "clang": ("-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=20"),
}
_LINKER: Mapping[str, tuple[str, ...]] = {}
"""By family, which linker the compiler calls, where it is not the one of its own. Tests take a quicker one."""
_CHECKED = ("-O1", "-DPTO_CHECKED")
"""The checks are long code of their own: -O1 compiles it in half the time."""
PREFIX = "#include <cstddef>\n#include <cstdint>\n\n#include <pto/pto-inst.hpp>\n#include <pto/runtime.hpp>\n"
_LISTS = """#if defined(__clang__)
inline void pto_rt_takes_a_list(int count, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, count);
    __builtin_va_end(list);
}
#endif
"""
"""Behind a precompiled header that uses no `va_list`, Clang 19 takes it for two types: no <cstdio> compiles."""
_SIMULATED_FIFOS = "#if defined(PTO_SIMULATED_FIFOS)\n#include <pto/simulated_fifos.hpp>\n#endif\n"
_MEMORIES = """#if defined(PTO_SIMULATED_A5)
inline const bool pto_rt_memories_of_a5 = (pto::NPUMemoryModel::SetDefaultArch(pto::NPUArch::A5), true);
#endif
"""
"""The simulator of an installation has the memories of A2/A3 where nobody tells it otherwise."""
APART = "#define PTO_CPU_BODIES_APART 1\n"
BODIES = "#define PTO_CPU_BODIES 1\n\n#include <pto/pto-inst.hpp>\n"
_KEPT_PREFIXES = 6
_SHARED_STATE = ("*thread_core*", "*core_memory_key*")
"""Per-thread state of the bundled headers: one instance for all operators that a process has loaded."""
_TOLD = ("pto_checked_array", "pto_checked_over")
"""What the checked mode is told of a call's arrays by."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """Everything that decides what an object contains, apart from its sources."""

    compiler: Compiler
    level: str
    flags: tuple[str, ...]
    headers: Headers
    cache: Cache

    @property
    def key(self) -> str:
        """Changes whenever the same sources might give other objects."""
        return digest(self.compiler.identity, "\0".join(self.flags), self.headers.key, platform.machine())

    def prefix_header(self) -> Path:
        """The header that every source starts with, precompiled.

        Raises PTG503 when the compiler rejects the headers.
        """
        text = (
            PREFIX + _LISTS + _MEMORIES + _SIMULATED_FIFOS if self.headers.isa is not None else APART + PREFIX + _LISTS
        )
        key = digest("prefix", self.key, text)
        header = self.cache.file("pch", key, ".hpp", lambda path: _write(path, text))
        suffix = ".gch" if self.compiler.family == "gcc" else ".pch"
        self.cache.file("pch", key, f".hpp{suffix}", lambda path: self._precompile(header, path))
        return header

    def _precompile(self, header: Path, output: Path) -> None:
        flags = self.flags
        if self.compiler.family == "clang":
            flags = (*flags, "-Xclang", "-fno-pch-timestamp")
        said = self.compiler.run(
            [
                *flags,
                *self.headers.include_flags(self.cache),
                "-x",
                "c++-header",
                str(header),
                "-o",
                str(output),
            ]
        )
        if said.returncode != 0:
            raise self._rejection(said.stderr)
        # Tens of megabytes each; a compilation whose precompiled header vanishes reads the plain one.
        self.cache.trim("pch", output.suffix, _KEPT_PREFIXES)

    def _rejection(self, stderr: str) -> DiagnosticError:
        return fault(
            "PTG503",
            f"{self.compiler.command[0]} rejects the PTO-ISA headers: {first_error(stderr)}",
            None,
            expected="headers that this compiler accepts in their CPU mode",
            fix="use another version of the headers or, by CXX, another compiler (clang++ 19 takes most)",
        )

    def bodies(self) -> tuple[Path, ...]:
        """The object to link to what was compiled with prefix_header(): bodies of the bundled headers that are the
        same for all kernels, so that no kernel compiles them.

        Raises PTG503 when the compiler rejects the headers.
        """
        if self.headers.isa is not None:
            return ()
        key = digest("bodies", self.key, BODIES)
        return (self.cache.file("objects", key, ".o", self._compile_bodies),)

    def _compile_bodies(self, output: Path) -> None:
        include = self.headers.include_flags(self.cache)
        with self.cache.scratch() as folder:
            _write(folder / "bodies.cpp", BODIES)
            said = self.compiler.run(
                [*self.flags, *include, "-ffunction-sections", "-c", "bodies.cpp", "-o", str(output)], cwd=folder
            )
        if said.returncode != 0:
            raise self._rejection(said.stderr)

    def shared_object(self, name: str, sources: Mapping[str, str], exports: Sequence[str]) -> Path:
        """Compile and link the ``*.cpp`` among ``sources`` (text by relative path; the others are their
        headers).

        Only ``exports`` are visible in the result. Raises PTG502 with the message of the compiler.
        """
        texts = [part for path in sorted(sources) for part in (path, sources[path])]
        key = digest("shared", self.key, *sorted(exports), *texts)
        return self.cache.file("operators", key, ".so", lambda path: self._build(name, sources, exports, path))

    def _build(self, name: str, sources: Mapping[str, str], exports: Sequence[str], output: Path) -> None:
        prefix = self.prefix_header()
        headers = [part for path in sorted(sources) if not path.endswith(".cpp") for part in (path, sources[path])]
        with self.cache.scratch() as stage:
            for path, text in sources.items():
                _write(stage / path, text)

            def compile_one(path: str) -> Path:
                key = digest("object", self.key, path, sources[path], *headers)
                return self.cache.file(
                    "objects", key, ".o", lambda out: self._compile(stage, prefix, path, sources[path], out)
                )

            units = sorted((p for p in sources if p.endswith(".cpp")), key=lambda p: (-len(sources[p]), p))
            with ThreadPoolExecutor(max_workers=max(1, min(len(units), available_processors()))) as pool:
                bodies = pool.submit(self.bodies)
                objects = [*pool.map(compile_one, units), *bodies.result()]
            self._link(name, stage, objects, exports, output)

    def _compile(self, stage: Path, prefix: Path, path: str, text: str, output: Path) -> None:
        said = self.compiler.run(
            [
                *self.flags,
                *self.headers.include_flags(self.cache),
                "-include",
                str(prefix),
                "-c",
                path,
                "-o",
                str(output),
            ],
            cwd=stage,
        )
        if said.returncode != 0:
            raise compile_fault(path, text, said.stderr, self.compiler.command[0])

    def _link(self, name: str, stage: Path, objects: Sequence[Path], exports: Sequence[str], output: Path) -> None:
        script = stage / "exports.map"
        told = _TOLD if "-DPTO_CHECKED" in self.flags else ()
        visible = " ".join(f"{symbol};" for symbol in (*exports, *_SHARED_STATE, *told))
        _write(script, f"{{ global: {visible} local: *; }};\n")
        said = self.compiler.run(
            [
                "-shared",
                "-pthread",
                *_LINKER.get(self.compiler.family, ()),
                "-Wl,-Bsymbolic",
                f"-Wl,--version-script={script}",
                "-Wl,-z,defs",
                "-Wl,-z,now",
                "-Wl,--gc-sections",
                *map(str, objects),
                "-o",
                str(output),
            ]
        )
        if said.returncode != 0:
            raise fault("PTG502", f"operator `{name}` does not link: {first_error(said.stderr)}", None)


def make_toolchain(
    *,
    isa: Path | None = None,
    portable: bool = False,
    checked: str | None = None,
    cache: Cache | None = None,
    target: str = "",
    mixed: bool = False,
) -> Toolchain:
    """The toolchain for this machine.

    ``isa`` is an installation of PTO-ISA to compile against instead of the bundled headers; its simulator gets the
    memories of ``target``, and ``mixed`` says that cube and vector cores are to meet there in fifos. ``portable``
    builds for the baseline of the architecture. ``checked`` names a target for whose limits the bundled headers check
    kernels as they run. Raises PTG501, PTG503, PTG504.
    """
    cache = cache or Cache()
    level = PORTABLE if portable else native_level()
    if isa is not None:
        memories = ("-DPTO_SIMULATED_A5",) if target == "a5" else ()
        fifos = ("-DPTO_SIMULATED_FIFOS",) if mixed else ()
        return _isa_toolchain(isa, level, cache, (*memories, *fifos))
    compiler = find_compiler()
    flags = ("-std=c++20", OPTIMISATION, *COMMON, *_BY_FAMILY[compiler.family], *compiler.level_flags(level.flags))
    if checked is not None:
        flags = (*flags, *_CHECKED, f"-DPTO_CHECKED_{checked.upper()}")
    return Toolchain(compiler, level.name, flags, bundled_headers(), cache)


def toolchain_for(machine: str, level: Level, cache: Cache | None = None) -> Toolchain:
    """The toolchain for a machine (as ``platform.machine()`` has it) and a level of its instruction sets, whatever this
    one is. Raises PTG501."""
    compiler = compiler_for(machine)
    flags = ("-std=c++20", OPTIMISATION, *COMMON, *_BY_FAMILY[compiler.family], *level.flags)
    return Toolchain(compiler, level.name, flags, bundled_headers(), cache or Cache())


def _isa_toolchain(root: Path, level: Level, cache: Cache, more: tuple[str, ...]) -> Toolchain:
    """The first compiler that takes these headers: they are written with Clang in mind."""
    headers = isa_headers(root)
    machine = tuple(flag for flag in level.flags if not flag.startswith("-D"))
    rejected = []
    for compiler in find_compilers(prefer="clang"):
        flags = (
            *_isa_language(compiler, cache),
            "-D__CPU_SIM",
            OPTIMISATION,
            *COMMON,
            *_BY_FAMILY[compiler.family],
            *machine,
            *more,
        )
        toolchain = Toolchain(compiler, level.name, flags, headers, cache)
        said = _accepts(toolchain)
        if not said:
            return toolchain
        rejected.append(f"{compiler.command[0]}: {said}")
    raise fault(
        "PTG503",
        f"no C++ compiler of this machine accepts the PTO-ISA headers in {root}",
        None,
        expected="headers that compile in their CPU mode",
        fix="install clang++ 19, or name another compiler by CXX",
        notes=tuple((text, None) for text in rejected),
    )


def _accepts(toolchain: Toolchain) -> str:
    """Empty when the headers compile, else the first error."""
    try:
        toolchain.prefix_header()
    except DiagnosticError as error:
        return error.diagnostics[0].message
    return ""


_STDFLOAT = """\
// std::bfloat16_t of C++23 by the compiler's own type, where the library does not have it for this compiler.
#pragma once
#include <limits>
namespace std {
using bfloat16_t = __bf16;
template <>
class numeric_limits<bfloat16_t> : public numeric_limits<float> {
    static constexpr bfloat16_t of(unsigned short bits) noexcept { return __builtin_bit_cast(bfloat16_t, bits); }

public:
    static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
    static constexpr bfloat16_t min() noexcept { return of(0x0080); }
    static constexpr bfloat16_t max() noexcept { return of(0x7f7f); }
    static constexpr bfloat16_t lowest() noexcept { return of(0xff7f); }
    static constexpr bfloat16_t epsilon() noexcept { return of(0x3c00); }
    static constexpr bfloat16_t infinity() noexcept { return of(0x7f80); }
    static constexpr bfloat16_t quiet_NaN() noexcept { return of(0x7fc0); }
    static constexpr bfloat16_t denorm_min() noexcept { return of(0x0001); }
};
}  // namespace std

// What Clang calls to round to nearest even where the processor has no instruction for that: in libgcc from GCC 13 on.
extern "C" __attribute__((weak, used)) inline __bf16 __truncsfbf2(float x)
{
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const unsigned rounded = nan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u);
    return __builtin_bit_cast(__bf16, static_cast<unsigned short>(rounded >> 16));
}

// By way of a float that is rounded to odd, so that the second rounding is that of the double.
extern "C" __attribute__((weak, used)) inline __bf16 __truncdfbf2(double x)
{
    const float near = static_cast<float>(x);
    const double back = near;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if (back != x && x == x) {
        bits -= __builtin_fabs(back) > __builtin_fabs(x) ? 1u : 0u;
        bits |= 1u;
    }
    return __truncsfbf2(__builtin_bit_cast(float, bits));
}
"""
_BF16 = """\
#include <stdfloat>
std::bfloat16_t sum(std::bfloat16_t a, std::bfloat16_t b) { return a + b; }
static_assert(std::numeric_limits<std::bfloat16_t>::infinity() > std::numeric_limits<std::bfloat16_t>::max());
"""


def _isa_language(compiler: Compiler, cache: Cache) -> tuple[str, ...]:
    """C++23 with the real bfloat16 type where compiler and library have it, or where Clang has it and the library not
    (the public headers fall back to fp16), else C++20.
    """
    real = ("-DPTO_CPU_SIM_ENABLE_BF16=1", "-DCPU_SIM_BFLOAT_ENABLED=1")
    said = compiler.run(["-std=c++23", "-dM", "-E", "-x", "c++", "-include", "stdfloat", "-"])
    if said.returncode == 0 and "__STDCPP_BFLOAT16_T__" in said.stdout:
        return ("-std=c++23", *real)
    own = cache.tree("headers", digest("stdfloat", _STDFLOAT), {"stdfloat": _STDFLOAT.encode()})
    clang = ("-std=c++23", "-D__STDCPP_BFLOAT16_T__=1", f"-isystem{own}")
    return (*clang, *real) if _takes_bf16(compiler, clang) else ("-std=c++20",)


@functools.cache
def _takes_bf16(compiler: Compiler, flags: tuple[str, ...]) -> bool:
    """Whether a compiler calculates with `_STDFLOAT`'s type."""
    with tempfile.TemporaryDirectory(prefix="pyptogen-") as folder:
        source = Path(folder) / "bf16.cpp"
        _write(source, _BF16)
        # Not -fsyntax-only: the packaged compiler looks for the object, and builds its C++ library before.
        return compiler.run([*flags, "-c", str(source), "-o", str(source.with_suffix(".o"))]).returncode == 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
