"""Preconditions of a spec (`requires`) that could not be proved when it was built: checked at every call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    holds: Callable[..., Any]
    span: Span

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
        holds = sympy.lambdify([*own.values()], condition.xreplace(own), modules="math")
        names = tuple(symbol.name for symbol in symbols)
        checks.append(Check(requirement.text, names, holds, requirement.span))
    return tuple(checks)
