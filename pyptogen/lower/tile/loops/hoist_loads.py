"""Loads to the front of their loop body, in their order.

before: a = load; b = exp(a); c = load; d = b + c
after:  a = load; c = load; b = exp(a); d = b + c

On platforms whose pipes are asynchronous, the loads of an iteration then run together ahead of its vector work, and one
flag orders them all. What comes through a fifo stays where it is popped, and what the body stored before is loaded
behind that. Costs the live range of what is loaded earlier, so the pipeline falls back where memory is short.
"""

from __future__ import annotations

from pyptogen.lower.tile.ir import Loop, Node, TileKernel, TileOp, walk
from pyptogen.lower.tile.ops import GatherRows, Load, ReadIndex, ScatterRows, Store
from pyptogen.records import replace


def _front(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    inner: list[Node] = [replace(n, body=_front(n.body)) if isinstance(n, Loop) else n for n in nodes]
    loads: list[Node] = []
    others: list[Node] = []
    written: set[str] = set()
    for node in inner:
        free = _is_free(node) and written.isdisjoint(_tensors(node))
        (loads if free else others).append(node)
        written |= {name for op in walk([node]) if isinstance(op, Store | ScatterRows) for name in _tensors(op)}
    return (*loads, *others)


def _is_free(node: Node) -> bool:
    """Whether a node loads from a tensor, not from a fifo."""
    return isinstance(node, GatherRows | ReadIndex) or (isinstance(node, Load) and node.fifo is None)


def _tensors(node: Node) -> set[str]:
    """What an operation reads or writes in GM."""
    names = (node.window.tensor if node.window else None, node.index_tensor) if isinstance(node, TileOp) else ()
    return {name for name in names if name is not None}


def run(kernel: TileKernel) -> TileKernel:
    """Reorder one kernel."""
    return replace(kernel, body=_front(kernel.body))
