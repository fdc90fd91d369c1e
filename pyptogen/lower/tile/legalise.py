"""Operations that a platform has no single instruction for → those it has.

before: y = cast(x: fp32, int8, rint)           scatter of a column s [R, 1]         y = where(c = lt(a, b), p, q)
after:  y_int32 = cast(x, int32, rint)          s_wide [R, 32 bytes] = expand(s)     c_bits = compare(a, b, lt)
        y_fp16 = cast(y_int32, fp16)            scatter s_wide, one element a row    y = select(c_bits, p, q)
        y = cast(y_fp16, int8)

before: x = load a[…; 8 x 48, strides 1, 48] where a platform moves runs of elements
after:  x_across = load a[…; 48 x 8, strides 48, 1]; x = transpose x_across

before: x = load a[…; 8 x 48, strides 96, 2]
after:  x_between = load a[…; 8 x 95, strides 96, 1]; x = every x_between, of two elements the first
        (loads that take turns share one: `strided_loads`)

before: s = load a[…; 48 x 1, strides 64, 1] of a column
after:  s_apart = load a[…; 48 x 1, strides 64, 1] with a row for each element; s = copy s_apart

Every reduction gets the scratch tile that its instruction asks for; a broadcast that no instruction does on the way is
an `expand` ahead of it. Afterwards each operation is one instruction (or one row loop for a scatter).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.kinds import STEMS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES
from pyptogen.lower.tile import folded, gapless, interleaved_stores, running, sorted_rows
from pyptogen.lower.tile.added_tiles import AddedTiles
from pyptogen.lower.tile.ir import (
    Extent,
    GmRef,
    Loop,
    Node,
    ScalarArg,
    Source,
    TileKernel,
    TileOp,
    TileVal,
    rewrite,
    walk,
    walk_loops,
)
from pyptogen.lower.tile.multiplied_columns import multiplied
from pyptogen.lower.tile.ops import (
    Binary,
    Bitwise,
    Broadcast,
    Cast,
    Compare,
    CompareBits,
    Copy,
    Fill,
    GatherByPattern,
    GatherFromTile,
    Load,
    Reduce,
    Scan,
    ScatterRows,
    SelectByBits,
    Sort,
    Store,
    Transpose,
    Unary,
    Where,
)
from pyptogen.lower.tile.strided_loads import Run, loads_rows_of_every, runs
from pyptogen.records import replace

SCRATCH_BYTES = 512
"""Scratch of a row reduction, bytes a row: two vector repeats, the most that any path of the A2/A3 code writes."""

BETWEEN_SHARE = 2
"""Tiles of all elements, also those between the wanted ones, take at most this part of UB, in loops within loops."""

INTEGERS = frozenset({"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"})


class _Legaliser:
    def __init__(self, kernel: TileKernel, platform: Platform, extra_memory: bool) -> None:
        self.added = AddedTiles(kernel.tiles, [*kernel.arguments, *(loop.var for loop in walk_loops(kernel.body))])
        self.tiles = self.added.tiles
        self.platform, self.extra_memory = platform, extra_memory
        self.bits: dict[str, str] = {}
        """Predicate bits of each tile of truth values that a comparison made."""
        self.readers = Counter(self.tiles[name].owner for op in walk(kernel.body) for name in {*op.operands})
        read = (op for op in walk(kernel.body) if not isinstance(op, Store))
        self.computed_with = {self.tiles[name].owner for op in read for name in op.srcs if isinstance(name, str)}
        """Tiles that something else than a store reads."""
        self.dying: Set[str] = frozenset()
        """Tiles that the body at hand computes, and of which one operation reads."""

    def rewrite(self, nodes: tuple[Node, ...], room: int) -> tuple[Node, ...]:
        """A body made legal; ``room``: bytes left for tiles of all elements between the wanted ones."""
        result: list[Node] = []
        strided = runs(nodes, self.is_strided)
        dying = self.computed_for_one(nodes)
        for at, node in enumerate(nodes):
            self.dying = dying
            if isinstance(node, Loop):
                result.append(replace(node, body=self.rewrite(node.body, room)))
            elif at in strided and isinstance(node, Load):
                steps, held = self.gathered(node, at, strided[at], room)
                result, room = [*result, *steps], room - held
            else:
                result += self.op(node)
        return tuple(
            step
            for node in result
            for step in (multiplied(node, self.added, self.platform) if isinstance(node, Broadcast) else (node,))
        )

    def computed_for_one(self, nodes: tuple[Node, ...]) -> Set[str]:
        made = (op.dst for op in nodes if isinstance(op, Unary | Binary | Cast) and op.dst is not None)
        return {name for name in made if self.readers[name] == 1}

    def op(self, node: TileOp) -> Sequence[Node]:
        if isinstance(node, Unary | Binary | Cast) and self.broadcast_whole(node):
            steps, sources = self.as_wide(node, node.srcs)
            return [*steps, *self.op(replace(node, srcs=sources))]
        match node:
            case Cast():
                return self.cast(node)
            case Load() | Store():
                return self.transfer(node) if self.platform.runs_of_elements else self.lines(node)
            case Scan():
                return running.steps(node, self.added, self.platform)
            case Sort():
                return sorted_rows.steps(node, self.added)
            case Reduce():
                free = node.srcs[0] in self.dying
                steps, rest = folded.folded(node, self.added, self.platform, free, self.extra_memory)
                return [*steps, self.reduction(rest)]
            case Transpose():
                return [self.transposition(node)]
            case GatherFromTile():
                return [self.taken_by_row(node) if node.by_row else self.taken(node)]
            case ScatterRows():
                return self.scatter(node)
            case Compare():
                return self.comparison(node)
            case Where():
                return self.where(node)
            case Binary() if any(map(self.is_one, node.srcs)):
                return self.of_one(node)
            case Bitwise():
                return self.broadcast_operands(node)
            case Binary() if not self.broadcasts(node):
                return self.broadcast_operands(node)
            case Binary():
                return self.outer(node)
        return [node]

    def reduction(self, op: Reduce) -> TileOp:
        """With the scratch that its instruction asks for; a reduction over rows asks for none, but for positions and of
        one column, which lies as a row."""
        source = self.tiles[str(op.srcs[0])]
        positions = op.fn in ARG_REDUCE
        if op.over_rows and source.form != "col" and not positions:
            return op
        short = Extent(min(source.cols.size, SCRATCH_BYTES // DTYPES[source.dtype]))
        columns = None if op.over_rows or positions else short
        return replace(op, scratch=self.added.like(f"{op.dst}_tmp", source, cols=columns))

    def taken(self, op: GatherFromTile) -> GatherFromTile:
        """With its scratch."""
        return replace(op, scratch=self.added.like(f"{op.dst}_tmp", self.tiles[str(op.srcs[1])]))

    def taken_by_row(self, op: GatherFromTile) -> Node:
        """Row after row: positions are those of a row."""
        dst = self.tiles[str(op.dst)]
        if dst.rows.size == 1:
            return self.taken(replace(op, by_row=False))
        at = self.added.variable(f"{dst.name}_at")
        row, *sources = (self.added.line(str(name), Poly.of(at)) for name in (op.dst, *op.srcs))
        return _row_loop(op, dst, at, (self.taken(replace(op, dst=row, srcs=tuple(sources), by_row=False)),))

    def transposition(self, op: Transpose) -> TileOp:
        """With its scratch; a column lies as a row, so that either becomes the other by a copy."""
        source = self.tiles[str(op.srcs[0])]
        if "full" not in (source.form, self.tiles[str(op.dst)].form):
            return Copy.of(op, op.dst, *op.srcs)
        return replace(op, scratch=self.added.like(f"{op.dst}_tmp", source))

    # -- conversions and moves ----------------------------------------------------------------------------------------

    def cast(self, op: Cast) -> list[TileOp]:
        source, dst = self.tiles[str(op.srcs[0])], self.tiles[str(op.dst)]
        steps: list[TileOp] = []
        at = source.name
        mode = op.mode
        for dtype in self.platform.cast_chains.get((source.dtype, dst.dtype), ()):
            name = self.added.like(f"{dst.name}_{dtype}", dst, dtype=dtype)
            steps.append(replace(op, dst=name, srcs=(at,), mode=mode))
            at, mode = name, "none" if dtype in INTEGERS else mode
        return [*steps, replace(op, srcs=(at,), mode=mode)]

    def scatter(self, op: ScatterRows) -> list[TileOp]:
        source = self.tiles[str(op.srcs[0])]
        if source.form != "col":
            return [op]
        wide = self.added.add(
            f"{source.name}_wide",
            replace(source, cols=Extent(32 // DTYPES[source.dtype]), form="full", parent=None),
        )
        return [Broadcast.of(op, wide, source.name), replace(op, srcs=(wide,))]

    def transfer(self, op: Load | Store) -> Sequence[Node]:
        """A vector tile's rows as runs of neighbouring elements in GM."""
        loads = isinstance(op, Load)
        gm, tile = op.gm, self.tiles[str(op.dst if loads else op.srcs[0])]
        if (isinstance(op, Load) and op.role != "vector") or DTYPES[tile.dtype] > 4:
            return [op]
        if tile.form == "col" and gm.row_stride != ONE and tile.rows.size > 1:
            return self.one_by_one(op, tile)
        if gm.cols.size > 1 and gm.col_stride != ONE and (not loads or gm.row_stride == ONE):
            return self.across(op, tile, gm)
        if isinstance(op, Load) and gm.cols.size > 1 and gm.col_stride != ONE:
            return self.row_by_row(op, tile, gm)
        return [op]

    def lines(self, op: Load | Store) -> Sequence[Node]:
        """Where any elements can be loaded, what lies in columns is loaded line by line and transposed on chip if it is
        stored as it is; what computes with it takes its elements from where they lie."""
        loads = isinstance(op, Load) and op.role == "vector" and op.gm.row_stride == ONE and op.gm.col_stride != ONE
        tile = self.tiles[str(op.dst if loads else op.srcs[0])] if loads else None
        if tile is None or tile.name in self.computed_with or min(tile.rows.size, tile.cols.size) == 1:
            return [op]
        return self.across(op, tile, op.gm)

    def is_strided(self, op: Load) -> bool:
        """Whether an operation loads rows of every second or fourth element, which a pattern selects on chip."""
        if op.role != "vector" or not self.platform.runs_of_elements:
            return False
        step, dst = op.gm.col_stride.constant, self.tiles[str(op.dst)]
        if op.gm.cols.size == 1 or step is None or dst.parent is not None or DTYPES[dst.dtype] > 4:
            return False
        return loads_rows_of_every(self.platform, dst.dtype, step)

    def gathered(self, op: Load, node: int, run: Run, room: int) -> tuple[Sequence[Node], int]:
        """A strided load out of its run, which is loaded first, and the bytes that this takes of ``room``. What is
        gathered lies without gaps, so rows that are not whole 32 bytes are gathered one by one; where all rows would
        take too much, they are loaded one by one, too."""
        dst = self.tiles[str(op.dst)]
        row, load, held = run.gm.cols.size * DTYPES[dst.dtype], list[Node](), 0
        if run.tile is None:
            if dst.rows.size * row > room:
                return self.gathered_by_row(op, dst, row) if row <= room else (self.op(op), 0)
            held = dst.rows.size * row
            run.tile = self.added.add(f"{dst.name}_between", replace(dst, cols=run.gm.cols))
            load.append(replace(op, dst=run.tile, gm=run.gm))
        gather = GatherByPattern.of(op, dst.name, run.tile, pattern=run.pattern(node))
        if dst.rows.size == 1 or (dst.cols.valid is None and dst.cols.size * DTYPES[dst.dtype] % 32 == 0):
            return [*load, gather], held
        at = self.added.variable(f"{dst.name}_at")
        line = replace(
            gather, dst=self.added.line(dst.name, Poly.of(at)), srcs=(self.added.line(run.tile, Poly.of(at)),)
        )
        return [*load, _row_loop(op, dst, at, (line,))], held

    def gathered_by_row(self, op: Load, dst: TileVal, held: int) -> tuple[Sequence[Node], int]:
        """Row after row is loaded with all elements between, of which every so many are taken."""
        run, at = Run(op, {0: 0}), self.added.variable(f"{dst.name}_at")
        between = self.added.add(f"{dst.name}_between", replace(dst, cols=run.gm.cols, rows=Extent(1)))
        window = replace(run.gm, offset=run.gm.offset + run.gm.row_stride * at, rows=Extent(1))
        load = replace(op, dst=between, gm=window)
        line = self.added.line(dst.name, Poly.of(at))
        gather = GatherByPattern.of(op, line, between, pattern=run.pattern(0))
        return [_row_loop(op, dst, at, (load, gather))], held

    def row_by_row(self, op: Load, dst: TileVal, gm: GmRef) -> Sequence[Node]:
        """Neither rows nor columns are runs in GM: row after row, each as a column of elements that lie apart."""
        at, many = self.added.variable(f"{dst.name}_at"), dst.rows.size > 1
        line = self.added.line(dst.name, Poly.of(at) if many else ZERO)
        column = replace(dst, rows=dst.cols, cols=Extent(1), form="full", parent=None, col_offset=0, row_offset=ZERO)
        apart = self.added.add(f"{dst.name}_apart", column)
        scratch = self.added.add(f"{apart}_tmp", column)
        offset = gm.offset + (gm.row_stride * at if many else ZERO)
        transposed = replace(gm, offset=offset, row_stride=gm.col_stride, col_stride=ONE, rows=gm.cols, cols=Extent(1))
        body = (
            replace(op, dst=apart, gm=transposed),
            Copy.of(op, line, apart, scratch=scratch),
        )
        return [_row_loop(op, dst, at, body)] if many else body

    def one_by_one(self, op: Load | Store, column: TileVal) -> Sequence[Node]:
        """A column whose elements lie apart in GM: each is a row of a tile, which becomes the column, or is made of it,
        by a transposition."""
        rows = self.added.add(f"{column.name}_apart", replace(column, form="full", parent=None, row_offset=ZERO))
        scratch = self.added.add(f"{rows}_tmp", self.tiles[rows])
        if isinstance(op, Load):
            return [replace(op, dst=rows), Copy.of(op, column.name, rows, scratch=scratch)]
        return [Copy.of(op, rows, column.name, scratch=scratch), replace(op, srcs=(rows,))]

    def across(self, op: Load | Store, tile: TileVal, gm: GmRef) -> Sequence[Node]:
        """Columns that are runs in GM: moved as they lie there, and transposed on chip."""
        whole = replace(tile, rows=tile.cols, cols=tile.rows, form="full", parent=None, col_offset=0, row_offset=ZERO)
        name = self.added.add(f"{tile.name}_across", whole)
        transposed = replace(gm, row_stride=gm.col_stride, col_stride=ONE, rows=gm.cols, cols=gm.rows)
        if isinstance(op, Store):
            return [*self.op(Transpose.of(op, name, tile.name)), replace(op, srcs=(name,), gm=transposed)]
        return [replace(op, dst=name, gm=transposed), *self.op(Transpose.of(op, tile.name, name))]

    # -- broadcasts ---------------------------------------------------------------------------------------------------

    def broadcast_whole(self, op: TileOp) -> bool:
        """Whether every operand is a column, or every one a row, and the result is neither: no instruction takes its
        shape from those. Rows of one element lie apart, and are no column; a column lies like one row, which is read in
        its place."""
        dst, sources = self.tiles[str(op.dst)], [self.tiles[source] for source in op.srcs if isinstance(source, str)]
        if dst.rows.size == 1 and [(s.form, s.rows.size) for s in sources] == [("col", dst.cols.size)]:
            return False
        return dst.form == "full" and {s.form for s in sources} in ({"col"}, {"row"})

    def is_one(self, source: Source) -> bool:
        """Whether an operand is a tile of one element."""
        return isinstance(source, str) and (self.tiles[source].rows.size, self.tiles[source].cols.size) == (1, 1)

    def of_one(self, op: Binary) -> Sequence[Node]:
        """Arithmetic with a tile of one element: the instruction broadcasts it over the row that the result is; else it
        is broadcast along the column, or to the row that many rows share, or over rows of one element."""
        dst = self.tiles[str(op.dst)]
        if dst.form == "full" and dst.cols.size == 1 and dst.rows.size > 1:
            return self.broadcast_operands(op)
        if dst.rows.size == 1:
            ones = [self.tiles[source] for source in op.srcs if isinstance(source, str) and self.is_one(source)]
            for tile in ones if dst.form == "col" or dst.cols.size > 1 else ():
                if tile.form == "row" and tile.parent is None:  # one element is a row as well as a column
                    self.tiles[tile.name] = replace(tile, form="col")
            short = dst.cols.size > 1 and any(self.tiles[one.name].form != "col" for one in ones)
            return [op] if self.broadcasts(op) and not short else self.broadcast_operands(op)
        shape = dst if dst.form == "col" else replace(dst, rows=Extent(1), form="row")
        steps: list[TileOp] = []
        sources = list(op.srcs)
        for at, source in enumerate(op.srcs):
            if self.is_one(source):
                sources[at] = self.added.like(f"{source}_wide", shape)
                steps.append(Broadcast.of(op, str(sources[at]), source))
        return [*steps, *self.op(replace(op, srcs=tuple(sources)))]

    def broadcasts(self, op: Binary) -> bool:
        """Whether the platform's arithmetic broadcasts its operands itself: a column or a row, of some dtypes."""
        dtype = self.tiles[str(op.dst)].dtype
        return dtype in INSTRUCTIONS[f"TROWEXPAND{STEMS[op.fn]}"].dtypes[self.platform.name]

    def outer(self, op: Binary) -> list[TileOp]:
        """What is made of a column and a row: the column is broadcast first, where that is not left to the
        instruction."""
        dst = self.tiles[str(op.dst)]
        tiles = [self.tiles[source] for source in op.srcs if not isinstance(source, ScalarArg)]
        column = next((at for at, tile in enumerate(tiles) if tile.form == "col"), None)
        if dst.form != "full" or len(tiles) != 2 or column is None or not (column == 0 or op.commutes):
            return [op]
        if tiles[1 - column].rows.size != 1:
            return [op]
        wide = self.added.like(f"{dst.name}_wide", dst)
        steps = multiplied(Broadcast.of(op, wide, op.srcs[column]), self.added, self.platform)
        return [op] if len(steps) == 1 else [*steps, replace(op, srcs=(wide, op.srcs[1 - column]))]

    def broadcast_operands(self, op: Binary | Bitwise) -> list[TileOp]:
        """The operation on operands that all have the result's shape; the exclusive or gets its scratch."""
        steps, sources = self.as_wide(op, op.srcs)
        wide = replace(op, srcs=sources)
        if isinstance(wide, Bitwise) and wide.fn == "bitwise_xor":
            wide = replace(wide, scratch=self.added.like(f"{op.dst}_tmp", self.tiles[str(op.dst)]))
        return [*steps, wide]

    def as_wide(self, op: TileOp, sources: tuple[Source, ...]) -> tuple[list[TileOp], tuple[Source, ...]]:
        """Operands in the shape of the result of ``op``, and what broadcasts them."""
        dst = self.tiles[str(op.dst)]
        steps: list[TileOp] = []
        wide: list[Source] = []
        for source in sources:
            if isinstance(source, ScalarArg) or not self.narrower(self.tiles[source], dst):
                wide.append(source)
                continue
            tile = self.tiles[source]
            if tile.cols.size == 1 and tile.rows.size == 1 and dst.form == "full":
                row = self.added.add(
                    f"{source}_row", replace(dst, dtype=tile.dtype, rows=Extent(1), form="row", parent=None)
                )
                steps.append(Broadcast.of(op, row, source))
                source = row
            name = self.added.like(f"{source}_wide", dst, dtype=tile.dtype)
            steps.append(Broadcast.of(op, name, source))
            wide.append(name)
        return steps, tuple(wide)

    @staticmethod
    def narrower(tile: TileVal, dst: TileVal) -> bool:
        return tile.form != dst.form or (tile.rows.size, tile.cols.size) != (dst.rows.size, dst.cols.size)

    # -- truth values -------------------------------------------------------------------------------------------------

    def comparison(self, op: Compare) -> list[TileOp]:
        """Predicate bits, and 1 or 0 for each of them; who selects by them takes the bits."""
        steps, sources = self.as_wide(op, op.srcs)
        dst = self.tiles[str(op.dst)]
        bits = self.predicate(dst)
        self.bits[dst.name] = bits
        one, zero = ScalarArg(1, op.span), ScalarArg(0, op.span)
        return [
            *steps,
            CompareBits.of(op, bits, *sources, relation=op.relation),
            Fill.of(op, dst.name, one),
            SelectByBits.of(op, dst.name, bits, dst.name, zero, scratch=self.words(dst, zero)),
        ]

    def predicate(self, dst: TileVal) -> str:
        """A tile of bits: eight elements of ``dst`` a byte; a column lies as a row."""
        rows, cols = (Extent(1), dst.rows) if dst.form == "col" else (dst.rows, dst.cols)
        form = "row" if dst.form == "col" else dst.form
        like = replace(dst, dtype="uint8", rows=rows, cols=Extent(-(-cols.size // 8)), form=form, parent=None)
        return self.added.add(f"{dst.name}_bits", replace(like, col_offset=0))

    def words(self, dst: TileVal, other: Source) -> str:
        """The scratch of a selection. A2/A3 keeps an address or a number in its first 32 bytes; beside a number it has
        room for a line, which the assembler of PTO assembly asks for."""
        cols = 32 // DTYPES[dst.dtype]
        if isinstance(other, ScalarArg):
            whole = self.tiles[dst.parent] if dst.parent else dst
            cols = max(cols, (whole.rows if whole.form == "col" else whole.cols).size)
        words = replace(dst, rows=Extent(1), cols=Extent(cols), form="row", parent=None)
        return self.added.add(f"{dst.name}_tmp", replace(words, col_offset=0))

    def where(self, op: Where) -> list[TileOp]:
        condition, then, other = op.srcs
        dst = self.tiles[str(op.dst)]
        steps, (then, other) = self.as_wide(op, (then, other))
        assert isinstance(condition, str)
        bits = None if self.narrower(self.tiles[condition], dst) else self.bits.get(condition)
        if bits is None:
            more, (wide,) = self.as_wide(op, (condition,))
            bits = self.predicate(dst)
            zero = ScalarArg(0, op.span)
            steps += [*more, CompareBits.of(op, bits, wide, zero, relation="ne")]
        if isinstance(then, ScalarArg):
            filled = self.added.like(f"{dst.name}_then", dst)
            steps.append(Fill.of(op, filled, then))
            then = filled
        select = SelectByBits.of(op, dst.name, bits, then, other, scratch=self.words(dst, other))
        return [*steps, select]

    # -- what nobody reads --------------------------------------------------------------------------------------------

    def without_unread(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Without the truth values that every reader takes as bits."""
        read = {s for op in walk(nodes) for s in op.operands if s != op.dst}
        parents = {t.parent for t in self.tiles.values() if t.name in read}
        unread = {
            name for name in self.bits if name not in read and name not in parents and not self.tiles[name].parent
        }

        return rewrite(nodes, lambda op: () if op.dst in unread else (op,))


def _row_loop(op: TileOp, dst: TileVal, at: str, body: tuple[Node, ...]) -> Loop:
    """A loop over the rows of a tile."""
    return Loop(at, at, ZERO, dst.rows.poly(), 1, None, "sub", False, body, op.span)


def run(kernel: TileKernel, platform: Platform, extra_memory: bool = True) -> TileKernel:
    """Legalise one kernel for ``platform``. ``extra_memory``: reductions may take memory beside their operands
    (`folded`)."""
    kernel = interleaved_stores.run(kernel) if platform.runs_of_elements else kernel
    legaliser = _Legaliser(kernel, platform, extra_memory)
    body = legaliser.without_unread(legaliser.rewrite(kernel.body, platform.memories["ub"] // BETWEEN_SHARE))
    named = {name for op in walk(body) for name in op.tiles}
    tiles = [t for t in legaliser.tiles.values() if t.name in named]
    parents = {t.parent for t in tiles}
    tiles = [t for t in legaliser.tiles.values() if t.name in named or t.name in parents]
    return gapless.run(replace(kernel, body=body, tiles=tuple(tiles)))
