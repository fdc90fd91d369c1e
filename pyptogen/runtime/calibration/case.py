"""What a microbenchmark is: a statement of C++ that is timed, and how it becomes a function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyptogen.templates.cpp_names import C_TYPES


@dataclass(frozen=True, slots=True)
class Case:
    """``body`` is timed, again and again; ``before`` runs once. ``name`` says what it is of: a figure and the extents
    that it is a point of."""

    name: str
    before: str
    body: str


HEAD = """\
#include <cstddef>
#include <cstdint>
#include <time.h>

#include <pto/pto-inst.hpp>

using namespace pto;

namespace {
double now()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
/// Values between 1 and 2, in half of the places negative unless only `positive` ones are wanted: nothing that an
/// instruction looks at twice, and as many different bits as real numbers have, on which a matrix unit's speed hangs.
template <typename T>
void fill(T* at, int64_t count, bool positive = false)
{
    uint32_t state = 12345;
    for (int64_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        const float value = 1.0f + float(state >> 9) * (1.0f / 8388608.0f);
        at[i] = static_cast<T>(positive || (state & 256) != 0 ? value : -value);
    }
}
/// Stores to the same place again and again look like one long result, which goes around the cache: from time to time
/// another one begins.
[[maybe_unused]] void forget_results()
{
#if defined(PTO_CPU_STREAMS)
    for (auto& stream : pto::cpu::core_state().streams) {
        stream = {};
    }
#endif
}
/// Bits of plain numbers in any format of 8 bits: neither NaN nor denormal.
template <typename T>
void fill_bits(T* at, int64_t bytes)
{
    uint32_t state = 12345;
    for (int64_t i = 0; i < bytes; ++i) {
        state = state * 1664525U + 1013904223U;
        reinterpret_cast<uint8_t*>(at)[i] = ((state >> 24) & 0xb7) | 0x08;
    }
}
template <typename T, int Rows, int Cols>
using Vec = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, Rows, Cols>;
template <typename T, int Rows>
using Column = Tile<TileType::Vec, T, (Rows + 31) / 32 * 32, 1, BLayout::ColMajor, Rows, 1>;
template <typename T, int Rows, int Cols, int Apart>
using Gm = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Apart, 1>>;
}  // namespace

"""


def source(cases: Sequence[Case], entry: str) -> str:
    """The C++ of so many cases behind one function: ``double entry(int which, int64_t repeats, char* memory)``, which
    returns the processor seconds that the repeats took. What a case stores or fills lies in ``scratch``, before the
    ``memory`` that all of them read."""
    functions = "".join(
        f"static double {entry}_{n}(int64_t repeats, [[maybe_unused]] char* memory, [[maybe_unused]] char* scratch)\n"
        f"{{  // {case.name}\n"
        f"{case.before}\n    double start = 0.0;\n"
        "    // Half of the turn passes before it counts: by then data lie where this work leaves them.\n"
        f"    for (int64_t i = -repeats; i < repeats; ++i) {{\n    if (i == 0) {{ start = now(); }}\n{case.body}\n"
        '    asm volatile("" ::: "memory");\n    }\n'
        "    return now() - start;\n}\n"
        for n, case in enumerate(cases)
    )
    table = ", ".join(f"{entry}_{n}" for n in range(len(cases)))
    return (
        f"{HEAD}{functions}\n"
        f'extern "C" double {entry}(int which, int64_t repeats, char* memory)\n{{\n'
        f"    static double (*const all[])(int64_t, char*, char*) = {{{table}}};\n"
        f"    pto::cpu_sim::enter_core();\n    const double took = all[which](repeats, memory + {SCRATCH}, memory);\n"
        "    pto::cpu_sim::leave_core();\n    return took;\n}\n"
    )


SCRATCH = 8 << 20
PLACED = 64
"""Bytes to whose multiples tiles are placed."""
PACKED = frozenset({"int4", "fp4_e2m1"})
"""Dtypes of which two elements share a byte."""
SIZES = {"fp32": 4, "int32": 4, "bf16": 2, "fp16": 2, "int16": 2, "int64": 8}


class Placer:
    """Declares tiles one after the other in the core's vector memory."""

    def __init__(self, positive: bool = False) -> None:
        self.positive = positive
        self.lines: list[str] = []
        self._at = 0

    def tile(self, name: str, kind: str, dtype: str, rows: int, cols: int) -> None:
        """``kind``: ``m`` of rows and columns, ``c`` a column of ``rows`` values, ``l`` one that lies in rows of
        their own, ``r`` one row, ``b`` bits of a comparison."""
        text = C_TYPES[dtype]
        if kind == "l":
            type_, count = f"Tile<TileType::Vec, {text}, {rows}, 8, BLayout::RowMajor, {rows}, 1>", 8 * rows
        elif kind == "c":
            type_, count = f"Column<{text}, {rows}>", -(-rows // 32) * 32
        else:
            high, wide = (1 if kind == "r" else rows), cols
            type_, count = f"Vec<{text}, {high}, {wide}>", high * wide
        size = count * SIZES.get(dtype, 1) // (2 if dtype in PACKED else 1)
        positive = ", true" if self.positive else ""
        fill = f"fill({name}.data(), {count}{positive});" if dtype in SIZES else f"fill_bits({name}.data(), {size});"
        self.lines.append(f"    {type_} {name}; TASSIGN({name}, {self._at}); {fill}")
        self._at += -(-size // PLACED) * PLACED

    def text(self) -> str:
        return "\n".join(self.lines)
