"""Tile sizes that the author left to the compiler.

before: - {}                                  x [rows, 4096] fp32, softmax
after:  rows 2 on cpu (16 KB a tile: L1), 8 on a2a3 (the largest power of two that fits UB)

A dynamic dim always needs a tile; static dims are chosen only where the row names no size at all, or where a tile would
have rows of two dims. The first guess is what suits the platform, then the tile that matters least is halved until the
kernel fits: K, then N, then the rows; columns last, and in a row that names sizes only if nothing else could fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pyptogen.diagnostics import Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES, PRODUCTS, REDUCE, Op, Program, Value
from pyptogen.lower.tile.axes import Axes, Factor
from pyptogen.lower.tile.partition import KernelOps
from pyptogen.lower.tile.sizes import TileSize

MATMUL_ROWS, MATMUL_COLUMNS, MATMUL_DEPTH_BYTES = 128, 128, 512
"""First guess for a matmul: such a tile of A and of B fills the 64 KB of L0A and L0B of A2/A3."""
CPU_DEPTH_BYTES = 2048
"""The same where L0A and L0B are a budget of L2."""
VECTOR_ROWS = 64
FEW_COLUMNS = 64
"""Columns below which a tile is not cut."""
CPU_TILE_BYTES = 16 * 1024
"""A vector tile that stays in L1 on a CPU (measured: 8-16 KB run from L1, larger ones from L2 at a quarter)."""

Table = dict[str, dict[str, TileSize]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A dim that may be chosen: its first tile, and the order in which tiles shrink (higher first)."""

    dim: str
    tile: int
    yields: int


def _choices(program: Program, kernel: KernelOps, platform: Platform) -> dict[str, Choice]:
    """First guesses for the dims of one kernel."""
    axes = Axes(program)
    blocks = {loop.block.name for loop in program.loops}
    found: dict[str, Choice] = {}

    def note(dim: str | None, tile: int, yields: int) -> None:
        if dim is not None and dim not in blocks and (dim not in found or tile < found[dim].tile):
            found[dim] = Choice(dim, tile, yields)

    shapes = [(op, axes.axes(op.result.shape)) for op in kernel.ops if op.kind != "scatter_update"]
    # The outer dims of an axis such as heads * d are columns here and may be rows elsewhere: one at a time.
    shared = {f.dim for _, shape in shapes if shape for f in shape[-1][:-1]}
    for op, shape in shapes:
        leading = [f for axis in shape[:-1] for f in axis]
        rows_of = next((f for f in reversed(leading) if f.dim not in shared), None)
        for factor in (*leading, *(shape[-1][:-1] if shape else ())):
            if factor is not rows_of:
                note(factor.dim, 1, 0)
        if rows_of is not None:
            columns = shape[-1][-1].extent.constant if shape[-1] else 1
            note(rows_of.dim, _first_rows(op, columns, platform), 1)
        if op.kind in PRODUCTS:
            a = op.operands[0]
            assert isinstance(a, Value)
            note(shape[-1][-1].dim, MATMUL_COLUMNS, 2)
            depth = CPU_DEPTH_BYTES if platform.unified else MATMUL_DEPTH_BYTES
            for factor in axes.axes(a.shape)[-1]:
                note(factor.dim, depth // DTYPES[a.dtype], 3)
    return found


def _first_rows(op: Op, columns: int | None, platform: Platform) -> int:
    if op.kind in PRODUCTS:
        return MATMUL_ROWS
    rows = VECTOR_ROWS
    while platform.unified and rows > 1 and rows * (columns or 1) * DTYPES[op.result.dtype] > CPU_TILE_BYTES:
        rows //= 2
    return rows


def run(
    program: Program,
    kernel: KernelOps,
    written: Mapping[str, Mapping[str, TileSize]],
    platform: Platform,
    place: Span,
    fits: Callable[[Table], bool],
) -> Table:
    """The table of one kernel with every size it needs.

    Args:
        program: the operator.
        kernel: the kernel.
        written: what the author wrote, by stage.
        platform: where it will run.
        place: the tiling row, which chosen sizes point at.
        fits: whether a kernel cut by a table fits the platform's memories.
    """
    static = {d.name: d.value for d in program.dims if d.value is not None}
    silent = not any(written.values())
    named = {dim for dims in written.values() for dim in dims}
    open_dims = {
        c.dim: c
        for c in _choices(program, kernel, platform).values()
        if c.dim not in named and (c.dim not in static or (silent and c.tile < static[c.dim]))
    }
    tiles = {dim: choice.tile for dim, choice in open_dims.items()}
    tiles |= dict.fromkeys(_crowded(program, kernel, {**_written_tiles(written), **tiles}), 1)

    def table() -> Table:
        chosen = {dim: TileSize(tile, tile, (), place) for dim, tile in tiles.items()}
        return {stage: {**chosen, **written[stage]} for stage in written}

    while tiles and not fits(table()):
        shrinking = [c for c in open_dims.values() if tiles[c.dim] > (32 if c.yields > 1 else 1)]
        if not shrinking:
            break
        largest = max(shrinking, key=lambda c: (tiles[c.dim] > 64, c.yields, tiles[c.dim]))
        tiles[largest.dim] //= 2
    columns = [dim for dim in _columns(program, kernel) if dim not in named]
    if columns and not silent and fits({st: {d: _one(s) for d, s in dims.items()} for st, dims in table().items()}):
        columns = []
    while columns and not fits(table()):
        size = tiles.get(columns[0], static[columns[0]])
        if size > FEW_COLUMNS:
            tiles[columns[0]] = max(FEW_COLUMNS, -(-size // 2 // FEW_COLUMNS) * FEW_COLUMNS)
        elif len(columns) > 1:
            tiles[columns.pop(0)] = 1
        else:
            break
    return table()


def _one(size: TileSize) -> TileSize:
    return replace(size, tile=1, inner=1)


def _written_tiles(written: Mapping[str, Mapping[str, TileSize]]) -> dict[str, int]:
    return {dim: size.tile for dims in written.values() for dim, size in dims.items()}


def _crowded(program: Program, kernel: KernelOps, tiles: Mapping[str, int]) -> list[str]:
    """Leading dims that nobody cuts beside another one that is wider than a step: a tile has one dim of rows."""
    axes = Axes(program)
    found: list[str] = []
    for op in kernel.ops:
        shape = axes.axes(op.result.shape)
        wide = [f for axis in shape[:-1] for f in axis if f.dim not in found and tiles.get(f.dim or "") != 1]
        if op.kind == "scatter_update":
            continue
        free = [f.dim for f in wide if f.dim is not None and f.dim not in tiles and f.extent.constant is not None]
        cut = len(wide) - len(free)
        found += free if cut else free[:-1]
    return found


def _columns(program: Program, kernel: KernelOps) -> list[str]:
    """Static dims of the columns that may be cut, the outer ones first: no matmul and no reduction needs them whole."""
    axes = Axes(program)
    if any(op.kind in REDUCE | ARG_REDUCE | {"matmul", "concat", "scatter_update"} for op in kernel.ops):
        return []
    shapes = [axes.axes(op.result.shape) for op in kernel.ops if op.result.shape]
    widest = max((shape[-1] for shape in shapes), key=_elements, default=())
    return [f.dim for f in widest if f.dim is not None and f.extent.constant is not None]


def _elements(axis: tuple[Factor, ...]) -> int:
    count = 1
    for factor in axis:
        count *= factor.extent.constant or 1
    return count
