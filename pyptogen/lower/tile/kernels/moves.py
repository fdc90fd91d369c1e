"""Operations that move elements are one statement: an identity whose operand and result are views of what lies in GM.

before: y = permute(x: [t, h, d], [2, 0, 1])
after:  dims y_rows = t * h;  y as [d, y_rows] with steps t * h, 1 = move(x as [d, y_rows] with steps 1, d)

A permutation, a broadcast axis and the window of a concat are other strides; axes that lie one after the other in all
views are one (`moved_axes`). Parts of a concat that are alike have their loops together, others loops of their own.

before: y = index_select(x: [n, h], 0, i: [t])
after:  y as [t, h] = move(x as [t by i, h])

An axis whose positions an index names is one of the operand's, too: with steps in the index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sympy import Integer

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.refusal import Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import Op, Shape, Value
from pyptogen.lower.tensor.views import value_views
from pyptogen.lower.tile.cutting.axes import Axis, GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.moved_axes import MovedAxes
from pyptogen.lower.tile.kernels.nests import Nests
from pyptogen.records import dataclass, replace

MOVES = frozenset({"copy", "permute", "expand", "concat", "iota", "index_select"})
"""Operations of the Tensor level that move elements, or count them."""


def run(builder: KernelBuilder) -> KernelView:
    """The kernel as it is cut.

    Raises:
        Refused: PTG303, what has no strides: a value that an index leads to, or that lies in fractals.
    """
    return _Kernel(builder).kernel_view()


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
        self.builder, self.views, self.axes = builder, GmViews(builder), builder.axes
        *ahead, self.op = builder.kernel.ops
        self.ahead = tuple(ahead)
        self.nests = Nests.of(builder, self.op)

    def kernel_view(self) -> KernelView:
        nests: dict[tuple[Any, ...], list[_Move]] = {}
        for move in self._moves():
            factors = [factor for axis in move.target.axes for factor in axis]
            in_lines = any(factor.stride == ONE and factor.extent != ONE for factor in factors)
            key = (move.result.name,) if in_lines else tuple(factor.extent for factor in factors)
            nests.setdefault(key, []).append(move)
        return self.nests.kernel_view([tuple(self._nest(moves)) for moves in nests.values()], self._leading())

    def _leading(self) -> str | None:
        """The dim that the first axis of the result has, and no other one; not of what is counted, or comes from where
        an index says: other launches may make that."""
        first, *others = self.op.result.shape or (ONE,)
        names = {symbol.name for size in others for symbol in size.free_symbols}
        own_range = len(self.op.operands) > 0 and self.op.kind != "index_select"
        return str(first) if own_range and str(first) not in names else None

    # -- what is moved ------------------------------------------------------------------------------------------------

    def _moves(self) -> Iterator[_Move]:
        op = self.op
        target = self.views.written(op.result) if op.kind == "copy" else self.views.written_strided(op)
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
        found = asked(self._source_of_work, value)
        if isinstance(found, Refusal):
            raise found.helped_by(TwoKernels(self.op.result.name, self.ahead[-1].result.name)).error()
        return found

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
            result = replace(
                self.op.result, name=self.nests.names.take(f"{self.op.result.name}_part"), shape=part.shape
            )
            window = self.axes.window(target, axis, size, start)
            yield _Move(result, window, ((part, self.views.strided(part.name, self.op)),))
            start = start + self.axes.poly(size)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _nest(self, moves: Sequence[_Move]) -> Iterator[Op]:
        """The statements of moves that have their loops together."""
        views = [view for move in moves for view in move.views]
        boxed = self.builder.tensors[views[0].tensor].layout == "nz"
        axes, dtype = MovedAxes(self.op.span, self.builder.platform), moves[0].result.dtype
        nest = self.nests.open(axes.in_fractals(views, dtype) if boxed else axes.in_rows(views, dtype))
        at = 0
        for move in moves:
            values: dict[str, Value] = {}
            for value, view in ((move.result, move.target), *move.reads):
                here, written = replace(view, axes=nest.axes(at)), value is move.result
                values[value.name] = self.nests.view(value, here, written=written, boxed=boxed)
                at += 1
            yield from self._statements(move, values, nest.shape)

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


def _repeated(axes: Sequence[Axis], shape: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes of a value in a shape: along one that it does not have its step is 0."""
    return tuple(
        has or tuple(replace(factor, stride=ZERO) for factor in wanted) for has, wanted in zip(axes, shape, strict=True)
    )
