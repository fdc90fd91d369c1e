"""Matrix products."""

from __future__ import annotations

from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.ir import Value
from pyptogen.lower.tensor.registry import operation


@operation("matmul(a, b, dtype: dtype = None)")
def matmul(b: Builder, left: Value, right: Value, dtype: str | None) -> Value:
    """a[…, m, k] times b[k, n]. int8 gives int32; floats accumulate in fp32 and are rounded once, to
    dtype."""
    return b.matmul(left, right, dtype)
