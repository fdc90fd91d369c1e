"""Spelling of types in PTO assembly (`.pto`): dtypes, tile buffers, views.

A tile buffer is written out in full (the long form with ``loc=``), so that no line needs another to be understood.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.instruction.ir import TileType
from pyptogen.lower.tensor.building.rules import SCALE

DTYPES = {
    "fp32": "f32", "fp16": "f16", "bf16": "bf16", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
    "fp8_e4m3": "f8E4M3FN", "fp8_e5m2": "f8E5M2", "fp8_e8m0": "f8E8M0FNU", "int4": "i4", "hif8": "!pto.hif8",
    "fp4_e2m1": "f4E2M1FN",
}  # fmt: skip
"""MLIR element type of each dtype of a spec."""

PADS = {"": 0, "Min": 3}
"""Numbers of pad values."""

LAYOUTS = {
    "Mat": ("col_major", "row_major", 512),
    "Left": ("col_major", "row_major", 512),
    "Right": ("row_major", "col_major", 512),
    "Acc": ("col_major", "row_major", 1024),
    "ScaleLeft": ("row_major", "row_major", 32),
    "ScaleRight": ("col_major", "col_major", 32),
}
"""Base layout, layout inside a fractal and bytes of a fractal of the cube's tiles. The assembler turns the base layout
of ``left`` to what the architecture wants."""


def tile_buf(kind: TileType) -> str:
    """``!pto.tile_buf<loc=…, dtype=…, …>`` of a tile type; ``?`` stands for a run-time valid extent."""
    vec = ("col_major" if kind.col_major else "row_major", "none_box", 512)
    blayout, slayout, fractal = LAYOUTS.get(kind.loc, vec)
    if kind.across:
        blayout, slayout = slayout, blayout
    if kind.loc == "Mat" and kind.dtype == SCALE:
        blayout, slayout, fractal = LAYOUTS["ScaleRight" if kind.col_major else "ScaleLeft"]
    loc = "scaling" if kind.loc.startswith("Scale") else kind.loc.lower()
    fields = {
        "loc": loc, "dtype": DTYPES[kind.dtype], "rows": kind.rows, "cols": kind.cols,
        "v_row": "?" if kind.valid_rows is None else kind.valid_rows,
        "v_col": "?" if kind.valid_cols is None else kind.valid_cols,
        "blayout": blayout, "slayout": slayout, "fractal": fractal, "pad": PADS[kind.pad],
    }  # fmt: skip
    return f"!pto.tile_buf<{', '.join(f'{key}={value}' for key, value in fields.items())}>"


def pointer(dtype: str) -> str:
    """``!pto.ptr<…>`` to elements in GM."""
    return f"!pto.ptr<{DTYPES[dtype]}>"


def tensor_view(dtype: str, rank: int) -> str:
    """``!pto.tensor_view<?x…>``: extents are the operands of ``make_tensor_view``."""
    return f"!pto.tensor_view<{'?x' * rank}{DTYPES[dtype]}>"


def partition(dtype: str, sizes: Sequence[int | None]) -> str:
    """``!pto.partition_tensor_view<…>``; None is a run-time size."""
    extents = "".join(f"{'?' if size is None else size}x" for size in sizes)
    return f"!pto.partition_tensor_view<{extents}{DTYPES[dtype]}>"
