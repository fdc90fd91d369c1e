"""Arithmetic, rounding, conversions and reductions in dtypes that a platform computes with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import sympy

from pyptogen.lower.isa.kinds import COLUMN_NAMES, REDUCE_NAMES, STEMS, UNARY_NAMES, instruction_of
from pyptogen.lower.isa.table import CASTS
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.building.rules import FP8
from pyptogen.lower.tensor.fit.fitter import BITS, INTEGERS, MASK, WIDER, Fitter, Rule
from pyptogen.lower.tensor.ir import PACKED, ROUNDING, SORTING, Op, Operand, Scalar, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.numpy_dtypes import NUMPY_DTYPES

WRAPPING = frozenset({"add", "sub", "mul", "neg", "abs"})
"""Arithmetic whose result may leave the range of an integer dtype: its low bits stay, as in numpy."""

_MODES = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint"}


def unary(f: Fitter, op: Op) -> Value:
    """Floats in their own dtype or in fp32; whole numbers by way of multiplication and maximum."""
    x = f.value(op.operands[0])
    if x.dtype in INTEGERS and op.kind in ("neg", "abs", "relu") and not f.takes(UNARY_NAMES[op.kind], x.dtype):
        return _of_integers(f, op, x)
    wide = f.compute_dtype(UNARY_NAMES[op.kind], x.dtype)
    return _back(f, f.unary(op.kind, f.cast(x, wide), "wide" if wide != x.dtype else ""), op)


def _of_integers(f: Fitter, op: Op, x: Value) -> Value:
    wide = f.cast(x, f.compute_dtype("TMULS", x.dtype))
    if op.kind == "relu":
        return _back(f, f.binary("maximum", wide, f.scalar(0, op), x.shape), op)
    negated = f.binary("mul", wide, f.scalar(-1, op), x.shape, "negated")
    if op.kind == "abs":
        negated = f.binary("maximum", wide, negated, x.shape, "larger")
    return _back(f, negated, op)


def _back(f: Fitter, value: Value, op: Op) -> Value:
    """The result in the dtype of the operation."""
    dtype = op.result.dtype
    if value.dtype == dtype:
        return value
    if op.kind in WRAPPING and dtype in INTEGERS and value.dtype in INTEGERS:
        return f.wrapped(value, dtype)
    return f.cast(value, dtype)


def binary(f: Fitter, op: Op) -> Value:
    """In the operands' dtype or a wider one."""
    a, b = (f.operand(operand) for operand in op.operands)
    dtype = next(v.dtype for v in (a, b) if isinstance(v, Value))
    number = a if isinstance(a, Scalar) else b if isinstance(b, Scalar) else None
    never = _too_narrow(number, dtype) if op.kind not in ("maximum", "minimum") else frozenset()
    wide = f.compute_dtype(instruction_of(op.kind, number is not None), dtype, never)
    a, b = (f.cast(v, wide) if isinstance(v, Value) else v for v in (a, b))
    if op.kind == "sub":
        return _back(f, f.difference(a, b, op.result.shape), op)
    return _back(f, f.emit(op.kind, [a, b], wide, op.result.shape, attrs=op.attrs), op)


def _too_narrow(number: Operand | None, dtype: str) -> frozenset[str]:
    """The dtype itself where an instruction would round the number to it: its meaning takes the number as fp32. An
    extreme is the same either way."""
    if dtype not in ("bf16", "fp16") or not isinstance(number, Scalar):
        return frozenset()
    if not number.expr.is_number:
        return frozenset({dtype})
    with np.errstate(over="ignore"):
        given = np.float32(float(number.expr))
        same = given == given.astype(NUMPY_DTYPES[dtype])
    return frozenset() if same else frozenset({dtype})


def rounding(f: Fitter, op: Op) -> Value:
    """fp32 numbers are rounded by a conversion from fp32 to fp32."""
    x = f.cast(f.value(op.operands[0]), "fp32")
    return f.cast(f.convert(x, "fp32", _MODES[op.kind], op.kind), op.result.dtype)


def cast(f: Fitter, op: Op) -> Value:
    """Conversions. To bool: whether the number is not 0. Without saturation: the low bits of a 32-bit whole number."""
    source = op.operands[0]
    assert isinstance(source, Value)
    dtype, mode = op.attrs["dtype"], op.attrs["mode"]
    x = f.operand(source)
    assert isinstance(x, Value)
    if x.dtype in FP8 and (x.dtype, dtype) not in CASTS[f.platform.name]:
        x = f.cast(x, "fp32")
    if dtype in FP8 and (x.dtype, dtype) not in CASTS[f.platform.name]:
        x = f.cast(x, "fp32")
    if x.dtype in PACKED and not op.attrs["saturate"]:
        x = f.cast(x, "int8")
    if dtype == x.dtype and source.dtype != "bool":
        return x
    if dtype == "bool":
        if source.dtype == "bool":
            return x
        x = f.cast(x, "fp16") if x.dtype in PACKED else x
        return compare(f, "ne", x, f.scalar(0, op), op)
    if not op.attrs["saturate"] and dtype in INTEGERS and _may_leave(source.dtype, dtype):
        whole_first = x.dtype not in INTEGERS and not f.platform.low_bits_of_floats
        if not whole_first and (x.dtype, dtype) not in f.platform.cast_chains:
            return f.convert(x, dtype, mode, saturate=False)
        whole = x if x.dtype in INTEGERS else f.cast(x, "int32", mode)
        return f.wrapped(whole, dtype)
    return f.convert(x, dtype, mode)


def _may_leave(source: str, dtype: str) -> bool:
    return source not in INTEGERS or BITS[source] > BITS[dtype] or source.startswith("u") != dtype.startswith("u")


def compare(f: Fitter, kind: str, a: Operand, b: Operand, op: Op) -> Value:
    """1 where the comparison holds. Where a dtype compares for equality alone: a < b is max(a, b) != a."""
    if isinstance(a, Scalar):
        kind = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(kind, kind)
        a, b = b, a
    assert isinstance(a, Value)
    shape = op.result.shape
    ordered = frozenset() if kind == "eq" else f.platform.equality_only
    name = "TCMPS" if isinstance(b, Scalar) else "TCMP"
    if a.dtype in ordered and f.takes(name, a.dtype):
        return _by_equality(f, kind, a, b, op)
    wide = f.compute_dtype(name, a.dtype, ordered | _too_narrow(b, a.dtype))
    left, right = f.cast(a, wide), f.cast(b, wide) if isinstance(b, Value) else b
    return f.truth(kind, left, right, shape)


def _by_equality(f: Fitter, kind: str, a: Value, b: Operand, op: Op) -> Value:
    shape = op.result.shape
    if kind == "ne":
        return inverse(f, f.truth("eq", a, b, shape, "equal"))
    larger = f.binary("maximum", a, b, shape, "larger")
    # a <= b: the larger is b; a < b: the larger is not a; and the other way round.
    of_a = kind in ("lt", "ge")
    beside: Operand = a if of_a else b
    equal = f.truth("eq", larger, beside, shape, "equal")
    return equal if kind in ("le", "ge") else inverse(f, equal)


def inverse(f: Fitter, mask: Value) -> Value:
    """1 where a mask is 0."""
    return f.binary("sub", f.scalar(1, f.at), mask, mask.shape, "inverse")


def reduction(f: Fitter, op: Op) -> Value:
    """In the operand's dtype or a wider one; sums and products of small whole numbers in 32 bits, of which the low bits
    stay."""
    x = f.value(op.operands[0])
    last = all(size == 1 for size in op.result.shape[op.attrs["axis"] + 1 :])
    name = (REDUCE_NAMES if last else COLUMN_NAMES)[op.kind]
    folding = op.kind in ("sum", "prod")
    if folding and x.dtype in INTEGERS and BITS[x.dtype] < 32:
        wide = "int32"
    elif folding and x.dtype in ("bf16", "fp16"):
        wide = "fp32"
    else:
        wide = f.compute_dtype(name, x.dtype)
    total = f.emit(op.kind, [f.cast(x, wide)], wide, op.result.shape, attrs=op.attrs)
    return f.wrapped(total, op.result.dtype) if folding and wide in INTEGERS else f.cast(total, op.result.dtype)


def position(f: Fitter, op: Op) -> Value:
    """The place of an extreme, among numbers of a dtype that the platform compares."""
    x, axis = f.value(op.operands[0]), op.attrs["axis"]
    last = all(size == 1 for size in op.result.shape[axis + 1 :])
    if not last and not any(f.takes(COLUMN_NAMES[op.kind], wide) for wide in (x.dtype, *WIDER.get(x.dtype, ()))):
        return _position_behind(f, op, x)
    wide = f.compute_dtype((REDUCE_NAMES if last else COLUMN_NAMES)[op.kind], x.dtype)
    return f.emit(op.kind, [f.cast(x, wide)], op.result.dtype, op.result.shape, attrs=op.attrs)


def _position_behind(f: Fitter, op: Op, x: Value) -> Value:
    """The same with the axis brought to the end, for numbers that a platform compares along rows alone."""
    axis, rank = op.attrs["axis"], len(x.shape)
    axes = (*(i for i in range(rank) if i != axis), axis)
    shape = tuple(x.shape[i] for i in axes)
    transposed = f.emit("permute", [x], x.dtype, shape, "transposed", {"axes": axes})
    wide = f.cast(transposed, f.compute_dtype(REDUCE_NAMES[op.kind], x.dtype))
    found = f.emit(op.kind, [wide], op.result.dtype, (*shape[:-1], sympy.Integer(1)), "behind", {"axis": rank - 1})
    return f.emit("reshape", [found], found.dtype, op.result.shape, attrs={"shape": op.result.shape})


def order(f: Fitter, op: Op) -> Value:
    """Extreme elements and their positions, where nothing walks over GM in fp32: what sorts takes floats."""
    x = f.value(op.operands[0])
    if not f.takes("TTOPK", x.dtype):
        if f.platform.unified or (x.dtype != "fp32" and "fp32" not in WIDER.get(x.dtype, ())):
            raise f.refused(f"no order of {x.dtype} on {f.platform.name}: its sorter takes floats")
        x = f.cast(x, "fp32")
    dtype = "int32" if op.kind == "topk_indices" else x.dtype
    found = f.emit(op.kind, [f.gathered(x)], dtype, op.result.shape, attrs=op.attrs)
    return f.cast(found, op.result.dtype)


def summed_in_place(f: Fitter, op: Op) -> Value:
    """What is added at positions: floats in fp32, whole numbers in a dtype that the platform adds."""
    x, index, src = (f.value(operand) for operand in op.operands)
    if op.kind == "scatter" and op.attrs["reduce"] == "none":
        return f.emit(op.kind, [x, index, src], x.dtype, op.result.shape, attrs=op.attrs)
    wide = "fp32" if x.dtype in ("bf16", "fp16") else f.compute_dtype("TADD", x.dtype)
    total = f.emit(op.kind, [f.cast(x, wide), index, f.cast(src, wide)], wide, op.result.shape, attrs=op.attrs)
    return f.wrapped(total, op.result.dtype) if wide in INTEGERS else f.cast(total, op.result.dtype)


def scan(f: Fitter, op: Op) -> Value:
    """Running sums and products: floats in fp32, small whole numbers in 32 bits."""
    x = f.value(op.operands[0])
    wide = "int32" if x.dtype in INTEGERS and BITS[x.dtype] < 32 else "fp32" if x.dtype in ("bf16", "fp16") else x.dtype
    running = f.emit(op.kind, [f.cast(x, wide)], wide, op.result.shape, attrs=op.attrs)
    return f.wrapped(running, op.result.dtype) if wide in INTEGERS else f.cast(running, op.result.dtype)


def range_fits(dims: DimTable, op: Op) -> bool:
    """Whether int32 holds all numbers of an arange, its step and its start."""
    start, step = (sympy.sympify(op.attrs[name]) for name in ("start", "step"))
    numbers = (start, step, step * (op.result.shape[0] - 1), start + step * (op.result.shape[0] - 1))
    ends = [end for number in numbers for end in dims.bounds(number)]
    return all(end.is_number and -(2**31) <= end < 2**31 for end in ends)


def arange(f: Fitter, op: Op) -> Value:
    """0, 1, 2, … times the step plus the start."""
    dtype, shape = op.result.dtype, op.result.shape
    run = f.emit("iota", [], "int32", shape, "run")
    wide = dtype if dtype in ("fp32", "int32") else "int32" if dtype in INTEGERS else "fp32"
    if dtype == "int64" and not range_fits(dim_table(f.program), op):
        wide = dtype
    value = f.cast(run, wide)
    if op.attrs["step"] != 1:
        value = f.binary("mul", value, f.scalar(op.attrs["step"], op), shape, "scaled")
    if op.attrs["start"] != 0:
        value = f.binary("add", value, f.scalar(op.attrs["start"], op), shape, "shifted")
    return f.wrapped(value, dtype) if wide in INTEGERS and dtype in INTEGERS else f.cast(value, dtype)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys((name for name in UNARY_NAMES if name != "bitwise_not"), unary),
    **dict.fromkeys(STEMS, binary),
    **dict.fromkeys(ROUNDING, rounding),
    **dict.fromkeys(("sum", "prod", "amax", "amin"), reduction),
    **dict.fromkeys(("argmax", "argmin"), position),
    **dict.fromkeys(("cumsum", "cumprod"), scan),
    **dict.fromkeys(SORTING, order),
    **dict.fromkeys(("scatter", "index_add"), summed_in_place),
    "arange": arange,
    "cast": cast,
}

__all__ = ["MASK", "RULES", "compare", "inverse"]
