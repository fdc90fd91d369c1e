"""How large the numbers of a program can be: an interval for each value, as its operations make it.

before: s = sqrt(v)                                     d = sum(exp(x - amax(x, axis=1)), axis=1), of 4096 elements
said:   0, or between 2^-75 and 2^64                    at least 1

Of inputs nothing is known but their dtype, and of what a loop carries nothing at all. Infinities and NaN are left out:
what they become is for the reader to say.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import sympy

from pyptogen.lower.tensor.ir import VIEWS, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.records import dataclass, replace

LEAST = 2.0**-149
"""The least positive number of fp32."""
MOST = 2.0**128

_OF_DTYPE: Mapping[str, tuple[float, float]] = {
    "fp16": (2.0**-24, 65504.0), "bf16": (2.0**-133, MOST), "int8": (1, 2.0**7), "uint8": (1, 2.0**8),
    "int16": (1, 2.0**15), "uint16": (1, 2.0**16), "int32": (1, 2.0**31), "uint32": (1, 2.0**32),
}  # fmt: skip
"""The least number other than 0 and the greatest of each dtype; fp32 stands for all others."""


@dataclass(frozen=True, slots=True)
class Magnitude:
    """Of the finite numbers of a value: between what two absolute values those other than 0 lie, whether some may be 0,
    and whether some may be negative."""

    least: float
    most: float
    zero: bool = True
    negative: bool = True

    @property
    def positive(self) -> bool:
        return not self.zero and not self.negative


def of_dtype(dtype: str) -> Magnitude:
    return Magnitude(*_OF_DTYPE.get(dtype, (LEAST, MOST)), negative=not dtype.startswith("u"))


class Magnitudes:
    """Of all values of a program, each worked out when it is asked for."""

    def __init__(self, program: Program) -> None:
        self._defining = {op.result.name: op for op in program.ops}
        self._dims = dim_table(program)
        self._known: dict[str, Magnitude] = {}

    def of(self, operand: Operand) -> Magnitude:
        if isinstance(operand, Scalar):
            return _of_number(self._dims.resolve(operand.expr))
        if operand.name not in self._known:
            self._known[operand.name] = of_dtype(operand.dtype)  # what is asked for on the way back through a loop
            op = self._defining.get(operand.name)
            if op is not None and op.kind in _RULES:
                self._known[operand.name] = _within(_RULES[op.kind](self, op), operand.dtype)
        return self._known[operand.name]

    def elements(self, op: Op) -> float:
        """How many elements of its operand a reduction makes one of, at most."""
        (x,) = op.operands
        assert isinstance(x, Value)
        _, most = self._dims.bounds(x.shape[op.attrs["axis"]])
        return float(most) if most.is_number else MOST

    def reached(self, x: Operand, axis: int) -> float:
        """What the greatest number along an axis is at least: 1 of ``exp(v - amax(v))``, else what each number is."""
        exp = self.made_by(x)
        if exp is not None and exp.kind == "exp" and self.peak_of(exp.operands[0]) == axis:
            return 1.0
        own = self.of(x)
        return own.least if own.positive else LEAST

    def peak_of(self, x: Operand) -> int | None:
        """The axis along which the greatest number is 0: that of ``v - amax(v)``."""
        difference = self.made_by(x)
        if difference is None or difference.kind != "sub":
            return None
        v, peak = difference.operands
        top = self.made_by(peak)
        return top.attrs["axis"] if top is not None and top.kind == "amax" and top.operands == (v,) else None

    def made_by(self, operand: Operand) -> Op | None:
        return self._defining.get(operand.name) if isinstance(operand, Value) else None


def _of_number(expr: sympy.Expr) -> Magnitude:
    if not expr.is_number:
        return of_dtype("fp32")
    number = float(expr)
    return Magnitude(abs(number) or LEAST, abs(number), zero=number == 0, negative=number < 0)


def _within(found: Magnitude, dtype: str) -> Magnitude:
    """What can be in a dtype: smaller numbers become 0 or the least one, larger ones are infinite."""
    ends = of_dtype(dtype)
    least, most = (min(max(end, ends.least), ends.most) for end in (found.least, found.most))
    return replace(found, least=least, most=most, zero=found.zero or found.least < ends.least)


Rule = Callable[[Magnitudes, Op], Magnitude]


def _all_of(known: Magnitudes, op: Op) -> Magnitude:
    """The numbers of the operands, in another order or other rows."""
    found = [known.of(operand) for operand in op.operands]
    least, most = min(one.least for one in found), max(one.most for one in found)
    return Magnitude(least, most, any(one.zero for one in found), any(one.negative for one in found))


def _first(known: Magnitudes, op: Op) -> Magnitude:
    return known.of(op.operands[0])


def _absolute(known: Magnitudes, op: Op) -> Magnitude:
    return replace(_first(known, op), negative=False)


def _negative(known: Magnitudes, op: Op) -> Magnitude:
    return replace(_first(known, op), negative=True)


def _relu(known: Magnitudes, op: Op) -> Magnitude:
    x = _first(known, op)
    return replace(x, negative=False, zero=x.zero or x.negative)


def _root(known: Magnitudes, op: Op) -> Magnitude:
    x = _first(known, op)
    return Magnitude(math.sqrt(x.least), math.sqrt(x.most), x.zero, negative=False)


def _inverse_root(known: Magnitudes, op: Op) -> Magnitude:
    x = _first(known, op)
    return Magnitude(1 / math.sqrt(x.most), 1 / math.sqrt(x.least), zero=False, negative=False)


def _exponential(known: Magnitudes, op: Op) -> Magnitude:
    return Magnitude(LEAST, MOST if known.peak_of(op.operands[0]) is None else 1.0, negative=False)


def _product(known: Magnitudes, op: Op) -> Magnitude:
    a, b = (known.of(operand) for operand in op.operands)
    negative = (a.negative or b.negative) and op.operands[0] != op.operands[1]
    return Magnitude(a.least * b.least, a.most * b.most, a.zero or b.zero, negative)


def _sum_of_two(known: Magnitudes, op: Op) -> Magnitude:
    a, b = (known.of(operand) for operand in op.operands)
    if a.negative or b.negative:
        return Magnitude(LEAST, a.most + b.most)
    least = max((one.least for one in (a, b) if not one.zero), default=min(a.least, b.least))
    return Magnitude(least, a.most + b.most, a.zero and b.zero, negative=False)


def _greater(known: Magnitudes, op: Op) -> Magnitude:
    a, b = (known.of(operand) for operand in op.operands)
    least = max((one.least for one in (a, b) if one.positive), default=min(a.least, b.least))
    none = a.positive or b.positive
    return Magnitude(least, max(a.most, b.most), not none, not none and a.negative and b.negative)


def _total(known: Magnitudes, op: Op) -> Magnitude:
    x = _first(known, op)
    most = known.elements(op) * x.most
    if x.negative:
        return Magnitude(LEAST, most)
    least = max(x.least, known.reached(op.operands[0], op.attrs["axis"]))
    return Magnitude(least, most, x.zero and least <= x.least, negative=False)


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(VIEWS - {"collected"}, _first),
    **dict.fromkeys(("permute", "expand", "copy", "cast", "amax", "amin", "index_select"), _first),
    **dict.fromkeys(("concat", "minimum"), _all_of),
    "abs": _absolute,
    "neg": _negative,
    "relu": _relu,
    "sqrt": _root,
    "rsqrt": _inverse_root,
    "exp": _exponential,
    "mul": _product,
    "add": _sum_of_two,
    "maximum": _greater,
    "sum": _total,
}
"""What follows for the result of an operation; of all others it is what its dtype has."""
