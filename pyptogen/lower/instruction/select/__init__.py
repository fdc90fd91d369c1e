"""Block level → PTO instructions.

before: y = mul(x: full, s: col)            acc = matmul(a, b) first in k0
after:  TROWEXPANDMUL(y, x, s)              k0 == 0 ? TMATMUL(acc, a, b) : TMATMUL_ACC(acc, acc, a, b)

One handler a class of tile operations, by family: `elementwise`, `transfers` (between memories), `fifos` (between the
cores of a mixed kernel), `products` (the matrix unit), `sorting`. `selector` declares the tiles that they name.
"""

from __future__ import annotations

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.instruction.declare import place_declarations
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.instruction.select import elementwise, fifos, packed, products, sorting, transfers
from pyptogen.lower.instruction.select.selector import Handlers, Selector
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Program

HANDLERS: Handlers = {
    **elementwise.HANDLERS,
    **transfers.HANDLERS,
    **fifos.HANDLERS,
    **products.HANDLERS,
    **sorting.HANDLERS,
}
"""What the operations of each class become."""


def run(kernel: BlockKernel, program: Program, platform: Platform) -> InstrKernel:
    """Select the instructions of one kernel (flags and barriers come in `synchronise`)."""
    selector = Selector(kernel, platform, HANDLERS, {dim.name: dim.multiple_of for dim in program.dims})
    body = selector.body(kernel.body)
    tile = kernel.tile
    attrs = {a.name: a.dtype for a in program.attrs}
    return InstrKernel(
        tile.name, tile.core, platform.name, tile.stages,
        tuple(packed.in_memory(selector.tensors[n]) for n in tile.writes),
        tuple(packed.in_memory(selector.tensors[n]) for n in tile.reads),
        tuple((n, attrs[n]) for n in tile.scalars), tile.arguments, tile.launch_dim, tile.dims,
        place_declarations(body, selector.declared), tuple(sorted(kernel.occupancy().items())), tile.span, tile.fifos,
        tile.subblock,
    )  # fmt: skip


__all__ = ["HANDLERS", "run"]
