"""The contract of a spec: dims, attrs, tensors, and the dtypes and layouts that they may have."""

from __future__ import annotations

from collections.abc import Iterable

from pyptogen.diagnostics import Span, Suggestion, did_you_mean
from pyptogen.number_formats import BEYOND_FP32 as BEYOND_FP32
from pyptogen.records import dataclass
from pyptogen.schema.expression import Expr

DTYPES = (
    "fp32", "fp16", "bf16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool",
    "fp8_e4m3", "fp8_e5m2", "fp8_e8m0", "fp4_e2m1", "hif8", "int4", "mxfp8", "mxfp4",
)  # fmt: skip
"""All dtypes of the language; the Tensor level computes with those in ``pyptogen.lower.tensor.ir.DTYPES``."""

OTHER_NAMES = {
    "float32": "fp32", "float": "fp32", "f32": "fp32", "float16": "fp16", "half": "fp16", "f16": "fp16",
    "bfloat16": "bf16", "int": "int32", "i8": "int8", "i32": "int32",
    "i64": "int64", "long": "int64", "byte": "uint8", "u8": "uint8",
}  # fmt: skip
"""What users of other tools may write, and the nearest dtype here."""

_WIDER = frozenset({"fp64", "f64", "float64", "double", "fp128", "float128"})
"""Floats that no platform computes with."""

LAYOUTS = ("nd", "dn", "nz")


def suggest_dtype(name: str, known: Iterable[str]) -> str:
    """A fix sentence for an unknown dtype."""
    if name in _WIDER:
        return "write `fp32`: no platform computes with wider floats"
    other = OTHER_NAMES.get(name)
    return Suggestion(f"did you mean `{other}`?", name, other) if other else did_you_mean(name, known)


@dataclass(frozen=True, slots=True)
class DimSpec:
    """A named size: ``value`` an expression (static or derived), or None with a range (dynamic)."""

    name: str
    value: Expr | None
    min: int
    max: int
    multiple_of: int
    span: Span


@dataclass(frozen=True, slots=True)
class AttrSpec:
    """A run-time scalar."""

    name: str
    dtype: str
    default: float | int | None
    span: Span


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor of the contract; ``inplace`` names the input that an output updates (its type is then the
    input's)."""

    name: str
    dtype: str
    shape: tuple[Expr, ...]
    layout: str
    doc: str
    inplace: str | None
    span: Span
    """span of the name."""
    type_span: Span
    init: Expr | None = None
    """Of an output: the number that it begins with."""
    strides: tuple[Expr, ...] = ()
    """Where rows lie apart: elements from one index of each axis to the next."""
