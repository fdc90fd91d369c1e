"""dtypes of memory: what may be done with elements that nothing computes with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from pyptogen.diagnostics import fault
from pyptogen.lower.tensor.building.dims import DimTable, show_size
from pyptogen.lower.tensor.building.rules import FLOATS, FP8, MOVES, SCALE
from pyptogen.lower.tensor.ir import PACKED, Operand, Shape, Value

if TYPE_CHECKING:
    from pyptogen.lower.tensor.building.builder import Builder
    from pyptogen.schema import TensorSpec

PACKED_MOVES = frozenset(
    {"cast", "transpose", "reshape", "slice", "block", "collected", "scatter_update", "by_hand", "either", "only"}
)
"""Operations that take ``PACKED`` dtypes: they move whole bytes. A transpose waits for the cast behind it."""


def check(
    b: Builder, kind: str, operands: Sequence[Operand], dtype: str, shape: Shape, attrs: Mapping[str, Any]
) -> None:
    """Raises PTG206 for an operation that a dtype of memory has no meaning for, PTG205 where two elements that share a
    byte would come apart."""
    rows = kind == "index_select" and attrs["axis"] < len(shape) - 1
    for found in (dtype, *(o.dtype for o in operands if isinstance(o, Value))):
        if kind not in (PACKED_MOVES if found in PACKED else MOVES) and not rows and found in {*FP8, SCALE, *PACKED}:
            use = "of memory" if found in PACKED else "of memory and of products"
            raise b.fault(
                "PTG206",
                f"`{kind}` has no meaning for {found}, which is a dtype {use}",
                expected=f"one of {', '.join(sorted(FLOATS))}",
                fix="cast first: `cast(…, fp32)`",
            )
    if dtype in PACKED and kind != "transpose":
        cuts = kind == "slice" and attrs["axis"] == len(shape) - 1
        _check_bytes(b, dtype, shape, attrs["start"] if cuts else sympy.Integer(0))


def _check_bytes(b: Builder, dtype: str, shape: Shape, start: Any) -> None:
    """Rows begin and end at whole bytes."""
    width = shape[-1] if shape else sympy.Integer(1)
    if b.dims.is_multiple(width, 2) and b.dims.is_multiple(start, 2):
        return
    raise b.fault(
        "PTG205",
        f"rows of {show_size(width)} {dtype}, from {show_size(start)} on: two elements share a byte",
        expected="even numbers, or dims that are `multiple_of: 2`",
    )


def check_tensor(dims: DimTable, tensor: TensorSpec, value: Value) -> None:
    """Raises PTG104 for a tensor of a spec whose rows are no whole bytes."""
    if value.dtype not in PACKED:
        return
    if value.layout != "nd":
        raise fault(
            "PTG104",
            f"`{tensor.name}` is {value.dtype} @ {value.layout}: two elements of a row share a byte",
            tensor.type_span,
            expected="a tensor that lies row after row",
            fix=f"leave `@ {value.layout}` out",
        )
    width = value.shape[-1] if value.shape else sympy.Integer(1)
    for size, what in (*((step, "rows apart by") for step in value.strides[:-1]), (width, "rows of")):
        if not dims.is_multiple(size, 2):
            raise fault(
                "PTG104",
                f"`{tensor.name}` has {what} {show_size(size)} {value.dtype}, of which two share a byte",
                tensor.type_span,
                expected="an even number, or dims that are `multiple_of: 2`",
            )
