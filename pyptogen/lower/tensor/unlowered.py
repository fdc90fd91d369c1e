"""Refuses what only the interpreter knows, before the levels below meet it."""

from __future__ import annotations

from pyptogen.diagnostics import fault
from pyptogen.lower.tensor.ir import LOWERED, VIEWS, Program, Value


def check(program: Program) -> None:
    """Raises PTG303 for the first operation of a kind that no platform has a lowering for."""
    updated = _updated(program)
    for op in program.ops:
        if op.kind not in LOWERED:
            raise fault(
                "PTG303",
                f"`{op.result.name}` needs the primitive `{op.kind}`, which cannot be lowered yet",
                op.span,
                expected="one of " + ", ".join(sorted(LOWERED)),
                fix="`pyptogen explain op NAME` shows of which primitives an operation is made",
            )
        if op.kind == "scatter_update" and op.loop:
            raise fault(
                "PTG303",
                f"`{op.result.name}` updates a tensor in every round of a loop, which cannot be lowered yet",
                op.span,
                expected="an update before or after the loop",
            )
        if op.kind == "scatter_update" and op.result.name not in updated:
            raise fault(
                "PTG303",
                f"`{op.result.name}` is a tensor with other rows, beside the tensor that it was; this cannot be lowered"
                " yet",
                op.span,
                expected="an update of an input in place, which is an output",
                fix="give the output the name of the input and `{inplace: true}`, or use `scatter`",
            )


def _updated(program: Program) -> set[str]:
    """The values that are, perhaps seen through views, outputs in the memory of an input."""
    made_by = {op.result.name: op for op in program.ops}
    found: set[str] = set()
    open_ = [value for name, value in program.outputs if name in program.inplace]
    while open_:
        at = open_.pop()
        found.add(at.name)
        if at.name in made_by and made_by[at.name].kind in VIEWS | {"either"}:
            open_ += [operand for operand in made_by[at.name].operands if isinstance(operand, Value)]
    return found
