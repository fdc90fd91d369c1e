"""Facts about element types that every room may need."""

from __future__ import annotations

PACKED = frozenset({"int4", "fp4_e2m1"})
"""dtypes of which two elements share a byte, the first in the low bits. Their rows are whole bytes; memory holds
``uint8``, half as many as elements."""

BY_BYTES = PACKED | {"hif8"}
"""Those that calls give and take as bytes: packed ones, and codes of a format that numpy has not."""

BEYOND_FP32 = 2**128 - 2**103
"""From here on a number is rounded to infinity: half a step above the greatest of fp32."""
