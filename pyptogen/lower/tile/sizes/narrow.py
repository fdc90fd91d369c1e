"""Cuts that a kernel cannot do without: rows of one dim, those of a condition, columns that fit the memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from pyptogen.diagnostics import Span
from pyptogen.lower.refusal import Refusal, asked, require_no_copy
from pyptogen.lower.tensor.ir import ARG_REDUCE, PRODUCTS, REDUCE, Op, Program, Value
from pyptogen.lower.tensor.program_names import iteration_condition
from pyptogen.lower.tile.cutting.axes import Axes, Factor
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.sizes.first_guesses import tiled
from pyptogen.lower.tile.sizes.sizes import TileSize
from pyptogen.records import replace

FEW_COLUMNS = 64
"""Columns below which a tile is not cut while there is another dim to cut."""
FEWEST_COLUMNS = 8
"""The least columns of all: 32 bytes of fp32."""

Table = dict[str, dict[str, TileSize]]


def crowded(
    program: Program, kernel: KernelOps, tiles: Mapping[str, int], together: Collection[str | None] = ()
) -> list[str]:
    """Leading dims that nobody cuts beside another one that is wider than a step: a tile has one dim of rows, but for
    those whose rows are taken ``together`` with its. Of a product's batches each has a right operand of its own."""
    axes = Axes(program)
    found: list[str] = []
    for op in kernel.ops:
        shape = axes.axes(tiled(op).shape)
        if op.kind in PRODUCTS:
            batches = (factor for axis in axes.axes(_right(op).shape)[:-2] for factor in axis)
            found += [f.dim for f in batches if f.dim is not None and f.dim not in (*tiles, *found)]
        wide = [f for axis in shape[:-1] for f in axis if f.dim not in found and tiles.get(f.dim or "") != 1]
        if op.kind == "scatter_update":
            continue
        wide = [f for f in wide if f.dim not in together]
        free = [f.dim for f in wide if f.dim is not None and f.dim not in tiles and f.extent.constant is not None]
        cut = len(wide) - len(free)
        found += free if cut else free[:-1]
    return found


def of_conditions(program: Program, kernel: KernelOps) -> list[str]:
    """The dims along which the conditions of a kernel's loops differ: an iteration takes place for all of a tile."""
    axes = Axes(program)
    decides = {iteration_condition(op.loop) for op in kernel.ops if op.loop}
    read = [v for op in program.ops if op.result.name in decides for v in op.operands if isinstance(v, Value)]
    factors = (factor for value in read for axis in axes.axes(value.shape) for factor in axis)
    return [factor.dim for factor in factors if factor.dim is not None and factor.dim not in axes.over]


def of_parts(program: Program, kernel: KernelOps) -> list[str]:
    """The dims of the parts of a reduced axis: each has a result."""
    axes = Axes(program)
    ops = (op for op in kernel.ops if "parts" in op.attrs)
    return [f.dim for op in ops for f in axes.axes(op.result.shape)[int(op.attrs["axis"])] if f.dim is not None]


def batches_apart(program: Program, kernel: KernelOps, table: Mapping[str, Mapping[str, TileSize]]) -> Table:
    """The table with the tile 1 for each dim of a product's batches that the author only gives ranges (``unroll``): the
    matrix unit has one dim of rows."""
    axes = Axes(program)
    shapes = [axes.axes(op.result.shape) for op in kernel.ops if op.kind in PRODUCTS]
    batches = {factor.dim for shape in shapes for axis in shape[:-2] for factor in axis}

    def own(dim: str, size: TileSize) -> TileSize:
        return replace(size, tile=1, inner=1) if size.unroll and dim in batches else size

    return {stage: {dim: own(dim, size) for dim, size in sizes.items()} for stage, sizes in table.items()}


def columns(
    program: Program,
    kernel: KernelOps,
    table: Table,
    named: Collection[str],
    place: Span,
    fits: Callable[[Table], bool],
) -> Table:
    """The table with columns cut until the kernel fits. Where the author named sizes, only if none of those, however
    small, would do: a size that is too large is to be reported."""
    free = [dim for dim in _columns(program, kernel) if dim not in named]
    if not free or fits(table):
        return table
    if named and fits({st: {d: replace(s, tile=1, inner=1) for d, s in dims.items()} for st, dims in table.items()}):
        return table
    cut = asked(_cut, program, table, free, place, fits)
    if isinstance(cut, Refusal):  # they cannot be cut: what does not fit is reported as it is
        require_no_copy(cut)
        return table
    return cut


def _cut(program: Program, table: Table, free: list[str], place: Span, fits: Callable[[Table], bool]) -> Table:
    """Halves the first of the free dims until the kernel fits, then the next one."""
    while not fits(table):
        size = table[next(iter(table))].get(free[0])
        wide = size.tile if size else _static(program, free[0])
        if wide > FEW_COLUMNS:
            tile = max(FEW_COLUMNS, -(-wide // 2 // FEW_COLUMNS) * FEW_COLUMNS)
            table = _with(table, free[0], TileSize(tile, tile, (), place))
        elif len(free) > 1:
            table = _with(table, free.pop(0), TileSize(1, 1, (), place))
        elif wide > FEWEST_COLUMNS:
            tile = max(FEWEST_COLUMNS, wide // 2)
            table = _with(table, free[0], TileSize(tile, tile, (), place))
        else:
            break
    return table


def _static(program: Program, dim: str) -> int:
    value = program.dim(dim).value
    assert value is not None
    return value


def _with(table: Table, dim: str, size: TileSize) -> Table:
    return {stage: {**dims, dim: size} for stage, dims in table.items()}


def _columns(program: Program, kernel: KernelOps) -> list[str]:
    """Static dims of the columns that may be cut, the outer ones first: no matmul and no reduction needs them whole."""
    axes = Axes(program)
    if any(op.kind in PRODUCTS | {"concat", "scatter_update"} for op in kernel.ops):
        return []
    reductions = [op for op in kernel.ops if op.kind in REDUCE | ARG_REDUCE | {"prod"}]
    needed = {f.dim for op in reductions for f in axes.axes(_source(op).shape)[int(op.attrs["axis"])]}
    shapes = [axes.axes(op.result.shape) for op in kernel.ops if op.result.shape]
    free = [tuple(f for f in shape[-1] if f.extent.constant is not None and f.dim not in needed) for shape in shapes]
    return [factor.dim for factor in max(free, key=_elements, default=()) if factor.dim is not None]


def _right(op: Op) -> Value:
    value = op.operands[1]
    assert isinstance(value, Value)
    return value


def _source(op: Op) -> Value:
    value = op.operands[0]
    assert isinstance(value, Value)
    return value


def _elements(axis: tuple[Factor, ...]) -> int:
    count = 1
    for factor in axis:
        count *= factor.extent.constant or 1
    return count
