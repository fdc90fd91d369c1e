"""A column copied to all columns of a tile as a product, where that takes less time than a row after the other.

before: y [64 x 128] = broadcast s [64 x 1]
after:  y_ones = fill 1; y = mul y_ones, s

A product by one is the number itself, of every dtype that the instruction takes.
"""

from __future__ import annotations

import sympy

from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.cost import Shape, vector
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import ScalarArg, TileOp, TileVal
from pyptogen.lower.tile.ops import Binary, Broadcast, Fill

LEAST_GAIN = 0.1
"""What it has to save of the time: it is two lines more to read."""
BLOCK_BYTES = 32
"""A tile of such rows is one instruction, where its extents are static (pto-isa)."""


def multiplied(op: Broadcast, tiles: AddedTiles, platform: Platform) -> list[TileOp]:
    """The operation, or what takes its place."""
    dst, source = tiles.tiles[str(op.dst)], tiles.tiles[str(op.srcs[0])]
    if not platform.serial_row_expansions or (dst.form, source.form) != ("full", "col"):
        return [op]
    if source.rows.size == 1 or not _is_faster(dst, platform):
        return [op]
    ones = tiles.like(f"{dst.name}_ones", dst)
    one = ScalarArg(sympy.Integer(1), op.span)
    return [Fill.of(op, ones, one), Binary.of(op, dst.name, ones, source.name, fn="mul")]


def _is_faster(dst: TileVal, platform: Platform) -> bool:
    assert platform.timing is not None
    size = DTYPES[dst.dtype]
    if dst.dtype not in INSTRUCTIONS["TROWEXPANDMUL"].dtypes[platform.name] or dst.cols.size * size <= BLOCK_BYTES:
        return False
    wide = Shape("Vec", dst.dtype, size, dst.rows.size, dst.cols.size, dst.cols.size)
    column = Shape("Vec", dst.dtype, size, dst.rows.size, 1, dst.rows.size, False)

    def takes(name: str, *shapes: Shape) -> float:
        assert platform.timing is not None
        price = vector(name, shapes, platform.timing)
        return price.hold + price.latency + platform.timing.barrier.value + platform.timing.issue.value

    product = takes("TEXPANDS", wide) + takes("TROWEXPANDMUL", wide, wide, column)
    return product <= (1 - LEAST_GAIN) * takes("TROWEXPAND", wide, column)
