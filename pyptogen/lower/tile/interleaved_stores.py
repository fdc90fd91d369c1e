"""Stores of every n-th element that complete one another are one store: their runs lie side by side, and are
interleaved on chip.

before: e = load a[i; 512 x 1]; store y[2 * i; 512 x 1, strides 2, 1] e
        o = load b[i; 512 x 1]; store y[2 * i + 1; 512 x 1, strides 2, 1] o
after:  e = load a[i; 1 x 512]; o = load b[i; 1 x 512]      windows of y_runs [1, 1024]
        y_interleaved = gather_from_tile y_runs, y_index; store y[2 * i; 1 x 1024] y_interleaved

The index is made once, ahead of all loops. Of what is loaded and stored as it is, in whole tiles of such a size that
the transfer is worth it; where elements can be stored at any distance, nothing is done.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from pyptogen.lower.expr import ONE
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import Extent, Loop, Node, ScalarArg, TileKernel, TileVal, walk, walk_loops
from pyptogen.lower.tile.ops import TAKEN_BY_INDEX, Binary, Cast, GatherFromTile, Iota, Load, Store
from pyptogen.records import dataclass, replace

MOST, MORE_THAN, MOST_RUNS, BLOCK = 2048, 256, 8, 16
"""Elements that are interleaved at once: at most, and more than these; runs that they may be of; elements of two or
four bytes that are whole blocks."""


def run_of(length: int, several: int) -> int:
    """How long the runs are of which tiles are made, of so many runs of that length; 0: none would do."""
    fitting = range(MOST // several // BLOCK * BLOCK, MORE_THAN // several, -BLOCK)
    return next((count for count in fitting if length % count == 0), 0)


def run(kernel: TileKernel) -> TileKernel:
    """The kernel with such stores made one."""
    pass_ = _Interleaved(kernel)
    body = pass_.rewrite(kernel.body)
    return replace(kernel, body=(*pass_.ahead, *body), tiles=tuple(pass_.tiles.values())) if pass_.ahead else kernel


@dataclass(frozen=True, slots=True)
class _Interleaving:
    """The stores of interleaved elements, in the order of their elements, with the loads of what they store; by
    number."""

    stores: tuple[int, ...]
    loads: tuple[int, ...]


class _Interleaved:
    def __init__(self, kernel: TileKernel) -> None:
        self.added = AddedTiles(kernel.tiles, [*kernel.arguments, *(loop.var for loop in walk_loops(kernel.body))])
        self.tiles = self.added.tiles
        read = [name for op in walk(kernel.body) for name in op.srcs if isinstance(name, str)]
        self.read_once = {name for name in read if read.count(name) == 1}
        self.ahead: list[Node] = []
        self.indices: dict[tuple[int, int], str] = {}
        """By how many runs of how many elements, the index that interleaves them."""

    def rewrite(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        nodes = [replace(node, body=self.rewrite(node.body)) if isinstance(node, Loop) else node for node in nodes]
        for interleaving in self._found(nodes):
            *gone, last = sorted((*interleaving.stores, *interleaving.loads))
            made = self._interleaved(nodes, interleaving)
            nodes = [
                step
                for at, node in enumerate(nodes)
                for step in (made if at == last else () if at in gone else (node,))
            ]
            return self.rewrite(nodes)
        return tuple(nodes)

    def _found(self, nodes: Sequence[Node]) -> list[_Interleaving]:
        loads = {str(op.dst): at for at, op in enumerate(nodes) if isinstance(op, Load) and op.gm.row_stride == ONE}
        stores = {
            at: op
            for at, op in enumerate(nodes)
            if isinstance(op, Store) and str(op.srcs[0]) in loads and self._is_run(self.tiles[str(op.srcs[0])])
        }
        found: list[_Interleaving] = []
        for first in stores.values():
            gm, several = first.gm, first.gm.row_stride.constant or 0
            runs = [replace(gm, offset=gm.offset + at) for at in range(several)]
            interleaving = [next((at for at, op in stores.items() if op.gm == wanted), None) for wanted in runs]
            fits = 1 < several <= MOST_RUNS and MORE_THAN < several * gm.rows.size <= MOST
            if fits and None not in interleaving:
                numbers = tuple(at for at in interleaving if at is not None)
                found.append(_Interleaving(numbers, tuple(loads[str(stores[at].srcs[0])] for at in numbers)))
        return found[:1]

    def _is_run(self, tile: TileVal) -> bool:
        """Whether a tile is a column of whole blocks, all of which is loaded, and which nothing but one store reads."""
        whole = tile.form == "col" and tile.rows.valid is None and tile.rows.size % BLOCK == 0 and tile.parent is None
        return whole and tile.dtype in TAKEN_BY_INDEX and tile.name in self.read_once

    def _interleaved(self, nodes: Sequence[Node], interleaving: _Interleaving) -> list[Node]:
        """The loads side by side, what interleaves them, and the store."""
        stores = [op for op in (nodes[at] for at in interleaving.stores) if isinstance(op, Store)]
        loads = [op for op in (nodes[at] for at in interleaving.loads) if isinstance(op, Load)]
        first, several, count = stores[0], len(stores), stores[0].gm.rows.size
        run_, cols = self.tiles[str(first.srcs[0])], Extent(several * count)
        line = replace(run_, rows=Extent(1), cols=cols, form="row")
        runs, taken = (self.added.add(f"{first.gm.tensor}_{word}", line) for word in ("runs", "interleaved"))
        made = list[Node]()
        for at, load in enumerate(loads):
            part = replace(line, name=str(load.dst), cols=Extent(count), parent=runs, col_offset=at * count)
            self.tiles[part.name] = part
            made.append(replace(load, gm=replace(load.gm, rows=Extent(1), cols=Extent(count), col_stride=ONE)))
        made.append(GatherFromTile.of(first, taken, runs, self._index(first, several, count)))
        whole = replace(first.gm, row_stride=ONE, rows=Extent(1), cols=cols)
        return [*made, replace(first, srcs=(taken,), gm=whole)]

    def _index(self, op: Store, several: int, count: int) -> str:
        """An index that takes elements of so many runs of ``count`` alternately: of the i-th it is
        ``i % several * count + i / several``, which is ``i * count - i / several * (several * count - 1)``; in fp32,
        whose whole numbers reach so far."""
        if (several, count) in self.indices:
            return self.indices[several, count]
        like = TileVal("", "int32", Extent(1), Extent(several * count), "row", op.span)
        whole, index = (self.added.add(name, like) for name in ("counted", "index"))
        at, quotient = (self.added.add(name, replace(like, dtype="fp32")) for name in ("at", "quotient"))

        def by(tile: str, fn: str, value: float) -> Binary:
            return Binary(tile, (tile, ScalarArg(sympy.Float(value), op.span)), op.span, op.stage, fn=fn)

        self.ahead += [
            Iota(whole, (), op.span, op.stage),
            Cast(at, (whole,), op.span, op.stage, mode="rint"),
            replace(by(at, "add", 0.5), dst=quotient),
            by(quotient, "mul", 1 / several),
            Cast(whole, (quotient,), op.span, op.stage, mode="floor"),
            Cast(quotient, (whole,), op.span, op.stage, mode="rint"),
            by(quotient, "mul", several * count - 1),
            by(at, "mul", count),
            Binary(at, (at, quotient), op.span, op.stage, fn="sub"),
            Cast(index, (at,), op.span, op.stage, mode="rint"),
        ]
        self.indices[several, count] = index
        return index
