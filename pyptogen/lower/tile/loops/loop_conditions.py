"""Which iterations of a loop take place, as the kernels of the loop find out.

before: attend.if = only(live_block: [blocks.tile], @0 != 0)
after:  for blocks0 in 0..blocks step 1 if live_here = live[blocks0]; live_here != 0

Every kernel that has a part of the loop reads the same elements from GM, with its scalar unit, so that all of them
leave out the same iterations. An element is one number: axes that it has in common with the carried values have the
tile 1.

A condition that no later iteration meets, once one does not, is where the loop ends: it is read once, and what needs
all iterations up to some place (a software pipeline) can be done.

before: attend.if = only(lengths: [batch], pages.start * 32 < @0)
after:  pages_here = lengths[batch0] / 32, rounded up
        for pages0 in 0..pages step 1 before pages_here
"""

from __future__ import annotations

from pyptogen.lower.expr import Poly
from pyptogen.lower.refusal import TwoKernels, unsupported
from pyptogen.lower.tensor.ir import Loop, Op, Value
from pyptogen.lower.tensor.program_names import element_symbol, iteration_condition, start_symbol
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.grid import Grid
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.cutting.windows import Windows
from pyptogen.lower.tile.ir import Comparison, Condition, Element
from pyptogen.lower.tile.ops import ReadIndex

_BELOW = {"<": (True, 0), "<=": (True, 1), ">": (False, 0), ">=": (False, 1)}
"""Relations that hold up to some place: whether the left side is the one that has to be smaller, and what the other one
may be more than that."""


class LoopConditions:
    """Gives the loop of the iterations its condition, or its end."""

    def __init__(self, builder: KernelBuilder, grid: Grid, windows: Windows) -> None:
        self.builder, self.grid, self.windows = builder, grid, windows
        self.program, self.axes, self.defining = builder.program, builder.axes, builder.defining

    def restrict(self, loop: Loop, scope: Scope) -> None:
        """Leaves out iterations of a loop, which are ``scope``, where it has a condition."""
        condition = self._of_loop(loop, scope)
        if condition is None:
            return
        end = self._end(condition, scope, loop.stage) if loop.carried and scope.before is None else None
        if end is None or scope.parent is None:
            scope.only = condition
            return
        self.builder.emit(end, scope.parent, early=True)
        scope.before = Poly.of(end.name)

    def _end(self, condition: Condition, scope: Scope, stage: str) -> ReadIndex | None:
        """What reads where the iterations end: those take place whose place, so many times, is less than the one
        element of the condition and what else is known before the loop. None for a condition of another form."""
        if len(condition.elements) != 1 or len(condition.comparisons) != 1:
            return None
        (element,), (comparison,) = condition.elements, condition.comparisons
        if comparison.relation not in _BELOW or scope.var in element.offset.names():
            return None
        smaller, more = _BELOW[comparison.relation]
        left, right = comparison.left, comparison.right
        rest = right - left if smaller else left - right
        counted = {names: count for names, count in rest.terms if {scope.var, element.name} & {*names}}
        per = -counted.get((scope.var,), 0)
        if counted != {(scope.var,): -per, (element.name,): 1} or per <= 0:
            return None
        plus = rest + Poly.of(scope.var) * per - element.name + more
        if not plus.names().isdisjoint(attr.name for attr in self.program.attrs):
            return None
        name, span = self.builder.number(scope.dim.split(".")[0]), condition.span
        return ReadIndex(None, (), span, stage, name, element.tensor, element.offset, None, plus, per)

    def _of_loop(self, loop: Loop, scope: Scope) -> Condition | None:
        """That of a loop whose iterations are ``scope``; None where all take place."""
        import sympy

        op = self.defining.get(iteration_condition(loop.name))
        if op is None:
            return None
        values = [operand for operand in op.operands if isinstance(operand, Value)]
        elements = [self._element(value, op, scope) for value in values]
        names = {element_symbol(at): sympy.Symbol(element.name) for at, element in enumerate(elements)}
        names[start_symbol(loop.over)] = sympy.Symbol(scope.var)
        comparisons = tuple(
            Comparison(self.axes.poly(left.xreplace(names)), relation, self.axes.poly(right.xreplace(names)))
            for left, relation, right in op.attrs["comparisons"]
        )
        condition = Condition(tuple(elements), comparisons, op.span)
        attrs = {attr.name for attr in self.program.attrs}
        self.builder.scalars += [name for name in sorted(condition.names() & attrs) if name not in self.builder.scalars]
        return condition

    def _element(self, value: Value, op: Op, scope: Scope) -> Element:
        """Where this iteration's element of a tensor lies.

        Raises:
            Refused: PTG303 for a tensor that this kernel computes: it is read from GM.
            DiagnosticError: PTG303 for a tensor of which a tile has several elements.
        """
        view = self.windows.gm_view(value.name, op)
        base = root(value.name, self.defining)
        if view is None:
            error = unsupported(op.span, "a condition that its own kernel computes", "put it into a stage of its own")
            reader = next(o.result.name for o in self.builder.kernel.ops if o.loop == op.loop)
            raise error.helped_by(TwoKernels(reader, base))
        offset = view.offset
        for factor in (factor for axis in view.axes for factor in axis):
            loop = scope.loop_of(factor.dim)
            if loop is None or loop.tile != 1:
                what = f"a condition that is another one along `{factor.dim or factor.extent}` of one tile"
                raise unsupported(op.span, what, f"give `{factor.dim}` the tile 1" if factor.dim else "name its dim")
            offset = offset if factor.still else offset + Poly.of(loop.var) * factor.stride
        self.builder.note_read(view.tensor)
        return Element(self.builder.number(view.tensor), view.tensor, offset, op.span)
