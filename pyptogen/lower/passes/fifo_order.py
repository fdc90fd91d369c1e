"""Whether the two programs of a mixed kernel go together, before they are instructions.

A program that begins the next iteration early waits for other fifos first. Where the cube core needs what the vector
core pushes behind, both would wait for each other. `instruction.side_by_side` proves the same of what is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.fifos import Event, Outline, Round, first_fault
from pyptogen.lower.tile.ir import Loop, Node, TileKernel
from pyptogen.lower.tile.ops import Free, Load, Pop, Push


def go_together(cube: TileKernel, vector: TileKernel) -> bool:
    """Whether neither program waits for ever, for all small trip counts."""
    slots = tuple((fifo.name, fifo.slots) for fifo in cube.fifos)
    return first_fault(_outline(cube.body, ""), _outline(vector.body, ""), slots) is None


def _outline(nodes: Sequence[Node], around: str) -> Outline:
    """What a body does to fifos; ``around``: the variable of its loop."""
    found: list[Event | Round] = []
    for node in nodes:
        if isinstance(node, Loop):
            body = _outline(node.body, node.var)
            once: Literal["", "this", "next"] = ""
            if node.once:
                once = "this" if node.start == Poly.of(around) else "next"
            staged = any(isinstance(inner, Loop) and inner.once for inner in node.body)
            found += [Round(body, once, staged)] if body else []
        elif isinstance(node, Push):
            found += [("claim", node.fifo), ("fill", node.fifo)]
        elif isinstance(node, Pop | Free):
            found.append((node.mnemonic, node.fifo))
        elif isinstance(node, Load) and node.fifo is not None:
            found.append(("load", node.fifo))
    return tuple(found)
