"""Slices that an index names, read where they lie.

before: w_b = index_select(w, 0, group); y = batch_matmul(rows, w_b)
after:  w_b = gathered(w, 0, group); y = batch_matmul(rows, w_b)

Products read each slice where the index finds it, and so does the work of a loop's iterations, which has no copy. The
index runs along an axis other than the last one, so that what it names are runs of elements. What cannot be read so
when the kernels are cut (``copied``) is a copy, as everything else is that an index names; so are slices of a tensor
whose rows are updated later on.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.fit import reorder
from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import BINARY, PRODUCTS, REDUCE, UNARY, VIEWS, Op, Program, Value
from pyptogen.lower.tensor.views import root

_IN_ROUNDS = PRODUCTS | UNARY | BINARY | REDUCE | {"cast", "where"}


def index_select(f: Fitter, op: Op) -> Value:
    """A view where it can be one."""
    runs = int(op.attrs["axis"]) < len(op.result.shape) - 1 and op.result.dtype != "bool"
    readers = _IN_ROUNDS if op.loop else PRODUCTS
    in_place = runs and op.result.name not in f.copied and _is_read_by(readers, f.program, op.result.name)
    in_place = in_place and (bool(op.loop) or not _is_updated(f.program, op))
    operands = [f.operand(operand) for operand in op.operands]
    return f.emit(
        "gathered" if in_place else "index_select", operands, op.result.dtype, op.result.shape, attrs=op.attrs
    )


def _is_read_by(kinds: frozenset[str], program: Program, name: str) -> bool:
    """Whether operations of these kinds are all that reads a value, perhaps through views, and it is no output."""
    if any(value.name == name for _, value in program.outputs):
        return False
    readers = [op for op in program.ops if any(isinstance(v, Value) and v.name == name for v in op.operands)]
    return all(
        op.kind in kinds
        or (op.kind in VIEWS - {"collected"} and _is_read_by(kinds, program, op.result.name))
        or (reorder.is_free(program, op) and _is_read_by(kinds, program, op.result.name))
        for op in readers
    )


def _is_updated(program: Program, op: Op) -> bool:
    """Whether rows of what the slices are part of change in place: readers that come later would see the new ones."""
    defining = {other.result.name: other for other in program.ops}
    changing = (op, *(other for other in program.ops if other.kind == "scatter_update"))
    slices, *updated = [
        root(x.name, defining) for x in (other.operands[0] for other in changing) if isinstance(x, Value)
    ]
    return slices in updated


RULES: Mapping[str, Rule] = {"index_select": index_select}
