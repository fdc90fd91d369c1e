"""The types of tiles and GlobalTensors in the text of a kernel: aliases at the top of its file, one for each type."""

from __future__ import annotations

from dataclasses import dataclass, field

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import GmWindow, TileType
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tile.ir import Extent
from pyptogen.templates.cpp_names import C_TYPES, SHORT, camel

PAIRS = ("MX_A_ND", "MX_B_DN")
"""Layouts of scales: two of the depth side by side, as many pairs as there are, for each row (column) of an operand."""


@dataclass(slots=True)
class Aliases:
    """Aliases by the type that they stand for."""

    tiles: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, str] = field(default_factory=dict)

    def tile(self, kind: TileType) -> str:
        """Name of a tile type; declared once at the top of the file."""
        ctype = C_TYPES[kind.dtype]
        vr = "DYNAMIC" if kind.valid_rows is None else str(kind.valid_rows)
        vc = "DYNAMIC" if kind.valid_cols is None else str(kind.valid_cols)
        shape = f"{ctype}, {kind.rows}, {kind.cols}"
        if kind.loc in ("Left", "Right", "Acc"):
            text = f"Tile{kind.loc}{'Compact' if kind.compact else ''}<{shape}, {vr}, {vc}>"
        elif kind.loc in ("ScaleLeft", "ScaleRight"):
            text = f"Tile{kind.loc.removeprefix('Scale')}Scale<{shape}, {vr}, {vc}>"
        elif kind.loc == "Mat" and kind.dtype == SCALE:
            major = "ColMajor" if kind.col_major else "RowMajor"
            text = f"Tile<TileType::Mat, {shape}, BLayout::{major}, {vr}, {vc}, SLayout::{major}, 32>"
        elif kind.loc == "Mat":
            majors = ("RowMajor", "ColMajor") if kind.across else ("ColMajor", "RowMajor")
            text = f"Tile<TileType::Mat, {shape}, BLayout::{majors[0]}, {vr}, {vc}, SLayout::{majors[1]}, 512>"
        else:
            rest = f", SLayout::NoneBox, 512, PadValue::{kind.pad}" if kind.pad else ""
            major = "ColMajor" if kind.col_major else "RowMajor"
            text = f"Tile<TileType::Vec, {shape}, BLayout::{major}, {vr}, {vc}{rest}>"
        if text not in self.tiles:
            self.tiles[text] = self._tile_name(kind)
        return self.tiles[text]

    def _tile_name(self, kind: TileType) -> str:
        loc, pad = f"{kind.loc}{'Zn' if kind.across else ''}", f"_{kind.pad.lower()}" if kind.pad else ""
        name = f"{loc}{SHORT[kind.dtype]}_{kind.rows}x{kind.cols}{pad}"
        if kind.valid_cols is not None and kind.valid_cols != kind.cols:
            name += f"_c{kind.valid_cols}"
        if kind.valid_rows is not None and kind.valid_rows != kind.rows:
            name += f"_r{kind.valid_rows}"
        while name in self.tiles.values():
            name += "m"
        return name

    def gm(self, window: GmWindow) -> str:
        """Name of a GlobalTensor type: after its tensor."""
        text = f"GlobalTensor<{C_TYPES[window.dtype]}, {self._shape(window)}, {self._stride(window)}"
        text += ">" if window.layout == "ND" else f", Layout::{window.layout}>"
        if text not in self.tensors:
            name, n = f"{camel(window.tensor)}Gm", 1
            while name in self.tensors.values():
                n += 1
                name = f"{camel(window.tensor)}Gm{n}"
            self.tensors[text] = name
        return self.tensors[text]

    @staticmethod
    def _shape(window: GmWindow) -> str:
        rows, cols = (_fixed(e) for e in (window.rows, window.cols))
        if window.layout == "NZ":
            c0 = 32 // _bytes(window.dtype)
            blocks = [
                str(-(-e.size // step)) if e.valid is None else "DYNAMIC"
                for e, step in ((window.cols, c0), (window.rows, 16))
            ]
            return f"Shape<1, {blocks[0]}, {blocks[1]}, 16, {c0}>"
        if window.layout in PAIRS:
            across, along = (rows, window.cols) if window.layout == "MX_A_ND" else (cols, window.rows)
            return f"Shape<1, 1, {across}, {'DYNAMIC' if along.valid is not None else along.size // 2}, 2>"
        return f"Shape<1, 1, 1, {rows}, {cols}>"

    @staticmethod
    def _stride(window: GmWindow) -> str:
        def text(p: Poly) -> str:
            return "DYNAMIC" if p.constant is None else str(p.constant)

        if window.layout == "NZ":
            c0 = 32 // _bytes(window.dtype)
            return f"Stride<1, {text(window.row_stride * c0)}, {16 * c0}, {c0}, 1>"
        if window.layout in PAIRS:
            return f"Stride<1, 1, {text(window.row_stride if window.layout == 'MX_A_ND' else window.col_stride)}, 2, 1>"
        return f"Stride<1, 1, 1, {text(window.row_stride)}, {text(window.col_stride)}>"


def gm_arguments(window: GmWindow) -> str:
    """Constructor arguments of a GlobalTensor: pointer, run-time extents, run-time strides."""
    offset = window.offset.c(wide=True)
    pointer = window.tensor if offset == "0" else f"{window.tensor} + {offset}"
    sizes = (window.rows.valid, window.cols.valid)
    if window.layout in PAIRS:
        across, along = sizes if window.layout == "MX_A_ND" else reversed(sizes)
        sizes = (across, along.over(2) if along is not None else None)
    if window.layout == "NZ":  # fractals along the columns, then along the rows
        fractals = ((window.cols.valid, 32 // _bytes(window.dtype)), (window.rows.valid, 16))
        extents = [f"({(size + (step - 1)).c()}) / {step}" for size, step in fractals if size is not None]
    else:
        extents = [size.c() for size in sizes if size is not None]
    strides = [s.c(wide=True) for s in (window.row_stride, window.col_stride) if s.constant is None]
    text = pointer
    if extents or strides:
        text += f", {{{', '.join(extents)}}}"
    if strides:
        text += f", {{{', '.join(strides)}}}"
    return text


def _fixed(extent: Extent) -> str:
    return "DYNAMIC" if extent.valid is not None else str(extent.size)


def _bytes(dtype: str) -> int:
    from pyptogen.lower.tensor.ir import DTYPES

    return DTYPES[dtype]
