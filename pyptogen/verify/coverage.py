"""Which inputs of an operator every call reads to the last element."""

from __future__ import annotations

from pyptogen.lower.tensor.ir import ARG_REDUCE, BINARY, PRODUCTS, REDUCE, ROUNDING, SCAN, UNARY, Program, Value

_WHOLLY = UNARY | BINARY | REDUCE | ROUNDING | PRODUCTS - {"matmul_mx"} | SCAN | ARG_REDUCE
_WHOLLY |= {"cast", "reshape", "transpose", "permute", "expand", "concat"}
"""Operations whose result hangs on every element of their operands, whatever these hold."""


def wholly_read(program: Program) -> frozenset[str]:
    """The inputs from which a way of such operations leads to an output. Others may be read in part: by an index, up to
    a length, under a mask."""
    if program.kernels or program.loops or any(stage.condition is not None for stage in program.stages):
        return frozenset()
    found = {value.name for _, value in program.outputs}
    for op in reversed(program.ops):
        if op.result.name in found and op.kind in _WHOLLY:
            found |= {operand.name for operand in op.operands if isinstance(operand, Value)}
    return frozenset(value.name for value in program.inputs) & found
