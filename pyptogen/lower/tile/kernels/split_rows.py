"""The vector program of a mixed kernel on both vector cores beside its cube core: each takes half of the rows.

before: for t0 (t0_valid valid): pop p_fifo; p = load p_slot[0; 64(t0_valid) x 128]; free p_fifo; y = exp p; store y
after:  for t0 (t0_valid valid, share t0_first, t0_share): pop p_fifo; p = load p_slot[t0_first * 128; 32(t0_share) …

Each core has the larger half of the valid rows: the first from the top, the second up to the end. So each has at least
one row, both have the same number, and the middle row of an odd number is computed and stored by both, with the same
result. A loop over rows inside of a tile goes over the core's rows alone. What has one row, such as a bias, is done by
both.

Afterwards both cores pop, free and push every tile, in one order: no bound of a loop around that depends on the core. A
pushed tile is filled when both have pushed their rows of it, and a slot is free when both have freed it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refused, refuse
from pyptogen.lower.tile.ir import (
    Extent,
    GmRef,
    Loop,
    Node,
    TileKernel,
    TileOp,
    TileVal,
    share_of,
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
from pyptogen.records import replace

BY_ROWS = (Binary, Unary, BitwiseNot, Bitwise, SelectByBits, CompareBits, Copy, Fill, Cast, Broadcast)
"""Operations that make a row of their result from the same row of their operands, or from the only one;
reductions of rows are among them."""


class Whole(Exception):
    """The rows cannot be shared; the text says why."""


def run(kernel: TileKernel) -> TileKernel:
    """The vector program for two cores.

    Raises:
        Whole: a core would need rows that the other has.
    """
    return _Sharer(kernel).run()


def on_both(vector: TileKernel, platform: Platform) -> TileKernel:
    """The vector program of a mixed kernel, for two cores where a cube core has two beside it and the rows are apart.

    Raises:
        DiagnosticError: PTG303, the author wants two and their rows are not.
    """
    if vector.vector_cores == 1 or platform.vector_cores < 2 * platform.cube_cores:
        return vector
    try:
        return run(vector)
    except Whole as why:
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
    def __init__(self, kernel: TileKernel) -> None:
        self.kernel = kernel
        self.tiles = {tile.name: tile for tile in kernel.tiles}
        self.loops = {loop.valid: loop for loop in walk_loops(kernel.body) if loop.valid is not None}
        self.taken = {*kernel.arguments, *self.tiles, *self.loops, *(loop.var for loop in walk_loops(kernel.body))}
        self.subblock = next(name for name in ("subblock", "lane_", "lane__", "lane___") if name not in self.taken)
        self.names: dict[str, tuple[str, str]] = {}
        """First row and rows of a core's share, by the name of the valid rows of the whole."""
        rows = {tile.rows.valid for tile in kernel.tiles}
        self.over_rows = {v for v, loop in self.loops.items() if Poly.of(v) in rows and _within_a_tile(loop)}
        """Valid rows of the tiles that loops within tiles take: a core leaves out whole iterations of these."""

    def run(self) -> TileKernel:
        self._check_tensors()
        shared = {t.name for t in self.tiles.values() if self._is_shared(t)}
        if not shared and not self.over_rows:
            raise Whole("no tile has more than one row")
        body = self._nodes(self.kernel.body)
        self._check_loops()
        tiles = tuple(replace(t, rows=self._share(t.rows)[1]) if t.name in shared else t for t in self.kernel.tiles)
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
            if not used.isdisjoint(self.names) and loop.valid not in self.over_rows and not _in_step(loop):
                raise Whole(f"the loop `{loop.var}` goes over rows of a tile")

    # -- extents --------------------------------------------------------------------------------------------------

    def _is_shared(self, tile: TileVal) -> bool:
        """Whether a core has a part of the tile's rows."""
        return not _has_one_row(tile) and not self._is_of_round(tile.rows)

    def _is_of_round(self, rows: Extent) -> bool:
        return rows.valid is not None and any(rows.valid == Poly.of(name) for name in self.over_rows)

    def _share(self, rows: Extent) -> tuple[Poly, Extent]:
        """A core's first row and its rows."""
        half = share_of(rows.size, 1)[1]
        if rows.valid is None:
            return Poly.of(self.subblock) * (rows.size - half), Extent(half)
        name = next((name for name in self.loops if rows.valid == Poly.of(name)), None)
        if name is None:
            raise Whole(f"{rows.valid} rows of a tile are not those of a loop")
        first, share = self._names_of(name)
        return Poly.of(first), Extent(half, Poly.of(share))

    def _names_of(self, valid: str) -> tuple[str, str]:
        if valid not in self.names:
            stem = valid.removesuffix("_valid")
            while not self.taken.isdisjoint({f"{stem}_first", f"{stem}_share"}):
                stem += "_"
            self.names[valid] = f"{stem}_first", f"{stem}_share"
            self.taken |= {*self.names[valid]}
        return self.names[valid]

    # -- nodes ----------------------------------------------------------------------------------------------------

    def _nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple(self._loop(node) if isinstance(node, Loop) else self._op(node) for node in nodes)

    def _loop(self, loop: Loop) -> Loop:
        loop = replace(loop, body=self._nodes(loop.body))
        if loop.valid not in self.over_rows:
            return loop
        extent = loop.stop - loop.start
        size = extent.constant if extent.constant is not None else 0
        first, share = self._share(Extent(size, None if size else extent))
        start = loop.start + first
        return replace(loop, start=start, stop=start + share.poly())

    def _named(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """The loops with the names that their bodies use."""
        return tuple(
            replace(n, body=self._named(n.body), share=self.names.get(n.valid or "")) if isinstance(n, Loop) else n
            for n in nodes
        )

    def _op(self, op: TileOp) -> TileOp:
        self._check(op)
        if isinstance(op, Pop | Free | ReadIndex):
            return op
        tile = self.tiles[op.operands[0] if isinstance(op, Store | Push) else str(op.dst)]
        if isinstance(op, Load | Store):
            return replace(op, gm=self._window(op, tile))
        if not isinstance(op, GatherRows | Push | Iota) or not self._is_shared(tile):
            return op
        first, rows = self._share(tile.rows)
        match op:
            case GatherRows():
                return replace(op, gm=replace(op.gm, rows=rows), index_offset=op.index_offset + first * op.index_step)
            case Push():
                return replace(op, row=op.row + first)
            case Iota():
                return replace(op, start=op.start + first)

    def _window(self, op: Load | Store, tile: TileVal) -> GmRef:
        if not self._is_shared(tile):
            return op.gm
        tensor = next(t for t in self.kernel.addressable if t.name == op.gm.tensor)
        if tile.rows != op.gm.rows or tensor.layout == "nz":
            raise Whole(f"what a tile takes of `{tensor.name}` are not its rows")
        first, rows = self._share(tile.rows)
        return replace(op.gm, offset=op.gm.offset + first * op.gm.row_stride, rows=rows)

    def _check(self, op: TileOp) -> None:
        """Raises Whole for an operation whose rows are not apart."""
        if isinstance(op, Pop | Free | ReadIndex):
            return
        tiles = [self.tiles[name] for name in op.tiles]
        if any(tile.row_offset != ZERO for tile in tiles):
            raise Whole("a loop writes its rows into a whole tile")
        if isinstance(op, Load | GatherRows | Store | Push | Iota):
            if isinstance(op, Store | Push) and _has_one_row(tiles[0]):
                raise Whole(f"one row of `{tiles[0].name}` leaves the core")
            if isinstance(op, Iota) and tiles[0].form == "full" and not _has_one_row(tiles[0]):
                raise Whole("numbers go on from row to row")
            return
        if not isinstance(op, BY_ROWS) and not (isinstance(op, Reduce) and not op.over_rows):
            raise Whole(f"`{op.mnemonic}` needs all rows of a tile")
        rows = {tile.rows for tile in tiles if not _has_one_row(tile)}
        if len(rows) > 1 or (rows and _has_one_row(self.tiles[str(op.dst)])):
            raise Whole(f"`{op.mnemonic}` joins rows of a tile")


def _has_one_row(tile: TileVal) -> bool:
    return tile.form == "row" or tile.rows.size == 1


def _within_a_tile(loop: Loop) -> bool:
    """Whether a loop takes some rows of a tile at a time, and passes nothing on to the other core."""
    plain = loop.after is None and loop.before is None and loop.only is None and not loop.once and not loop.parallel
    return loop.role == "sub" and plain and not _in_step(loop)


def _in_step(loop: Loop) -> bool:
    """Whether both cores have to go through the iterations together, because tiles are handed over in them."""
    return any(isinstance(op, FifoOp) for op in walk(loop.body))


__all__ = ["Whole", "on_both", "run"]
