"""Declares the tiles of one kernel and hands its operations to their handlers.

Tiles that meet a column have its row capacity, which is a multiple of 32 bytes of column elements; the rows beyond the
tile's own are never valid and have no bytes in the memory plan.

A column of statistics lies contiguously in UB under two tile types: [R, 1] column-major for reductions and row
broadcasts, and [1, R] row-major (`…_row`) for elementwise work, because the device takes no column-major elementwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from pyptogen.lower.block.ir import BlockKernel, Buffer
from pyptogen.lower.expr import ONE
from pyptogen.lower.instruction.ir import Declare, For, Instr, Loc, Node, Operand, TileType
from pyptogen.lower.isa import pipe_of
from pyptogen.lower.isa.fractals import needs_compact
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tensor.ir import DTYPES, PACKED
from pyptogen.lower.tile.ir import Extent, GmTensor, Loop, TileOp, TileVal, walk
from pyptogen.lower.tile.ir import Node as TileNode
from pyptogen.lower.tile.ops import Extract, Load, Matmul, Move
from pyptogen.records import replace

SCALES: dict[str, Loc] = {"l0a": "ScaleLeft", "l0b": "ScaleRight"}
"""Where the scales of operands lie: at a sixteenth of the operands' addresses."""
LOCS: dict[str, Loc] = {"ub": "Vec", "l1": "Mat", "l0a": "Left", "l0b": "Right", "l0c": "Acc"}
WORDS = {"ub": "UB", "l1": "L1", "l0a": "L0A", "l0b": "L0B", "l0c": "L0C"}
View = Literal["own", "row", "element"]
"""As what an operand goes: what it is; columns as rows; columns and tiles of one row as rows."""


class Selector:
    """Selects for one kernel; collects the declarations that the chosen instructions need. ``multiples``: what dims are
    multiples of."""

    def __init__(
        self, kernel: BlockKernel, platform: Platform, handlers: Handlers, multiples: Mapping[str, int]
    ) -> None:
        self.platform, self.handlers, self.multiples = platform, handlers, multiples
        self.tiles: dict[str, TileVal] = {t.name: t for t in kernel.tiles}
        self.memory = dict(kernel.memory)
        self.shared = kernel.tile.subblock is not None
        self.tensors: dict[str, GmTensor] = {t.name: t for t in kernel.tile.addressable}
        self.buffers = {b.name: b for b in kernel.buffers}
        self.declared: dict[str, Declare] = {}
        self.scattered: set[str] = set()
        """Tiles whose rows have been given names."""
        self.across = {op.dst for op in walk(kernel.body) if self._is_loaded_across(op)}
        """Matrices in L1 that lie there column after column."""
        moves = [op for op in walk(kernel.body) if isinstance(op, Move | Extract)]
        bytewise = {name for name in self.across if name is not None and DTYPES[self.tiles[name].dtype] == 1}
        lefts = {op.dst for op in moves if op.srcs[0] in bytewise}
        self.transposed = {op.dst for op in moves if op.srcs[0] in self.across}
        """Operands that come from such matrices: left ones are transposed on the way to L0."""
        self.in_pairs = lefts | {op.dst for op in walk(kernel.body) if isinstance(op, Matmul) and op.srcs[0] in lefts}
        """Left operands of bytes that are transposed on the way to L0, two fractals at a time, and their sums."""
        loads = [op for op in walk(kernel.body) if isinstance(op, Load)]
        self.right_scales = {load.dst for load in loads if load.role == "b scales"}
        self.taken = {*kernel.tile.arguments, *self.tiles}
        self.steps = dict(_loop_steps(kernel.body))
        columns = [DTYPES[t.dtype] for t in kernel.tiles if t.form == "col" and self.memory.get(t.name) == "ub"]
        self.row_step = 32 // min(columns) if columns else 1
        ub = [b for b in kernel.buffers if b.memory == "ub" and self.tiles[b.name].form == "full"]
        padded = [-(-b.rows // self.row_step) * self.row_step * b.pitch * DTYPES[b.dtype] for b in ub]
        self.rows_fit = max(padded, default=0) <= platform.memories["ub"]
        """Whether tiles may have the rows of the columns beside them, without one being larger than its memory."""

    def _is_loaded_across(self, op: TileOp) -> bool:
        """Whether an operation loads columns that lie one after the other in GM into L1, where they stay columns: on a
        platform that transposes no load, and of numbers of four bits, of which no load transposes pairs."""
        if not isinstance(op, Load):
            return False
        tile, gm = self.tiles[str(op.dst)], op.gm
        if self.memory.get(tile.parent or tile.name) != "l1":
            return False
        plain = self.tensors[gm.tensor].layout != "nz" and not op.role.endswith("scales")
        transposed = gm.col_stride != ONE and gm.cols.size > 1 and plain
        return transposed and (not self.platform.transposes_on_load or tile.dtype in PACKED)

    def local(self, wanted: str) -> str:
        """A name for a local variable that no argument and no tile of the kernel has."""
        while wanted in self.taken:
            wanted += "_i"
        return wanted

    # -- tiles ----------------------------------------------------------------------------------------------------

    def use(self, name: str, view: View = "own") -> str:
        """Name of the declaration of a tile under one of its two types."""
        tile = self.tiles[name]
        declared = name
        if (view != "own" and tile.form == "col") or (view == "element" and tile.form == "full"):
            declared = f"{name}_row"
            while declared in self.tiles:
                declared += "_"
        if declared not in self.declared:
            self.declared[declared] = self._declare(tile, declared, as_row=declared != name)
        return declared

    def use_as(self, name: str, dtype: str, view: View = "own") -> str:
        """Name of a declaration of a tile whose elements are read as those of another dtype of the same size."""
        tile = self.tiles[name]
        if tile.dtype == dtype:
            return self.use(name, view)
        as_row = view == "row" and tile.form == "col"
        declared = f"{name}_{dtype}{'_row' if as_row else ''}"
        while declared in self.tiles:
            declared += "_"
        if declared not in self.declared:
            own = self._declare(tile, declared, as_row)
            self.declared[declared] = replace(own, type=replace(own.type, dtype=dtype), note=f"same bytes as {name}")
        return declared

    def use_whole(self, name: str) -> str:
        """Name of a declaration of a tile in UB all of whose columns are valid: its own, if they are."""
        own = self._declare(self.tiles[name], name, as_row=False)
        if own.type.valid_cols == own.type.cols:
            return self.use(name)
        declared = f"{name}_whole"
        while declared in self.tiles:
            declared += "_"
        kind = replace(own.type, valid_cols=own.type.cols)
        self.declared[declared] = replace(
            own, name=declared, type=kind, cols=Extent(kind.cols), note=f"same bytes as {name}"
        )
        return declared

    def _declare(self, tile: TileVal, name: str, as_row: bool) -> Declare:
        owner = tile.parent or tile.name
        buffer = self.buffers[owner]
        if tile.is_scales:
            return self._declare_scales(tile, name, buffer)
        loc = LOCS[buffer.memory]
        size = DTYPES[tile.dtype]
        rows, cols = tile.rows, tile.cols
        capacity = -(-rows.size // self.row_step) * self.row_step
        if loc == "Vec" and tile.form == "col":
            shape = (1, capacity) if as_row else (capacity, 1)
            rows, cols = (Extent(1), rows) if as_row else (rows, Extent(1))
            kind = self._type(loc, tile.dtype, *shape, rows, cols, not as_row)
        elif loc == "Vec":
            height = 1 if tile.form == "row" or as_row else capacity if self.rows_fit else rows.size
            kind = self._type(loc, tile.dtype, height, buffer.pitch, rows, cols, False)
        else:
            right = tile.name in self.right_scales
            where: str = "ScaleRight" if right else "ScaleLeft" if tile.dtype == SCALE else loc
            height, width = _in_fractals(where, rows.size, cols.size, size)
            height = -(-height // 32) * 32 if tile.name in self.in_pairs else height
            kind = self._type(loc, tile.dtype, height, width, rows, cols, right)
            compact = needs_compact(self.platform.name, loc, size, (height, width), (kind.valid_rows, kind.valid_cols))
            by_sixteen = compact and loc == "Left" and tile.dtype == "fp32" and tile.name in self.transposed
            kind = replace(kind, across=tile.name in self.across, compact=compact, k_aligned=by_sixteen)
        copies = f", {buffer.copies} copies" if buffer.slot else ""
        where = f"{WORDS[buffer.memory]} 0x{buffer.address:05x}..0x{buffer.end:05x}{copies}"
        note = (
            f"columns {tile.col_offset}.. of {owner}"
            if tile.parent and (tile.col_offset or tile.rows == self.tiles[tile.parent].rows)
            else f"rows 0.. of {owner}"
            if tile.parent
            else f"as a row, same bytes as {tile.name}"
            if as_row
            else where
        )
        line = size if tile.form == "col" else buffer.pitch * size
        address = buffer.place() + tile.col_offset * size + tile.row_offset * line
        left = buffer.size - tile.col_offset * size
        if tile.row_offset.terms:
            first = tile.row_offset.evaluate(dict.fromkeys(tile.row_offset.names(), 0))
            columns = f"columns {tile.col_offset}.. of " if tile.col_offset else ""
            note, whole = f"{columns}rows {tile.row_offset.c()}.. of {owner}", left - first * line
            left = tile.rows.size * line - tile.col_offset * size
            return Declare(name, kind, rows, cols, address, left, note, tile.span, owner, whole)
        return Declare(name, kind, rows, cols, address, left, note, tile.span, owner)

    def _declare_scales(self, tile: TileVal, name: str, buffer: Buffer) -> Declare:
        """Scales next to their operand."""
        loc = SCALES[buffer.memory]
        kind = self._type(
            loc, tile.dtype, *_in_fractals(loc, tile.rows.size, tile.cols.size, 1), tile.rows, tile.cols, False
        )
        address, note = buffer.place().divided(16), f"scales of {tile.parent}"
        return Declare(name, kind, tile.rows, tile.cols, address, buffer.size // 16, note, tile.span, tile.name)

    @staticmethod
    def _type(
        loc: Loc, dtype: str, rows: int, cols: int, valid_rows: Extent, valid_cols: Extent, col_major: bool
    ) -> TileType:
        fixed_rows = None if valid_rows.valid is not None else valid_rows.size
        fixed_cols = None if valid_cols.valid is not None else valid_cols.size
        return TileType(loc, dtype, rows, cols, fixed_rows, fixed_cols, col_major)

    # -- nodes ----------------------------------------------------------------------------------------------------

    def body(self, nodes: tuple[TileNode, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop):
                body = self.body(node.body)
                steps = (node.var, node.start, node.stop, node.tile, node.valid, node.parallel)
                bounds = (node.slot, node.slots, node.after, node.before, node.once)
                result.append(
                    For(*steps, body, "", node.span, *bounds, node.only, node.half, node.index_set, node.every)
                )
            else:
                result += self.handlers[type(node)](self, node)
        return tuple(result)

    def instr(self, op: TileOp, name: str, *operands: Operand) -> Instr:
        locs = [self.declared[o].type.loc for o in operands if isinstance(o, str)]
        src = locs[-1] if locs else "Vec"
        return Instr(name, operands, pipe_of(name, src, locs[0] if locs else "Vec"), op.stage, op.span)  # type: ignore[arg-type]

    def dtype(self, op: TileOp) -> str:
        """dtype of the result."""
        return self.tiles[str(op.dst)].dtype

    def plain(self, *names: Any) -> list[str]:
        """Operands of elementwise instructions: columns go as rows, and so do tiles of one element beside them."""
        tiles = [self.tiles[str(n)] for n in names]
        single = all(t.rows.size == t.cols.size == 1 for t in tiles) and len({t.form for t in tiles}) > 1
        return [self.use(tile.name, "element" if single else "row") for tile in tiles]


Handlers = Mapping[type[TileOp], Callable[[Selector, Any], list[Node]]]
"""What becomes of the operations of each class."""


def _loop_steps(nodes: tuple[TileNode, ...]) -> Iterator[tuple[str, int]]:
    """What each loop variable is a multiple of: loops start at 0, at the variable of the loop around, or at the first
    element of a range of rows."""
    for node in nodes:
        if isinstance(node, Loop):
            apart = () if node.role == "sub" else (factor for _, factor in node.start.terms)
            yield node.var, math.gcd(node.tile, *apart)
            yield from _loop_steps(node.body)


def _in_fractals(loc: str, rows: int, cols: int, size: int) -> tuple[int, int]:
    """Capacity of a cube tile in whole fractals: 16 rows x 32 bytes, transposed for L0B, 16 x 16 for an accumulator, 16
    x 2 for scales. What is transposed on the way to L0 takes 16 elements at least of either side: all that lies in L1,
    and the depth of operands."""
    deep = max(16, 32 // size)
    others = {"Left": (16, deep), "Right": (deep, 16), "Acc": (16, 16), "ScaleLeft": (16, 2), "ScaleRight": (2, 16)}
    row_step, col_step = others.get(loc, (deep, deep))
    return -(-rows // row_step) * row_step, -(-cols // col_step) * col_step
