"""Blocks of loops that no tiling row cuts: shorter where a kernel does not fit.

before: attention over kv by 512                     L0B overflows on a2a3: 512 keys of 128 fp32
after:  attention over kv by 128

All kernels of a loop take the same blocks, because what crosses between them lies iteration by iteration in GM.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.sizes.variants import Part
from pyptogen.records import replace

SHORTEST = 16
"""Keys, or whatever a loop is over: one fractal."""


def run(program: Program, unfit: Sequence[Part]) -> Program | None:
    """The program with blocks half as long in the loops of the kernels that do not fit, or None where no block may be
    shorter: the spec names its length, or it is short already."""
    names = {op.loop for part in unfit for op in part.ops.ops}
    named = {loop.name for loop in program.loops for part in unfit if loop.over in part.sizes.get(loop.stage, {})}
    halved = tuple(
        replace(loop, tile=loop.tile // 2)
        if loop.name in names - named and not loop.fixed and loop.tile >= 2 * SHORTEST and loop.tile % 2 == 0
        else loop
        for loop in program.loops
    )
    return None if halved == program.loops else replace(program, loops=halved)
