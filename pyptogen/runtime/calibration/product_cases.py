"""Products and what brings operands to the matrix unit and results back, on tiles that stay in the caches."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.runtime.calibration.case import Case
from pyptogen.templates.cpp_names import C_TYPES

DTYPES = ("fp32", "bf16", "fp16", "int8", "fp8_e4m3", "hif8")
ROWS = (1, 8, 16, 32, 128)
"""Rows of the left operand: few of them leave the unit idle."""
N, K = 128, 512
SMALL = (32, 64)
"""Columns and depth of a product that is hardly more than its call."""
LARGE = ((256, 128, 1024), (256, 256, 2048), (256, 128, 4096))
"""Products whose operands do not stay in the nearer caches."""
BOUND_ROWS = (1, 8, 64)
BOUND_DEPTH = 4096
BOUND_BYTES = (1 << 21, 1 << 22, 1 << 23, 1 << 24, 1 << 26)
"""Right operands of so many bytes in all that stay in global memory."""
SHAPES = ((32, 64), (64, 64), (64, 512))
"""Of operands that are moved."""


def _sum_of(dtype: str) -> str:
    return "int32_t" if dtype == "int8" else "float"


def cases() -> Iterator[Case]:
    """``product bf16@32x128x512``, ``Left bf16 ND@64x512``, ``Acc fp32@64x512`` and the like."""
    for dtype in DTYPES:
        slow = dtype in ("fp8_e4m3", "hif8")
        for m in (8, 128) if slow else ROWS:
            yield product(dtype, m, N, K)
        yield product(dtype, 32, *SMALL)
        yield product(dtype, 128, K, N)
        if dtype in ("fp32", "bf16", "int8"):
            for shape in LARGE:
                yield product(dtype, *shape)
            for m in BOUND_ROWS:
                for size in BOUND_BYTES:
                    yield _bound(dtype, m, size)
        for rows, cols in SHAPES:
            yield _operand(dtype, "Left", "ND", rows, cols)
            yield _operand(dtype, "Right", "ND", rows, cols)
    for shape in ((8, N, K), (128, N, K), (32, *SMALL), (128, K, N)):
        yield _scaled(*shape)
    for dtype in ("fp32", "bf16", "fp16", "fp8_e4m3"):
        for rows, cols in SHAPES:
            if dtype != "fp8_e4m3":
                yield _operand(dtype, "Left", "DN", rows, cols)
            yield _operand(dtype, "Right", "DN", rows, cols)
    for dtype in ("fp32", "bf16", "fp16"):
        for rows, cols in SHAPES:
            yield _from_vector(dtype, "Left", rows, cols)
            yield _from_vector(dtype, "Right", rows, cols)
    for to, source in (("fp32", "fp32"), ("bf16", "fp32"), ("fp16", "fp32"), ("int32", "int32")):
        for rows, cols in SHAPES:
            yield _result(to, source, rows, cols)
    for rows, cols in SHAPES:
        yield _extracted(rows, cols)


def product(dtype: str, m: int, n: int, k: int) -> Case:
    text = C_TYPES[dtype]
    fill = "fill" if dtype in ("fp32", "bf16", "fp16") else "fill_bits"
    size = 4 if dtype == "fp32" else 2 if dtype in ("bf16", "fp16") else 1
    room = -(-m // 32) * 32 * k  # operands lie in panels of 32 rows
    counts = (room, k * n) if fill == "fill" else (room * size, k * n * size)
    before = (
        f"    TileLeft<{text}, {max(m, 16)}, {k}, {m}, {k}> a; TASSIGN(a, 0); {fill}(a.data(), {counts[0]});\n"
        f"    TileRight<{text}, {k}, {n}> b; TASSIGN(b, 0); {fill}(b.data(), {counts[1]});\n"
        f"    TileAcc<{_sum_of(dtype)}, {max(m, 16)}, {n}, {m}, {n}> c; TASSIGN(c, 0);"
    )
    return Case(f"product {dtype}@{m}x{n}x{k}", before, "    TMATMUL(c, a, b);")


def _scaled(m: int, n: int, k: int) -> Case:
    """A product with a scale for each 32 steps of depth."""
    room = -(-m // 32) * 32 * k
    before = (
        f"    TileLeft<float8_e4m3_t, {max(m, 16)}, {k}, {m}, {k}> a; TASSIGN(a, 0); fill_bits(a.data(), {room});\n"
        f"    TileRight<float8_e4m3_t, {k}, {n}> b; TASSIGN(b, 0); fill_bits(b.data(), {n * k});\n"
        f"    TileLeftScale<float8_e8m0_t, {max(m, 16)}, {k // 32}, {m}, {k // 32}> s; TASSIGN(s, 0);\n"
        f"    TileRightScale<float8_e8m0_t, {k // 32}, {n}> t; TASSIGN(t, 0);\n"
        f"    __builtin_memset(s.data(), 127, {max(m, 16) * k // 32});\n"
        f"    __builtin_memset(t.data(), 127, {n * k // 32});\n"
        f"    TileAcc<float, {max(m, 16)}, {n}, {m}, {n}> c; TASSIGN(c, 0);"
    )
    return Case(f"product mx@{m}x{n}x{k}", before, "    TMATMUL_MX(c, a, s, b, t);")


def _bound(dtype: str, m: int, size: int) -> Case:
    """Products with one right operand after the other of a packed weight."""
    text = C_TYPES[dtype]
    bytes_ = {"fp32": 4, "bf16": 2}.get(dtype, 1)
    n, k = N, BOUND_DEPTH
    count = size // (n * k * bytes_)
    fill = "fill_bits" if dtype == "int8" else "fill"
    room = -(-m // 32) * 32 * k * (bytes_ if dtype == "int8" else 1)
    panel = 32 * k  # elements of 32 columns
    before = (
        f"    TileLeft<{text}, {max(m, 16)}, {k}, {m}, {k}> a; TASSIGN(a, 0); {fill}(a.data(), {room});\n"
        f"    TileRight<{text}, {k}, {n}> b; TASSIGN(b, 0);\n"
        f"    TileAcc<{_sum_of(dtype)}, {max(m, 16)}, {n}, {m}, {n}> c; TASSIGN(c, 0);\n"
        f"    using Weight = GlobalTensor<{text}, Shape<1, 1, 1, {k}, {n}>, Stride<1, 1, 1, {panel}, 1>, "
        "Layout::CPU_PACKED>;"
    )
    body = (
        f"    for (int part = 0; part < {count}; ++part) {{\n"
        f"        Weight weight(({text}*)memory + int64_t(part) * {n * k});\n"
        "        TLOAD(b, weight); TMATMUL(c, a, b);\n    }"
    )
    return Case(f"bound {dtype} {m}@{size}", before, body)


def _operand(dtype: str, side: str, layout: str, rows: int, cols: int) -> Case:
    """Loaded from a tensor that is twice as wide."""
    text = C_TYPES[dtype]
    high, wide = (cols, rows) if side == "Right" else (rows, cols)
    strides = f"{2 * wide}, 1" if layout == "ND" else f"1, {2 * high}"
    type_ = f"GlobalTensor<{text}, Shape<1, 1, 1, {high}, {wide}>, Stride<1, 1, 1, {strides}>, Layout::{layout}>"
    before = f"    Tile{side}<{text}, {high}, {wide}> a; TASSIGN(a, 0);"
    return Case(f"{side} {dtype} {layout}@{rows}x{cols}", before, f"    {type_} gm(({text}*)memory); TLOAD(a, gm);")


def _from_vector(dtype: str, side: str, rows: int, cols: int) -> Case:
    text = C_TYPES[dtype]
    high, wide = (cols, rows) if side == "Right" else (rows, cols)
    before = (
        f"    Tile{side}<{text}, {high}, {wide}> a; TASSIGN(a, 0);\n"
        f"    Vec<{text}, {high}, {wide}> v; TASSIGN(v, 0); fill(v.data(), {high * wide});"
    )
    return Case(f"{side} {dtype} Vec@{rows}x{cols}", before, "    TMOV(a, v);")


def _result(to: str, source: str, rows: int, cols: int) -> Case:
    text = C_TYPES[to]
    before = f"    TileAcc<{C_TYPES[source]}, {rows}, {cols}> c; TASSIGN(c, 0); fill(c.data(), {rows * cols});"
    type_ = f"Gm<{text}, {rows}, {cols}, {2 * cols}>"
    return Case(f"Acc {to}@{rows}x{cols}", before, f"    {type_} gm(({text}*)scratch); TSTORE(gm, c);")


def _extracted(rows: int, cols: int) -> Case:
    before = (
        f"    TileAcc<float, {rows}, {cols}> c; TASSIGN(c, 0); fill(c.data(), {rows * cols});\n"
        f"    Vec<bfloat16_t, {rows}, {cols}> v; TASSIGN(v, 0);"
    )
    return Case(f"TEXTRACT bf16 fp32@{rows}x{cols}", before, "    TEXTRACT(v, c, 0, 0);")
