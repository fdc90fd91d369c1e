"""Pass: a value that a round computes and reads transposed is turned on chip.

before: e = exp(x_block);  e_t = view transpose(e);  s = matmul(e_t, e)
after:  e = exp(x_block);  e_t = turn(e);            s = matmul(e_t, e)

A row that is read as a column, or a column as a row, is turned as well.

Outside of loops a reader of a transposed value meets it in GM, where a transposition is other strides. A loop is not
taken apart for that. Where cube and vector cores are apart, what only products read lies in GM anyway, unless the cores
meet in rings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import PRODUCTS, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.kernels.partition import producers
from pyptogen.lower.tile.sizes.sizes import Selected, ring_slots


def run(program: Program, platform: Platform, rows: Sequence[Selected]) -> Program:
    """The program with such values as operations; the program itself where there is none."""
    if not program.loops:
        return program
    made_by = producers(program)
    in_rings = {op.stage for op in program.ops if any(ring_slots(row.row, (op.stage,)) for row in rows)}

    def turned(op: Op) -> bool:
        if not op.loop or not _transposes(op):
            return False
        (source,) = op.operands
        assert isinstance(source, Value)
        maker = made_by.get(root(source.name, made_by))
        if maker is None or maker.loop != op.loop:
            return False
        readers = [o for o in program.ops if any(_is(v, op.result) for v in o.operands)]
        met_in_gm = not platform.unified and op.stage not in in_rings and maker.kind != "carry"
        return not (met_in_gm and all(reader.kind in PRODUCTS for reader in readers))

    ops = tuple(replace(op, kind="turn") if turned(op) else op for op in program.ops)
    return program if ops == program.ops else replace(program, ops=ops)


def _transposes(op: Op) -> bool:
    """Whether a view exchanges rows and columns: as a transposition, or as a reshape of a row to a column or of a
    column to a row."""
    if op.kind != "reshape":
        return op.kind == "transpose"
    (source,) = op.operands
    assert isinstance(source, Value)
    before, after = source.shape, op.result.shape
    ends = len(before) == len(after) > 1 and before[:-2] == after[:-2] and before[-2:] == after[:-3:-1]
    return ends and 1 in before[-2:] and before[-2:] != after[-2:]


def _is(operand: object, value: Value) -> bool:
    return isinstance(operand, Value) and operand.name == value.name
