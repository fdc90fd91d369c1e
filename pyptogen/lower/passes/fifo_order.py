"""Whether the two programs of a mixed kernel go together, before they are instructions.

A program that begins the next iteration early waits for other fifos first. Where the cube core needs what the vector
core pushes behind, both would wait for each other. `instruction.side_by_side` proves the same of what is built.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.fifos import Event, together
from pyptogen.lower.tile.ir import Loop, Node, TileKernel
from pyptogen.lower.tile.ops import Free, Load, Pop, Push


def go_together(cube: TileKernel, vector: TileKernel) -> bool:
    """Whether neither program waits for ever, for all small trip counts."""
    slots = {fifo.name: fifo.slots for fifo in cube.fifos}
    counts = range(max(slots.values(), default=0) + 3)
    return not any(
        together(_events(cube, trips, inner), _events(vector, trips, inner), slots)
        for trips in counts
        for inner in (counts if trips else (0,))
    )


def _events(kernel: TileKernel, trips: int, inner: int) -> list[Event]:
    """What a program does to its fifos, with ``trips`` iterations of outer loops and ``inner`` ones of loops within."""
    found: list[Event] = []

    def play(nodes: Sequence[Node], outermost: bool, turn: tuple[str, int, int]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                count = _trips(node, trips if outermost else inner, turn)
                for n in range(count):
                    play(node.body, False, (node.var, n, count))
            elif isinstance(node, Push):
                found.extend((("claim", node.fifo), ("fill", node.fifo)))
            elif isinstance(node, Pop | Free):
                found.append((node.mnemonic, node.fifo))
            elif isinstance(node, Load) and node.fifo is not None:
                found.append(("load", node.fifo))

    play(kernel.body, True, ("", 0, 1))
    return found


def _trips(loop: Loop, trips: int, turn: tuple[str, int, int]) -> int:
    """Iterations of a loop, in iteration ``turn`` of the loop around it (its variable, the number, how many). A loop in
    stages has one more; a stage of this iteration is left out in the first, one of the next iteration in the last."""
    if loop.once:
        around, n, count = turn
        return int(n > 0 if loop.start == Poly.of(around) else n + 1 < count)
    return trips + any(isinstance(inner, Loop) and inner.once for inner in loop.body)
