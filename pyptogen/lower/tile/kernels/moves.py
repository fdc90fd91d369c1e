"""Operations that move elements are one statement: an identity whose operand and result are views of what lies in GM.

before: y = permute(x: [t, h, d], [2, 0, 1])
after:  dims y_rows = t * h;  y as [d, y_rows] with steps t * h, 1 = move(x as [d, y_rows] with steps 1, d)

A permutation, a broadcast axis and the window of a concat are other strides; axes that lie one after the other in all
views are one. The axis whose elements lie side by side in the result is that of a tile's columns, and last; that of its
rows is the one ahead, or the one whose elements lie side by side in the operand, where another one is (a tile that is
transposed on its way). Parts of a concat that are alike have their loops together, others loops of their own.

before: y = index_select(x: [n, h], 0, i: [t])
after:  y as [t, h] = move(x as [t by i, h])

An axis whose positions an index names is one of the operand's, too: with steps in the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from sympy import Integer

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import CopyOf, Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import DTYPES, Dim, Op, Program, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tensor.views import value_views
from pyptogen.lower.tile.cutting.axes import Axes, Axis, Factor, GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.items import Item, items_of, merged
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.dims.named_sizes import dim_of_size
from pyptogen.lower.tile.interleaved_stores import run_of
from pyptogen.lower.tile.ir import GmTensor
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.kernels.seen import Seen
from pyptogen.lower.tile.sizes.first_guesses import MOST_LINE, MOST_TILE, Choice
from pyptogen.lower.tile.strided_loads import EVERY, loads_rows_of_every
from pyptogen.records import dataclass, replace

MOVES = frozenset({"copy", "permute", "expand", "concat", "iota", "index_select"})
"""Operations of the Tensor level that move elements, or count them."""
CPU_TILE_BYTES, TILE_BYTES = 16 * 1024, 24 * 1024
"""Bytes of one tile: what stays in L1 of a CPU, what leaves room for several copies in UB."""
SQUARE = 64
"""Rows and columns of a tile that is transposed."""
ROWS_BY_INDEX = 8
"""Rows of a tile that an index names one by one: their indices lie in one line of the scalar unit's data cache, which
takes as long to come as four rows, and they are stored at once. More would leave cores without any where there are few.
"""
NARROW = 8
"""Part of a tile's elements that are in one where the operand, or the result, takes 32 bytes for each."""


def elements_of_a_tile(platform: Platform, dtype: str) -> int:
    """Elements of one tile."""
    return (CPU_TILE_BYTES if platform.unified else TILE_BYTES) // max(DTYPES[dtype], 2)


def most_rows(platform: Platform, dtype: str, width: int) -> int:
    """Rows of one tile with so many columns. Rows begin at 32 bytes, so many short ones take more than their elements:
    a quarter of UB at the most."""
    pitch = max(width * DTYPES[dtype], 32)
    return max(1, min(elements_of_a_tile(platform, dtype) // width, platform.memories["ub"] // 4 // pitch))


def run(
    program: Program,
    kernel: KernelOps,
    tensors: Mapping[str, GmTensor],
    gm_names: Mapping[str, str],
    platform: Platform,
) -> Seen:
    """The kernel as it is cut.

    Raises:
        Refused: PTG303, what has no strides: a value that an index leads to, or that lies in fractals.
    """
    return _Kernel(KernelBuilder(program, kernel, {}, tensors, gm_names, platform, Axes(program))).seen()


@dataclass(frozen=True, slots=True)
class _Move:
    """One part of the kernel: what is written where, what is read (nothing where elements are counted), and the work
    ``ahead`` that makes what is moved."""

    result: Value
    target: GmView
    reads: tuple[tuple[Value, GmView], ...] = ()
    ahead: tuple[Op, ...] = ()

    @property
    def views(self) -> tuple[GmView, ...]:
        return (self.target, *(view for _, view in self.reads))


class _Kernel:
    def __init__(self, builder: KernelBuilder) -> None:
        self.builder, self.views = builder, GmViews(builder)
        self.axes, self.platform = builder.axes, builder.platform
        *ahead, self.op = builder.kernel.ops
        self.ahead = tuple(ahead)
        self.names, self.dims = FreeNames(builder.program), dict[str, Dim]()
        self.used: set[str] = set()
        """Dims that loops go over."""
        self.seen_as: dict[str, GmView] = {}
        self.written: set[str] = set()
        """Names of results, as they are seen."""
        self.first: dict[str, Choice] = {}

    def seen(self) -> Seen:
        nests: dict[tuple[Any, ...], list[_Move]] = {}
        for move in self._moves():
            factors = [factor for axis in move.target.axes for factor in axis]
            in_lines = any(factor.stride == ONE and factor.extent != ONE for factor in factors)
            key = (move.result.name,) if in_lines else tuple(factor.extent for factor in factors)
            nests.setdefault(key, []).append(move)
        made = [tuple(self._nest(moves)) for moves in nests.values()]
        ops = tuple(op for nest in made for op in nest)
        writes = tuple(name for name in self.seen_as if name in self.written)
        kernel = replace(self.builder.kernel, ops=ops, writes=writes)
        program = self.builder.program
        mine = {op.result.name for op in self.builder.kernel.ops}
        others = tuple(op for op in program.ops if op.result.name not in mine)
        program = replace(program, ops=(*others, *ops), dims=(*program.dims, *self.dims.values()))
        return Seen(program, kernel, Axes(program), tuple(made), self.seen_as, self.first, self._leading())

    def _leading(self) -> str | None:
        """The dim that the first axis of the result has, and no other one; not of what is counted, or comes from where
        an index says: other launches may make that."""
        first, *others = self.op.result.shape or (ONE,)
        names = {symbol.name for size in others for symbol in size.free_symbols}
        own_range = len(self.op.operands) > 0 and self.op.kind != "index_select"
        return str(first) if own_range and str(first) not in names else None

    # -- what is moved ------------------------------------------------------------------------------------------------

    def _moves(self) -> Iterator[_Move]:
        op, target = self.op, self.views.written(self.op.result)
        if self.builder.tensors[target.tensor].layout == "nz" and op.kind != "copy":
            error = unsupported(op.span, f"`{target.tensor}` @ nz", "leave `@ nz` out")
            raise error.helped_by(CopyOf(op.result.name))
        if self.builder.tensors[target.tensor].layout == "nz" and self.ahead:
            error = unsupported(op.span, f"work ahead of `{target.tensor}` @ nz", "put it into a stage of its own")
            raise error.helped_by(TwoKernels(op.result.name, self.ahead[-1].result.name))
        if op.kind == "iota":
            yield _Move(op.result, target)
        elif op.kind == "concat":
            yield from self._parts(target)
        else:
            made = {other.result.name for other in self.ahead}
            operands = [v for other in self.ahead for v in other.operands] or op.operands[:1]  # and not its index
            reads = {v.name: v for v in operands if isinstance(v, Value) and v.name not in made}
            found = [(value, self._source(value)) for value in reads.values()]
            most = sorted(found, key=lambda one: -sum(f.stride != ZERO for axis in one[1].axes for f in axis))
            yield _Move(op.result, target, tuple(most), self.ahead)

    def _source(self, value: Value) -> GmView:
        """What is moved, or read by the work ahead, in the shape of the result.

        Raises:
            Refused: PTG303, no strides express it: then the work ahead is a kernel of its own.
        """
        if not self.ahead:
            view = self.views.strided(value.name, self.op)
            if self.op.kind == "index_select":
                return self.views.gathered(view, self.op, self.op)
            return replace(view, axes=self._as_result(view.axes))
        seen = asked(self._source_of_work, value)
        if isinstance(seen, Refusal):
            raise seen.helped_by(TwoKernels(self.op.result.name, self.ahead[-1].result.name)).error()
        return seen

    def _source_of_work(self, value: Value) -> GmView:
        view, (operand,) = self.views.strided(value.name, self.op), self.op.operands
        assert isinstance(operand, Value)
        shape = self.axes.axes(self.ahead[-1].result.shape)
        missing: tuple[Axis, ...] = ((),) * (len(shape) - len(view.axes))
        view = replace(view, axes=_repeated((*missing, *view.axes), shape))
        for between in value_views(self.builder.defining, operand.name):
            view = self.axes.apply(view, between)
        return replace(view, axes=self._as_result(view.axes))

    def _as_result(self, axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """The axes of the operand in the order of the result's, with steps of 0 where they are repeated."""
        if self.op.kind == "permute":
            return tuple(axes[i] for i in self.op.attrs["axes"])
        if self.op.kind == "expand":
            return _repeated(axes, self.axes.axes(self.op.result.shape))
        return axes

    def _parts(self, target: GmView) -> Iterator[_Move]:
        start, axis = ZERO, int(self.op.attrs["axis"])
        for part in self.op.operands:
            assert isinstance(part, Value)
            size = part.shape[axis]
            result = replace(self.op.result, name=self.names.take(f"{self.op.result.name}_part"), shape=part.shape)
            window = self.axes.window(target, axis, size, start)
            yield _Move(result, window, ((part, self.views.strided(part.name, self.op)),))
            start = start + self.axes.poly(size)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _nest(self, moves: Sequence[_Move]) -> Iterator[Op]:
        """The statements of moves that have their loops together."""
        views = [view for move in moves for view in move.views]
        boxed = self.builder.tensors[views[0].tensor].layout == "nz"
        items = self._in_fractals(views) if boxed else self._in_rows(views, moves[0].result.dtype)
        words = [*("axis" for _ in items[2:]), "rows", "columns"][-len(items) or 2 :]
        dims = [self._dim(item, word) for (item, _), word in zip(items, words, strict=True)]
        by_index = len(items) > 1 and items[-2][0].gathered and items[-2][1].tile > 1
        alone: Axis = (Factor(None, ONE, ONE),) if by_index else ()  # each such row begins at 32 bytes
        named = [(dim, choice) for dim, (_, choice) in zip(dims, items, strict=True) if dim is not None]
        self.first |= {dim: replace(choice, dim=dim) for dim, choice in named}
        shape = tuple(Integer(1) if dim is None else dim_symbol(dim) for dim in dims)
        at = 0
        for move in moves:
            values: dict[str, Value] = {}
            for value, view in ((move.result, move.target), *move.reads):
                axes = [_of_loop(dim, item, at) for dim, (item, _) in zip(dims, items, strict=True)]
                axes = [*axes[:-1], axes[-1] or alone] if axes else axes
                values[value.name] = self._seen(value, replace(view, axes=tuple(axes), per_iteration=None), boxed=boxed)
                if value is move.result:  # what is read where it lies has a name of its own
                    self.written.add(values[value.name].name)
                at += 1
            yield from self._statements(move, values, shape)

    def _statements(self, move: _Move, values: dict[str, Value], shape: Shape) -> Iterator[Op]:
        """The work ahead, and the move; ``values``: by what name and shape each is seen."""
        for op in move.ahead:
            operands = tuple(values[v.name] if isinstance(v, Value) else v for v in op.operands)
            values[op.result.name] = replace(op.result, shape=shape, layout="nd", strides=())
            yield replace(op, operands=operands, result=values[op.result.name])
        moved = [op.result for op in move.ahead[-1:]] or [value for value, _ in move.reads]
        kind, attrs = ("move", {}) if moved else ("positions", {"start": Integer(0), "in_block": False})
        operands = tuple(values[value.name] for value in moved)
        yield replace(self.op, kind=kind, operands=operands, result=values[move.result.name], attrs=attrs)

    def _seen(self, value: Value, view: GmView, *, boxed: bool) -> Value:
        """A value under the name by which the kernel sees it so."""
        dims = [axis[0].dim if axis else None for axis in view.axes]
        shape = tuple(Integer(1) if dim is None else dim_symbol(dim) for dim in dims)
        if boxed:  # all matrices are one axis
            view = replace(view, axes=(*(view.axes[:-2] and (sum(view.axes[:-2], ()),)), *view.axes[-2:]))
        known = (name for name, other in self.seen_as.items() if other == view and name not in self.written)
        name = next(known, None) or self.names.take(f"{value.name}_seen")
        self.seen_as[name] = view
        return replace(value, name=name, shape=shape, layout="nd", strides=())

    def _dim(self, item: Item, word: str) -> str | None:
        """The dim that a loop over an item goes over: one of the program, if it is that and no other loop's. None for
        one element."""
        if item.extent == ONE:
            return None
        dim = item.dim
        if dim is None or dim in self.used or dim in self.axes.over:
            size = sum(prod(map(dim_symbol, names), start=Integer(times)) for names, times in item.extent.terms)
            dim = self.names.take(f"{self.op.result.name}_{word}")
            self.dims[dim] = dim_of_size(self.builder.program, self.axes, size, dim, self.op.span)
        self.used.add(dim)
        return dim

    # -- tiles --------------------------------------------------------------------------------------------------------

    def _in_rows(self, views: Sequence[GmView], dtype: str) -> list[tuple[Item, Choice]]:
        """The axes of a nest, in order, with the tiles that suit them at first: rows last but one, columns last."""
        items, budget = merged(items_of(self.op.span, *(view.axes for view in views))), self._elements(dtype)
        col = next((item for item in items if item.steps[0] == ONE and not item.gathered), None)
        others = [item for item in items if item is not col and not item.gathered]
        by_index = [item for item in items if item.gathered]
        source = col.steps[1] if col is not None and len(views) > 1 else ONE
        near = source.constant in EVERY and loads_rows_of_every(self.platform, dtype, source.constant or 0)
        inner = next((item for item in others if len(views) > 1 and item.steps[1] == ONE), None)
        if col is None and not items:
            return []
        if by_index and source == ONE and not self.platform.unified:
            return self._rows_by_index(by_index, others, col or _one(views), dtype)
        front = [*map(_one_by_one, by_index)]
        in_turn = self._in_turn(views) if col is None and self.platform.runs_of_elements else None
        if in_turn is not None:
            return in_turn
        if col is None and not others:
            return front
        if col is None or (source not in (ZERO, ONE) and not near and inner is None):  # elements that lie apart
            *outer, rows = others if col is None else [*others, col]
            return [*front, *map(_one_by_one, outer), (rows, _rows(budget // NARROW)), _one_by_one(_one(views))]
        if source not in (ZERO, ONE) and not near:
            assert inner is not None
            outer = [item for item in others if item is not inner]
            return [*front, *map(_one_by_one, outer), (inner, _rows(SQUARE)), (col, _columns(SQUARE))]
        apart = source.constant or 1
        wide = max(1, budget // NARROW if source == ZERO else budget // apart)
        width = min(wide, col.extent.constant or wide)
        found = [(col, _columns(wide))]
        if others:
            *outer, rows = others
            found = [*map(_one_by_one, outer), (rows, _rows(most_rows(self.platform, dtype, width * apart))), *found]
        return [*front, *found]

    def _rows_by_index(
        self, by_index: Sequence[Item], others: Sequence[Item], col: Item, dtype: str
    ) -> list[tuple[Item, Choice]]:
        """The axes of runs that an index names, some of which are rows of a tile."""
        *outer, rows = by_index
        columns = _columns(self._elements(dtype)) if col.extent != ONE else _one_by_one(col)[1]
        several = most_rows(self.platform, dtype, min(columns.tile, col.extent.constant or columns.tile))
        found = Choice("", min(ROWS_BY_INDEX, several), 1, ROWS_BY_INDEX)
        return [*map(_one_by_one, (*outer, *others)), (rows, found), (col, columns)]

    def _in_turn(self, views: Sequence[GmView]) -> list[tuple[Item, Choice]] | None:
        """The axes of runs whose elements take turns in the result, with such tiles that these can be interleaved on
        chip; None where they are none, or where none of their lengths is known at build time."""
        several = len(self.op.operands)
        outer, known = items_of(self.op.span, *(view.axes for view in views)), list[Item]()
        while outer and outer[-1].extent.constant is not None:
            known.insert(0, outer.pop())
        runs = merged(known)
        if len(runs) != 1 or runs[0].steps != (Poly.of(several), ONE) * several:
            return None
        count = run_of(runs[0].extent.evaluate({}), several)
        one = _one_by_one(_one(views))
        return [*map(_one_by_one, merged(outer)), (runs[0], _rows(count)), one] if count else None

    def _in_fractals(self, views: Sequence[GmView]) -> list[tuple[Item, Choice]]:
        """The axes of matrices in fractals, with tiles of whole fractals.

        Raises:
            DiagnosticError: PTG303, the rows of the operand lie apart.
        """
        dtype = self.op.result.dtype
        deep, wide = self.platform.fractal(DTYPES[dtype])
        one = _one(views)
        *several, down, across = (
            merged(items_of(self.op.span, *([view.axes[at]] for view in views))) for at in range(len(views[0].axes))
        )
        if any(len(axis) > 1 for axis in (down, across)) or (across and across[0].steps[1] != ONE):
            what = f"`{views[0].tensor}` @ nz from rows that lie apart"
            raise unsupported(self.op.span, what, "copy it first")
        columns = max(wide, self._elements(dtype) // deep // wide * wide)
        width = min(columns, (across or [one])[0].extent.constant or columns)
        rows = max(deep, most_rows(self.platform, dtype, width) // deep * deep)
        return [
            *(_one_by_one(item) for axis in several for item in axis),
            ((down or [one])[0], Choice("", rows, 0, rows)),
            ((across or [one])[0], Choice("", columns, 0, columns)),
        ]

    def _elements(self, dtype: str) -> int:
        return elements_of_a_tile(self.platform, dtype)


def _repeated(axes: Sequence[Axis], shape: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes of a value in a shape: along one that it does not have its step is 0."""
    return tuple(
        has or tuple(replace(factor, stride=ZERO) for factor in wanted) for has, wanted in zip(axes, shape, strict=True)
    )


def _one(views: Sequence[GmView]) -> Item:
    """An axis of one element."""
    return Item(ONE, (ONE,) * len(views), None, (None,) * len(views))


def _of_loop(dim: str | None, item: Item, at: int) -> Axis:
    """The axis of a loop in the view of number ``at``."""
    step, gather = item.steps[at], item.gathers[at]
    return () if dim is None or (step == ZERO and gather is None) else (Factor(dim, item.extent, step, gather=gather),)


def _one_by_one(item: Item) -> tuple[Item, Choice]:
    return item, Choice("", 1, 0, 1)


def _rows(tile: int) -> Choice:
    return Choice("", tile, 1, max(tile, MOST_TILE))


def _columns(tile: int) -> Choice:
    return Choice("", tile, 2, max(tile, MOST_LINE))
