"""Tile sizes that the author left to the compiler.

before: - {}                                  x [rows, 4096] fp32, softmax
after:  rows 2 on cpu (16 KB a tile: L1), 8 on a2a3 (the largest power of two that fits UB)

A dynamic dim always needs a tile; static dims are chosen only where the row names no size at all, but ranges. The first
guess is what suits the platform (`first_guesses`), then the tile that matters least is halved until the kernel fits: K,
then N, then the rows. On a platform with figures, tiles are then doubled and halved as long as that makes the kernel
faster by `duration`. `narrow` cuts what no tile can have: rows of two dims, columns that are longer than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from math import prod
from types import MappingProxyType

from pyptogen.diagnostics import Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, TwoKernels, asked, require_no_copy
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.cutting.merged_rows import merged_rows
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.sizes import narrow
from pyptogen.lower.tile.sizes.first_guesses import DEPTH, Choice, choices
from pyptogen.lower.tile.sizes.sizes import TileSize

TRIALS = 60
"""Tables that are tried for one kernel, some milliseconds each."""
LEAST_GAIN = 0.01
DEPTHS = (256, 192, 128, 96, 64, 32)
"""Rows of tiles whose columns are shared out evenly: the most that fit."""
COLUMNS_STEP = 16
"""What columns that are shared out evenly are a multiple of: 64 bytes of fp32."""
SAME = 0.02
"""Costs that are the same but for so much: a model says no more."""

Table = dict[str, dict[str, TileSize]]
Tiles = dict[str, tuple[int, int]]
"""By dim the tile, and the tile at L0."""


class _Chooser:
    """The open dims of one kernel, their tiles so far, and what is known of the cost of tables."""

    def __init__(
        self,
        open_dims: Mapping[str, Choice],
        written: Mapping[str, Mapping[str, TileSize]],
        place: Span,
        cost: Callable[[Table], float | None],
    ) -> None:
        self.open_dims, self.written, self.place, self.cost = open_dims, written, place, cost
        self.known: dict[tuple[tuple[str, int, int], ...], float | None] = {}

    def table(self, tiles: Tiles) -> Table:
        chosen = {
            dim: TileSize(tile, inner, (), self.place, rows=self.open_dims[dim].part(tile))
            for dim, (tile, inner) in tiles.items()
        }
        return {stage: {**chosen, **self.written[stage]} for stage in self.written}

    def shrink(self, tiles: Tiles) -> Tiles:
        """Halve what matters least until the kernel fits."""
        while tiles and self._measured(tiles) is None:
            shrinking = [c for c in self.open_dims.values() if tiles[c.dim][0] > (32 if c.yields > 1 else 1)]
            if not shrinking:
                break
            largest = max(shrinking, key=lambda c: (tiles[c.dim][0] > 64, c.yields, tiles[c.dim][0]))
            half = tiles[largest.dim][0] // 2
            tiles = {**tiles, largest.dim: (half, half)}
        return tiles

    def price(self, tiles: Tiles) -> float | None:
        """The cost of a table, None where it does not fit or cannot be lowered."""
        found = asked(self._measured, tiles)
        if isinstance(found, Refusal):
            require_no_copy(found)
            self.known[_key(tiles)] = None
            return None
        return found

    def _measured(self, tiles: Tiles) -> float | None:
        """The cost of a table, None where it does not fit; found once."""
        key = _key(tiles)
        if key not in self.known:
            self.known[key] = self.cost(self.table(tiles))
        return self.known[key]

    def improve(self, tiles: Tiles) -> Tiles:
        """Steps to the best neighbour as long as that gains and trials are left: one dim's tile doubled or halved, at
        L1 or at L0, and where none of those gains, one dim's doubled and another's halved, or one dim's tile four times
        as large or as small: a smaller one may be slower before there is room for copies."""
        best, until = self.price(tiles), len(self.known) + TRIALS
        while best is not None and len(self.known) < until:
            for near in (self._steps(tiles), self._exchanges(tiles), self._leaps(tiles)):
                priced = [(cost, n) for n in near if (cost := self.price(n)) is not None]
                cost, better = min(priced, key=lambda found: found[0], default=(best, tiles))
                if cost <= best * (1 - LEAST_GAIN):
                    break
            else:
                break
            best, tiles = cost, better
        return tiles

    def flat(self, tiles: Tiles) -> Tiles:
        """Another start for a product: few wide tiles, so that the rows are distributed to the cores, and thin slices
        of the sum at L0, which leave room for copies."""
        found = dict(tiles)
        for choice in self.open_dims.values():
            tile, inner = tiles[choice.dim]
            if choice.yields == DEPTH:
                found[choice.dim] = (tile, max(16, inner // 8))
            elif any(c.yields == DEPTH for c in self.open_dims.values()):
                size = {1: max(1, tile // 2), 2: min(2 * tile, choice.most)}.get(choice.yields, tile)
                found[choice.dim] = (size, size)
        return found

    def whole_rows(self, tiles: Tiles) -> Tiles:
        """Another start where rows are long: one of them, whole, or in as few pieces as fit."""
        whole = {c.dim: (c.most, c.most) for c in self.open_dims.values() if c.long}
        found = asked(self.shrink, dict.fromkeys(tiles, (1, 1)) | whole) if whole else tiles
        return tiles if isinstance(found, Refusal) else found

    def even_columns(self, tiles: Tiles, cores: int) -> Tiles:
        """Another start where rows are reduced, so that cores have columns only: as many of these for each core, beside
        as many rows as fit."""
        rows = next((c for c in self.open_dims.values() if c.reduced and c.rows), None)
        columns = next((c for c in self.open_dims.values() if c.yields == 2 and not c.reduced), None)
        if rows is None or columns is None:
            return tiles
        beside = prod(c.most for c in self.open_dims.values() if c.yields == 0)
        share = -(-columns.most // max(1, cores // beside))
        tile = -(-share // COLUMNS_STEP) * COLUMNS_STEP
        if tile > columns.most:
            return tiles
        able = (
            {**tiles, rows.dim: (depth, depth), columns.dim: (tile, tile)} for depth in DEPTHS if depth <= rows.most
        )
        priced = [(cost, found) for found in able if (cost := self.price(found)) is not None]
        return min(priced, key=lambda one: one[0], default=(0.0, tiles))[1]

    def least_rows(self, tiles: Tiles) -> Tiles:
        """Of all tables that were tried and are about as fast, that with the fewest rows, which leaves the cores of a
        short call more evenly busy; of what is moved, with the smallest tiles."""
        best = self.price(tiles)
        if best is None:
            return tiles
        near = (key for key, cost in self.known.items() if cost is not None and cost <= best * (1 + SAME))
        rows = [dim for dim, choice in self.open_dims.items() if not choice.reduced or choice.rows]
        return min(
            ({dim: (tile, inner) for dim, tile, inner in key} for key in near),
            key=lambda found: prod(found[dim][0] for dim in rows),
        )

    def _steps(self, tiles: Tiles) -> Iterator[Tiles]:
        for choice in self.open_dims.values():
            tile, inner = tiles[choice.dim]
            least = 16 if choice.yields > 1 else 1
            steps = [(2 * tile, inner), (2 * tile, 2 * inner), (tile // 2, min(inner, tile // 2))]
            if choice.yields == DEPTH:
                steps += [(tile, inner // 2), (tile, 2 * inner)]
            elif choice.yields:
                steps = [(t, t) for t, _ in steps]
            else:
                continue
            for step in dict.fromkeys(steps):
                if least <= step[1] <= step[0] <= choice.most:
                    yield {**tiles, choice.dim: step}

    def _leaps(self, tiles: Tiles) -> Iterator[Tiles]:
        for near in self._steps(tiles):
            (dim,) = (d for d in tiles if near[d] != tiles[d])
            for far in self._steps(near):
                if far[dim] not in (near[dim], tiles[dim]):
                    yield far

    def _exchanges(self, tiles: Tiles) -> Iterator[Tiles]:
        for up in self._steps(tiles):
            grown = {dim for dim in tiles if up[dim] > tiles[dim]}
            for both in self._steps(up) if grown else ():
                if any(both[dim] < tiles[dim] for dim in tiles.keys() - grown):
                    yield both


def run(
    program: Program,
    kernel: KernelOps,
    written: Mapping[str, Mapping[str, TileSize]],
    platform: Platform,
    place: Span,
    cost: Callable[[Table], float | None],
    first: Mapping[str, Choice] = MappingProxyType({}),
) -> Table:
    """The table of one kernel with every size it needs.

    Args:
        program: the operator.
        kernel: the kernel.
        written: what the author wrote, by stage.
        platform: where it will run.
        place: the tiling row, which chosen sizes point at.
        cost: how long a kernel cut by a table takes, None if it does not fit the platform's memories. Costs are
            compared only on platforms that have figures.
        first: the tiles to begin with, where the kernel's kind tells.
    """
    static = {d.name: d.value for d in program.dims if d.value is not None}
    written = narrow.batches_apart(program, kernel, written)
    parts = narrow.of_parts(program, kernel)
    decided = [*narrow.of_conditions(program, kernel), *parts]
    silent = all(size.unroll for dims in written.values() for size in dims.values())
    named = {dim for dims in written.values() for dim in dims}
    able = {
        c.dim: c
        for c in (first or choices(program, kernel, platform, _tiles(written))).values()
        if c.dim not in named and c.dim not in decided and (c.dim not in static or silent or c.reduced)
    }
    every = {dim: c.within(static.get(dim)) for dim, c in able.items()}
    open_dims = {dim: c for dim, c in every.items() if dim not in static or able[dim].cuts(static[dim])}
    cut = {**dict.fromkeys(decided, 1), **_tiles(written), **{dim: c.tile for dim, c in open_dims.items()}}
    merged = merged_rows(kernel.ops, Axes(program))
    together = merged.inside if merged is not None and merged.outer in open_dims and not platform.unified else ()
    crowded = narrow.crowded(program, kernel, cut, together)
    single = dict.fromkeys([*decided, *crowded], TileSize(1, 1, (), place))
    written = {stage: {**single, **sizes} for stage, sizes in written.items()}
    in_loops = {op.result.name for op in kernel.ops if op.loop or op.kind == "carry"}
    chooser = _Chooser(open_dims, written, place, cost)
    chooser, tiles = _smaller(*_first(chooser, static, in_loops, fifos=kernel.slots > 0), every)
    if platform.timing is not None and tiles:
        starts = [tiles, chooser.flat(tiles), chooser.whole_rows(tiles)]
        starts.append(chooser.even_columns(tiles, platform.vector_cores // prod(static[dim] for dim in parts)))
        found = [chooser.improve(start) for start in starts if chooser.price(start) is not None]
        tiles = min(found, key=lambda t: chooser.price(t) or 0.0, default=tiles)
        if first or any(choice.reduced for choice in open_dims.values()):
            tiles = chooser.least_rows(tiles)
    return narrow.columns(program, kernel, chooser.table(tiles), named, place, lambda table: cost(table) is not None)


def _first(chooser: _Chooser, static: Mapping[str, int], in_loops: Set[str], *, fifos: bool) -> tuple[_Chooser, Tiles]:
    """The first guess, shrunk until it fits. Where it cuts what a loop needs whole, such as a carried value that goes
    through a product, it is that with all rows and columns whole whose length is known; so it is where vector work
    needs whole rows of a product that comes by a fifo, if there is room for them.

    Raises:
        Refused: PTG303, the kernel is to be split between values that are not both of a loop.
    """
    open_dims = chooser.open_dims
    tiles = asked(chooser.shrink, {dim: (choice.tile, choice.tile) for dim, choice in open_dims.items()})
    if not isinstance(tiles, Refusal):
        return chooser, tiles
    if not isinstance(tiles.remedy, TwoKernels):
        raise tiles.error()
    in_iterations = in_loops >= set(tiles.remedy.edge)
    kept = (0, DEPTH) if not in_iterations else (0,)
    fewer = {dim: choice for dim, choice in open_dims.items() if dim not in static or choice.yields in kept}
    if len(fewer) == len(open_dims) or not (in_iterations or fifos):
        raise tiles.error()
    whole = _Chooser(fewer, chooser.written, chooser.place, chooser.cost)
    shrunk = whole.shrink({dim: (choice.tile, choice.tile) for dim, choice in fewer.items()})
    if not in_iterations and whole.price(shrunk) is None:
        raise tiles.error()
    return whole, shrunk


def _smaller(chooser: _Chooser, tiles: Tiles, every: Mapping[str, Choice]) -> tuple[_Chooser, Tiles]:
    """The tiles, or where they do not fit, those with dims cut too that the first guess leaves whole: all of them, or
    else those that can be cut at all."""
    if every.keys() == chooser.open_dims.keys() or chooser.price(tiles) is not None:
        return chooser, tiles
    for dims in (every, _that_can_be_cut(chooser, tiles, every)):
        wider = _Chooser(dims, chooser.written, chooser.place, chooser.cost)
        smaller = asked(wider.shrink, {dim: (choice.tile, choice.tile) for dim, choice in dims.items()})
        if isinstance(smaller, Refusal):
            require_no_copy(smaller)
        elif wider.price(smaller) is not None:
            return wider, smaller
    return chooser, tiles  # what does not fit is reported as it is


def _that_can_be_cut(chooser: _Chooser, tiles: Tiles, every: Mapping[str, Choice]) -> dict[str, Choice]:
    """The open dims, and of the others those of which a kernel with smaller tiles of them alone can be made."""
    found = dict(chooser.open_dims)
    for dim, choice in every.items():
        half = max(1, choice.tile // 2)
        alone = _Chooser({**chooser.open_dims, dim: choice}, chooser.written, chooser.place, chooser.cost)
        cost = asked(alone.cost, alone.table({**tiles, dim: (half, half)}))
        if isinstance(cost, Refusal):
            require_no_copy(cost)
        else:
            found[dim] = choice
    return found


def _key(tiles: Tiles) -> tuple[tuple[str, int, int], ...]:
    return tuple((dim, *sizes) for dim, sizes in sorted(tiles.items()))


def _tiles(written: Mapping[str, Mapping[str, TileSize]]) -> dict[str, int]:
    return {dim: size.tile for dims in written.values() for dim, size in dims.items()}
