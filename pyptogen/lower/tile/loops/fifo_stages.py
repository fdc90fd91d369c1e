"""What of a body waits for the other core, and what can be done before: the stages that a software pipeline, or the
fission of a loop, is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pyptogen.lower.tile.ir import Node, walk
from pyptogen.lower.tile.ops import Pop, Push

Owned = Callable[[Iterable[str]], set[str]]
"""The tiles that have the data of those that are named."""


def written(nodes: Sequence[Node]) -> set[str]:
    """The tiles that nodes write."""
    return {name for op in walk(nodes) for name in op.written}


def accessed(nodes: Sequence[Node]) -> set[str]:
    """The tiles that nodes read or write."""
    return {name for op in walk(nodes) for name in op.tiles}


def before_first_pop(body: Sequence[Node]) -> int:
    """Of a cube program: how many nodes lead to the pushes ahead of its first pop; 0 if there are none."""
    first = next((i for i, node in enumerate(body) if has(node, Pop)), 0)
    return max((i + 1 for i, node in enumerate(body[:first]) if has(node, Push)), default=0)


def late_pop(body: Sequence[Node]) -> int | None:
    """Of a vector program: the place of the first pop behind a push, which waits for what is made of that."""
    pushed = next((i for i, node in enumerate(body) if has(node, Push)), len(body))
    return next((i for i in range(pushed + 1, len(body)) if has(body[i], Pop)), None)


def following(body: Sequence[Node], late: int, owned: Owned) -> set[int]:
    """The places of the pop at ``late``, its load and its free, and of all that reads what follows from them."""
    fifos = {op.fifo for op in walk([body[late]]) if isinstance(op, Pop)}
    found, made = {late}, owned(written([body[late]]))
    for i in range(late + 1, len(body)):
        ops = walk([body[i]])
        of_fifo = any(getattr(op, "fifo", None) in fifos for op in ops)
        if of_fifo or owned({name for op in ops for name in op.operands}) & made:
            found.add(i)
            made |= owned(written([body[i]]))
    return found


def ahead_of(body: Sequence[Node], late: int, behind: set[int], owned: Owned) -> tuple[list[int], list[int]]:
    """The places before ``late`` that write what the part ``behind`` works on, and all others."""
    tiles = owned(accessed([body[i] for i in behind]))
    first = [i for i in range(late) if i not in behind and owned(written([body[i]])) & tiles]
    return first, [i for i in range(len(body)) if i not in behind and i not in first]


def has(node: Node, kind: type[Pop] | type[Push]) -> bool:
    """Whether a node is, or has in it, an operation of a class."""
    return any(isinstance(op, kind) for op in walk([node]))
