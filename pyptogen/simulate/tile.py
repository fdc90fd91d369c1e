"""Runs a lowered operator at its Tile or Block level on numpy arrays: the executable meaning of these levels.

At the Tile level a tile is a value of its own. At the Block level it lies at the address that the plan gave it, in the
copy of this iteration: what is written over it is lost, and reading it then is a fault. `nz` weights are plain matrices
here; instructions alone know packed forms. Kernels that an author finished by hand have no tile level, and run as
instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import LaunchPlan
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.instruction.ir import GmWindow
from pyptogen.lower.isa.kinds import instruction_of
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tensor.ir import REDUCE
from pyptogen.lower.tensor.passes.host_scalars import as_number
from pyptogen.lower.tile.ir import (
    Extent,
    Loop,
    Node,
    ScalarArg,
    TileKernel,
    TileOp,
    TileVal,
)
from pyptogen.lower.tile.ops import (
    Binary,
    Bitcast,
    BitwiseNot,
    Broadcast,
    Cast,
    CompareBits,
    Copy,
    Extract,
    FifoOp,
    Fill,
    GatherByPattern,
    GatherElements,
    GatherFromTile,
    GatherRows,
    GatherRowsByTile,
    IndexedRows,
    Iota,
    Load,
    Matmul,
    MergeBlocks,
    MergeLists,
    Move,
    Pad,
    Pop,
    Push,
    ReadIndex,
    Reduce,
    ScatterRows,
    SelectByBits,
    SortBlocks,
    Store,
    TopK,
    Transpose,
    Unary,
)
from pyptogen.numerics import operations as numerics
from pyptogen.numerics.operations import Array
from pyptogen.numerics.rounding import whole
from pyptogen.numerics.selection import in_groups
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.fifos import Port
from pyptogen.simulate.gm import BoundWindow, GlobalMemory
from pyptogen.simulate.graph import GraphRun
from pyptogen.simulate.loops import LoopWalk
from pyptogen.simulate.meaning import MEANINGS, Shaped, meaning_of_call

BY_INSTRUCTION: Mapping[type[TileOp], Callable[..., Any]] = {
    SortBlocks: MEANINGS["TSORT32"], MergeBlocks: MEANINGS["TMRGSORT(pairs, a, block)"],
    MergeLists: meaning_of_call("TMRGSORT", range(4)), GatherRowsByTile: MEANINGS["MGATHER"],
    GatherElements: meaning_of_call("MGATHER", ()), Pad: meaning_of_call("TFILLPAD_INPLACE", ()),
    GatherByPattern: MEANINGS["TGATHER(dst, a)"], GatherFromTile: MEANINGS["TGATHER"],
}  # fmt: skip
"""Operations that mean what their instructions mean."""
COMPARE = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


@dataclass(slots=True)
class _Place:
    """Bytes that hold a tile's data; ``parts``: written window by window, all of its size is there."""

    memory: str
    begin: int
    end: int
    values: Array
    parts: bool = False


@dataclass(slots=True)
class TileRun:
    """One block of one kernel. ``plan`` is given at the Block level."""

    kernel: TileKernel
    body: Sequence[Node]
    memory: GlobalMemory
    env: dict[str, int]
    scalars: Mapping[str, float | int]
    block: int
    blocks: int
    plan: BlockKernel | None = None
    tiles: dict[str, TileVal] = field(default_factory=dict)
    held: dict[tuple[str, int], _Place] = field(default_factory=dict)
    fifos: Port | None = None
    loops: LoopWalk = field(init=False)

    def run(self) -> None:
        """Run the whole block. Raises MachineFault: a tile is read that nobody wrote, or that another one overwrote."""
        self.tiles = {t.name: t for t in (self.plan.tiles if self.plan else self.kernel.tiles)}
        self._reset_counters(self.body)
        self.loops = LoopWalk(self.env, self.scalars, self.memory, self.block, self.blocks, self.kernel.subblock)
        self._nodes(self.body)

    def _reset_counters(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                if node.slot is not None:
                    self.env[node.slot] = 0
                self._reset_counters(node.body)

    def _nodes(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                for _ in self.loops.iterations(node):
                    self._nodes(node.body)
            else:
                self._op(node)

    # -- tiles --------------------------------------------------------------------------------------------------------

    def _size(self, extent: Extent) -> int:
        return extent.poly().evaluate(self.env)

    def _where(self, tile: TileVal) -> tuple[str, int, int]:
        """Memory and bytes of the tile's data; a place of its own at the Tile level."""
        owner = tile.owner
        if self.plan is None:
            return owner, 0, 1
        buffer = self.plan.buffer(tile.name)
        begin = buffer.place().evaluate(self.env)
        memory, end = buffer.memory, begin + buffer.size
        return (f"{memory} scales", begin // 16, end // 16) if tile.is_scales else (memory, begin, end)

    def _write(self, name: str, values: Array) -> None:
        tile = self.tiles[name]
        owner = tile.owner
        memory, begin, end = self._where(tile)
        lost = [
            key
            for key, place in self.held.items()
            if place.memory == memory and place.begin < end and begin < place.end and key != (owner, begin)
        ]
        for key in lost:
            del self.held[key]
        if owner == name:
            self.held[owner, begin] = _Place(memory, begin, end, values)
            return
        base = self.tiles[owner]
        shape = (base.rows.size, base.cols.size)
        if (owner, begin) not in self.held:
            self.held[owner, begin] = _Place(memory, begin, end, np.zeros(shape, values.dtype), parts=True)
        whole = self.held[owner, begin].values
        if whole.shape != shape:
            grown = np.zeros(shape, whole.dtype)
            grown[: whole.shape[0], : whole.shape[1]] = whole
            self.held[owner, begin].values = whole = grown
        top = tile.row_offset.evaluate(self.env)
        whole[top : top + values.shape[0], tile.col_offset : tile.col_offset + values.shape[1]] = values

    def _read(self, name: str) -> Array:
        tile = self.tiles[name]
        memory, begin, end = self._where(tile)
        place = self.held.get((tile.owner, begin))
        if place is None:
            what = f"tile `{name}` is read, and nobody wrote it or another tile took its place"
            raise MachineFault("unwritten", what, tile.span, memory=memory, begin=begin, end=end)
        top = tile.row_offset.evaluate(self.env)
        if tile.form == "col" or tile.owner == name:
            rows, cols = min(self._size(tile.rows), place.values.shape[0] - top), place.values.shape[1]
            cols = min(cols, self._size(tile.cols)) if place.parts else cols
        else:
            rows, cols = self._size(tile.rows), self._size(tile.cols)
        return place.values[top : top + rows, tile.col_offset : tile.col_offset + cols]

    def _shaped(self, name: str) -> Shaped:
        tile = self.tiles[name]
        return Shaped(tile.dtype, self._size(tile.rows), self._size(tile.cols))

    def _value(self, source: str | ScalarArg, target: Shaped) -> Any:
        """An operand: a number, or an array in a shape that broadcasts to the result's."""
        if isinstance(source, ScalarArg):
            import sympy

            expr = sympy.sympify(source.expr)
            known = {**self.env, **self.scalars}
            return as_number(expr.subs({s: known[s.name] for s in expr.free_symbols}))
        array = self._read(source)
        fits = all(a in (1, b) for a, b in zip(array.shape, target.shape, strict=True))
        return array if fits or array.size != target.rows * target.cols else array.reshape(target.shape)

    # -- global memory ------------------------------------------------------------------------------------------------

    def _window(self, op: Load | Store | GatherElements | GatherRowsByTile | TopK) -> BoundWindow:
        tensor = next(t for t in self.kernel.addressable if t.name == op.gm.tensor)
        ref = op.gm if tensor.layout != "nz" else op.gm.plain(tensor)
        window = GmWindow(
            ref.tensor, tensor.dtype, "ND", ref.offset, ref.rows, ref.cols, ref.row_stride, ref.col_stride
        )
        return BoundWindow.of(window, self.env, op.span)

    def _indexed(self, op: IndexedRows) -> Iterator[tuple[int, BoundWindow]]:
        """Rows of a tile, each with the one in GM that its index names; -1 names none."""
        first, step = op.index_offset.evaluate(self.env), op.index_step.evaluate(self.env)
        width, at = op.gm.row_stride.evaluate(self.env), op.gm.offset.evaluate(self.env)
        tensor = next(t for t in self.kernel.tensors if t.name == op.gm.tensor)
        for row in range(self._size(op.gm.rows)):
            slot = self.memory.element(op.index, first + row * step, op.span)
            if slot >= 0:
                window = GmWindow(
                    op.gm.tensor, tensor.dtype, "ND", Poly.of(slot * width + at), Extent(1), op.gm.cols,
                    op.gm.cols.poly(), Poly.of(1),
                )  # fmt: skip
                yield row, BoundWindow.of(window, self.env, op.span)

    # -- operations ---------------------------------------------------------------------------------------------------

    def _op(self, op: TileOp) -> None:
        match op:
            case Load():
                self._write(str(op.dst), np.array(self.memory.read(self._window(op))))
            case Store():
                self._store(op)
            case ScatterRows():
                rows = self._read(op.operands[0])
                for row, window in self._indexed(op):
                    self.memory.write(window, rows[row : row + 1, : window.cols])
            case GatherRows():
                found = [self.memory.read(window) for _, window in self._indexed(op)]
                self._write(str(op.dst), np.concatenate(found))
            case ReadIndex():
                self.env[op.name] = self._number(op)
            case FifoOp():
                self._fifo(op)
            case _:
                self._write(str(op.dst), self._compute(op))

    def _store(self, op: Store) -> None:
        window = self._window(op)
        values = self._read(op.operands[0])
        whole = values.reshape(window.rows, window.cols) if values.size == window.rows * window.cols else values
        whole = np.where(whole > 0, whole, 0).astype(whole.dtype) if op.relu else whole
        dtype = NUMPY_DTYPES[window.window.dtype]
        whole = whole.view(dtype) if window.window.dtype == SCALE else whole
        self.memory.write(window, whole if whole.dtype == dtype else numerics.cast(whole, dtype, "rint", True))

    def _fifo(self, op: FifoOp) -> None:
        assert self.fifos is not None
        if isinstance(op, Push):
            tile = self.tiles[op.operands[0]]
            values = self._read(tile.name)
            part = values[: self._size(tile.rows), : self._size(tile.cols)]
            self.fifos.push(op.fifo, part, op.span, op.row.evaluate(self.env))
        elif isinstance(op, Pop):
            self.memory.arrays[self.fifos.slot(op.fifo)] = self.fifos.pop(op.fifo, op.span)
        else:
            self.fifos.free(op.fifo)
            del self.memory.arrays[self.fifos.slot(op.fifo)]

    def _number(self, op: ReadIndex) -> int:
        """An index, or a number of tiles."""
        element = self.memory.element(op.index, op.index_offset.evaluate(self.env), op.span)
        return element if op.per is None else -(-(element + op.plus.evaluate(self.env)) // op.per)

    def _compute(self, op: TileOp) -> Array:
        """The result of an operation on tiles alone, and of those that read a row of GM on the way."""
        dst = self._shaped(str(op.dst))
        match op:
            case Matmul():
                return self._matmul(op, dst)
            case Extract():
                return self._part(op, dst, op.row, ZERO)
            case Move():
                return self._part(op, dst, *((ZERO, op.depth) if op.role == "a" else (op.depth, ZERO)))
            case Transpose():
                return np.array(self._read(op.operands[0]).T)
            case TopK():
                row = self.memory.read(self._window(op))
                return np.asarray(MEANINGS["TTOPK" if op.largest else "TBOTTOMK"](dst, row))
            case GatherFromTile(by_row=True):
                source, positions = map(self._read, op.operands)
                return np.take_along_axis(source, positions.astype(np.int64), axis=1)
            case GatherFromTile():
                return np.asarray(BY_INSTRUCTION[GatherFromTile](dst, *map(self._read, op.operands)))
            case GatherElements() | GatherRowsByTile():
                row = self.memory.read(self._window(op))
                return np.asarray(BY_INSTRUCTION[type(op)](dst, row, self._read(op.operands[0])))
            case SortBlocks() | MergeBlocks() | MergeLists() | GatherByPattern() | Pad():
                return self._ordered(op, dst)
            case Iota():
                first = op.start.evaluate(self.env)
                return np.arange(first, first + dst.rows * dst.cols, dtype=dst.numpy).reshape(dst.shape)
        return self._elements(op, dst, [self._value(s, dst) for s in op.srcs])

    def _elements(self, op: TileOp, dst: Shaped, values: list[Any]) -> Array:
        """Elementwise operations, reductions and scans."""
        match op:
            case Fill():
                return np.full(dst.shape, values[0], dst.numpy)
            case Cast() if values[0].dtype == dst.numpy:  # fp32 to fp32: whole numbers, as TCVT means it
                return whole(values[0], op.mode)
            case Cast():
                return numerics.cast(values[0], dst.numpy, op.mode, op.saturate)
            case Reduce() if op.fn in REDUCE:
                return numerics.reduce(op.fn, values[0], int(not op.over_rows))
            case CompareBits():
                left, right = (v if isinstance(v, int | float) else numerics.widen(v) for v in values)
                holds = np.asarray(COMPARE[op.relation](left, right))
                return holds.reshape(1, -1) if dst.rows == 1 else holds  # the bits of a column lie as a row
            case SelectByBits():
                return np.asarray(np.where(values[0].astype(bool), values[1], values[2])).astype(dst.numpy)
            case Bitcast():
                return np.ascontiguousarray(values[0]).view(dst.numpy)
            case Copy() | Broadcast():
                return np.array(np.broadcast_to(values[0][:, : dst.cols], dst.shape))
            case Binary():
                return np.array(np.broadcast_to(numerics.binary(op.fn, values[0], values[1], dst.numpy), dst.shape))
            case Unary() | BitwiseNot() if op.mnemonic in numerics.UNARY:
                return numerics.unary(op.mnemonic, values[0])
        numbered = any(isinstance(s, ScalarArg) for s in op.srcs)
        plain = [int(v) if isinstance(v, float) and not dst.dtype.startswith(("fp", "bf")) else v for v in values]
        result: Array = MEANINGS[instruction_of(op.mnemonic, numbered)](dst, *plain)
        return result

    def _ordered(self, op: TileOp, dst: Shaped) -> Array:
        """Orders and pairs, as their instructions mean them."""
        sources = [self._read(name) for name in op.operands]
        meaning = BY_INSTRUCTION[type(op)]
        if isinstance(op, MergeBlocks):
            return np.asarray(meaning(dst, *sources, op.length.evaluate(self.env)))
        if isinstance(op, MergeLists) and op.first:
            sources = sources[1:] if self._is_first(op.first) else [self._read(str(op.dst)), sources[0]]
        if isinstance(op, GatherByPattern):
            return np.asarray(meaning(dst, sources[0].view(dst.numpy), pattern=op.pattern))
        return np.asarray(meaning(dst, *sources))

    def _is_first(self, loops: Sequence[str]) -> bool:
        """Whether all these loop variables are 0."""
        return all(self.env[name] == 0 for name in loops)

    def _matmul(self, op: Matmul, dst: Shaped) -> Array:
        left, right, *scales = (self._read(name) for name in op.operands)
        depth = min(left.shape[1], right.shape[0])
        if scales:
            left, right = in_groups(left, scales[0], 1), in_groups(right, scales[1], 0)
        product = numerics.matmul(
            left[: dst.rows, :depth], numerics.prepare_right(right[:depth, : dst.cols]), dst.numpy
        )
        return product if self._is_first(op.first) else (self._read(str(op.dst)) + product).astype(dst.numpy)

    def _part(self, op: TileOp, dst: Shaped, row: Poly, col: Poly) -> Array:
        source = self._read(op.operands[0])
        top, left = row.evaluate(self.env), col.evaluate(self.env)
        part = source[top : top + dst.rows, left : left + dst.cols]
        return np.array(part if part.dtype == dst.numpy else numerics.cast(part, dst.numpy, "rint", True))


class _LevelRun(GraphRun):
    """All launches, at one level; at the Block level in another order than at the others."""

    shares_bytes = False

    def __init__(self, lowered: Lowered, level: str, *arguments: Any) -> None:
        self._tiles = {k.name: k for k in lowered.tiles}
        self._plans = {b.tile.name: b for b in lowered.blocks} if level == "block" else {}
        super().__init__(lowered, *arguments)
        self.backwards = level == "block"

    def in_fractals(self, name: str) -> bool:
        return False

    def physical(self, layout: str, array: Array, target: str) -> Array:
        return array if layout == "nz" else super().physical(layout, array, target)

    def run_block(self, name: str, env: dict[str, int], block: int, blocks: int, fifos: Port | None = None) -> None:
        plan = self._plans.get(name)
        if plan is None and name not in self._tiles:
            super().run_block(name, env, block, blocks, fifos)
            return
        kernel = self._tiles[name] if plan is None else plan.tile
        body = kernel.body if plan is None else plan.body
        memory = self.memory if fifos is None else self.memory.of_core()
        TileRun(kernel, body, memory, dict(env), self.scalars, block, blocks, plan, fifos=fifos).run()

    def run_launch(self, launch: LaunchPlan, env: dict[str, int], block: int, blocks: int) -> None:
        if launch.programs and not self._plans:  # at the Tile level a mixed kernel is one program
            self.run_block(launch.kernel, env, block, blocks)
        else:
            super().run_launch(launch, env, block, blocks)


def interpret(
    lowered: Lowered,
    arrays: Mapping[str, Array],
    attrs: Mapping[str, float | int] | None = None,
    *,
    level: Literal["tile", "block"],
    blocks: int = 1,
) -> dict[str, Array]:
    """Outputs by contract name, computed at a level between tensors and instructions.

    Args:
        lowered: an operator lowered for a target.
        arrays: every input by name, of the contract's shape and dtype.
        attrs: run-time scalars; one that is not given has its default.
        level: ``tile`` (values), or ``block`` (values at addresses, and launches, ranges and blocks in another order).
        blocks: most blocks of a launch.

    Raises:
        DiagnosticError: PTG402 to PTG405, arrays or attrs that do not fit.
        MachineFault: a tile is read that holds nothing, or the data of another.
    """
    run = _LevelRun(lowered, level, arrays, attrs or {}, blocks)
    with np.errstate(all="ignore"):
        return run.outputs()
