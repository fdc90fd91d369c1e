"""Loads to the front of their loop body, in their order.

before: a = load; b = exp(a); c = load; d = b + c
after:  a = load; c = load; b = exp(a); d = b + c

On platforms whose pipes run apart, the loads of an iteration then run together ahead of its vector work, and one flag
orders them all. What comes through a ring stays where it is popped. Costs the live range of what is loaded earlier, so
the pipeline falls back where memory is short.
"""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp

LOADS = frozenset({"load", "load_rows", "read_index"})


def _front(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    inner: list[Node] = [replace(n, body=_front(n.body)) if isinstance(n, Loop) else n for n in nodes]
    loads = [n for n in inner if isinstance(n, TileOp) and n.kind in LOADS and n.fifo is None]
    return (*loads, *(n for n in inner if n not in loads))


def run(kernel: TileKernel) -> TileKernel:
    """Reorder one kernel."""
    return replace(kernel, body=_front(kernel.body))
