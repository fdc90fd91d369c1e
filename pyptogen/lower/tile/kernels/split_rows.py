"""The vector program of a mixed kernel on both vector cores beside its cube core: each takes half of the rows, or of
the columns.

before: for t0 (t0_valid valid): pop p_fifo; p = load p_slot[0; 64(t0_valid) x 128]; free p_fifo; y = exp p; store y
after:  for t0 (t0_valid valid, half t0_first, t0_half): pop p_fifo; p = load p_slot[t0_first * 128; 32(t0_half) …

Each core has the larger half of the valid rows: the first from the top, the second up to the end. So each has at least
one row, both have the same number, and the middle row of an odd number is computed and stored by both, with the same
result. A loop over rows inside of a tile goes over the core's rows alone. What has one row, such as a bias, is done by
both. Where rows meet (a sum over them), but columns do not, and nothing is pushed, the same is done with columns.
Where a loop hands over some rows of a tile at a time, a core has half of the rows of each of its iterations, one behind
the other in a tile half as high; what stores such a tile goes over these rows in a loop of its own:

before: for t1 in t0..t0 + t0_valid step 64: s = pop …; acc_rows = add acc_rows, s      acc_rows: rows t1 - t0 of acc
        store acc → y[t0]
after:  for t1 in … (half t1_first, t1_half): s = pop …[t1_first]; acc_rows = add …   acc_rows: rows (t1 - t0) / 2
        for t2 in … (half t2_first, t2_half): store acc_rows_2 → y[t2 + t2_first]

Afterwards both cores pop, free and push every tile, in one order: no bound of a loop around that depends on the core. A
pushed tile is filled when both have pushed their rows of it, and a slot is free when both have freed it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refused, refuse
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import (
    Extent,
    GmRef,
    Loop,
    Node,
    TileKernel,
    TileOp,
    TileVal,
    half_of,
    walk,
    walk_loops,
)
from pyptogen.lower.tile.ops import (
    Binary,
    Bitwise,
    BitwiseNot,
    Broadcast,
    Cast,
    CompareBits,
    Copy,
    FifoOp,
    Fill,
    Free,
    GatherRows,
    Iota,
    Load,
    Pop,
    Push,
    ReadIndex,
    Reduce,
    SelectByBits,
    Store,
    Unary,
)
from pyptogen.number_formats import PACKED
from pyptogen.records import replace

Axis = Literal["rows", "columns"]

BY_ROWS = (Binary, Unary, BitwiseNot, Bitwise, SelectByBits, CompareBits, Copy, Fill, Cast, Broadcast)
"""Operations that make a row of their result from the same row of their operands, or from the only one;
reductions of rows are among them."""


class Whole(Exception):
    """The rows, or the columns, cannot be shared; the text says why."""


def run(kernel: TileKernel, axis: Axis = "rows") -> TileKernel:
    """The vector program for two cores, each with half of the rows, or of the columns.

    Raises:
        Whole: a core would need rows (columns) that the other has.
    """
    return _Sharer(kernel, axis).run()


def on_both(vector: TileKernel, platform: Platform) -> TileKernel:
    """The vector program of a mixed kernel, for two cores where a cube core has two beside it, and the rows are apart
    or else the columns.

    Raises:
        DiagnosticError: PTG303, the author wants two and neither are.
    """
    if vector.vector_cores == 1 or platform.vector_cores < 2 * platform.cube_cores:
        return vector
    try:
        return run(vector)
    except Whole as why:
        with suppress(Whole):
            return run(vector, "columns")
        if vector.vector_cores == 2:
            raise _refusal(vector, why) from None
        return vector


def _refusal(kernel: TileKernel, why: Whole) -> Refused:
    """PTG303 for an author who wants two vector cores."""
    return refuse(
        "PTG303",
        f"`vector_cores: 2`: {why}, so that two vector cores cannot share the rows of `{kernel.name}`",
        kernel.span,
        expected="vector work whose rows do not meet",
        fix="leave out `vector_cores`, or give it as 1",
    )


class _Sharer:
    def __init__(self, kernel: TileKernel, axis: Axis) -> None:
        by_rows = axis == "rows"
        self.kernel, self.axis, self.by_rows = kernel, axis, by_rows
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.loops = {loop.valid: loop for loop in walk_loops(kernel.body) if loop.valid is not None}
        self.taken = {*kernel.arguments, *self.tiles, *self.loops, *(loop.var for loop in walk_loops(kernel.body))}
        self.subblock = next(name for name in ("subblock", "lane_", "lane__", "lane___") if name not in self.taken)
        self.names: dict[str, tuple[str, str]] = {}
        """First row and rows of a core's half, by the name of the valid rows of the whole."""
        valid = {self._extent(tile).valid for tile in kernel.tiles}
        in_step = [loop for loop in walk_loops(kernel.body) if loop.role == "sub" and _in_step(loop)]
        self.strips = {loop.stop - loop.start: loop for loop in in_step if loop.tile % 32 == 0} if by_rows else {}
        """Loops that hand over some rows of a tile at a time, by the number of all its rows. Half of their columns
        begin at blocks of 32 bytes."""
        self.within = {v for v, loop in self.loops.items() if Poly.of(v) in valid and self._is_within_a_tile(loop)}
        """Valid rows of the tiles that loops within tiles take: a core leaves out whole iterations of these."""
        self.without_columns = {name for op in walk(kernel.body) for name in _without_columns(op)}

    def run(self) -> TileKernel:
        self._check_tensors()
        shared = {t.name for t in self.tiles.values() if self._is_shared(t)}
        if not shared and not self.within:
            raise Whole(f"no tile has more than one {self._noun}")
        if not self.by_rows and any(self._is_narrow(self.tiles[name]) for name in shared):
            raise Whole("half of the columns are less than a block of 32 bytes")
        body = self._nodes(self.kernel.body)
        self._check_loops()
        tiles = tuple(self._halved(t) if self._is_shared(t) else t for t in self.tiles.values())
        fifos = tuple(replace(fifo, both=True) for fifo in self.kernel.fifos)
        return replace(self.kernel, body=self._named(body), tiles=tiles, fifos=fifos, subblock=self.subblock)

    def _check_tensors(self) -> None:
        read = {op.gm.tensor for op in walk(self.kernel.body) if isinstance(op, Load)}
        for op in walk(self.kernel.body):
            if isinstance(op, Store) and op.gm.tensor in read:
                raise Whole(f"`{op.gm.tensor}` is read and changed in the same kernel")

    def _check_loops(self) -> None:
        for loop in walk_loops(self.kernel.body):
            used = {name for bound in loop.bounds() for name in bound.names()}
            used |= loop.only.names() if loop.only else set()
            in_step = _in_step(loop) or self._is_in_strips(loop)
            if not used.isdisjoint(self.names) and loop.valid not in self.within and not in_step:
                raise Whole(f"the loop `{loop.var}` goes over {self.axis} of a tile")

    # -- extents --------------------------------------------------------------------------------------------------

    @property
    def _noun(self) -> str:
        return "row" if self.by_rows else "column"

    def _extent(self, of: TileVal | GmRef) -> Extent:
        """Of the shared axis."""
        return of.rows if self.by_rows else of.cols

    def _has_one(self, tile: TileVal) -> bool:
        """Whether a tile has one row (column), which both cores have."""
        return tile.form == ("row" if self.by_rows else "col") or self._extent(tile).size == 1

    def _is_shared(self, tile: TileVal) -> bool:
        """Whether a core has a part of the tile's rows."""
        apart = not self._has_one(tile) and not self._is_of_iteration(self._extent(tile))
        return apart and (self.by_rows or tile.name not in self.without_columns)

    def _is_narrow(self, tile: TileVal) -> bool:
        return tile.cols.size // 2 * DTYPES[tile.dtype] < 32

    def _is_window_of_columns(self, tile: TileVal) -> bool:
        return tile.parent is not None and tile.cols != self.tiles[tile.parent].cols

    def _is_of_iteration(self, rows: Extent) -> bool:
        return rows.valid is not None and any(rows.valid == Poly.of(name) for name in self.within)

    def _half(self, rows: Extent) -> tuple[Poly, Extent]:
        """A core's first row and its rows."""
        size = half_of(rows.size, 1)[1]
        if rows.valid is None:
            return Poly.of(self.subblock) * (rows.size - size), Extent(size)
        name = next((name for name in self.loops if rows.valid == Poly.of(name)), None)
        if name is None:
            raise Whole(f"{rows.valid} {self.axis} of a tile are not those of a loop")
        first, half = self._names_of(name)
        return Poly.of(first), Extent(size, Poly.of(half))

    def _halved(self, tile: TileVal) -> TileVal:
        _, half = self._half(self._extent(tile))
        if not self.by_rows:
            return replace(tile, cols=half)
        return replace(tile, rows=half, row_offset=tile.row_offset.over(2) if tile.row_offset.terms else ZERO)

    def _names_of(self, valid: str) -> tuple[str, str]:
        if valid not in self.names:
            stem = valid.removesuffix("_valid")
            while not self.taken.isdisjoint({f"{stem}_first", f"{stem}_half"}):
                stem += "_"
            self.names[valid] = f"{stem}_first", f"{stem}_half"
            self.taken |= {*self.names[valid]}
        return self.names[valid]

    # -- nodes ----------------------------------------------------------------------------------------------------

    def _nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple(self._loop(node) if isinstance(node, Loop) else self._op(node) for node in nodes)

    def _loop(self, loop: Loop) -> Loop:
        loop = replace(loop, body=self._nodes(loop.body))
        if loop.valid not in self.within:
            return loop
        extent = loop.stop - loop.start
        size = extent.constant if extent.constant is not None else 0
        first, half = self._half(Extent(size, None if size else extent))
        start = loop.start + first
        return replace(loop, start=start, stop=start + half.poly())

    def _named(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """The loops with the names that their bodies use."""
        return tuple(
            replace(n, body=self._named(n.body), half=self.names.get(n.valid or "")) if isinstance(n, Loop) else n
            for n in nodes
        )

    # -- strips of rows -----------------------------------------------------------------------------------------------

    def _is_within_a_tile(self, loop: Loop) -> bool:
        """Whether a loop takes some rows of a tile at a time, and passes nothing on to the other core."""
        plain = loop.after is None and loop.before is None and loop.only is None and not loop.once and not loop.parallel
        return loop.role == "sub" and plain and not _in_step(loop) and not self._is_in_strips(loop)

    def _is_in_strips(self, loop: Loop) -> bool:
        """Whether a loop goes over a tile as one does that hands rows of it over."""
        strip = self.strips.get(loop.stop - loop.start)
        return strip is not None and (loop.start, loop.tile) == (strip.start, strip.tile)

    def _is_strip(self, tile: TileVal) -> bool:
        """Whether a window is the rows that such a loop is at."""
        loops = [loop for loop in walk_loops(self.kernel.body) if self._is_in_strips(loop)]
        return any(tile.row_offset == Poly.of(loop.var) - loop.start and tile.rows == _rows_of(loop) for loop in loops)

    def _store_in_strips(self, op: Store, strip: Loop) -> Loop:
        """A store of a whole tile, some rows at a time."""
        tile, added = self.tiles[op.operands[0]], AddedTiles(self.tiles.values(), {*self.taken, *self.loops})
        var = added.numbered(strip.var.rstrip("0123456789"))
        loop = replace(strip, var=var, valid=None if strip.valid is None else f"{var}_valid", body=(), span=op.span)
        loop = replace(loop, after=None, before=None, only=None)
        at, rows = Poly.of(var) - loop.start, _rows_of(loop)
        window = replace(tile, rows=rows, parent=tile.owner, row_offset=tile.row_offset + at)
        name = added.add(f"{tile.name}_rows", window)
        self.tiles[name] = window = replace(window, name=name)
        self.taken |= {var, name}
        if loop.valid is not None:
            self.loops[loop.valid] = loop
            self.taken.add(loop.valid)
        gm = replace(op.gm, offset=op.gm.offset + at * op.gm.row_stride, rows=rows)
        store = replace(op, srcs=(name,), gm=gm)
        return replace(loop, body=(replace(store, gm=self._window(store, window)),))

    def _op(self, op: TileOp) -> Node:
        self._check(op)
        if isinstance(op, Pop | Free | ReadIndex):
            return op
        tile = self.tiles[op.operands[0] if isinstance(op, Store | Push) else str(op.dst)]
        strip = self.strips.get(tile.rows.poly()) if op.window is not None or isinstance(op, Push | Iota) else None
        if strip is not None and isinstance(op, Store):
            return self._store_in_strips(op, strip)
        if strip is not None:
            raise Whole(f"rows of `{tile.name}`, which are handed over some at a time, are taken all at once")
        if isinstance(op, Load | Store):
            return replace(op, gm=self._window(op, tile))
        if not isinstance(op, GatherRows | Push | Iota) or not self._is_shared(tile):
            return op
        first, half = self._half(self._extent(tile))
        match op:
            case GatherRows() if self.by_rows:
                place = op.index_offset + first * op.index_step
                return replace(op, gm=replace(op.gm, rows=half), index_offset=place)
            case GatherRows():
                return replace(op, gm=self._window(op, tile))
            case Push():
                return replace(op, row=op.row + first)
            case Iota():
                return replace(op, start=op.start + first)

    def _window(self, op: Load | Store | GatherRows, tile: TileVal) -> GmRef:
        gm = op.gm
        if not self._is_shared(tile):
            return gm
        tensor = next(t for t in self.kernel.addressable if t.name == gm.tensor)
        if self._extent(tile) != self._extent(gm) or tensor.layout == "nz":
            raise Whole(f"what a tile takes of `{tensor.name}` are not its {self.axis}")
        first, half = self._half(self._extent(tile))
        if self.by_rows:
            return replace(gm, offset=gm.offset + first * gm.row_stride, rows=half)
        return replace(gm, offset=gm.offset + first * gm.col_stride, cols=half)

    def _check(self, op: TileOp) -> None:
        """Raises Whole for an operation whose rows are not apart."""
        if isinstance(op, Pop | Free | ReadIndex):
            return
        tiles = [self.tiles[name] for name in op.tiles if self.by_rows or name not in self.without_columns]
        if self.by_rows and any(tile.row_offset != ZERO and not self._is_strip(tile) for tile in tiles):
            raise Whole("a loop writes its rows into a whole tile")
        if not self.by_rows and any(self._is_window_of_columns(tile) for tile in tiles):
            raise Whole("a tile is some columns of another one")
        if not self.by_rows and any(tile.dtype in PACKED for tile in tiles):
            raise Whole("two columns share a byte")
        if isinstance(op, Load | GatherRows | Store | Push | Iota):
            if isinstance(op, Push) and not self.by_rows:
                raise Whole("columns of a tile are pushed")
            if isinstance(op, Store | Push) and self._has_one(tiles[0]):
                raise Whole(f"one {self._noun} of `{tiles[0].name}` leaves the core")
            if isinstance(op, Iota) and tiles[0].form == "full" and tiles[0].rows.size > 1:
                raise Whole("numbers go on from row to row")
            return
        if not isinstance(op, BY_ROWS) and not (isinstance(op, Reduce) and op.over_rows != self.by_rows):
            raise Whole(f"`{op.mnemonic}` needs all {self.axis} of a tile")
        extents = {self._extent(tile) for tile in tiles if not self._has_one(tile)}
        dst = self.tiles[str(op.dst)]
        if len(extents) > 1 or (extents and dst.name not in self.without_columns and self._has_one(dst)):
            raise Whole(f"`{op.mnemonic}` joins {self.axis} of a tile")


def _without_columns(op: TileOp) -> tuple[str, ...]:
    """Tiles that have no columns of their own: bits of columns, and scratch."""
    bits = (op.dst,) if isinstance(op, CompareBits) else op.srcs[:1] if isinstance(op, SelectByBits) else ()
    return (*(str(name) for name in bits), *op.scratches)


def _rows_of(loop: Loop) -> Extent:
    """The rows that an iteration has."""
    return Extent(loop.tile, None if loop.valid is None else Poly.of(loop.valid))


def _in_step(loop: Loop) -> bool:
    """Whether both cores have to go through the iterations together, because tiles are handed over in them."""
    return any(isinstance(op, FifoOp) for op in walk(loop.body))


__all__ = ["Whole", "on_both", "run"]
