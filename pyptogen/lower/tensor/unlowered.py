"""Refuses what only the interpreter knows, before the levels below meet it."""

from __future__ import annotations

from pyptogen.diagnostics import fault
from pyptogen.lower.tensor.dims import show_shape
from pyptogen.lower.tensor.ir import LOWERED, REDUCE, VIEWS, Op, Program, Value


def check(program: Program) -> None:
    """Raises PTG303 for the first operation of a kind that no platform has a lowering for, for a reduction over an
    inner axis, and for an output that is only a view of an input."""
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
        source = op.operands[0] if op.operands else op.result
        if (
            op.kind in REDUCE
            and isinstance(source, Value)
            and any(size != 1 for size in op.result.shape[op.attrs["axis"] + 1 :])
        ):
            raise fault(
                "PTG303",
                f"`{op.result.name}` reduces axis {op.attrs['axis']} of {show_shape(source.shape)}, and only the "
                "last axis can be lowered yet",
                op.span,
                expected="a reduction over the last axis",
            )
    made_by = {op.result.name: op for op in program.ops}
    for name, value in program.outputs:
        if not _is_computed(value, made_by):
            raise fault(
                "PTG303",
                f"the output `{name}` is an input seen in another shape, and copies cannot be lowered yet",
                value.span,
                expected="an output that is computed",
            )


def _is_computed(value: Value, made_by: dict[str, Op]) -> bool:
    while value.name in made_by and made_by[value.name].kind in VIEWS:
        source = made_by[value.name].operands[0]
        assert isinstance(source, Value)
        value = source
    return value.name in made_by
