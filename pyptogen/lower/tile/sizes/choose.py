"""Tile sizes that the author left to the compiler.

before: - {}                                  x [rows, 4096] fp32, softmax
after:  rows 2 on cpu (16 KB a tile: L1), 8 on a2a3 (the largest power of two that fits UB)

A dynamic dim always needs a tile; static dims are chosen only where the row names no size at all, but ranges. The first
guess is what suits the platform, then the tile that matters least is halved until the kernel fits: K, then N, then the
rows. On a platform with figures, tiles are then doubled and halved as long as that makes the kernel faster by
`duration`. `narrow` cuts what no tile can have: rows of two dims, columns that are longer than memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES, PRODUCTS, REDUCE, Op, Program, Value
from pyptogen.lower.tile.cutting.axes import Apart, Axes, Axis, Copied
from pyptogen.lower.tile.kernels.islands import looped
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.rounds.round_rows import shared_rows
from pyptogen.lower.tile.sizes import narrow
from pyptogen.lower.tile.sizes.sizes import TileSize

MATMUL_ROWS, MATMUL_COLUMNS, MATMUL_DEPTH_BYTES = 128, 128, 512
"""First guess for a matmul: such a tile of A and of B fills the 64 KB of L0A and L0B of A2/A3."""
CPU_ROWS, CPU_COLUMNS, CPU_DEPTH_BYTES = 256, 256, 8192
"""The same where L0A and L0B are a budget of L2 and a tile of A is rearranged when it is loaded: K whole, so that all
columns use it, up to 2 MB of A."""
ROUND_ROWS, ROWS_AT_ONCE, ROUND_COLUMNS = 1024, 128, 1024
"""First guess for the products of a loop on a CPU: a round's block is rearranged once for many rows, which meet it a
part at a time, so that what lies between the products stays in L2. Cut columns would do all rounds again."""
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
LINE, MOST_LINE = 4096, 16384
"""First guess for a run-time dim that has no other beside it, and its largest tile."""
TRIALS = 60
"""Tables that are tried for one kernel, some milliseconds each."""
LEAST_GAIN = 0.01

Table = dict[str, dict[str, TileSize]]
Tiles = dict[str, tuple[int, int]]
"""By dim the tile, and the tile at L0."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A dim that may be chosen: its first tile, the order in which tiles shrink (higher first; `DEPTH` for what a
    product sums over, 0 for what is looped one by one), the largest tile, and how many of them a round takes at a
    time (0: all)."""

    dim: str
    tile: int
    yields: int
    most: int
    at_once: int = 0

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
        """How many of a tile's rows a round takes at a time; 0: all."""
        return self.at_once if self.at_once < tile and not tile % (self.at_once or 1) else 0


def _choices(program: Program, kernel: KernelOps, platform: Platform, written: Mapping[str, int]) -> dict[str, Choice]:
    """First guesses for the dims of one kernel. A tile has one dim of rows: where the author cut one into several rows,
    it is that one."""
    axes = Axes(program)
    blocks = {loop.block.name for loop in program.loops}
    found: dict[str, Choice] = {}

    def note(dim: str | None, tile: int, yields: int, most: int = MOST_TILE, at_once: int = 0) -> None:
        if dim is not None and dim not in blocks and (dim not in found or tile < found[dim].tile):
            found[dim] = Choice(dim, tile, yields, most, at_once)

    for loop in program.loops:
        if loop.seen is not None and platform.unified and any(op.loop == loop.name for op in kernel.ops):
            note(loop.over, SEEN_AT_ONCE, 2)
    shapes = [(op, axes.axes(looped(op).shape)) for op in kernel.ops]
    # The outer dims of an axis such as heads * d are columns here and may be rows elsewhere: one at a time.
    shared = {f.dim for _, shape in shapes if shape for f in shape[-1][:-1]}
    epilogues = _epilogues(shapes) if platform.unified else []
    round_rows = shared_rows(axes, kernel) if platform.unified else None
    for op, shape in shapes:
        leading = [f for axis in shape[:-1] for f in axis]
        able = [f for f in leading if f.dim not in _whole_beside(op, axes)]
        given = (f for f in able if written.get(f.dim or "", 1) > 1)
        free = (f for f in reversed(able) if f.dim not in shared)
        nameless = next((f for f in leading if f.dim is None), None)  # such as of `d + 1`: no loop can cut it
        rows_of = next(given, None) or nameless or next(free, None)
        for factor in (*leading, *(shape[-1][:-1] if shape else ())):
            if factor is not rows_of:
                note(factor.dim, 1, 0)
        columns = shape[-1][-1].extent.constant if shape and shape[-1] else 1
        if columns is None and op.kind not in PRODUCTS:
            columns = VECTOR_COLUMNS if rows_of is not None else LINE
            note(shape[-1][-1].dim, columns, 2, MOST_TILE if rows_of is not None else MOST_LINE)
        in_rounds = round_rows is not None and bool(op.loop)
        if rows_of is not None and round_rows == rows_of.dim:
            note(round_rows, ROUND_ROWS, 1, at_once=ROWS_AT_ONCE)
        elif rows_of is not None and op not in epilogues:
            note(rows_of.dim, _first_rows(op, _read_at_once(op, axes) or columns, platform), 1)
        if op.kind in PRODUCTS:
            a = op.operands[0]
            assert isinstance(a, Value)
            for factor in shape[-1][-1:]:  # none where the columns are one element
                wide = CPU_COLUMNS if platform.unified else MATMUL_COLUMNS
                note(factor.dim, ROUND_COLUMNS if in_rounds else wide, 2)
            depth = CPU_DEPTH_BYTES if platform.unified else MATMUL_DEPTH_BYTES
            for factor in axes.axes(a.shape)[-1]:
                note(factor.dim, depth // DTYPES[a.dtype], DEPTH)
    return found


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
        try:
            return self._measured(tiles)
        except Copied:
            raise
        except DiagnosticError:
            self.known[_key(tiles)] = None
            return None

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
        """Another start for a product: few wide tiles, so that the rows are dealt to the cores, and thin slices of the
        sum at L0, which leave room for copies."""
        found = dict(tiles)
        for choice in self.open_dims.values():
            tile, inner = tiles[choice.dim]
            if choice.yields == DEPTH:
                found[choice.dim] = (tile, max(16, inner // 8))
            elif any(c.yields == DEPTH for c in self.open_dims.values()):
                size = {1: max(1, tile // 2), 2: min(2 * tile, choice.most)}.get(choice.yields, tile)
                found[choice.dim] = (size, size)
        return found

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
    """
    static = {d.name: d.value for d in program.dims if d.value is not None}
    written = narrow.batches_apart(program, kernel, written)
    decided = narrow.of_conditions(program, kernel)
    silent = all(size.unroll for dims in written.values() for size in dims.values())
    named = {dim for dims in written.values() for dim in dims}
    able = {
        c.dim: c
        for c in _choices(program, kernel, platform, _tiles(written)).values()
        if c.dim not in named and c.dim not in decided and (c.dim not in static or silent)
    }
    every = {dim: c.within(static.get(dim)) for dim, c in able.items()}
    open_dims = {dim: c for dim, c in every.items() if dim not in static or able[dim].cuts(static[dim])}
    cut = {**dict.fromkeys(decided, 1), **_tiles(written), **{dim: c.tile for dim, c in open_dims.items()}}
    single = dict.fromkeys([*decided, *narrow.crowded(program, kernel, cut)], TileSize(1, 1, (), place))
    written = {stage: {**single, **sizes} for stage, sizes in written.items()}
    in_loops = {op.result.name for op in kernel.ops if op.loop or op.kind == "carry"}
    chooser = _Chooser(open_dims, written, place, cost)
    chooser, tiles = _smaller(*_first(chooser, static, in_loops, rings=kernel.slots > 0), every)
    if platform.costs is not None and tiles:
        found = [chooser.improve(start) for start in (tiles, chooser.flat(tiles)) if chooser.price(start) is not None]
        tiles = min(found, key=lambda t: chooser.price(t) or 0.0, default=tiles)
    return narrow.columns(program, kernel, chooser.table(tiles), named, place, lambda table: cost(table) is not None)


def _first(chooser: _Chooser, static: Mapping[str, int], in_loops: Set[str], *, rings: bool) -> tuple[_Chooser, Tiles]:
    """The first guess, shrunk until it fits. Where it cuts what a loop needs whole, such as a carried value that goes
    through a product, it is that with all rows and columns whole whose length is known; so it is where vector work
    needs whole rows of a product that comes by a ring, if there is room for them.

    Raises:
        Apart: PTG303, the kernel is to be cut between values that are not both of a loop.
    """
    open_dims = chooser.open_dims
    try:
        return chooser, chooser.shrink({dim: (choice.tile, choice.tile) for dim, choice in open_dims.items()})
    except Apart as error:
        in_rounds = in_loops >= set(error.edge)
        kept = (0, DEPTH) if not in_rounds else (0,)
        fewer = {dim: choice for dim, choice in open_dims.items() if dim not in static or choice.yields in kept}
        if len(fewer) == len(open_dims) or not (in_rounds or rings):
            raise
        whole = _Chooser(fewer, chooser.written, chooser.place, chooser.cost)
        tiles = whole.shrink({dim: (choice.tile, choice.tile) for dim, choice in fewer.items()})
        if not in_rounds and whole.price(tiles) is None:
            raise
        return whole, tiles


def _smaller(chooser: _Chooser, tiles: Tiles, every: Mapping[str, Choice]) -> tuple[_Chooser, Tiles]:
    """The tiles, or where they do not fit, those with dims cut too that the first guess leaves whole."""
    if every.keys() == chooser.open_dims.keys() or chooser.price(tiles) is not None:
        return chooser, tiles
    wider = _Chooser(every, chooser.written, chooser.place, chooser.cost)
    try:
        smaller = wider.shrink({dim: (choice.tile, choice.tile) for dim, choice in every.items()})
    except Copied:
        raise
    except DiagnosticError:  # they cannot be cut: what does not fit is reported as it is
        return chooser, tiles
    return (chooser, tiles) if wider.price(smaller) is None else (wider, smaller)


def _key(tiles: Tiles) -> tuple[tuple[str, int, int], ...]:
    return tuple((dim, *sizes) for dim, sizes in sorted(tiles.items()))


def _tiles(written: Mapping[str, Mapping[str, TileSize]]) -> dict[str, int]:
    return {dim: size.tile for dims in written.values() for dim, size in dims.items()}
