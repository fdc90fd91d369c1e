"""Shape and dtype rules that both the builder and the legality check state: broadcasting and matmul result
types."""

from __future__ import annotations

from typing import Any

from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.ir import BITWISE, COMPARE, DTYPES, INTEGER, LOOP, PRODUCTS, VIEWS, Shape
from pyptogen.numerics import GROUP as GROUP
from pyptogen.schema.contract import BEYOND_FP32

FLOATS = frozenset({"fp32", "fp16", "bf16"})

OCP8 = frozenset({"fp8_e4m3", "fp8_e5m2"})
"""Floats of 8 bits of which a product may have both, and which may share scales."""

FP8 = OCP8 | {"hif8"}
"""Floats of 8 bits: memory holds them, and products take them; other work is done on what they are cast to."""

FP4 = "fp4_e2m1"
"""Floats of 4 bits, two to a byte: memory holds them."""

SCALE = "fp8_e8m0"
"""The powers of two that numbers of the OCP Microscaling formats share ("OCP Microscaling Formats (MX) Specification",
version 1.0): a scale of products and of nothing else."""

MOVES = VIEWS | LOOP | PRODUCTS | {
    "cast", "bitcast", "concat", "permute", "expand", "gather", "index_select", "scatter", "scatter_update", "by_hand",
    "either",
}  # fmt: skip
"""Operations that take ``FP8``."""

CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


def broadcast(dims: DimTable, a: Shape, b: Shape) -> Shape | None:
    """The common shape of two shapes of equal rank, or None: axes are proved equal, or one of them is 1."""
    if len(a) != len(b):
        return None
    axes = []
    for x, y in zip(a, b, strict=True):
        if x == 1:  # the other one, also where that is a name for 1, such as a block of a loop one by one
            axes.append(y)
        elif dims.equal(x, y) or dims.is_one(y):
            axes.append(x)
        elif dims.is_one(x):
            axes.append(y)
        else:
            return None
    return tuple(axes)


def matmul_dtype(a: str, b: str, wanted: str | None) -> str | None:
    """The result dtype of a matmul, or None when there is none: int8 → int32; a float → itself or fp32; two of fp8, of
    one kind or of both, → fp32; two of hif8 → fp32."""
    if {a, b} <= OCP8 or a == b == "hif8":
        return "fp32" if wanted in (None, "fp32") else None
    if a != b:
        return None
    allowed = ("int32",) if a == "int8" else (a, "fp32") if a in FLOATS else ()
    if wanted is None:
        return allowed[0] if allowed else None
    return wanted if wanted in allowed else None


INTEGERS = frozenset({"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"})


def number_fault(kind: str, dtype: str, number: Any) -> str:
    """Why a number cannot be an operand beside a tensor of ``dtype``; empty if it can, or if only a call knows it.

    Bitwise operations take the bits of an unsigned number, too.
    """
    if dtype in FLOATS:
        beyond = number.is_number and number.is_finite and abs(number) >= BEYOND_FP32
        return "which is infinity in fp32" if beyond else ""
    if not number.is_integer:
        return "which is not whole"
    if dtype not in INTEGERS or not number.is_Integer:
        return ""
    bits = 8 * DTYPES[dtype]
    low = 0 if dtype.startswith("uint") else -(1 << (bits - 1))
    high = (1 << bits) - 1 if kind in BITWISE or low == 0 else -low - 1
    if kind.endswith("shift"):
        return "" if 0 <= number < bits else f"which is no shift of {bits} bits"
    if kind == "floor_div" and number == 0:
        return "a division by zero"
    return "" if low <= number <= high else f"which {dtype} does not hold"


def operand_fault(kind: str, dtype: str) -> str:
    """What an elementwise operation of two operands, or a reduction, needs instead of ``dtype``; empty if that is
    fine."""
    if kind in BITWISE:
        shift = kind.endswith("shift")
        return "" if dtype in INTEGERS or (dtype == "bool" and not shift) else f"integers{'' if shift else ' or bool'}"
    if kind in INTEGER:
        return "" if dtype in INTEGERS else "integers"
    if kind in {"eq", "ne"}:
        return ""
    if kind in COMPARE or kind in {"where", "argmax", "argmin"}:
        return "" if dtype != "bool" or kind == "where" else "numbers"
    if kind == "div":
        return "" if dtype in FLOATS else "a float"
    return "numbers" if dtype == "bool" else ""


def reduced(shape: Shape, axis: int, size: Any) -> Shape:
    """A shape with another size of one axis."""
    return (*shape[:axis], size, *shape[axis + 1 :])
