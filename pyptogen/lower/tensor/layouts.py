"""Refuses physical layouts where nothing reads or writes them: they are never ignored."""

from __future__ import annotations

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.schema import Spec

_PRODUCTS = frozenset({"matmul", "batch_matmul"})


def check_contract(spec: Spec) -> None:
    """Raises PTG109 for `dn` tensors and for outputs in `nz`."""
    for tensor in (*spec.inputs, *(output for output in spec.outputs if output.inplace is None)):
        if tensor.layout == "dn":
            raise fault(
                "PTG109",
                f"`{tensor.name}` is `@ dn`, and column-major tensors are not supported yet",
                tensor.type_span,
                expected="`nd`, or `nz` for a weight",
                fix="give the tensor with its axes the other way round, and transpose it in the graph (`x.T`)",
            )
    for output in spec.outputs:
        if output.layout == "nz" and output.inplace is None:
            raise fault(
                "PTG109",
                f"the output `{output.name}` is `@ nz`, and kernels only read that layout yet",
                output.type_span,
                expected="`nd`",
            )


def check(program: Program) -> None:
    """Raises PTG303 for an `nz` tensor that is not the right operand of matrix products, or whose depth is known only
    at run time."""
    packed = {value.name: value for value in program.inputs if value.layout == "nz"}
    for value in packed.values():
        if len(value.shape) < 2 or _of_run_time_size(program, value):
            raise _no_weight(value, value.name, "a matrix of static depth, or several of static size")
    for op in program.ops:
        for position, operand in enumerate(op.operands):
            if isinstance(operand, Value) and operand.name in packed and not _takes(op, position):
                raise _no_weight(packed[operand.name], operand.name, "a right operand of `matmul`")


def _of_run_time_size(program: Program, value: Value) -> bool:
    """Whether the depth of a matrix is known only at run time; of several matrices, whether one's size is."""
    dynamic = {dim.name for dim in program.dims if dim.value is None}
    axes = value.shape[:1] if len(value.shape) == 2 else value.shape[-2:]
    return any(symbol.name in dynamic for axis in axes for symbol in axis.free_symbols)


def _takes(op: Op, position: int) -> bool:
    return op.kind == "by_hand" or (op.kind in _PRODUCTS and position == 1)


def _no_weight(value: Value, name: str, expected: str) -> DiagnosticError:
    return fault(
        "PTG303",
        f"`{name}` is `@ nz`, the form of weights in memory, and is used as something else",
        value.span,
        expected=expected,
        fix="leave `@ nz` out",
    )
