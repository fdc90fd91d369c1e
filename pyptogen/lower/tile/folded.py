"""Reductions of many elements as reductions of few: halves are joined element by element, at the rate of a sum of two
tiles, until few are left.

before: s = sum of the columns of x [64 x 128] where that takes one row after the other
after:  x_sum = add x[rows 0 to 32], x[rows 32 to 64]; x_sum[16] = add x_sum[rows 0 to 16], x_sum[rows 16 to 32]; …
        s = sum of the columns of x_sum [8 x 128]

before: s = sum of the rows of x [2 x 4096] where an instruction takes 64 elements of each row
after:  x[2048] = add x[columns 0 to 2048], x[columns 2048 to 4096]; x[1024] = add …
        s = sum of the rows of x [2 x 128]
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.isa.cost import Shape, vector
from pyptogen.lower.isa.kinds import REDUCE_NAMES, instruction_of
from pyptogen.lower.platforms import Platform
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, TileOp, TileVal
from pyptogen.lower.tile.loops.running_results import JOINS
from pyptogen.lower.tile.ops import Binary, Reduce
from pyptogen.records import replace

FEW_ROWS = 8
"""Rows that are left to a reduction that takes one after the other: half of them would take as long as another step."""
LEAST_COLUMNS = 64
"""Columns that are left to a reduction of rows at least: a repeat of fp32."""
LEAST_GAIN = 0.1
"""What a step has to save of the reduction's time: it is four lines to read."""


def folded(
    op: Reduce, tiles: AddedTiles, platform: Platform, free: bool, extra_memory: bool
) -> tuple[list[TileOp], Reduce]:
    """A reduction as one of less, and what makes that.

    Args:
        op: the reduction.
        tiles: of its kernel, which gets the windows.
        platform: where it will run.
        free: nothing else reads the operand, so that halves of rows may be joined in its place.
        extra_memory: they may be joined in a tile of their own, too.
    """
    source = tiles.tiles[str(op.srcs[0])]
    if op.fn not in JOINS or source.form != "full" or source.cols.size == 1:
        return [], op
    if op.over_rows and platform.serial_column_reductions:
        return _of_columns(op, source, tiles)
    if not op.over_rows and platform.serial_row_reductions and (free or extra_memory):
        return _of_rows(op, source, tiles, platform, free)
    return [], op


def _of_columns(op: Reduce, source: TileVal, tiles: AddedTiles) -> tuple[list[TileOp], Reduce]:
    """Half of the rows and the other half, all columns at once. What lies in a tile of so many rows as a call tells
    stays."""
    rows = source.rows.size
    steps: list[TileOp] = []
    at = source.name
    while source.rows.valid is None and rows > FEW_ROWS and rows % 2 == 0:
        rows //= 2
        upper, lower = _some_rows(tiles, at, 0, rows), _some_rows(tiles, at, rows, rows)
        joined = upper if steps else tiles.like(f"{op.dst}_folded", tiles.tiles[upper])
        steps.append(Binary.of(op, joined, upper, lower, fn=JOINS[op.fn]))
        at = joined
    return steps, replace(op, srcs=(at,))


def _of_rows(
    op: Reduce, source: TileVal, tiles: AddedTiles, platform: Platform, free: bool
) -> tuple[list[TileOp], Reduce]:
    """Half of the columns and the other half, of all rows, as often as it takes less time."""
    assert platform.timing is not None
    steps: list[TileOp] = []
    at = source.name
    for width in _widths(op, source, platform.timing):
        first, second = (_some_columns(tiles, at, start, width) for start in (0, width))
        joined = first if steps or free else tiles.like(f"{op.dst}_folded", tiles.tiles[first])
        steps.append(Binary.of(op, joined, first, second, fn=JOINS[op.fn]))
        at = joined
    return steps, replace(op, srcs=(at,))


def _widths(op: Reduce, source: TileVal, timing: Timing) -> Sequence[int]:
    """The columns that are left after each step, of as many steps as are worth it."""
    size, rows, cols = DTYPES[source.dtype], source.rows.size, source.cols.size
    if source.cols.valid is not None or source.parent is not None:
        return ()

    def takes(name: str, width: int) -> float:
        static = source.rows.valid is None and width == cols
        price = vector(name, [Shape("Vec", source.dtype, size, rows, width, cols, static=static)] * 2, timing)
        return price.hold + price.latency + timing.barrier.value + timing.issue.value

    widths: list[int] = []
    best, fold = takes(REDUCE_NAMES[op.fn], cols), 0.0
    least = LEAST_GAIN * best
    found: Sequence[int] = ()
    while cols % 2 == 0 and (cols >> len(widths) + 1) % LEAST_COLUMNS == 0:
        widths.append(cols >> len(widths) + 1)
        fold += takes(instruction_of(JOINS[op.fn]), widths[-1])
        together = fold + takes(REDUCE_NAMES[op.fn], widths[-1])
        if together < best - least:
            best, found = together, tuple(widths)
    return found


def _some_rows(tiles: AddedTiles, name: str, first: int, rows: int) -> str:
    """Some rows of a tile, as a window."""
    tile = tiles.tiles[name]
    window = replace(tile, rows=Extent(rows), parent=tile.owner, row_offset=tile.row_offset + first)
    return tiles.add(f"{tile.owner}_from_{first}" if first else f"{tile.owner}_{rows}", window)


def _some_columns(tiles: AddedTiles, name: str, first: int, cols: int) -> str:
    """Some columns of a tile, as a window."""
    tile = tiles.tiles[name]
    window = replace(tile, cols=Extent(cols), parent=tile.owner, col_offset=tile.col_offset + first)
    return tiles.add(f"{tile.owner}_from_{first}" if first else f"{tile.owner}_{cols}", window)
