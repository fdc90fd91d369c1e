"""Preconditions of a spec (`requires`) that could not be proved when it was built: checked at every call."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span, fault

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program


@dataclass(frozen=True, slots=True)
class Check:
    """One precondition: its text in the spec, the dynamic dims and attrs it speaks of, and its meaning."""

    text: str
    names: tuple[str, ...]
    condition: str
    """The meaning as a Python expression of ``_0``, ``_1`` …, the values of ``names``."""
    holds: Callable[..., Any]
    span: Span

    @classmethod
    def of(cls, text: str, names: Sequence[str], condition: str, span: Span) -> Check:
        return cls(text, tuple(names), condition, _function(condition, len(names)), span)

    def __call__(self, sizes: Mapping[str, int], attrs: Mapping[str, float | int]) -> None:
        """Raises PTG406 when it is false."""
        values = [sizes[name] if name in sizes else attrs[name] for name in self.names]
        if not self.holds(*values):
            got = ", ".join(f"{name} = {value}" for name, value in zip(self.names, values, strict=True))
            raise fault("PTG406", f"`{self.text}` does not hold: {got}", self.span, expected=self.text)


def compile_checks(program: Program) -> tuple[Check, ...]:
    """The preconditions of a program as Python functions of dynamic dims and attrs."""
    if not program.requires:
        return ()
    import sympy
    from sympy.printing.pycode import pycode

    fixed = {
        dim.name: dim.value if dim.value is not None else dim.definition for dim in program.dims if not dim.dynamic
    }
    checks = []
    for requirement in program.requires:
        condition = requirement.condition
        while defined := [symbol for symbol in condition.free_symbols if symbol.name in fixed]:
            condition = condition.subs({symbol: fixed[symbol.name] for symbol in defined})
        symbols = sorted(condition.free_symbols, key=lambda symbol: str(symbol.name))
        own = {symbol: sympy.Symbol(f"_{i}") for i, symbol in enumerate(symbols)}  # a dim may be called `floor`
        names = [symbol.name for symbol in symbols]
        checks.append(Check.of(requirement.text, names, pycode(condition.xreplace(own)), requirement.span))
    return tuple(checks)


_CALLED: Mapping[str, Any] = {"max": max, "min": min, "abs": abs, "math": math}


def _function(condition: str, parameters: int) -> Callable[..., Any]:
    """A condition as a function of its values. Raises ``ValueError`` for text that is more than a formula."""
    tree = ast.parse(condition, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            legal = isinstance(node.value, ast.Name) and node.value.id == "math" and not node.attr.startswith("_")
        elif isinstance(node, ast.Constant):
            legal = isinstance(node.value, int | float)
        else:
            legal = isinstance(node, _LEGAL)
        if not legal:
            raise ValueError(f"not a condition: {condition}")
    names = ", ".join(f"_{i}" for i in range(parameters))
    function: Callable[..., Any] = eval(  # only a formula: see above
        compile(f"lambda {names}: {condition}", "<requires>", "eval"), {"__builtins__": {}, **_CALLED}
    )
    return function


_LEGAL = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name, ast.Load,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
