"""Pass: a quotient that is rounded to fewer digits is a product by the reciprocal, where many numbers have one divisor.

before: y = div(x: fp32 [r, 4096], s: fp32 [r, 1]); z = cast(y, bf16)            y = div(x, 8)
after:  s_inverse = reciprocal(s)                                                y = mul(x, 1/8)
        y = mul(x, s_inverse); z = cast(y, bf16)

A vector unit divides in 2.5 times the time of a multiplication, and the reciprocal is that of the divisors alone. Both
it and the product are rounded: y is off by at most 1.5 units in the last place of fp32, where a division is by half of
one. Beside the half unit of bf16 or fp16 that is 3 in 2^16, or 2^13. The tolerance of `pyptogen test` allows a
quotient 2 units (`pyptogen.verify.disturbance`). So it is for quotients of which nothing but sums, products and moves
is made before they are rounded; and for divisors whose reciprocals are numbers of as many digits, as a square root or
the sum of a softmax is: that of a number below 2^-126 may be infinite. The inverse of a power of two is exact, and is
taken in any case.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import sympy

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import VIEWS, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.magnitudes import Magnitudes
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.records import replace

LARGEST = 2.0**126
"""Numbers from its inverse up to it have reciprocals of all digits."""

_ROUNDED = frozenset({"bf16", "fp16"})
_KEEPS_ERRORS = frozenset(
    {"add", "sub", "mul", "neg", "abs", "relu", "maximum", "minimum", "concat", "permute", "expand"}
)
"""What makes of an error of so many units in the last place one of as many, of its greater operand."""


def run(program: Program, platform: Platform) -> Program:
    """The program with fewer divisions; as it is where one core does all, which divides by a column as fast."""
    divisions = [op for op in program.ops if op.kind == "div" and op.result.dtype == "fp32"]
    if platform.unified or not divisions:
        return program
    pass_ = _Reciprocals(program)
    ops = tuple(made for op in program.ops for made in (pass_.product(op) if op in divisions else (op,)))
    return replace(program, ops=ops)


class _Reciprocals:
    def __init__(self, program: Program) -> None:
        self.dims = dim_table(program)
        self.magnitudes = Magnitudes(program)
        self.names = FreeNames(program)
        self.kept = {value.name for _, value in program.outputs}
        self.kept |= {name for loop in program.loops for pair in loop.carried for name in pair}
        """What is read elsewhere than by operations."""
        self.readers: dict[str, list[Op]] = defaultdict(list)
        for op in program.ops:
            for operand in op.operands:
                if isinstance(operand, Value):
                    self.readers[operand.name].append(op)
        self.made: dict[tuple[str, str], Value] = {}
        """Reciprocals by divisor and stage."""

    def product(self, op: Op) -> Sequence[Op]:
        """A division as what takes its place."""
        x, divisor = op.operands
        if isinstance(divisor, Scalar):
            inverse = self.of_number(op, divisor)
            return [op if inverse is None else replace(op, kind="mul", operands=(x, inverse))]
        if not self.shared(op.result, divisor) or not self.rounded(op.result) or not self.has_inverse(divisor):
            return [op]
        key = divisor.name, f"{op.stage} {op.loop}"
        steps: list[Op] = []
        if key not in self.made:
            self.made[key] = replace(divisor, name=self.names.take(f"{divisor.name}_inverse"), layout="nd", strides=())
            steps.append(replace(op, kind="reciprocal", operands=(divisor,), result=self.made[key]))
        return [*steps, replace(op, kind="mul", operands=(x, self.made[key]))]

    def of_number(self, op: Op, divisor: Scalar) -> Scalar | None:
        """The reciprocal of a number, if it does as well."""
        number = self.dims.resolve(divisor.expr)
        if not number.is_number or not self.has_inverse(divisor):
            return None
        as_fp32 = float(np.float32(float(number)))
        exact = abs(math.frexp(as_fp32)[0]) == 0.5
        return Scalar(1 / sympy.Rational(as_fp32), divisor.span) if exact or self.rounded(op.result) else None

    def shared(self, result: Value, divisor: Value) -> bool:
        """Whether a divisor is that of many numbers."""
        return not self.dims.equal(self.dims.product(result.shape), self.dims.product(divisor.shape))

    def has_inverse(self, divisor: Operand) -> bool:
        found = self.magnitudes.of(divisor)
        return found.least >= 1 / LARGEST and found.most <= LARGEST

    def rounded(self, value: Value) -> bool:
        """Whether nothing is seen of a value before it is rounded to fewer digits."""
        readers = self.readers[value.name]
        return bool(readers) and value.name not in self.kept and all(self._rounds(op, value) for op in readers)

    def _rounds(self, op: Op, value: Value) -> bool:
        if op.kind == "cast" and op.result.dtype in _ROUNDED:
            return True
        keeps = op.kind in _KEEPS_ERRORS | VIEWS or (op.kind == "div" and value not in op.operands[1:])
        return keeps and op.result.dtype == "fp32" and self.rounded(op.result)
