"""Fifos between the cube and the vector core of a mixed kernel."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import FifoRef, Node
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.tile.ops import Free, Pop, Push


def push(sel: Selector, op: Push) -> list[Node]:
    """With the row of the slot from which a vector core's share of the tile lies, where two share it."""
    first = (op.row,) if sel.shared else ()
    return [sel.instr(op, "TPUSH", FifoRef(op.fifo), sel.use(str(op.srcs[0])), *first)]


def pop(sel: Selector, op: Pop) -> list[Node]:
    return [sel.instr(op, "TPOP", FifoRef(op.fifo))]


def free(sel: Selector, op: Free) -> list[Node]:
    return [sel.instr(op, "TFREE", FifoRef(op.fifo))]


HANDLERS: Handlers = {Push: push, Pop: pop, Free: free}
