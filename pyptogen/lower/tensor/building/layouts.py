"""Physical layouts: where elements lie, and which layouts are refused, because nothing reads or writes them."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, fault, keep
from pyptogen.lower.tensor.ir import DTYPES, PRODUCTS, Op, Program, Shape, Value
from pyptogen.schema import Spec


def steps(value: Value) -> Shape:
    """Elements from one index of each axis to the next, of a tensor whose memory is not row after row; else nothing.
    In `dn` each matrix lies column after column."""
    if value.layout != "dn":
        return value.strides
    rows, cols = value.shape[-2:]
    found: list[Any] = [sympy.Integer(1), rows]
    size = rows * cols
    for axis in reversed(value.shape[:-2]):
        found.insert(0, size)
        size = size * axis
    return tuple(found)


def by_columns(value: Value | None) -> bool:
    """Whether a tensor of the contract lies column after column."""
    return value is not None and value.layout == "dn"


def check_contract(spec: Spec) -> None:
    """Raises PTG104 for `dn` tensors without columns and for outputs in `nz` that fractals do not hold."""
    for tensor in (*spec.inputs, *spec.outputs):
        if tensor.layout == "dn" and len(tensor.shape) < 2:
            keep(
                fault(
                    "PTG104",
                    f"`{tensor.name}` is `@ dn`, column after column, and has no columns",
                    tensor.type_span,
                    expected="two axes or more",
                    fix="leave `@ dn` out",
                ),
                tensor.name,
            )
    for output in spec.outputs:
        if output.layout != "nz" or output.inplace is not None:
            continue
        if DTYPES.get(output.dtype, 1) > 4:
            keep(
                fault(
                    "PTG104",
                    f"`{output.name}` is {output.dtype} @ nz, and fractals have elements of 1, 2 or 4 bytes",
                    output.type_span,
                    expected="a narrower dtype",
                    fix="leave `@ nz` out",
                ),
                output.name,
            )
        elif len(output.shape) < 2 or output.strides:
            keep(
                fault(
                    "PTG104",
                    f"`{output.name}` is `@ nz`, and no matrix that lies in one piece",
                    output.type_span,
                    expected="two axes or more, and no strides",
                    fix="leave `@ nz` out",
                ),
                output.name,
            )


def check(program: Program) -> None:
    """Raises PTG303 for an `nz` tensor that is not the right operand of matrix products, or whose depth is known only
    at run time."""
    packed = {value.name: value for value in program.inputs if value.layout == "nz"}
    for value in packed.values():
        if len(value.shape) < 2:
            raise _no_weight(value, "is no matrix", "two axes or more")
        if size := _run_time_size(program, value):
            what = "a depth that is" if len(value.shape) == 2 else "matrices whose size is"
            expected = "a matrix of static depth, or several of static size"
            fix = f"give `{size}` a number in `dims`, or leave `@ nz` out"
            raise _no_weight(value, f"has {what} known at run time only, `{size}`", expected, fix)
    for op in program.ops:
        for position, operand in enumerate(op.operands):
            if isinstance(operand, Value) and operand.name in packed and not _takes(op, position):
                raise _no_weight(packed[operand.name], "is used as something else", "a right operand of `matmul`")


def _run_time_size(program: Program, value: Value) -> str:
    """The dim that only a run tells and that the depth of a matrix hangs on, or the size of several matrices; "" where
    there is none."""
    dynamic = {dim.name for dim in program.dims if dim.value is None}
    axes = value.shape[:1] if len(value.shape) == 2 else value.shape[-2:]
    return min((symbol.name for axis in axes for symbol in axis.free_symbols if symbol.name in dynamic), default="")


def _takes(op: Op, position: int) -> bool:
    """Whether an operand may be packed: that of a product, or several matrices of which an index names some."""
    if op.kind == "index_select" and position == 0:
        return int(op.attrs["axis"]) < len(op.result.shape) - 2
    return op.kind == "by_hand" or (op.kind in PRODUCTS and position == 1)


def _no_weight(value: Value, what: str, expected: str, fix: str = "leave `@ nz` out") -> DiagnosticError:
    message = f"`{value.name}` is `@ nz`, the form of weights in memory, and {what}"
    return fault("PTG303", message, value.span, expected=expected, fix=fix)
