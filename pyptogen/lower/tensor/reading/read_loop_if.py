"""The condition of a loop's iterations: in which of them anything happens.

before: loop: {over: blocks, tile: 1, if: live[blocks] != 0 and blocks.start < length}
after:  loop: live_block = block(live); attend.if = only(live_block, length: @0 != 0, blocks.start < @1)

An iteration that is left out changes no carried value. What is compared are sums and products of whole numbers:
elements of tensors that are there before the loop, where the iteration's block begins, dims and attrs. An element may
be another one along axes of the carried values; then the condition holds for some of their rows and not for others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import Span, fault
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.ir import Operand, Scalar, Value
from pyptogen.lower.tensor.program_names import element_symbol, start_symbol
from pyptogen.lower.tensor.reading.contract import Contract
from pyptogen.lower.tensor.reading.scalars import ScalarReader, not_allowed
from pyptogen.lower.tensor.views import root
from pyptogen.schema import Expr

WHOLE = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
"""Dtypes whose elements a condition may read."""

_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip

Comparison = tuple[Any, str, Any]
"""Two sympy expressions and the relation between them."""


class IterationCondition:
    """Reads the `if` of one loop. ``evaluate`` gives the operand that a sub-expression is."""

    def __init__(
        self, over: str, contract: Contract, builder: Builder, evaluate: Callable[[Expr, ast.expr], Operand]
    ) -> None:
        self.numbers = ScalarReader(lambda name, expr, node: not_allowed(expr, node), self._leaf)
        self.over, self.builder, self.evaluate = over, builder, evaluate
        self.real = {attr.name for attr in contract.attrs if attr.dtype not in WHOLE}
        self.elements: list[tuple[Value, Span]] = []
        """What it reads, and where that stands."""

    def emit(self, expressions: Sequence[Expr], carries: Sequence[Value]) -> Value:
        """The operation that decides. Raises PTG106, PTG108, PTG201, PTG206 and PTG230."""
        comparisons = tuple(c for expr in expressions for c in self._comparisons(expr, expr.node))
        with self.builder.located(expressions[0].span):
            for element, span in self.elements:
                self._check_element(element, span, carries)
            values = [element for element, _ in self.elements]
            return self.builder.emit("only", values, "int32", (), "if", comparisons=comparisons)

    def _comparisons(self, expr: Expr, node: ast.expr) -> list[Comparison]:
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [found for part in node.values for found in self._comparisons(expr, part)]
        if not isinstance(node, ast.Compare):
            raise fault(
                "PTG108",
                f"`{expr.text_of(node)}` cannot decide about an iteration",
                expr.span_of(node),
                expected="comparisons, joined by `and`",
                fix="compute a flag for each iteration before the loop, and compare that",
            )
        sides = [self._side(expr, side) for side in (node.left, *node.comparators)]
        found = []
        for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
            if type(op) not in _RELATIONS:
                raise not_allowed(expr, node)
            found.append((left, _RELATIONS[type(op)], right))
        return found

    def _side(self, expr: Expr, node: ast.expr) -> Any:
        value = sympy.expand(self.numbers.read_part(expr, node))
        whole = value.is_polynomial(*value.free_symbols) and all(
            number.is_Integer for number in value.as_coefficients_dict().values()
        )
        real = sorted(s.name for s in value.free_symbols if s.name in self.real)
        if not whole or real:
            raise fault(
                "PTG108",
                f"`{expr.text_of(node)}` is no sum or product of whole numbers",
                expr.span_of(node),
                expected=f"elements of whole numbers, `{self.over}.start`, dims and attrs, with + - *",
                fix=f"declare the attr `{real[0]}` as int32" if real else "",
            )
        return value

    def _leaf(self, expr: Expr, node: ast.expr) -> Any:
        """An element, a dim, an attr or where the block begins; None for what is made of these."""
        if isinstance(node, ast.Attribute) and node.attr == "start" and isinstance(node.value, ast.Name):
            if node.value.id != self.over:
                raise fault(
                    "PTG201",
                    f"no loop around is over `{node.value.id}`",
                    expr.span_of(node),
                    expected=f"`{self.over}.start`, where the block of this iteration begins",
                )
            return start_symbol(self.over)
        if isinstance(node, ast.Name | ast.Subscript | ast.Attribute | ast.Call):
            operand = self.evaluate(expr, node)
            return operand.expr if isinstance(operand, Scalar) else self._element(operand, expr, node)
        return None

    def _element(self, value: Value, expr: Expr, node: ast.expr) -> Any:
        defining = {op.result.name: op for op in self.builder.ops}
        base = root(value.name, defining)
        if base in defining and defining[base].loop == self.builder.loop:
            raise fault(
                "PTG230",
                f"`{expr.text_of(node)}` is computed in the iteration that it decides about",
                expr.span_of(node),
                expected="an element of a tensor that is there before the loop",
                fix="compute a flag for each iteration in a stage before the loop",
            )
        if value.dtype not in WHOLE:
            raise fault(
                "PTG206",
                f"a condition of an iteration cannot read `{expr.text_of(node)}`, which is {value.dtype}",
                expr.span_of(node),
                expected=f"a dtype among {' '.join(WHOLE)}",
                fix="cast it before the loop",
            )
        self.elements.append((value, expr.span_of(node)))
        return element_symbol(len(self.elements) - 1)

    def _check_element(self, element: Value, span: Span, carries: Sequence[Value]) -> None:
        """It is one number for each row of every carried value."""
        dims = self.builder.dims
        for carry in carries:
            lead = len(carry.shape) - len(element.shape)
            fits = lead >= 0 and all(
                dims.is_one(size) or dims.equal(size, carry.shape[lead + axis])
                for axis, size in enumerate(element.shape)
            )
            if not fits:
                raise fault(
                    "PTG230",
                    f"a condition of an iteration reads {element.dtype}{show_shape(element.shape)}, and the"
                    f" carried value is {show_shape(carry.shape)}",
                    span,
                    expected="one element for the iteration, or shapes that broadcast to that of each carried value",
                    fix="with `tile: 1` a block has one element; `x[:, None]` adds an axis",
                )
