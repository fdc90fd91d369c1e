"""Vector instructions walked together: one pass over a tile instead of one for each instruction (platforms with
`vector_passes`). See `form`."""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.instruction.declare import place_declarations
from pyptogen.lower.instruction.ir import InstrKernel, Pass, declarations, walk
from pyptogen.lower.instruction.passes import ahead, form
from pyptogen.lower.instruction.passes.replan import apart, replan
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.verify import require


def run(kernel: InstrKernel) -> InstrKernel:
    """The kernel with its passes, and memory for just the tiles that are left; as it was where these find no room: what
    a pass moves together lives longer.

    Raises:
        IllegalIR: a pass whose members may not walk in step at the addresses found.
    """
    tiles = apart(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    packed = replan(body, tiles, PLATFORMS[kernel.platform].memories["ub"])
    if packed is None:
        return kernel
    moved, used = packed
    for node in walk(body):
        if isinstance(node, Pass):
            require(form.is_legal(node, moved), "the members of a pass touch each other's elements", node.span)
    occupancy = tuple((name, used if name == "ub" else size) for name, size in kernel.occupancy)
    return replace(kernel, body=ahead.run(place_declarations(body, moved)), occupancy=occupancy)


__all__ = ["run"]
