"""Tensor level → Tensor level of one platform: dtypes and operations that its instructions have.

before: y = floor(x: bf16)                      c = x < z (bool); y = where(c, x, z)
after:  x_fp32 = cast(x, fp32)                  c = lt(x, z), 1 and 0 in fp16; y = where(c, x, z)
        y_floor = cast(x_fp32, fp32, floor)
        y = cast(y_floor, bf16)

Afterwards every elementwise operation is in a dtype that the platform has an instruction for, no value is bool (in GM
a byte, on tiles 1 and 0 in fp16), and casts saturate. The contract keeps its types: bool is a byte there too.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.fit import (
    alternatives,
    arithmetic,
    collect,
    gathered,
    integers,
    regroup,
    reorder,
    storage,
    truth,
)
from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import Program

RULES: Mapping[str, Rule] = {
    **arithmetic.RULES, **truth.RULES, **integers.RULES, **reorder.RULES, **collect.RULES,
    **alternatives.RULES, **gathered.RULES, **regroup.RULES,
}  # fmt: skip
"""What becomes of each kind of primitive."""


def run(program: Program, platform: Platform, copied: Set[str] = frozenset()) -> Program:
    """Fit a program to a platform.

    Args:
        program: the operator at the Tensor level.
        platform: where it will run.
        copied: values that an index names and that no reader can take where they lie, and reshapes that no strides
            express.

    Raises:
        DiagnosticError: PTG303, a dtype that the platform does not have, or an operation for whose dtype it has neither
            an instruction nor a way round.
    """
    storage.check(program, platform)
    return Fitter(program, platform, copied).run(RULES)


__all__ = ["RULES", "run"]
