"""The cases as C++: one function for each form and element type, which puts whole tiles into memory, runs the
instruction and gives them back."""

from __future__ import annotations

from collections.abc import Sequence

from .cases import Case

ROWS, COLS, MASK_BYTES = 32, 160, 32
CPP = {
    "fp32": "float", "fp16": "half", "bf16": "bfloat16_t", "int8": "int8_t", "uint8": "uint8_t", "int16": "int16_t",
    "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t", "int64": "int64_t", "uint64": "uint64_t",
}  # fmt: skip
HEADER = f"""
#include <pto/pto-inst.hpp>
using namespace pto;
namespace {{
constexpr int kRows = {ROWS}, kCols = {COLS};
template <typename T>
using Full = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>;
template <typename T>
using Col = Tile<TileType::Vec, T, kRows, 1, BLayout::ColMajor, -1, 1>;
template <typename T>
using Row = Tile<TileType::Vec, T, 1, kCols, BLayout::RowMajor, 1, -1>;
using Bits = Tile<TileType::Vec, uint8_t, kRows, {MASK_BYTES}, BLayout::RowMajor, -1, -1>;
template <typename Tile>
void put(Tile& tile, int place, const void* bytes)
{{
    TASSIGN(tile, place * 0x10000);
    __builtin_memcpy(static_cast<void*>(tile.data()), bytes, Tile::GetSizeInBytes());
}}
template <typename Tile>
void get(const Tile& tile, void* bytes)
{{
    __builtin_memcpy(bytes, static_cast<const void*>(tile.data()), Tile::GetSizeInBytes());
}}
template <typename Tile>
Tile make(const int* extent)
{{
    if constexpr (Tile::ValidRow == 1) {{
        return Tile(extent[1]);
    }} else if constexpr (Tile::ValidCol == 1) {{
        return Tile(extent[0]);
    }} else {{
        return Tile(extent[0], extent[1]);
    }}
}}
}}  // namespace
"""
_TYPES = {
    "full": "Full<{T}>", "col": "Col<{T}>", "row": "Row<{T}>", "bits": "Bits", "index": "Full<int32_t>",
    "index col": "Col<int32_t>", "index row": "Row<int32_t>",
}  # fmt: skip
_NUMBERS = {
    "scalar": "*static_cast<const T*>(scalar)", "start": "*static_cast<const T*>(scalar)",
    "cmp": "static_cast<CmpMode>(number)", "binary": "number != 0", "diagonal": "number",
}  # fmt: skip


def function(case: Case, dtype: str) -> str:
    """``void SYMBOL_DTYPE(tiles, extents, scalar, number)``: whole tiles in the order of the form, valid rows and
    columns of each, the scalar in the element type, and a number (comparison, diagonal)."""
    lines = [
        f'extern "C" void {case.symbol}_{dtype}('
        "void* const* tiles, const int* extents, const void* scalar, int number)",
        "{",
        f"    using T = {CPP[dtype]};",
        "    (void)scalar, (void)number;",
    ]
    for place, name in enumerate(case.tiles):
        kind = _TYPES[case.kinds[name]].format(T="T")
        lines.append(f"    auto {name} = make<{kind}>(extents + {2 * place});")
        lines.append(f"    put({name}, {place}, tiles[{place}]);")
    operands = ", ".join(_NUMBERS.get(name, name) for name in case.form)
    lines.append(f"    {case.row.name}{case.templates}({operands});")
    lines += [f"    get({name}, tiles[{place}]);" for place, name in enumerate(case.tiles)]
    return "\n".join([*lines, "}"])


def sources(cases: Sequence[Case]) -> dict[str, str]:
    """One translation unit for each element type."""
    return {
        f"{dtype}.cpp": "\n".join([HEADER, *(function(c, dtype) for c in cases if dtype in c.row.dtypes["cpu"])])
        for dtype in CPP
    }


def exports(cases: Sequence[Case]) -> list[str]:
    return [f"{c.symbol}_{dtype}" for c in cases for dtype in CPP if dtype in c.row.dtypes["cpu"]]
