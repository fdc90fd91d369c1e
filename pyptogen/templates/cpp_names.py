"""C++ spellings that kernels and orchestration share."""

from __future__ import annotations

from pyptogen.lower.isa.element_types import CPP_TYPES
from pyptogen.lower.tensor.ir import PACKED

SHORT = {
    "fp32": "F32", "fp16": "F16", "bf16": "B16", "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16",
    "int32": "I32", "uint32": "U32", "int64": "I64", "bool": "U8",
    "fp8_e4m3": "E4m3", "fp8_e5m2": "E5m2", "fp8_e8m0": "E8m0", "int4": "I4",
    "hif8": "Hif8", "fp4_e2m1": "E2m1",
}  # fmt: skip
"""Suffix of type aliases."""

C_TYPES = {dtype: "uint8_t" if dtype == "bool" else CPP_TYPES[dtype] for dtype in SHORT}
"""Device-side element type of each dtype of the language."""


def memory_type(dtype: str) -> str:
    """Type of what a pointer to global memory points to: of bytes where elements share them."""
    return C_TYPES["uint8" if dtype in PACKED else dtype]


def camel(name: str) -> str:
    """`q_norm_scale` → `QNormScale`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def count_type(wide: bool) -> str:
    """The C++ type of dims, and of loop counters."""
    return "int64_t" if wide else "int32_t"
