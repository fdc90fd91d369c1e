"""What an instruction costs where it stands in a kernel: its tiles and windows, as `pyptogen.lower.isa.cost` prices
them. The model of the device and the quick comparison of tilings (`duration`) both ask here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Declare, FifoRef, GmWindow, Instr
from pyptogen.lower.isa.cost import Bursts, Price, Shape, price, window_bursts
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tensor.ir import DTYPES

Number = Callable[[Poly], int]
"""What a number of the kernel's text is in the call that is priced."""
NOTHING = Price(0.0)


def shape_of(tile: Declare, rows: int, cols: int) -> Shape:
    """A tile of which so many rows and columns are valid."""
    kind = tile.type
    row_major = not (kind.loc == "Vec" and kind.cols == 1 and kind.rows > 1)
    static = kind.valid_rows is not None and kind.valid_cols is not None
    pitch = kind.cols if row_major else kind.rows
    return Shape(kind.loc, kind.dtype, DTYPES[kind.dtype], rows, cols, pitch, row_major, static)


def price_of(instr: Instr, tiles: Mapping[str, Shape], number: Number, timing: Timing) -> Price:
    """One instruction. Words about fifos alone (TPOP, TFREE) and instructions on empty tiles cost nothing here.

    Args:
        instr: the instruction.
        tiles: its tiles by name, as far as they are valid.
        number: extents and strides of windows.
        timing: figures of the platform.
    """
    shapes: list[Shape] = []
    window, fifo = None, False
    for operand in instr.operands:
        if isinstance(operand, str):
            shape = tiles[operand]
            if not shape.rows or not shape.cols:
                return NOTHING
            shapes.append(shape)
        elif isinstance(operand, GmWindow):
            window = window or operand
        elif isinstance(operand, FifoRef):
            fifo = True
    if fifo and not shapes:
        return NOTHING
    bursts = Bursts(1, shapes[0].bytes) if fifo else _bursts(window, number) if window is not None else None
    return price(instr.name, instr.pipe, tuple(shapes), bursts, timing)


def _bursts(window: GmWindow, number: Number) -> Bursts:
    rows, cols = (max(0, number(extent.poly())) for extent in (window.rows, window.cols))
    size = DTYPES[window.dtype]
    if window.layout in ("NZ", "CPU_PACKED"):  # fractals of 32 bytes of columns, each row after row
        return Bursts(int(-(-cols * size // 32)), rows * 32)
    return window_bursts(rows, cols, number(window.row_stride), number(window.col_stride), size)
