"""Matrix products."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.registry import SAME_FLOAT, operation
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.tensor.ir import Value


@operation(
    "matmul(a, b, dtype: dtype = None, a_trans: flag = False, b_trans: flag = False)",
    "[…, m, k] and [k, n] or […, k, n] give […, m, n], leading axes equal or 1; int8 to int32, floats to fp32 or alike",
    "matmul(x, w)",
)
def matmul(b: Builder, left: Value, right: Value, dtype: str | None, a_trans: bool, b_trans: bool) -> Value:
    """The matrix product. int8 gives int32; floats accumulate in fp32 and are rounded once, to dtype."""
    left = b.transpose(left, "a_trans") if a_trans else left
    right = b.transpose(right, "b_trans") if b_trans else right
    return selection.batch_matmul(b, left, right, dtype) if len(right.shape) > 2 else b.matmul(left, right, dtype)


@operation(
    "scaled_mm(a, b, scale_a, scale_b, dtype: dtype = bf16)",
    "as matmul; scale_a and scale_b are fp32 and broadcast to the result, or fp8_e8m0 [m, k / 32] and [k / 32, n]; the"
    " given dtype",
    "scaled_mm(x, w, s, s)",
)
def scaled_mm(b: Builder, left: Value, right: Value, scale_a: Value, scale_b: Value, dtype: str) -> Value:
    """cast(cast(matmul(a, b), fp32) * scale_a * scale_b, dtype). With scales of fp8_e8m0, the MX formats: every 32
    elements of a row of a, and of a column of b, share a power of two, which they are multiplied by on the way to the
    sum."""
    if SCALE in (scale_a.dtype, scale_b.dtype):
        return b.cast(selection.matmul_mx(b, left, right, scale_a, scale_b, "scaled"), dtype, hint="result")
    product = b.cast(
        matmul(b, left, right, None if left.dtype == "int8" else "fp32", False, False), "fp32", hint="wide"
    )
    return b.cast(b.binary("mul", b.binary("mul", product, scale_a, hint="scaled"), scale_b, hint="result"), dtype)


@operation("hadamard(x, scale: scalar = None)", f"{SAME_FLOAT}; the last axis a power of two", "hadamard(x)")
def hadamard(b: Builder, x: Value, scale: Any) -> Value:
    """The rows of x times the Hadamard matrix of Sylvester, whose element i, j is -1 where i & j has an odd number of
    bits and 1 elsewhere, and times scale, which is the size ** -0.5 where it is not given (the matrix is then its own
    inverse). A product in fp32, rounded once."""
    b.need_float(x, "hadamard")
    size = b.dims.number(x.shape[b.axis(x, -1)])
    if size is None or size & (size - 1):
        raise b.fault(
            "PTG205", f"hadamard of rows of {show_size(x.shape[-1])}", expected="a power of two, known at build time"
        )
    one, width = sympy.Integer(1), x.shape[-1]
    common = b.binary(
        "bitwise_and", b.positions((width, one), 0, "row"), b.positions((width,), 0, "col"), hint="common"
    )
    for shift in (16, 8, 4, 2, 1):
        if 1 << shift <= size:
            upper = b.binary("bitwise_right_shift", common, b.scalar(shift), hint="upper")
            common = b.binary("bitwise_xor", common, upper, hint="parity")
    odd = b.cast(b.binary("bitwise_and", common, b.scalar(1), hint="odd"), "fp32", hint="odd_wide")
    signs = b.binary("sub", b.scalar(1), b.binary("mul", odd, b.scalar(2), hint="twice"), hint="signs")
    rotated = b.matmul(x, b.cast(signs, x.dtype, hint="matrix"), "fp32", "rotated")
    factor = sympy.Float(size) ** sympy.Rational(-1, 2) if scale is None else scale
    return b.cast(b.binary("mul", rotated, b.scalar(factor), hint="result"), x.dtype)
