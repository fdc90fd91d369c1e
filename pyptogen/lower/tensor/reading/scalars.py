"""Expressions over numbers, dims and attrs as sympy expressions: sizes, scalar operands, preconditions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.lower.tensor.reading.other_names import instead
from pyptogen.lower.tensor.reading.size_of_numbers import within_reason
from pyptogen.schema import Expr

Lookup = Callable[[str, Expr, ast.AST], Any]
"""What a name means: (name, expression, node) → sympy expression; raises a diagnostic for an unknown one."""

CONSTANTS = {"inf": sympy.oo, "pi": sympy.pi}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": sympy.Min,
    "max": sympy.Max,
    "minimum": sympy.Min,
    "maximum": sympy.Max,
    "ceil": sympy.ceiling,
    "floor": sympy.floor,
    "sqrt": sympy.sqrt,
    "abs": sympy.Abs,
    "exp": sympy.exp,
    "log": sympy.log,
}
"""Functions of numbers; a name that is also an operation means this one when no argument is a tensor."""

_GREATEST_POWER = 64
_GREATEST_EXPONENT = 2000
"""Of `exp`; that of the greatest float64 is 710."""

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
    ast.Lt: sympy.Lt,
    ast.LtE: sympy.Le,
    ast.Gt: sympy.Gt,
    ast.GtE: sympy.Ge,
}


def number(value: float | int) -> Any:
    """A Python number as an exact sympy number."""
    return sympy.Integer(value) if isinstance(value, int) else sympy.Float(value) if value == value else sympy.nan


def arithmetic(op: ast.operator, a: Any, b: Any) -> Any | None:
    """``a op b``, or None when the operator has no meaning for numbers."""
    if isinstance(op, ast.Add):
        return a + b
    if isinstance(op, ast.Sub):
        return a - b
    if isinstance(op, ast.Mult):
        return a * b
    if isinstance(op, ast.Div):
        return a / b
    if isinstance(op, ast.FloorDiv):
        return sympy.floor(a / b)
    if isinstance(op, ast.Mod):
        return sympy.Mod(a, b)
    if isinstance(op, ast.Pow):
        return a**b
    return None


class ScalarReader:
    """Reads expressions whose names are looked up by ``lookup``; ``leaf``, if there is one, is asked first for the
    value of each sub-expression, and gives None where it has none."""

    def __init__(self, lookup: Lookup, leaf: Callable[[Expr, ast.expr], Any] | None = None) -> None:
        self._lookup, self._leaf = lookup, leaf

    def read(self, expr: Expr) -> Any:
        """The expression as sympy. Raises PTG106, PTG108, PTG202 and what the lookup raises."""
        return self.read_part(expr, expr.node)

    def condition(self, expr: Expr) -> Any:
        """A comparison, or several joined by ``and``/``or``, as a sympy relation or truth value."""
        return self._condition(expr, expr.node)

    def _condition(self, expr: Expr, node: ast.expr) -> Any:
        if isinstance(node, ast.BoolOp):
            parts = [self._condition(expr, value) for value in node.values]
            return (sympy.And if isinstance(node.op, ast.And) else sympy.Or)(*parts)
        if isinstance(node, ast.Compare):
            sides = [self.read_part(expr, side) for side in (node.left, *node.comparators)]
            links = []
            for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
                if type(op) not in _COMPARE:
                    raise not_allowed(expr, node)
                try:
                    links.append(_COMPARE[type(op)](left, right))
                except TypeError:  # an expression that is real for no size, which only comparing it finds out
                    raise fault("PTG106", "this compares what is no real number", expr.span_of(node)) from None
            return sympy.And(*links)
        raise not_allowed(expr, node)

    def read_part(self, expr: Expr, node: ast.expr) -> Any:
        """A part of the expression as sympy; raises as `read`."""
        if self._leaf is not None and (leaf := self._leaf(expr, node)) is not None:
            return leaf
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return within_reason(number(node.value), expr.span_of(node))
        if isinstance(node, ast.Name):
            return CONSTANTS[node.id] if node.id in CONSTANTS else self._lookup(node.id, expr, node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.read_part(expr, node.operand)
        if isinstance(node, ast.BinOp):
            right = self.read_part(expr, node.right)
            check_right(node.op, right, expr, node.right)
            value = arithmetic(node.op, self.read_part(expr, node.left), right)
            if value is not None:
                return within_reason(value, expr.span_of(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id not in FUNCTIONS:
                raise fault(
                    "PTG202",
                    f"`{node.func.id}` is no function of numbers",
                    expr.span_of(node.func),
                    expected="one of " + ", ".join(FUNCTIONS),
                )
            return call(node.func.id, [self.read_part(expr, arg) for arg in node.args], expr.span_of(node))
        raise not_allowed(expr, node)


def call(name: str, arguments: Sequence[Any], span: Span) -> Any:
    """A function of ``FUNCTIONS`` of its arguments. Raises PTG203 for a wrong number of them, and PTG106."""
    if not arguments:
        raise fault("PTG203", f"`{name}` lacks an argument", span, expected="numbers, dims and attrs")
    power = arguments[0] if name == "exp" else sympy.Integer(0)
    if power.is_number and power.is_finite and abs(power) > _GREATEST_EXPONENT:
        raise fault("PTG106", "this power is too large", span, expected=f"at most exp({_GREATEST_EXPONENT})")
    try:
        value = FUNCTIONS[name](*arguments)
    except TypeError:
        raise fault("PTG203", f"`{name}` of {len(arguments)} numbers", span) from None
    return within_reason(value, span)


def check_right(op: ast.operator, right: Any, expr: Expr, node: ast.expr) -> None:
    """PTG106 for a division of numbers by zero, and for a power too large to be meant."""
    if isinstance(op, ast.Div | ast.FloorDiv | ast.Mod) and right.is_zero:
        raise fault("PTG106", "division by zero", expr.span_of(node), expected="a divisor that is not 0")
    if isinstance(op, ast.Pow) and right.is_number and abs(right) > _GREATEST_POWER:
        raise fault("PTG106", "this power is too large", expr.span_of(node), expected=f"at most {_GREATEST_POWER}")


def not_allowed(expr: Expr, node: ast.AST) -> DiagnosticError:
    """PTG108 for a node that has no meaning where it stands."""
    return fault(
        "PTG108",
        f"this has no meaning here: `{expr.text_of(node) if isinstance(node, ast.expr) else expr.text}`",
        expr.span_of(node),
        expected="names, numbers, + - * / // % ** @ & | ^ ~, slices, `.T` and calls of operations",
        fix=instead(node),
    )
