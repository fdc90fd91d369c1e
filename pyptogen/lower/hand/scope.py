"""Loops of a kernel by hand, and index expressions over them.

An author counts tiles (``i`` of ``ceil(rows / 8)``) and addresses elements (``8*i``); the levels below run loops over
element offsets. A loop with step 8 turns ``8*i`` into its variable ``i0``; an index that is no multiple of the step
cannot be said and is refused.
"""

from __future__ import annotations

import ast
from dataclasses import field
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.program_names import dim_symbol, scalar_symbol
from pyptogen.lower.tensor.reading.scalars import ScalarReader, not_allowed
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.records import dataclass
from pyptogen.schema import Expr


@dataclass(frozen=True, slots=True)
class BoundLoop:
    """A loop: the author's name, the variable of the generated code with its bounds and step in elements, the extent
    that it covers, and the name of an iteration's valid extent where the last one may be short."""

    name: str
    var: str
    start: Poly
    stop: Poly
    step: int
    extent: Poly
    valid: str | None
    dim: str

    def last(self) -> int | None:
        """The largest value of the variable, if it is known now."""
        extent = self.extent.constant
        return None if extent is None else max(0, (extent - 1) // self.step * self.step)


@dataclass(slots=True)
class Scope:
    """The loops around a place, over one program."""

    program: Program
    axes: Axes
    taken: frozenset[str]
    loops: dict[str, BoundLoop] = field(default_factory=dict)
    uncut: bool = True
    """A launch has the whole range of the launch dim: no tiling row cuts it into pieces."""
    launch_dim: str | None = None
    scalars: list[str] = field(default_factory=list)

    # -- loops ----------------------------------------------------------------------------------------------------

    def bind(self, name: str, trips: Expr, span: Span, grid: bool) -> BoundLoop:
        """Open the loop ``name: trips``. Raises PTG208 for a name that is taken, PTG304 for trips that cannot be."""
        if name in self.taken or name in self.loops:
            raise fault("PTG208", f"the loop `{name}` has the name of something else", span, fix="rename the loop")
        extent, step = self._trips(trips)
        dim = next((n for n in (extent.names() or ()) if extent == Poly.of(n)), None)
        whole = extent.constant
        var = name if step == 1 else f"{name}0"
        start, stop = ZERO, extent
        if grid and dim is not None and self.launch_dim is None:
            self.launch_dim, start, stop = dim, Poly.of(f"{dim}_begin"), Poly.of(f"{dim}_end")
            exact = step == 1 or (self.uncut and self.program.dim(dim).multiple_of % step == 0)
        elif whole is not None:
            exact = whole % step == 0
        else:
            exact = step == 1 or (dim is not None and self.program.dim(dim).multiple_of % step == 0)
        loop = BoundLoop(name, var, start, stop, step, extent, None if exact else f"{var}_valid", dim or name)
        self.loops[name] = loop
        return loop

    def _trips(self, expr: Expr) -> tuple[Poly, int]:
        """``ceil(a / b)`` as (a, b), and ``a // b`` where it is exact; anything else is a number of single steps."""
        node = expr.node
        rounded = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "ceil"
        ratio = node.args[0] if rounded and isinstance(node, ast.Call) and len(node.args) == 1 else node
        if isinstance(ratio, ast.BinOp) and isinstance(ratio.op, ast.Div if rounded else ast.FloorDiv):
            extent, step = self._read(expr, ratio.left), self._read(expr, ratio.right).constant
            if step is None or step < 1:
                raise fault("PTG304", "a tile's size must be known", expr.span_of(ratio.right), expected="such as 8")
            if rounded or self._divides(extent, step):
                return extent, step
            left, right = (expr.text_of(side) for side in (ratio.left, ratio.right))
            raise fault(
                "PTG304",
                f"`{left}` is not always a multiple of {step}, and `//` would leave a rest out",
                expr.span,
                expected=f"`ceil({left} / {right})`, or a dim with `multiple_of`",
            )
        extent = self._read(expr, node)
        if extent.constant is not None and extent.constant < 1:
            raise fault("PTG304", "a loop needs at least one step", expr.span, expected="a positive number")
        return extent, 1

    def _divides(self, extent: Poly, step: int) -> bool:
        sizes = {dim.name: dim.multiple_of for dim in self.program.dims if dim.dynamic}
        return extent.is_multiple_of(step, sizes)

    # -- numbers --------------------------------------------------------------------------------------------------

    def index(self, expr: Expr, node: ast.expr) -> Poly:
        """An index expression in elements. Raises PTG108, PTG201, PTG304."""
        return self.in_elements(self.counted(expr, node), expr.span_of(node))

    def counted(self, expr: Expr, node: ast.expr) -> Poly:
        """An index expression as written, in loop counters and dims."""
        return self._read(expr, node)

    def number(self, expr: Expr, what: str) -> int:
        """A size that must be known now. Raises PTG304."""
        value = self._read(expr, expr.node).constant
        if value is None or value < 1:
            raise fault("PTG304", f"{what} must be a positive number", expr.span, expected="a number or static dims")
        return value

    def in_elements(self, counted: Poly, span: Span) -> Poly:
        """Loop counters replaced by loop variables. Raises PTG304 where a counter is not multiplied by its step."""
        total = ZERO
        for names, coefficient in counted.terms:
            term = Poly.of(coefficient)
            for name in names:
                loop = self.loops.get(name)
                term = term * (loop.var if loop else name)
                if loop is not None:
                    try:
                        term = term.divided(loop.step)
                    except ValueError:
                        raise fault(
                            "PTG304",
                            f"`{name}` counts tiles of {loop.step}, and this is no multiple of {loop.step}*{name}",
                            span,
                            expected=f"an index with {loop.step}*{name}",
                        ) from None
            total = total + term
        return total

    def largest(self, index: Poly) -> tuple[int, int] | None:
        """Least and largest value of an index in elements, if they are known now."""
        low = high = 0
        reach = {loop.var: loop.last() for loop in self.loops.values()}
        for names, coefficient in index.terms:
            top = coefficient
            for name in names:
                last = reach.get(name)
                if last is None or (self.launch_dim is not None and name == self._range_var()):
                    return None
                top *= last
            bottom = coefficient if not names else 0
            low, high = low + min(bottom, top), high + max(bottom, top)
        return low, high

    def _range_var(self) -> str | None:
        return next((loop.var for loop in self.loops.values() if loop.start != ZERO), None)

    def _read(self, expr: Expr, node: ast.expr) -> Poly:
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
            return Poly.of(node.value)
        if isinstance(node, ast.Name):
            return Poly.of(node.id) if node.id in self.loops else self._dim(expr, node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._read(expr, node.operand) * -1
        if isinstance(node, ast.BinOp):
            left, right = self._read(expr, node.left), self._read(expr, node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.FloorDiv) and left.constant is not None and right.constant:
                return Poly.of(left.constant // right.constant)
        raise not_allowed(expr, node)

    def _dim(self, expr: Expr, node: ast.Name) -> Poly:
        known = [dim.name for dim in self.program.dims]
        if node.id not in known:
            raise fault(
                "PTG201",
                f"`{node.id}` is no loop or dim",
                expr.span_of(node),
                expected="one of " + ", ".join([*self.loops, *known]),
                fix=did_you_mean(node.id, [*self.loops, *known]),
            )
        return self.axes.poly(dim_symbol(node.id))

    # -- scalars --------------------------------------------------------------------------------------------------

    def scalar(self, expr: Expr, node: ast.expr) -> Any:
        """A scalar operand as sympy, over attrs and static dims. Raises PTG108, PTG201, PTG202."""
        attrs = {attr.name: scalar_symbol(attr.name, attr.dtype) for attr in self.program.attrs}

        def lookup(name: str, expr: Expr, node: ast.AST) -> Any:
            if name in self.axes.static:
                return sympy.Integer(self.axes.static[name])
            if name in attrs:
                if name not in self.scalars:
                    self.scalars.append(name)
                return attrs[name]
            raise self._no_scalar(name, expr, node, [*self.axes.static, *attrs])

        return ScalarReader(lookup).read(expr.part(node))

    @staticmethod
    def _no_scalar(name: str, expr: Expr, node: ast.AST, known: list[str]) -> DiagnosticError:
        return fault(
            "PTG201",
            f"`{name}` is no tile and no number",
            expr.span_of(node),
            expected="a tile defined above, a static dim or an attr",
            fix=did_you_mean(name, known),
        )
