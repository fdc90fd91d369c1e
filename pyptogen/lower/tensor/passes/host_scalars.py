"""Pass: a number that only a call knows, and that takes more than whole sums and products, is computed before the
launches and handed to the kernels.

before: y = mul(x, temperature**2 / n)        temperature an attr, n a dim of run time
after:  attr y_number = temperature**2 / n;  y = mul(x, y_number)

A core's scalar unit has no roots, powers and exponentials, and no fp64. Afterwards a scalar operand is a number, an
attr, a dim, a sum of products of whole ones, or depends on how long a block of a loop is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyptogen.lower.tensor.building.rules import INTEGERS
from pyptogen.lower.tensor.ir import Attr, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.program_names import FreeNames, scalar_symbol
from pyptogen.records import replace


def run(program: Program) -> Program:
    """The program with an attr for each such number; the program itself where there is none."""
    found = _Numbers(program)
    ops = tuple(map(found.op, program.ops))
    if not found.attrs:
        return program
    return replace(program, attrs=(*program.attrs, *found.attrs.values()), ops=ops)


def value_of(attr: Attr, known: Mapping[str, float | int]) -> float | int:
    """A computed attr in a call; ``known`` has the dims and the other attrs."""
    number = attr.definition.subs({s: known[s.name] for s in attr.definition.free_symbols})
    return as_float(number) if attr.dtype == "fp32" else int(number)


def as_float(number: Any) -> float:
    """A sympy number as a processor computes it: the root of a negative one, or 1 / 0, is NaN."""
    return float(number) if number.is_extended_real else float("nan")


def as_number(number: Any) -> float | int:
    """A sympy number: a whole one as it is, which double would round beyond 2^53."""
    return int(number) if number.is_Integer else as_float(number)


class _Numbers:
    def __init__(self, program: Program) -> None:
        self.dims = {dim.name for dim in program.dims}
        self.follows = {d.name: d.definition if d.value is None else d.value for d in program.dims if not d.dynamic}
        self.known = self.dims | {attr.name for attr in program.attrs}
        self.names = FreeNames(program)
        self.attrs: dict[tuple[Any, str], Attr] = {}
        """By expression and dtype."""

    def op(self, op: Op) -> Op:
        beside = [operand.dtype for operand in op.operands if isinstance(operand, Value)]
        of = (beside or [op.result.dtype])[-1]
        dtype = "int64" if of == "int64" else "int32" if of in INTEGERS else "fp32"
        operands = tuple(self._operand(operand, dtype, op) for operand in op.operands)
        if op.kind != "full":
            return replace(op, operands=operands)
        return replace(op, attrs={**op.attrs, "value": self._number(op.attrs["value"], dtype, op)})

    def _operand(self, operand: Operand, dtype: str, op: Op) -> Operand:
        return replace(operand, expr=self._number(operand.expr, dtype, op)) if isinstance(operand, Scalar) else operand

    def _number(self, expr: Any, dtype: str, op: Op) -> Any:
        names = {symbol.name for symbol in expr.free_symbols}
        if not names or expr.is_Symbol or not names <= self.known or _is_whole_polynomial(expr):
            return expr
        if (expr, dtype) not in self.attrs:
            name = self.names.take(f"{op.result.name}_number")
            self.attrs[expr, dtype] = Attr(name, dtype, None, op.span, self._from_given(expr))
        return scalar_symbol(self.attrs[expr, dtype].name, dtype)

    def _from_given(self, expr: Any) -> Any:
        """The number by what a call has: dims that follow from others are replaced."""
        while follows := {s: self.follows[s.name] for s in expr.free_symbols if s.name in self.follows}:
            expr = expr.subs(follows)
        return expr


def _is_whole_polynomial(expr: Any) -> bool:
    """Whether it is made of whole numbers by sums and products alone."""
    if expr.is_Add or expr.is_Mul:
        return all(map(_is_whole_polynomial, expr.args))
    return bool(expr.is_Integer or (expr.is_Symbol and expr.is_integer))
