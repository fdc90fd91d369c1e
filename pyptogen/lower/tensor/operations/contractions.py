"""Matrix products."""

from __future__ import annotations

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import operation
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
    "as matmul; scale_a and scale_b are fp32 and broadcast to the result; the given dtype",
    "scaled_mm(x, w, s, s)",
)
def scaled_mm(b: Builder, left: Value, right: Value, scale_a: Value, scale_b: Value, dtype: str) -> Value:
    """cast(cast(matmul(a, b), fp32) * scale_a * scale_b, dtype)."""
    product = b.cast(
        matmul(b, left, right, None if left.dtype == "int8" else "fp32", False, False), "fp32", hint="wide"
    )
    return b.cast(b.binary("mul", b.binary("mul", product, scale_a, hint="scaled"), scale_b, hint="result"), dtype)
