"""Vector instructions walked together: one pass over a tile instead of one for each instruction (platforms with
`vector_passes`). See `windows` and `form`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from pyptogen.lower.instruction.declare import place_declarations, used_tiles
from pyptogen.lower.instruction.ir import Declare, InstrKernel, Node, Pass, declarations, walk
from pyptogen.lower.instruction.passes import ahead, form, interleave, windows
from pyptogen.lower.instruction.passes.replan import disjoint, extents, replan
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.verify import require
from pyptogen.records import replace


def run(kernel: InstrKernel, placed: bool = False) -> InstrKernel:
    """The kernel with its passes, and memory for just the tiles that are left; as it was where these find no room: what
    a pass moves together lives longer. ``placed``: its author gave the addresses, which stay.

    Raises:
        IllegalIR: a pass whose members may not walk in step at the addresses found.
    """
    if placed:
        return _at_given_addresses(kernel)
    body, tiles = windows.run(kernel.body, declarations(kernel))
    tiles = disjoint(tiles)
    body = form.Former(tiles, body).body(body)
    packed = replan(body, tiles, PLATFORMS[kernel.platform].memories["ub"])
    return kernel if packed is None else _finished(kernel, body, *packed)


def _at_given_addresses(kernel: InstrKernel) -> InstrKernel:
    """The kernel with its passes; as it was where its buffers share memory, as what is written through one of them may
    be read through another."""
    tiles = declarations(kernel)
    given = extents(tiles)
    if any(begin < end for (_, end), (begin, _) in pairwise(sorted(given.values()))):
        return kernel
    body = form.Former(tiles, kernel.body).body(kernel.body)
    left = {tiles[name].owner for name in used_tiles(body)}
    used = max((end for owner, (_, end) in given.items() if owner in left), default=0)
    return _finished(kernel, body, tiles, used)


def _finished(kernel: InstrKernel, body: tuple[Node, ...], tiles: Mapping[str, Declare], used: int) -> InstrKernel:
    """The kernel with this body, whose passes are proved, and ``used`` bytes of UB."""
    for node in walk(body):
        if isinstance(node, Pass):
            require(form.is_legal(node, tiles), "the members of a pass access each other's elements", node.span)
    occupancy = tuple((name, used if name == "ub" else size) for name, size in kernel.occupancy)
    return replace(kernel, body=interleave.run(ahead.run(place_declarations(body, tiles))), occupancy=occupancy)


__all__ = ["run"]
