"""Comparisons, truth values, bits and selection."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.isa.kinds import BITWISE_NAMES, instruction_of
from pyptogen.lower.tensor.fit.arithmetic import compare, inverse
from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import BITWISE, COMPARE, Op, Operand, Scalar, Value


def comparison(f: Fitter, op: Op) -> Value:
    """1 where it holds, else 0."""
    a, b = (f.operand(operand) for operand in op.operands)
    return compare(f, op.kind, a, b, op)


def where(f: Fitter, op: Op) -> Value:
    """Selection in the dtype of the two sides; bytes by way of a wider dtype."""
    condition, *sides = (f.operand(operand) for operand in op.operands)
    dtype = next(v.dtype for v in sides if isinstance(v, Value))
    wide = f.compute_dtype("TSEL", dtype)
    chosen: list[Operand] = [f.cast(v, wide) if isinstance(v, Value) else v for v in sides]
    return f.cast(f.emit("where", [condition, *chosen], wide, op.result.shape, "chosen"), dtype)


def bitwise(f: Fitter, op: Op) -> Value:
    """Bits of whole numbers; of truth values the product, the larger, the difference."""
    a, b = (f.operand(operand) for operand in op.operands)
    shape = op.result.shape
    if op.result.dtype == "bool":
        if op.kind == "bitwise_and":
            return f.binary("mul", a, b, shape)
        if op.kind == "bitwise_or":
            return f.binary("maximum", a, b, shape)
        return f.truth("ne", a, b, shape)
    if isinstance(a, Scalar):
        if op.kind.endswith("shift"):
            raise f.refused("a shift of a number by a tensor", "a tensor that is shifted", "full([…], number) first")
        a, b = b, a
    assert isinstance(a, Value)
    wide = f.compute_dtype(instruction_of(op.kind, isinstance(b, Scalar)), a.dtype)
    left, right = f.cast(a, wide), f.cast(b, wide) if isinstance(b, Value) else b
    result = f.binary(op.kind, left, right, shape)
    return f.wrapped(result, op.result.dtype) if wide != op.result.dtype else result


def bitwise_not(f: Fitter, op: Op) -> Value:
    """The bits inverted; of a truth value the opposite."""
    x = f.value(op.operands[0])
    if op.result.dtype == "bool":
        return inverse(f, x)
    wide = f.compute_dtype("TNOT", x.dtype)
    inverted = f.unary("bitwise_not", f.cast(x, wide), "inverted")
    return f.wrapped(inverted, x.dtype) if wide != x.dtype else inverted


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(COMPARE, comparison),
    **dict.fromkeys(BITWISE, bitwise),
    "bitwise_not": bitwise_not,
    "where": where,
}
assert BITWISE_NAMES.keys() == BITWISE
