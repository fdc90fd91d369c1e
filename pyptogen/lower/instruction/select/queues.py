"""Rings between the cube and the vector core of a mixed kernel."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.instruction.ir import Node, Queue
from pyptogen.lower.instruction.select.selector import Handler, Selector
from pyptogen.lower.tile.ir import TileOp


def push(sel: Selector, op: TileOp) -> list[Node]:
    """With the row of the slot from which a vector core's share of the tile lies, where two share it."""
    first = (op.row,) if sel.shared else ()
    return [sel.instr(op, "TPUSH", Queue(str(op.fifo)), sel.use(str(op.srcs[0])), *first)]


def pop(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TPOP", Queue(str(op.fifo)))]


def free(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TFREE", Queue(str(op.fifo)))]


HANDLERS: Mapping[str, Handler] = {"push": push, "pop": pop, "free": free}
