"""Axes that are reduced, or scanned, piece by piece: a loop over one for each reduction that others wait for.

before: q = mul(x, x); s = sum(q: [rows, cols]); y = mul(x, s)          cols in pieces of 4096
after:  for rows0: s = 0
          for cols0 (loop 0): load x; q = mul(x, x); s += sum(q)
          for cols0 (loop 1): load x; y = mul(x, s); store y

The axis is that of the columns of a tile, as here, or that of its rows: then columns are reduced. An operation stands
in the loop behind all reductions that it depends on. What it reads of an earlier loop is gone by then, and is made
again in its own: from GM, and from results of reductions (rematerialisation). A scan is made piece by piece, too, and
goes on from the last one: what reads it need not wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field

from pyptogen.lower.tensor.ir import ARG_REDUCE, DTYPES, INTEGER, LOOP, REDUCE, ROUNDING, SCAN, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes, Axis
from pyptogen.lower.tile.kernels.partition import KernelOps, defining_ops
from pyptogen.lower.tile.kernels.prologues import BY_ELEMENT
from pyptogen.lower.tile.sizes.sizes import TileSize
from pyptogen.records import dataclass, replace

REDUCTIONS = REDUCE | ARG_REDUCE | {"prod"}
FOLDS = REDUCTIONS | {"topk_pairs"}
"""What all elements along an axis lead to: it is there behind the loop over their pieces."""
IN_PIECES = BY_ELEMENT | ROUNDING | INTEGER | {"full"}
"""What can be made for some columns of a row, and again."""

LONG_ROWS = 8
"""Rows that take more than this part of UB are long: they may be taken in pieces."""
FEW_COLUMNS = 64
"""Columns that a tile has at least beside rows that are reduced: 256 bytes of fp32, one repeat of the vector unit."""

Sizes = Mapping[str, Mapping[str, TileSize]]


@dataclass(frozen=True, slots=True)
class ReductionLoops:
    """Of one kernel: the ``dims`` that are cut though a reduction goes over them, and the loop that each operation
    belongs to, by its result: how many reductions, one behind the other, lead to it."""

    dims: Set[str] = frozenset()
    loop: Mapping[str, int] = field(default_factory=dict)


WHOLE_ROWS = ReductionLoops()


@dataclass(frozen=True, slots=True)
class Dividable:
    """A dim that a kernel may take piece by piece. ``bytes``: what all of it takes in a tile, at least, where it is
    known at build time (0: a call tells); ``reduced``: whether reductions or scans go over it; ``scanned``: whether
    scans do; ``rows``: whether it is that of the rows of tiles, not of their columns."""

    dim: str
    bytes: int
    reduced: bool
    rows: bool = False
    scanned: bool = False


def dividable(ops: Sequence[Op], axes: Axes) -> list[Dividable]:
    """Such dims of a kernel without loops of the author: all work on one is by element, or reduces it. That of the last
    axes, and those of other axes that something reduces or scans."""
    found: dict[str, Dividable] = {}
    if any(op.loop or op.kind in LOOP for op in ops):
        return []
    for op in ops:
        for value, at, axis in _axes_of(op, axes):
            reduced, rows = _goes_along(op, value, at), at < len(value.shape) - 1
            if len(axis) == 1 and axis[0].dim is not None and (reduced or not rows):
                dim, size = axis[0].dim, (axis[0].extent.constant or 0) * DTYPES[value.dtype]
                size *= FEW_COLUMNS if rows else 1
                before = found.get(dim, Dividable(dim, 0, False, rows))
                scanned = before.scanned or (reduced and op.kind in SCAN)
                found[dim] = Dividable(dim, max(size, before.bytes), before.reduced or reduced, rows, scanned)
    return [one for one in found.values() if all(is_by_pieces(op, one.dim, axes, rows=one.rows) for op in ops)]


def _axes_of(op: Op, axes: Axes) -> Iterable[tuple[Value, int, Axis]]:
    """The axes of an operation's result and operands, with their numbers."""
    for value in (op.result, *op.operands):
        if isinstance(value, Value):
            for at, axis in enumerate(axes.axes(value.shape)):
                yield value, at, axis


def _goes_along(op: Op, value: Value, at: int) -> bool:
    """Whether an operation reduces an axis of a value, or scans it."""
    goes = (op.kind in FOLDS and value is op.operands[0]) or op.kind in SCAN
    return goes and int(op.attrs["axis"]) == at


def is_by_pieces(op: Op, dim: str, axes: Axes, *, rows: bool) -> bool:
    """Whether an operation can be done for some elements along a dim, or has nothing to do with it. Of all values the
    dim is the last axis, or it is another one where it is that of the ``rows`` of tiles."""
    there = [(v, at, axis) for v, at, axis in _axes_of(op, axes) if any(factor.dim == dim for factor in axis)]
    by_element = op.kind in IN_PIECES or any(_goes_along(op, value, at) for value, at, _ in there)
    alone = all(len(axis) == 1 and (at < len(value.shape) - 1) == rows for value, at, axis in there)
    return not there or (by_element and alone)


def plan(program: Program, kernel: KernelOps, sizes: Sizes, axes: Axes) -> tuple[Program, KernelOps, ReductionLoops]:
    """The kernel with what its loops make again, and the loops; as it is where no reduction and no scan goes
    over a dim that ``sizes`` cut."""
    reduced = [one.dim for one in dividable(kernel.ops, axes) if one.reduced]
    cut = {dim for dim in reduced if _is_cut(kernel, dim, sizes, axes)}
    if not cut:
        return program, kernel, WHOLE_ROWS
    again = _Rematerialised(program, kernel, axes, cut)
    for op in kernel.ops:
        again.place(op)
    ops = again.needed()
    changed = {op.result.name: op for op in ops}
    made = [op for op in ops if op.result.name not in again.defining]
    program = replace(program, ops=(*(changed.get(op.result.name, op) for op in program.ops), *made, *again.views))
    loop = {op.result.name: again.loop[op.result.name] for op in ops}
    return program, replace(kernel, ops=tuple(ops)), ReductionLoops(frozenset(cut), loop)


def _is_cut(kernel: KernelOps, dim: str, sizes: Sizes, axes: Axes) -> bool:
    whole = axes.static.get(dim)
    tiles = [sizes[op.stage][dim].tile for op in kernel.ops if dim in sizes[op.stage]]
    return bool(tiles) and (whole is None or min(tiles) < whole)


class _Rematerialised:
    """Places the operations of a kernel in loops, in order."""

    def __init__(self, program: Program, kernel: KernelOps, axes: Axes, cut: Set[str]) -> None:
        self.kernel, self.axes, self.cut = kernel, axes, cut
        self.defining = defining_ops(program)
        self.names = FreeNames(program)
        self.given: dict[str, Op] = {}
        """The operations of the kernel so far, as they were, by result."""
        self.placed: dict[str, Op] = {}
        """As they are in their loops, and those that are made again."""
        self.loop: dict[str, int] = {}
        self.again: dict[tuple[str, int], Value] = {}
        """What a value of an earlier loop is in a later one."""
        self.views: list[Op] = []
        """Those of values that are made again."""

    def place(self, op: Op) -> None:
        """An operation in the loop behind all reductions that it depends on."""
        bases = {root(v.name, self.defining) for v in op.operands if isinstance(v, Value)} & self.given.keys()
        self.given[op.result.name] = op
        self._add(op, max((self._behind(base) for base in bases), default=0))

    def _behind(self, name: str) -> int:
        """The first loop that can read a value."""
        op = self.given[name]
        return self.loop[name] + (op.kind in FOLDS and self._is_cut(op.operands[0]))

    def _is_cut(self, value: object) -> bool:
        """Whether a loop has a value piece by piece."""
        axes = self.axes.axes(value.shape) if isinstance(value, Value) else ()
        return any(factor.dim in self.cut for axis in axes for factor in axis)

    def _add(self, op: Op, loop: int) -> None:
        operands = tuple(self._in_loop(v, loop) if isinstance(v, Value) else v for v in op.operands)
        self.placed[op.result.name] = replace(op, operands=operands) if operands != op.operands else op
        self.loop[op.result.name] = loop

    def _in_loop(self, value: Value, loop: int) -> Value:
        """A value as a loop has it."""
        base = root(value.name, self.defining)
        if base not in self.given or self.loop[base] == loop or not self._is_cut(self.given[base].result):
            return value
        if (value.name, loop) not in self.again:
            defining = self.defining[value.name]
            self.again[value.name, loop] = made = replace(value, name=self.names.take(f"{value.name}_again"))
            if value.name == base:
                self._add(replace(defining, result=made), loop)
            else:
                (source,) = (v for v in defining.operands if isinstance(v, Value))
                self.views.append(replace(defining, result=made, operands=(self._in_loop(source, loop),)))
        return self.again[value.name, loop]

    def needed(self) -> list[Op]:
        """All that the kernel writes, and what leads there: loop after loop, what belongs to whole rows first."""
        readers = set(self.kernel.writes)
        defining = {**self.defining, **{view.result.name: view for view in self.views}}
        found: list[Op] = []
        for op in reversed(self.placed.values()):
            if op.result.name in readers:
                found.append(op)
                readers |= {root(v.name, defining) for v in op.operands if isinstance(v, Value)}
        found.reverse()
        return sorted(found, key=lambda op: (self.loop[op.result.name], self._in_pieces(op)))

    def _in_pieces(self, op: Op) -> bool:
        return any(map(self._is_cut, (op.result, *op.operands)))
