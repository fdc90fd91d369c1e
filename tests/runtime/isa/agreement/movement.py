"""Instructions of the family `movement` on plain Vec tiles as C++, for every element type of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyptogen.lower.isa.table import INSTRUCTIONS

from .source import CPP

ROWS, COLS, WIDE = 16, 64, 128
"""Whole tiles; an operand of WIDE columns has two bytes of another per element, or four of it per two."""
SMALL = {
    "fp8_e4m3": "float8_e4m3_t", "fp8_e5m2": "float8_e5m2_t", "hif8": "hifloat8_t", "fp8_e8m0": "float8_e8m0_t",
    "fp4_e2m1": "float4_e2m1x2_t", "fp4_e1m2": "float4_e1m2x2_t",
}  # fmt: skip
NAMES: Mapping[str, str] = CPP | SMALL

HEADER = f"""
#include <pto/pto-inst.hpp>
using namespace pto;
namespace {{
template <typename T, int R = {ROWS}, int C = {COLS}, PadValue P = PadValue::Null>
using Rows = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, P>;
template <typename T>
using Memory = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>>;
template <typename T>
Memory<T> memory(void* bytes, int rows, int cols, int pitch)
{{
    return {{static_cast<T*>(bytes), Shape<1, 1, 1, -1, -1>(rows, cols), pto::Stride<1, 1, 1, -1, 1>(pitch)}};
}}
template <typename Tile>
void put(Tile& tile, int place, const void* bytes)
{{
    TASSIGN(tile, place * 0x8000);
    __builtin_memcpy(static_cast<void*>(tile.data()), bytes, Tile::GetSizeInBytes());
}}
template <typename Tile>
void get(const Tile& tile, void* bytes)
{{
    __builtin_memcpy(bytes, static_cast<const void*>(tile.data()), Tile::GetSizeInBytes());
}}
}}  // namespace
"""

# T is the element type, x the operands' bytes, n numbers (n[0] rows, n[1] columns).
BODIES: Mapping[str, str] = {
    "TLOAD TSTORE TMOV": """
        Rows<T> tile(n[0], n[1]), other(n[0], n[1]);
        put(tile, 0, x[0]), put(other, 1, x[1]);
        auto from = memory<T>(x[2], n[0], n[1], n[2]), to = memory<T>(x[3], n[0], n[1], n[2]);
        TLOAD(tile, from);
        TMOV(other, tile);
        TSTORE(to, other);
        get(tile, x[0]), get(other, x[1]);""",
    "TEXTRACT TINSERT": """
        Rows<T> whole(%R, %C), part(n[0], n[1]), target(%R, %C);
        put(whole, 0, x[0]), put(part, 1, x[1]), put(target, 2, x[2]);
        TEXTRACT(part, whole, n[2], n[3]);
        get(part, x[1]);
        TINSERT(target, part, n[3], n[2]);
        get(target, x[2]);""",
    "TSUBVIEW TRESHAPE": """
        Rows<T> whole(%R, %C), part(n[0], n[1]), out(n[0], n[1]);
        put(whole, 0, x[0]), put(out, 1, x[1]);
        TSUBVIEW(part, whole, n[2], n[3]);
        TMOV(out, part);
        get(out, x[1]);
        Rows<T, %R * 2, %C / 2> tall(%R * 2, %C / 2);
        TRESHAPE(tall, whole);
        get(tall, x[2]);""",
    "TFILLPAD TFILLPAD_INPLACE TFILLPAD_EXPAND": """
        const auto padded = [&](auto same, auto larger) {
            Rows<T> source(n[0], n[1]);
            put(source, 0, x[0]);
            if (n[2] == 0) {
                put(same, 1, x[1]);
                TFILLPAD(same, source);
                get(same, x[1]);
            } else if (n[2] == 1) {
                TASSIGN(same, 0);
                TFILLPAD_INPLACE(same, source);
                get(same, x[1]);
            } else {
                put(larger, 1, x[2]);
                TFILLPAD_EXPAND(larger, source);
                get(larger, x[2]);
            }
        };
        using enum PadValue;
        if (n[3] == 0) {
            padded(Rows<T, %R, %C, Zero>(%R, %C), Rows<T, %R + 1, %W, Zero>(%R + 1, %W));
        } else if (n[3] == 1) {
            padded(Rows<T, %R, %C, Max>(%R, %C), Rows<T, %R + 1, %W, Max>(%R + 1, %W));
        } else {
            padded(Rows<T, %R, %C, Min>(%R, %C), Rows<T, %R + 1, %W, Min>(%R + 1, %W));
        }""",
    "TTRANS": """
        Rows<T> source(n[0], n[1]);
        Rows<T, %C, 32> target(n[1], n[0]), scratch(n[1], n[0]);
        put(source, 0, x[0]), put(target, 1, x[1]);
        TASSIGN(scratch, 0x18000);
        TTRANS(target, source, scratch);
        get(target, x[1]);""",
    "TCONCAT": """
        Rows<T> a(n[0], n[1]), b(n[0], n[2]);
        Rows<T, %R, %W> target(n[0], n[3] == 0 ? n[1] + n[2] : %W);
        Rows<int32_t, %R, 8> total(n[0], 1), of_a(n[0], 1), of_b(n[0], 1);
        put(a, 0, x[0]), put(b, 1, x[1]), put(target, 2, x[2]), put(total, 3, x[3]);
        put(of_a, 4, x[4]), put(of_b, 5, x[5]);
        if (n[3] == 0) { TCONCAT(target, a, b); }
        if (n[3] == 1) { TCONCAT(target, a, b, of_a, of_b); }
        if (n[3] == 2) { TCONCAT(target, a, b, total, of_a, of_b); }
        get(target, x[2]), get(total, x[3]);""",
    "TINTERLEAVE TDEINTERLEAVE": """
        Rows<T> a(n[0], n[1]), b(n[0], n[1]), low(n[0], n[1]), high(n[0], n[1]);
        put(a, 0, x[0]), put(b, 1, x[1]), put(low, 2, x[2]), put(high, 3, x[3]);
        if (n[2] == 0) { TINTERLEAVE(high, low, b, a); }
        if (n[2] == 1) { TDEINTERLEAVE(high, low, b, a); }
        if (n[2] == 2) {
            Rows<T> half_low(n[0], n[1] / 2), half_high(n[0], n[1] / 2);
            TASSIGN(half_low, 2 * 0x8000), TASSIGN(half_high, 3 * 0x8000);
            TDEINTERLEAVE(half_high, half_low, a);
        }
        get(low, x[2]), get(high, x[3]);""",
    "TGATHER TSCATTER": """
        Rows<T> source(%R, %C), part(n[0], n[1]), target(n[0], n[1]), whole(%R, %C);
        Rows<int32_t> index(n[0], n[1]);
        Rows<uint32_t> scratch(n[0], n[1]);
        put(source, 0, x[0]), put(index, 1, x[1]), put(target, 2, x[2]), put(whole, 3, x[3]);
        TASSIGN(part, 0), TASSIGN(scratch, 4 * 0x8000);
        TGATHER(target, source, index, scratch);
        TSCATTER(whole, part, index);
        get(target, x[2]), get(whole, x[3]);""",
    "TGATHERB": """
        Rows<T> source(%R, %C), target(n[0], n[1]);
        Rows<uint32_t, %R, 32> offset(n[0], 32);
        put(source, 0, x[0]), put(offset, 1, x[1]), put(target, 2, x[2]);
        TGATHERB(target, source, offset);
        get(target, x[2]);""",
    "MGATHER MSCATTER": """
        auto table = memory<T>(x[0], n[2], n[3], n[3]), changed = memory<T>(x[1], n[2], n[3], n[3]);
        const bool by_row = n[4] == 0;
        Rows<int32_t> index(by_row ? 1 : n[0], by_row ? n[0] : n[1]);
        Rows<T> target(n[0], n[1]), source(n[0], n[1]);
        put(index, 0, x[2]), put(target, 1, x[3]), put(source, 2, x[4]);
        const auto scatter = [&]<Coalesce Mode>() {
            switch (n[5]) {
                case 0: MSCATTER<Mode, ScatterAtomicOp::None, ScatterOOB::Skip>(changed, source, index); break;
                case 1: MSCATTER<Mode, ScatterAtomicOp::Add, ScatterOOB::Skip>(changed, source, index); break;
                case 2: MSCATTER<Mode, ScatterAtomicOp::Max, ScatterOOB::Clamp>(changed, source, index); break;
                default: MSCATTER<Mode, ScatterAtomicOp::Min, ScatterOOB::Wrap>(changed, source, index);
            }
        };
        if (by_row) {
            MGATHER<Coalesce::Row, GatherOOB::Zero>(target, table, index);
            scatter.template operator()<Coalesce::Row>();
        } else {
            MGATHER<Coalesce::Elem, GatherOOB::Wrap>(target, table, index);
            scatter.template operator()<Coalesce::Elem>();
        }
        get(target, x[3]);""",
}  # fmt: skip
"""What a function does, by the instructions that it runs."""


def types_of(instructions: str) -> tuple[str, ...]:
    """Element types that all of the instructions take."""
    rows = [INSTRUCTIONS[name] for name in instructions.split()]
    return tuple(dtype for dtype in NAMES if all(dtype in row.dtypes["cpu"] for row in rows))


def symbol(instructions: str, dtype: str) -> str:
    return f"{instructions.replace(' ', '_')}_{dtype}"


def _function(instructions: str, dtype: str) -> str:
    body = BODIES[instructions].replace("%R", str(ROWS)).replace("%C", str(COLS)).replace("%W", str(WIDE))
    return (
        f'extern "C" void {symbol(instructions, dtype)}(void* const* x, const int* n)\n'
        f"{{\n        using T = {NAMES[dtype]};{body}\n}}"
    )


def sources() -> dict[str, str]:
    """A translation unit for each element type."""
    return {
        f"{dtype}.cpp": "\n".join([HEADER, *(_function(i, dtype) for i in BODIES if dtype in types_of(i))])
        for dtype in NAMES
    }


def exports() -> Iterator[str]:
    return (symbol(i, dtype) for i in BODIES for dtype in types_of(i))
