"""Refuses what only the interpreter knows, before the levels below meet it."""

from __future__ import annotations

from pyptogen.diagnostics import fault
from pyptogen.lower.tensor.ir import LOWERED, Program


def check(program: Program) -> None:
    """Raises PTG303 for the first operation of a kind that no platform has a lowering for."""
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
                f"`{op.result.name}` updates a tensor in every iteration, and that cannot wait for the end of the loop",
                op.span,
                expected="a carried tensor that no iteration reads, in a loop without `if`, and rows and indices of the"
                " iteration's own block",
                fix="collect rows and indices, and update the tensor after the loop",
            )
