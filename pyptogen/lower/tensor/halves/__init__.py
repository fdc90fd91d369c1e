"""Tensor level → Tensor level of one platform: whole numbers of 64 bits in two halves of 32, where the platform's
instructions take no more.

before: ids: int64[t]; kept = ge(ids, 0); y = where(kept, ids, 0)              y an output, int64[t]
after:  ids_halves: int32[t, 2], the memory of ids                            high = ids_halves[:, 1], low = …[:, 0]
        kept = ge(high, 0); y_low = where(kept, low, 0); y_high = where(kept, high, 0)
        y_halves: int32[t, 2] = concat(y_low, y_high), the memory of y

Memory is little-endian: the low half comes first. Halves are int32 and keep their bits; arithmetic on them is modulo
2^32, as on two's complement numbers. Results are those of 64 bits for all operands, as numpy's int64 has them.

What a platform does with whole numbers (moving them, indices, casts) it goes on to do; a value exists in both forms
where both are read. Afterwards no operation is left that works on int64 where the platform's instructions take none.
"""

from __future__ import annotations

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.halves.forms import Forms
from pyptogen.lower.tensor.halves.halver import Halver
from pyptogen.lower.tensor.halves.rules import RULES
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.passes import remove_dead
from pyptogen.records import replace


def run(program: Program, platform: Platform) -> Program:
    """The program in halves where the platform needs them; the program itself where it does not.

    Raises:
        DiagnosticError: PTG303, an operation on int64 that the platform has no instruction for, and that is not done in
            halves.
    """
    forms = Forms(program, platform)
    if not forms.in_halves:
        return program
    halver = Halver(program, platform, forms)
    made = remove_dead.run(halver.run(RULES))
    read = {operand.name for op in made.ops for operand in op.operands if hasattr(operand, "name")}
    kept = {value.name for value in program.inputs} | read | set(made.inplace.values())
    return replace(made, inputs=tuple(value for value in made.inputs if value.name in kept))


__all__ = ["run"]
