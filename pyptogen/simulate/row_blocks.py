"""Finds runs of operations that may be computed block of rows by block of rows: each row of a result needs
only the same row of the operands. The interpreter uses it to run large inputs in little memory."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.ir import ARG_REDUCE, INDEXED, LOOP, REDUCE, SCAN, SORTING, Loop, Op, Program, Value
from pyptogen.records import dataclass, replace

_WHOLE = (
    INDEXED
    | SORTING
    | LOOP
    | {"collected", "either", "scatter_update", "full", "permute", "expand", "batch_matmul", "matmul_mx", "by_hand"}
)
"""Primitives that the interpreter runs on whole tensors."""


@dataclass(frozen=True, slots=True)
class RowBlockRun:
    """Operations in order. ``rows`` is the size of their common leading axis, or None where they are not
    row-wise; ``batched`` names the values that have it."""

    ops: tuple[Op, ...]
    rows: Any
    batched: frozenset[str]
    loop: Loop | None = None
    """The loop that ``ops`` are the inside of."""


def row_block_runs(program: Program) -> list[RowBlockRun]:
    """The program cut into row-wise runs and single other operations, in order but for those that no row reaches
    (weights being cast or reshaped): they move before the run in whose middle they stand."""
    dynamic = {dim.name for dim in program.dims if dim.dynamic}
    sometimes = {stage.name for stage in program.stages if stage.condition is not None}
    found: list[RowBlockRun] = []
    run: list[Op] = []
    rows: Any = None
    for op in program.ops:
        if op.loop:
            found += [_as_run(run, rows)] if run else []
            run = []
            _into_loop(found, op, program)
            continue
        size = _leading(op.result)
        rowwise = size is not None and size.name in dynamic and _is_rowwise(op, size)
        if run and op.stage != run[-1].stage and {op.stage, run[-1].stage} & sometimes:
            found.append(_as_run(run, rows))
            run = []
        if rowwise and (not run or size == rows):
            rows = size
            run.append(op)
            continue
        if run and (rowwise or _is_reached(op, rows)):
            found.append(_as_run(run, rows))
            run = []
        if rowwise:
            rows, run = size, [op]
        else:
            found.append(RowBlockRun((op,), None, frozenset()))
    if run:
        found.append(_as_run(run, rows))
    return found


def _into_loop(found: list[RowBlockRun], op: Op, program: Program) -> None:
    last = found[-1] if found else None
    if last is not None and last.loop is not None and last.loop.name == op.loop:
        found[-1] = replace(last, ops=(*last.ops, op))
    else:
        loop = next(loop for loop in program.loops if loop.name == op.loop)
        found.append(RowBlockRun((op,), None, frozenset(), loop))


def _is_reached(op: Op, rows: Any) -> bool:
    """Whether the operation needs a value that has rows."""
    tensors = [operand for operand in op.operands if isinstance(operand, Value)]
    return any(rows in size.free_symbols for value in tensors for size in value.shape)


def _as_run(run: list[Op], rows: Any) -> RowBlockRun:
    values = [value for op in run for value in (*op.operands, op.result) if isinstance(value, Value)]
    return RowBlockRun(tuple(run), rows, frozenset(value.name for value in values if _leading(value) == rows))


def _leading(value: Value) -> Any:
    """The leading axis where it is a dim of its own and stands nowhere else in the shape."""
    if not value.shape or not isinstance(value.shape[0], sympy.Symbol):
        return None
    first = value.shape[0]
    return None if any(first in size.free_symbols for size in value.shape[1:]) else first


def _is_rowwise(op: Op, rows: Any) -> bool:
    tensors = [operand for operand in op.operands if isinstance(operand, Value)]
    batched = [_leading(value) == rows for value in tensors]
    if any(not b and any(rows in size.free_symbols for size in v.shape) for v, b in zip(tensors, batched, strict=True)):
        return False
    if op.kind in _WHOLE or not any(batched):
        return False
    if op.kind in REDUCE | ARG_REDUCE | SCAN or op.kind in {"prod", "slice", "concat", "unfold"}:
        return op.attrs["axis"] != 0 and all(batched)
    if op.kind == "transpose":
        return len(op.result.shape) > 2
    if op.kind == "matmul":
        return batched == [True, False]
    return True
