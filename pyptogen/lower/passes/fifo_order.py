"""Whether the two programs of a mixed kernel go together, before they are instructions.

A program that begins the next iteration early waits for other fifos first. Where the cube core needs what the vector
core pushes behind, both would wait for each other. `instruction.side_by_side` proves the same of what is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.instruction.fifos import Event, Iterations, Outline, first_fault
from pyptogen.lower.tile.ir import Loop, Node, TileKernel, parts_of_tile
from pyptogen.lower.tile.ops import Free, Load, Pop, Push


def go_together(cube: TileKernel, vector: TileKernel) -> bool:
    """Whether neither program waits for ever, for all small trip counts."""
    slots = tuple((fifo.name, fifo.slots) for fifo in cube.fifos)
    return first_fault(_outline(cube.body, "", {}), _outline(vector.body, "", {}), slots) is None


def _outline(nodes: Sequence[Node], around: str, tiles: Mapping[str, int]) -> Outline:
    """What a body does to fifos; ``around``: the variable of its loop. ``tiles``: sizes by their valid extents."""
    found: list[Event | Iterations] = []
    for node in nodes:
        if isinstance(node, Loop):
            inside = {**tiles, **({node.valid: node.tile} if node.valid is not None else {})}
            body = _outline(node.body, node.var, inside)
            ahead = _ahead(node, around) if node.once else None
            most = parts_of_tile(node.start, node.stop, node.tile, tiles)
            stages = [_ahead(inner, node.var) for inner in node.body if isinstance(inner, Loop) and inner.once]
            found += [Iterations(body, ahead, max(stages, default=0), most)] if body else []
        elif isinstance(node, Push):
            found += [("claim", node.fifo), ("fill", node.fifo)]
        elif isinstance(node, Pop | Free):
            found.append((node.mnemonic, node.fifo))
        elif isinstance(node, Load) and node.fifo is not None:
            found.append(("load", node.fifo))
    return tuple(found)


def _ahead(stage: Loop, around: str) -> int:
    """How many iterations the work of a stage is ahead of the loop over ``around``."""
    return ((stage.start - around).constant or 0) // stage.tile
