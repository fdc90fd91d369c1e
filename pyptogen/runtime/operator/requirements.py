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
    """One precondition: its text in the spec, the dynamic dims and attrs it speaks of, and its meaning.

    An equality of sizes that nothing proved has a ``subject``, and ``sides`` that give the two numbers.
    """

    text: str
    names: tuple[str, ...]
    holds: Callable[..., Any]
    span: Span
    subject: str = ""
    sides: Callable[..., tuple[Any, Any]] | None = None

    def __call__(self, sizes: Mapping[str, int], attrs: Mapping[str, float | int]) -> None:
        """Raises PTG406 when it is false."""
        values = [sizes[name] if name in sizes else attrs[name] for name in self.names]
        if not self.holds(*values):
            if self.sides is not None:
                left, right = self.sides(*values)
                raise fault("PTG406", f"{self.subject}: {left} is not {right}", self.span, expected=self.text)
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
        holds = sympy.lambdify(symbols, condition, modules="math")
        names = tuple(symbol.name for symbol in symbols)
        sides = sympy.lambdify(symbols, condition.args, modules="math") if requirement.subject else None
        checks.append(Check(requirement.text, names, holds, requirement.span, requirement.subject, sides))
    return tuple(checks)
