"""Spelling of types in PTO assembly (`.pto`): dtypes, tile buffers, views.

A tile buffer is written out in full (the long form with ``loc=``), so that no line needs another to be understood.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.instruction.ir import TileType
from pyptogen.records import replace

DTYPES = {
    "fp32": "f32", "fp16": "f16", "bf16": "bf16", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
    "fp8_e4m3": "f8E4M3FN", "fp8_e5m2": "f8E5M2", "fp8_e8m0": "!pto.f8E8M0", "hif8": "!pto.hif8",
    "fp4_e2m1": "!pto.f4E2M1x2",
}  # fmt: skip
"""MLIR element type of each dtype of a spec that the assembler has; it has no whole numbers of four bits."""

PAIRED = ("fp4_e2m1",)
"""Dtypes of which two make an element of the assembler; its extents along a line count pairs."""

PADS = {"": 0, "Min": 3}
"""Numbers of pad values."""

LAYOUTS = {
    "Mat": ("col_major", "row_major", 512),
    "Left": ("row_major", "row_major", 512),
    "Right": ("row_major", "col_major", 512),
    "Acc": ("col_major", "row_major", 1024),
}
"""Base layout, layout inside a fractal and bytes of a fractal of the cube's tiles."""

LEFT_IN_COLUMNS = ("a5",)
"""Architectures whose left operands have their fractals in columns, as tiles in L1 have, and not in rows."""


def tile_buf(kind: TileType, arch: str) -> str:
    """``!pto.tile_buf<loc=…, dtype=…, …>`` of a tile type on an architecture of the assembler; ``?`` stands for a
    run-time valid extent.
    """
    vec = ("col_major" if kind.col_major else "row_major", "none_box", 512)
    blayout, slayout, fractal = LAYOUTS.get(kind.loc, vec)
    if kind.loc == "Left" and arch in LEFT_IN_COLUMNS:
        blayout = "col_major"
    if kind.across:
        blayout, slayout = slayout, blayout
    kind = in_elements(kind)
    fields = {
        "loc": kind.loc.lower(), "dtype": DTYPES[kind.dtype], "rows": kind.rows, "cols": kind.cols,
        "v_row": "?" if kind.valid_rows is None else kind.valid_rows,
        "v_col": "?" if kind.valid_cols is None else kind.valid_cols,
        "blayout": blayout, "slayout": slayout, "fractal": fractal, "pad": PADS[kind.pad],
    }  # fmt: skip
    if kind.compact:
        fields["compact"] = 1
    return f"!pto.tile_buf<{', '.join(f'{key}={value}' for key, value in fields.items())}>"


def lies_in_elements(kind: TileType) -> bool:
    """Whether the lines of a tile, and their valid parts, are elements of the assembler without a rest."""
    if kind.dtype not in PAIRED:
        return True
    return kind.valid_cols is not None and kind.cols % 2 == kind.valid_cols % 2 == 0 and not kind.col_major


def in_elements(kind: TileType) -> TileType:
    """The tile type with its extents in elements of the assembler, in which it lies."""
    if kind.dtype not in PAIRED:
        return kind
    assert kind.valid_cols is not None and lies_in_elements(kind)
    return replace(kind, cols=kind.cols // 2, valid_cols=kind.valid_cols // 2)


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
