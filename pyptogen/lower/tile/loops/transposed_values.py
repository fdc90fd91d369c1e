"""Pass: a value that an iteration computes and reads transposed is transposed on chip.

before: e = exp(x_block);  e_t = view transpose(e);  s = matmul(e_t, e)
after:  e = exp(x_block);  e_t = turn(e);            s = matmul(e_t, e)

A row that is read as a column, or a column as a row, is transposed as well. A reshape of a reshape is one, so that a
column that is a row in between stays a column.

Outside of loops a reader of a transposed value meets it in GM, where a transposition is other strides. A loop is not
split for that. Where cube and vector cores are separate, what only products read lies in GM anyway, unless the cores
meet in fifos, which those of a recurrence always do.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.kernels.partition import defining_ops
from pyptogen.lower.tile.loops.levels import recurrent
from pyptogen.lower.tile.sizes.sizes import Selected, fifo_slots
from pyptogen.records import replace


def run(program: Program, platform: Platform, rows: Sequence[Selected]) -> Program:
    """The program with such values as operations; the program itself where there is none."""
    if not program.loops:
        return program
    program = _reshaped_once(program)
    defining = defining_ops(program)
    in_fifos = {op.stage for op in program.ops if any(fifo_slots(row.row, (op.stage,)) for row in rows)}
    recurrences = recurrent(program)

    single = {loop.block.name for loop in program.loops if loop.tile == 1}

    def transposed(op: Op) -> bool:
        if not op.loop or op.kind not in ("transpose", "reshape"):
            return False
        (source,) = op.operands
        assert isinstance(source, Value)
        maker = defining.get(root(source.name, defining))
        if maker is None or maker.loop != op.loop:
            return False
        if op.kind == "reshape" and not (
            _exchanges(source, op.result, maker.result, single) and _is_computed_with(program, op.result)
        ):
            return False
        readers = [o for o in program.ops if any(_is(v, op.result) for v in o.operands)]
        on_chip = platform.unified or op.stage in in_fifos or op.loop in recurrences or maker.kind == "carry"
        return on_chip or not all(reader.kind in PRODUCTS for reader in readers)

    ops = tuple(replace(op, kind="tile_transpose") if transposed(op) else op for op in program.ops)
    return program if ops == program.ops else replace(program, ops=ops)


def _reshaped_once(program: Program) -> Program:
    """The program with each reshape in an iteration that of what the iteration computes, or reads, in its first
    shape."""
    defining: dict[str, Op] = {}
    for op in program.ops:
        source = op.operands[0] if op.kind == "reshape" and op.loop and not op.attrs.get("renames") else None
        before = defining.get(source.name) if isinstance(source, Value) else None
        if before is not None and before.kind == "reshape" and before.loop == op.loop and "renames" not in before.attrs:
            op = replace(op, operands=before.operands)
        defining[op.result.name] = op
    return replace(program, ops=tuple(defining.values()))


def _is_computed_with(program: Program, value: Value) -> bool:
    """Whether an operation of the iteration computes with a value, or with a view of it."""
    readers = [op for op in program.ops if op.loop and any(_is(v, value) for v in op.operands)]
    return any(op.kind not in VIEWS or _is_computed_with(program, op.result) for op in readers)


def _exchanges(source: Value, result: Value, made: Value, single: Set[str]) -> bool:
    """Whether a reshape makes a column of a row, or a row of a column; also one that drops the axis of size 1, or adds
    it, where the value was made with it, or without it. ``single``: dims of blocks of one element."""

    def wide(size: Any) -> bool:
        return size != 1 and str(size) not in single

    before, after = source.shape, result.shape
    if len(after) > 1 and after[-1] == 1 and after[-2] == before[-1]:
        return wide(before[-1]) and bool(made.shape[-1] == before[-1])
    if len(before) > 1 and before[-1] == 1 and after and after[-1] == before[-2]:
        return wide(after[-1]) and bool(made.shape[-1] == 1)
    return False


def _is(operand: object, value: Value) -> bool:
    return isinstance(operand, Value) and operand.name == value.name
