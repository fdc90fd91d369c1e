"""Dims whose tiles may be chosen, and what suits a platform at first: the guesses that `choose` begins with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES, PRODUCTS, REDUCE, Op, Program, Value
from pyptogen.lower.tile.cutting.axes import Axes, Axis
from pyptogen.lower.tile.cutting.merged_rows import merged_rows
from pyptogen.lower.tile.kernels.islands import looped
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.loops.iteration_rows import shared_rows
from pyptogen.lower.tile.loops.reduction_loops import LONG_ROWS, REDUCTIONS, Dividable, dividable
from pyptogen.records import dataclass, replace

MATMUL_ROWS, MATMUL_COLUMNS, MATMUL_DEPTH_BYTES = 128, 128, 512
"""First guess for a matmul: such a tile of A and of B fills the 64 KB of L0A and L0B of A2/A3."""
CPU_ROWS, CPU_COLUMNS, CPU_DEPTH_BYTES = 256, 256, 8192
"""The same where L0A and L0B are a budget of L2 and a tile of A is rearranged when it is loaded: K whole, so that all
columns use it, up to 2 MB of A."""
ITERATION_ROWS, ROWS_AT_ONCE, ITERATION_COLUMNS = 1024, 128, 1024
"""First guess for the products of a loop on a CPU: an iteration's block is rearranged once for many rows, which meet it
a part at a time, so that what lies between the products stays in L2. Cut columns would do all iterations again."""
SEEN_AT_ONCE = 128
"""Block of a causal loop on a CPU: what of a block lies behind a query's own position is computed for nothing. Measured
with 512 to 2048 queries against blocks of 512: a third less time with 512 of them, 13 % less with 2048."""
VECTOR_ROWS = 64
VECTOR_COLUMNS = 256
"""First guess where the columns are known at run time only."""
CPU_TILE_BYTES = 16 * 1024
"""A vector tile that stays in L1 on a CPU (measured: 8-16 KB run from L1, larger ones from L2 at a quarter)."""

DEPTH = 3
MOST_TILE = 1024
"""Largest tile of a run-time dim."""
DEPTH_IN_CACHE, DEPTH_IN_PASS = 2, 8
"""Rows of a tile of a CPU that nothing but a reduction over them reads: two where it stays in a cache, so that its
lines are long runs (a quarter less time for 8192 x 4096 than with 64). A tile that one pass loads and reduces needs no
memory: its lines are as long as the row of results may be, which lies in L1 (half the time of lines of 8 KB)."""
PIECE, ROWS_IN_PIECES = 1024, 16
"""First guess for the columns of such a piece and its rows, where cube and vector cores are apart: by the model of
A2/A3 norms and softmax of 8192 to 32768 columns are fastest with 4096 to 8192 elements in a tile, of 4 to 16 rows."""
SCANNED_ROWS, TRANSPOSED_ROWS, SCANNED_BYTES, SCANNED_COLUMNS_BYTES = 8, 32, 16384, 256
"""Lines that are scanned together. Along rows: on a CPU as many as TROWCUMSUM steps along together (fp32); elsewhere
they are the columns of a transposed tile, where a step takes as long for one as for these (by the model of A2/A3, of
1024 columns 48 x 32 take 20 us, as 48 x 16 do). Over rows: columns of a tile of so many bytes whose rows are one repeat
of a vector instruction. More of them take longer in a call of few, which has no work for all cores then."""
LINE, MOST_LINE = 4096, 16384
"""First guess for a run-time dim that has no other beside it, and its largest tile."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A dim that may be chosen: its first tile, the order in which tiles shrink (higher first; `DEPTH` for what a
    product sums over, 0 for what is looped one by one), the largest tile, and how many of them an iteration takes at a
    time (0: all)."""

    dim: str
    tile: int
    yields: int
    most: int
    at_once: int = 0
    long: bool = False
    """Whether rows of it take much of a memory, so that pieces of them and whole ones are compared."""
    reduced: bool = False
    """Whether reductions go over such rows: piece by piece where they are cut."""
    rows: bool = False
    """Whether it is the dim of a tile's rows that is reduced."""

    def cuts(self, length: int) -> bool:
        """Whether a dim of that length, known at build time, is cut at first."""
        return (self.at_once or self.tile) < length

    def within(self, length: int | None) -> Choice:
        """The choice for a dim of that length, None where it is known at run time only."""
        if length is None:
            return self
        parts = length // self.at_once * self.at_once if self.at_once else self.tile
        return replace(self, most=length, tile=min(self.tile, max(parts, 1)))

    def part(self, tile: int) -> int:
        """How many of a tile's rows an iteration takes at a time; 0: all."""
        return self.at_once if self.at_once < tile and not tile % (self.at_once or 1) else 0


def choices(program: Program, kernel: KernelOps, platform: Platform, written: Mapping[str, int]) -> dict[str, Choice]:
    """First guesses for the dims of one kernel. A tile has one dim of rows: where the author cut one into several rows,
    it is that one."""
    axes = Axes(program)
    blocks = {loop.block.name for loop in program.loops}
    found: dict[str, Choice] = {}

    def note(dim: str | None, tile: int, yields: int, most: int = MOST_TILE, at_once: int = 0) -> None:
        if dim is not None and dim not in blocks and (dim not in found or tile < found[dim].tile):
            found[dim] = Choice(dim, tile, yields, most, at_once)

    for loop in program.loops:
        if loop.causal_bound is not None and platform.unified and any(op.loop == loop.name for op in kernel.ops):
            note(loop.over, SEEN_AT_ONCE, 2)
    shapes = [(op, axes.axes(tiled(op).shape)) for op in kernel.ops]
    # The outer dims of an axis such as heads * d are columns here and may be rows elsewhere: one at a time.
    shared = {f.dim for _, shape in shapes if shape for f in shape[-1][:-1]}
    lines = _lines(shapes)
    merged = None if platform.unified else merged_rows(kernel.ops, axes)
    merged = None if merged is not None and written.keys() & {merged.outer, *merged.inside} else merged
    epilogues = _epilogues(shapes) if platform.unified else []
    iteration_rows = shared_rows(axes, kernel) if platform.unified else None
    reduced_rows = {one.dim for one in dividable(kernel.ops, axes) if one.rows}
    for op, shape in shapes:
        leading = [f for axis in shape[:-1] for f in axis]
        able = [f for f in leading if f.dim not in _whole_beside(op, axes)]
        given = (f for f in able if written.get(f.dim or "", 1) > 1)
        free = (f for f in reversed(able) if f.dim not in shared)
        nameless = next((f for f in leading if f.dim is None), None)  # such as of `d + 1`: no loop can cut it
        reduced = next((f for f in leading if f.dim in reduced_rows), None)
        rows_of = reduced or next(given, None) or nameless or next(free, None)
        for factor in (*leading, *(shape[-1][:-1] if shape else ())):
            if factor.dim in lines:
                each = lines[factor.dim]
                note(factor.dim, max(1, LINE // each), 2, max(1, MOST_LINE // each))
            elif merged is not None and factor.dim == merged.outer:
                note(factor.dim, max(1, VECTOR_ROWS // merged.each), 1, MOST_TILE // merged.each)
            elif factor is not rows_of and (merged is None or factor.dim not in merged.inside):
                note(factor.dim, 1, 0)
        columns = shape[-1][-1].extent.constant if shape and shape[-1] else 1
        if (columns is None or reduced_rows) and shape and shape[-1] and op.kind not in PRODUCTS:
            in_rows = rows_of is not None or bool(reduced_rows)
            columns = VECTOR_COLUMNS if in_rows else LINE
            note(shape[-1][-1].dim, columns, 2, MOST_TILE if in_rows else MOST_LINE)
        in_loop = iteration_rows is not None and bool(op.loop)
        if rows_of is not None and iteration_rows == rows_of.dim:
            note(iteration_rows, ITERATION_ROWS, 1, at_once=ROWS_AT_ONCE)
        elif rows_of is not None and op not in epilogues and (merged is None or rows_of.dim not in merged.inside):
            note(rows_of.dim, _first_rows(op, _read_at_once(op, axes) or columns, platform), 1)
        if op.kind in PRODUCTS:
            a = op.operands[0]
            assert isinstance(a, Value)
            for factor in shape[-1][-1:]:  # none where the columns are one element
                wide = CPU_COLUMNS if platform.unified else MATMUL_COLUMNS
                note(factor.dim, ITERATION_COLUMNS if in_loop else wide, 2)
            depth = CPU_DEPTH_BYTES if platform.unified else MATMUL_DEPTH_BYTES
            for factor in axes.axes(a.shape)[-1]:
                note(factor.dim, depth // DTYPES[a.dtype], DEPTH)
    depth, width = _piece(kernel.ops, axes, platform) if reduced_rows else (0, 0)
    for dim, choice in found.items():
        tile = depth if dim in reduced_rows else width if choice.yields == 2 else 0
        found[dim] = replace(choice, tile=tile, most=max(tile, choice.most)) if tile else choice
    for long in in_pieces(kernel.ops, axes, platform):
        if long.rows:
            found[long.dim] = Choice(long.dim, depth or VECTOR_ROWS, 1, MOST_TILE, long=True, reduced=True, rows=True)
            continue
        for other, choice in found.items():
            if choice.yields == 1 and not platform.unified:
                found[other] = replace(choice, tile=min(choice.tile, ROWS_IN_PIECES))
        tile = CPU_TILE_BYTES // max(4, _largest(kernel.ops)) if platform.unified else PIECE
        found[long.dim] = Choice(long.dim, tile, 2, MOST_LINE, long=True, reduced=long.reduced)
    for one in (one for one in dividable(kernel.ops, axes) if one.scanned):
        beside, piece = _scanned(_largest(kernel.ops), one.rows, len(found.keys() - {one.dim}) > 0, platform)
        for dim, choice in found.items():
            found[dim] = replace(choice, tile=beside, yields=0) if choice.yields else choice
        most = MOST_TILE if one.rows else MOST_LINE
        found[one.dim] = Choice(one.dim, piece, 1 if one.rows else 2, most)
    return found


def tiled(op: Op) -> Value:
    """The value whose axes an operation's tiles have: the result, or what it reduces."""
    source = op.operands[0] if op.operands else None
    return source if op.kind in REDUCTIONS and not op.loop and isinstance(source, Value) else looped(op)


def _piece(ops: Sequence[Op], axes: Axes, platform: Platform) -> tuple[int, int]:
    """Rows and columns of a tile on a CPU, where a kernel is a reduction over its rows with what leads to it; 0 and 0
    for another kernel."""
    last = ops[-1]
    if not platform.unified or last.kind not in REDUCTIONS or any(op.kind in REDUCTIONS for op in ops[:-1]):
        return 0, 0
    elements = CPU_TILE_BYTES // max(2, _largest(ops))
    if platform.vector_passes and last.result.dtype == "fp32" and last.kind != "prod":
        return DEPTH_IN_PASS, elements
    columns = axes.axes(tiled(last).shape)[-1]
    length = columns[-1].extent.constant if columns else 1
    depth = max(DEPTH_IN_CACHE, min(VECTOR_ROWS, elements // (length or elements)))
    return depth, elements // depth


def _scanned(size: int, over_rows: bool, several: bool, platform: Platform) -> tuple[int, int]:
    """Lines that are scanned together, where there are ``several``, and elements of each, of ``size`` bytes."""
    if platform.unified:
        lines = CPU_TILE_BYTES // 8 // max(2, size) if over_rows else SCANNED_ROWS
        return lines, 1 if over_rows else CPU_TILE_BYTES // 2 // lines // size
    lines = SCANNED_COLUMNS_BYTES // size if over_rows else TRANSPOSED_ROWS if several else 1
    return lines, SCANNED_BYTES // max(lines * size, 32)


def _largest(ops: Sequence[Op]) -> int:
    """Bytes of the largest element."""
    return max(DTYPES[v.dtype] for op in ops for v in (op.result, *op.operands) if isinstance(v, Value))


def _lines(shapes: Sequence[tuple[Op, tuple[Axis, ...]]]) -> dict[str | None, int]:
    """The dim that is all of a kernel's one axis, but for some elements for each of it, such as t of [t * 8], and how
    many these are: a tile is a run of them."""
    found: dict[str | None, int] = {}
    for op, shape in shapes:
        if len(shape) != 1 or len(shape[0]) < 2 or op.kind in PRODUCTS or op.loop:
            return {}
        (outermost, *inside) = shape[0]
        sizes = [factor.extent.constant for factor in inside]
        if outermost.extent.constant is not None or None in sizes:
            return {}
        found[outermost.dim] = prod(size for size in sizes if size is not None)
    return found if len(found) == 1 else {}


def in_pieces(ops: Sequence[Op], axes: Axes, platform: Platform) -> list[Dividable]:
    """The dims that a kernel takes piece by piece at first: those that take much of UB, and those that are reduced and
    may have any length. On a processor tiles of rows that nothing reduces lie in registers."""
    most = platform.memories["ub"] // LONG_ROWS
    return [
        one
        for one in dividable(ops, axes)
        if not one.scanned
        and (one.reduced or not platform.unified)
        and (one.bytes > most if one.dim in axes.static else one.reduced)
    ]


def _whole_beside(op: Op, axes: Axes) -> set[str | None]:
    """Dims of which a tile has one element, because another operand's tile has its rows from elsewhere: those of which
    each index has a right operand of its own, and in a loop those beside an axis, not the last, that is reduced."""
    if op.kind in PRODUCTS:
        (right,) = (axes.axes(v.shape) for v in op.operands[1:2] if isinstance(v, Value))
        return {f.dim for axis in right[:-2] for f in axis}
    if op.loop and op.kind in REDUCE | {"prod"}:
        source, axis = op.operands[0], int(op.attrs["axis"])
        assert isinstance(source, Value)
        if axis < len(source.shape) - 1:
            return {f.dim for i, parts in enumerate(axes.axes(source.shape)[:-1]) if i != axis for f in parts}
    return set()


def _epilogues(shapes: Sequence[tuple[Op, tuple[Axis, ...]]]) -> list[Op]:
    """Elementwise work on tiles of a product: its rows are those of the product, whose right operand is rearranged for
    each tile of rows."""
    dims = {
        tuple(axis[-1].dim for axis in (shape[-2], shape[-1]) if axis)
        for op, shape in shapes
        if op.kind in PRODUCTS and not op.loop
    }
    found = []
    for op, shape in shapes:
        ends = tuple(axis[-1].dim for axis in shape[-2:] if axis)
        if (
            op.kind not in PRODUCTS
            and not op.loop
            and len(shape) > 1
            and (ends in dims or (len(ends) == 1 and shape[-2]))
        ):
            found.append(op)
    return found if dims else []


def _read_at_once(op: Op, axes: Axes) -> int | None:
    """Columns of the tile that positions of extremes are found in, which no pass takes from memory as it does a sum's;
    None for another operation, or where they are known at run time only."""
    if op.kind not in ARG_REDUCE:
        return None
    source = op.operands[0]
    assert isinstance(source, Value)
    return axes.axes(source.shape)[-1][-1].extent.constant


def _first_rows(op: Op, columns: int | None, platform: Platform) -> int:
    if op.kind in PRODUCTS:
        return CPU_ROWS if platform.unified else MATMUL_ROWS
    rows = VECTOR_ROWS
    while platform.unified and rows > 1 and rows * (columns or 1) * DTYPES[op.result.dtype] > CPU_TILE_BYTES:
        rows //= 2
    return rows
