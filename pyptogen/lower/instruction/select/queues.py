"""Rings between the cube and the vector core of a mixed kernel."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.instruction.ir import Node, Queue
from pyptogen.lower.instruction.select.selector import Handler, Selector
from pyptogen.lower.tile.ir import TileOp


def push(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TPUSH", Queue(str(op.fifo)), sel.use(str(op.srcs[0])))]


def pop(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TPOP", Queue(str(op.fifo)))]


def free(sel: Selector, op: TileOp) -> list[Node]:
    return [sel.instr(op, "TFREE", Queue(str(op.fifo)))]


HANDLERS: Mapping[str, Handler] = {"push": push, "pop": pop, "free": free}
