"""The matrix unit: moves to its operand memories, products, and results on their way to vector tiles."""

from __future__ import annotations

from pyptogen.lower.expr import ZERO
from pyptogen.lower.instruction.ir import Choose, Node
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.tile.ops import Extract, Matmul, Move


def move(sel: Selector, op: Move) -> list[Node]:
    source = sel.tiles[str(op.srcs[0])]
    if sel.memory[source.owner] == "l1":  # of rows of a matrix, which are no run of bytes, it takes a part as well
        dst, src = sel.use(str(op.dst)), sel.use(source.owner)
        row, col = (ZERO, op.depth) if op.role == "a" else (op.depth, ZERO)
        return [sel.instr(op, "TEXTRACT", dst, src, row + source.row_offset, col)]
    return [sel.instr(op, "TMOV", sel.use(str(op.dst)), sel.use(source.name))]


def extract(sel: Selector, op: Extract) -> list[Node]:
    return [sel.instr(op, "TEXTRACT", sel.use(str(op.dst)), sel.use(str(op.srcs[0])), op.row, ZERO)]


def matmul(sel: Selector, op: Matmul) -> list[Node]:
    acc, left, right, *scales = (sel.use(str(tile)) for tile in (op.dst, *op.srcs))
    plain = ("TMATMUL", "TMATMUL_ACC", left, right)
    name, added, *operands = ("TMATMUL_MX", "TMATMUL_MX", left, scales[0], right, scales[1]) if scales else plain
    fresh = sel.instr(op, name, acc, *operands)
    if not op.first:
        return [fresh]
    return [Choose(" + ".join(op.first), fresh, sel.instr(op, added, acc, acc, *operands), op.span)]


HANDLERS: Handlers = {Move: move, Extract: extract, Matmul: matmul}
