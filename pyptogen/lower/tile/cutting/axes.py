"""Axes as products of dims, and GM tensors seen through views.

`heads*d` is an axis made of two dims; tiling speaks of dims, addressing needs the stride of each. A view of a GM tensor
(reshape, slice, transpose) is only other strides and another offset.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from pyptogen.lower.expr import ONE, ZERO, Poly, from_sympy
from pyptogen.lower.refusal import CopyOf, Refusal, unsupported
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.quotients import quotient_as_dim
from pyptogen.lower.tensor.ir import Loop, Op, Program, Scalar, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.ir import ScalarArg
from pyptogen.lower.tile.loops.block_lengths import named_tiles
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Factor:
    """Part of an axis: a dim, or (``dim`` None) an extent without a name such as ``r/2``. Stride in elements.
    ``still``, of a loop's block: the part of every iteration begins at the same place. ``gather``: the axis is that of
    an index, number ``gather`` of the view, and the stride is one in that index."""

    dim: str | None
    extent: Poly
    stride: Poly = ZERO
    still: bool = False
    gather: int | None = None


Axis = tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class PerIteration:
    """A value without an axis of the block, in GM: iteration ``var`` of the loop lies ``var * step`` elements after the
    first."""

    loop: Loop
    step: Poly

    def elements(self, axes: Axes) -> Poly:
        """Elements of all iterations."""
        return (axes.poly(dim_symbol(self.loop.over)) + self.loop.tile) * self.step


@dataclass(frozen=True, slots=True)
class Gather:
    """An axis whose elements an index names: element ``offset`` of the tensor ``index`` and those from there on. The
    axis has ``size`` of them, ``step`` elements apart; ``checked``: the call was, so that the index names no
    others. ``name`` is the value that is seen so. ``also``: axes that the index has beside that one, in steps of its
    own, for those of the view."""

    name: str
    index: str
    offset: Poly
    step: Poly
    size: Poly
    checked: bool
    also: Axis = ()

    @property
    def bound(self) -> Poly | None:
        """Below what an index has to be, where that is still to be made sure of."""
        return None if self.checked else self.size


@dataclass(frozen=True, slots=True)
class GmView:
    """A GM tensor seen through views: factors with strides by axis, and the offset of the first element.
    ``per_iteration``: one iteration's value of many that lie there one after another. ``gathers``: the indices that
    lead to some of the axes."""

    tensor: str
    axes: tuple[Axis, ...]
    offset: Poly
    per_iteration: PerIteration | None = None
    gathers: tuple[Gather, ...] = ()


class Axes:
    """Factorisation of the shapes of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.static = {d.name: d.value for d in program.dims if d.value is not None}
        self.derived = {d.name: d.definition for d in program.dims if d.value is None and d.definition is not None}
        """Definitions of the run-time dims that follow from others, which may follow from others in turn."""
        self.over = {loop.block.name: loop.over for loop in program.loops}
        self.single = {loop.block.name for loop in program.loops if loop.block.max == 1}
        """Blocks of one element."""
        self.largest_block = {loop.block.name: max(named_tiles(program, loop)) for loop in program.loops}
        blocks = tuple(self.over)
        self.order = {name: i for i, name in enumerate((*(d.name for d in program.dims), *blocks))}
        self.defining = {op.result.name: op for op in program.ops}
        # A few sizes are asked for thousands of times, and sympy takes a tenth of a millisecond for each.
        self.varying: Set[str] | None = None
        self.per_iteration: Mapping[str, PerIteration] | None = None
        """What `between_iterations` finds, once for all kernels."""
        self._polys: dict[Any, Poly] = {}
        self._factors: dict[Any, Axis] = {}
        self._axes: dict[tuple[Any, ...], tuple[Axis, ...]] = {}
        self._contiguous: dict[tuple[str, tuple[Any, ...]], GmView] = {}

    def poly(self, expr: Any) -> Poly:
        """A shape expression as a polynomial in the dynamic dims; derived dynamic dims are expanded. Raises PTG303 for
        another kind of size, such as a quotient of a dynamic dim."""
        known = self._polys.get(expr)
        if known is None:
            known = self._polys[expr] = self._expanded(expr)
        return known

    def _expanded(self, expr: Any) -> Poly:
        import sympy

        expr = given = sympy.sympify(expr)
        while found := {s: self.derived[s.name] for s in expr.free_symbols if s.name in self.derived}:
            expr = expr.xreplace(found)
        try:
            return from_sympy(expr, self.static)
        except ValueError as error:
            used = {s.name for s in given.free_symbols}
            place = next((d.span for d in self.program.dims if d.name in used), self.program.span)
            what = f"the size `{show_size(given)}`, which is no polynomial in the dims of run time"
            fix = quotient_as_dim(given, self.program.dims) or "declare it as a dim with a range of its own"
            raise unsupported(place, what, fix) from error

    def scalar(
        self, scalar: Scalar, arguments: list[str], blocks: Mapping[str, Any] = MappingProxyType({})
    ) -> ScalarArg:
        """A number as a kernel has it: static dims are known, and so is how long ``blocks`` of loops are. Attrs become
        ``arguments`` of the kernel, which get those that are missing."""
        known: dict[Any, Any] = {}
        for symbol in sorted(getattr(scalar.expr, "free_symbols", ()), key=str):
            if symbol.name in {attr.name for attr in self.program.attrs} and symbol.name not in arguments:
                arguments.append(symbol.name)
            found = self.static.get(symbol.name, blocks.get(symbol.name))
            if found is not None:
                known[symbol] = found
        return ScalarArg(scalar.expr.subs(known) if known else scalar.expr, scalar.span)

    def factor(self, expr: Any) -> Axis:
        """``heads*d`` → (heads, d) in the order of `dims`; ``heads*(d + r)`` → heads, and a nameless factor inside it,
        as ``4*rows`` with run-time rows; anything else is one nameless factor; 1 is none."""
        known = self._factors.get(expr)
        if known is None:
            known = self._factors[expr] = self._factored(expr)
        return known

    def _factored(self, expr: Any) -> Axis:
        import sympy

        expr = sympy.sympify(expr)
        if expr == 1:
            return ()
        parts = sympy.Mul.make_args(expr)
        dims = [p for p in parts if p.is_Symbol and p.name in self.order]
        sums = [p for p in parts if p.is_Add]
        whole = [p for p in parts if p.is_Integer] if any(p.name not in self.static for p in dims) else []
        if dims and len(dims) + len(sums) + len(whole) == len(parts) and len(sums) <= 1:
            names = sorted((p.name for p in dims), key=self.order.__getitem__)
            named = tuple(Factor(n, self.poly(sympy.Symbol(n))) for n in names if self.static.get(n) != 1)
            return named + tuple(Factor(None, self.poly(p)) for p in (*sums, *whole))
        extent = self.poly(expr)
        return () if extent == ONE else (Factor(None, extent),)

    def axes(self, shape: tuple[Any, ...]) -> tuple[Axis, ...]:
        """The factors of each axis of a shape."""
        known = self._axes.get(shape)
        if known is None:
            known = self._axes[shape] = tuple(self.factor(e) for e in shape)
        return known

    def whole(self, tensor: str, value: Value) -> GmView:
        """The view of all of a value in memory: row after row, unless it is a tensor of the contract that lies
        otherwise, or an output in another order."""
        for name, output in self.program.outputs:
            views = self._to_output(output.name, value.name, shared=name in self.program.inplace)
            laid_out = self.program.laid_out.get(name)
            if views is not None and (laid_out is not None or any(view.kind == "reorder" for view in views)):
                found = self._in_steps(tensor, output.shape, laid_out)
                for view in reversed(views):
                    found = self.undo(found, view)
                return found
        return self._in_steps(tensor, value.shape, value)

    def _to_output(self, output: str, name: str, shared: bool) -> list[Op] | None:
        """The views that lead from a value to an output, None where they do not lie in one place. Of several values of
        which one counts in each call, all are in the place of an output that updates an input (``shared``)."""
        views, base = value_views(self.defining, output), root(output, self.defining)
        if base == name:
            return views
        either = self.defining.get(base)
        if shared and either is not None and either.kind == "either":
            for operand in either.operands:
                before = self._to_output(operand.name, name, shared) if isinstance(operand, Value) else None
                if before is not None:
                    return [*before, *views]
        return None

    def _in_steps(self, tensor: str, shape: tuple[Any, ...], laid_out: Value | None) -> GmView:
        """A tensor of that shape that lies in memory as another one of it."""
        steps = () if laid_out is None else layouts.steps(laid_out)
        if not steps:
            return self.contiguous(tensor, shape)
        axes = zip(self.axes(shape), (self.poly(step) for step in steps), strict=True)
        return GmView(tensor, tuple(self._restride(axis, step) for axis, step in axes), ZERO)

    def contiguous(self, tensor: str, shape: tuple[Any, ...]) -> GmView:
        """The row-major view of a whole tensor."""
        known = self._contiguous.get((tensor, shape))
        if known is not None:
            return known
        stride = ONE
        result: list[Axis] = []
        for axis in reversed(self.axes_in_memory(shape)):
            strided: list[Factor] = []
            for factor, elements in reversed(axis):
                strided.append(replace(factor, stride=stride))
                stride = stride * elements
            result.append(tuple(reversed(strided)))
        view = self._contiguous[(tensor, shape)] = GmView(tensor, tuple(reversed(result)), ZERO)
        return view

    def axes_in_memory(self, shape: tuple[Any, ...]) -> tuple[tuple[tuple[Factor, Poly], ...], ...]:
        """The factors of a shape with their elements in GM, where the blocks of all iterations lie side by side: along
        the first axis that has the block's size; another one has room for the largest block."""
        seen: set[str] = set()
        result: list[tuple[tuple[Factor, Poly], ...]] = []
        for axis in self.axes(shape):
            found: list[tuple[Factor, Poly]] = []
            for factor in axis:
                over = self.over.get(factor.dim or "")
                if over is None or factor.dim is None:
                    found.append((factor, factor.extent))
                elif factor.dim not in seen:
                    found.append((factor, self.poly(dim_symbol(over))))
                else:
                    found.append((replace(factor, still=True), Poly.of(self.largest_block[factor.dim])))
                seen.add(factor.dim or "")
            result.append(tuple(found))
        return tuple(result)

    def apply(self, view: GmView, op: Op) -> GmView:
        """The view after one reshape, slice, transpose, reorder or block.

        Raises:
            DiagnosticError: PTG303, a view that strides cannot express.
        """
        if op.kind == "transpose":
            return replace(view, axes=(*view.axes[:-2], view.axes[-1], view.axes[-2]))
        if op.kind == "reorder":
            return replace(view, axes=tuple(view.axes[i] for i in op.attrs["axes"]))
        if op.kind == "collected":
            return self._collected(view, op)
        if op.kind == "block":
            axis = int(op.attrs["axis"])
            if len(view.axes[axis]) != 1:
                raise unsupported(op.span, "a block of an axis that is a product of dims", "reshape it first")
            (whole,) = view.axes[axis]
            block = self._restride(self.factor(op.result.shape[axis]), whole.stride, whole.gather)
            return replace(view, axes=(*view.axes[:axis], block, *view.axes[axis + 1 :]))
        if op.kind == "unfold":
            return self._unfolded(view, op)
        if op.kind == "slice":
            axis = int(op.attrs["axis"])
            if not one_run(view.axes[axis]):
                raise unsupported(
                    op.span,
                    "a slice of an axis whose dims lie apart",
                    "reshape first, then slice one dim",
                )
            return self.window(view, axis, op.result.shape[axis], self.poly(op.attrs["start"]))
        return replace(view, axes=self._regroup(view, op))

    def _unfolded(self, view: GmView, op: Op) -> GmView:
        """Windows of an axis, beside each other."""
        axis = int(op.attrs["axis"])
        if not one_run(view.axes[axis]) or any(factor.gather is not None for factor in view.axes[axis]):
            raise unsupported(op.span, "windows of an axis whose dims lie apart", "reshape first")
        stride = view.axes[axis][-1].stride if view.axes[axis] else ONE
        count, size = op.result.shape[axis], op.result.shape[-1]
        windows = self._restride(self.factor(count), stride * int(op.attrs["step"]))
        inside = self._restride(self.factor(size), stride * int(op.attrs["dilation"]))
        return replace(view, axes=(*view.axes[:axis], windows, *view.axes[axis + 1 :], inside))

    def _collected(self, view: GmView, op: Op) -> GmView:
        """All iterations of a value: its block is the whole axis, or where it lies apart there is one more axis."""
        axis = int(op.attrs["axis"])
        stride = view.axes[axis][-1].stride if view.per_iteration is None else view.per_iteration.step
        whole = self._restride(self.factor(op.result.shape[axis]), stride)
        axes = (*view.axes[:axis], whole, *view.axes[axis + (not op.attrs["stacked"]) :])
        return replace(view, axes=axes, per_iteration=None)

    def undo(self, view: GmView, op: Op) -> GmView:
        """The view of the operand of a reshape or reorder whose result has this view."""
        if op.kind == "reorder":
            order = op.attrs["axes"]
            return replace(view, axes=tuple(view.axes[order.index(i)] for i in range(len(order))))
        (source,) = op.operands
        assert isinstance(source, Value)
        return replace(view, axes=self._regroup(view, replace(op, result=source)))

    def window(self, view: GmView, axis: int, size: Any, start: Poly) -> GmView:
        """``size`` steps of an axis that is one run, from ``start`` on."""
        stride, gather = (view.axes[axis][-1].stride, view.axes[axis][-1].gather) if view.axes[axis] else (ONE, None)
        cut = self._restride(self.factor(size), stride, gather)
        axes = (*view.axes[:axis], cut, *view.axes[axis + 1 :])
        if gather is None:
            return replace(view, axes=axes, offset=view.offset + start * stride)
        moved = replace(view.gathers[gather], offset=view.gathers[gather].offset + start * stride)
        return replace(
            view,
            axes=axes,
            gathers=(*view.gathers[:gather], moved, *view.gathers[gather + 1 :]),
        )

    def gathered(self, view: GmView, op: Op, index: GmView, size: Poly, checked: bool) -> GmView:
        """The view of the slices along an axis that an index names.

        Raises:
            DiagnosticError: PTG303, the axis or the index is itself made of parts that lie apart.
        """
        axis = int(op.attrs["axis"])
        if (
            not one_run(view.axes[axis])
            or index.gathers
            or any(factor.gather is not None for factor in view.axes[axis])
        ):
            raise unsupported(op.span, "an index along an axis whose parts lie apart", "copy it first")
        step = view.axes[axis][-1].stride if view.axes[axis] else ZERO
        gather = Gather(op.result.name, index.tensor, index.offset, step, size, checked)
        names = index.axes[axis if len(index.axes) > 1 else 0]  # an index of several axes has those of the view
        along = tuple(replace(factor, gather=len(view.gathers)) for factor in names)
        axes = (*view.axes[:axis], along, *view.axes[axis + 1 :])
        return replace(view, axes=axes, gathers=(*view.gathers, gather))

    @staticmethod
    def _restride(axis: Axis, stride: Poly, gather: int | None = None) -> Axis:
        result: list[Factor] = []
        for factor in reversed(axis):
            result.append(Factor(factor.dim, factor.extent, stride, gather=gather))
            stride = stride * factor.extent
        return tuple(reversed(result))

    def _regroup(self, view: GmView, op: Op) -> tuple[Axis, ...]:
        wanted = self.axes(op.result.shape)
        kept = {f.dim for axis in wanted for f in axis}
        every = [f for axis in view.axes for f in axis]
        gone = [f for f in every if f.dim in self.single - kept]
        axes = self._grouped(view.tensor, [f for f in every if f not in gone], wanted, op)
        # A block of one element is no axis any more, but the iteration still says where it lies.
        return ((*gone, *axes[0]), *axes[1:]) if gone else axes

    def _grouped(self, tensor: str, left: list[Factor], wanted: tuple[Axis, ...], op: Op) -> tuple[Axis, ...]:
        if [f.extent for f in left] != [f.extent for axis in wanted for f in axis] and one_run(tuple(left)):
            shape = self.contiguous(tensor, op.result.shape)
            step, gather = (left[-1].stride, left[-1].gather) if left else (ONE, None)
            return tuple(
                tuple(Factor(f.dim, f.extent, f.stride * step, gather=gather) for f in axis) for axis in shape.axes
            )
        left = list(left)
        return tuple(tuple(self._taken(left, factor, op) for factor in axis) for axis in wanted)

    @staticmethod
    def _taken(left: list[Factor], wanted: Factor, op: Op) -> Factor:
        """The first factor of a view, or its outer part, or several that are one run; what is left stays."""
        while left:
            first = left[0]
            if first.extent == wanted.extent:
                return replace(left.pop(0), dim=wanted.dim or first.dim)
            inner = first.extent.quotient(wanted.extent)
            if inner is not None:
                left[0] = Factor(None, inner, first.stride, gather=first.gather)
                return Factor(wanted.dim, wanted.extent, first.stride * inner, gather=first.gather)
            if len(left) < 2 or not one_run((first, left[1])):
                break
            left[:2] = [Factor(None, first.extent * left[1].extent, left[1].stride, gather=first.gather)]
        raise unsupported(op.span, "a reshape that splits or merges other than whole dims", "reshape along named dims")


def one_run(axis: Axis) -> bool:
    """Whether the elements of an axis lie at equal distances, or their positions do so in one index."""
    return all(a.stride == b.stride * b.extent and a.gather == b.gather for a, b in pairwise(axis))


def regrouped(refusal: Refusal, op: Op) -> Refusal:
    """That of a view which strides cannot express: of a reshape outside of loops, one that a copy helps."""
    return refusal.helped_by(CopyOf(op.result.name)) if op.kind == "reshape" and not op.loop else refusal
