"""Operations that are a kernel of their own: they read and write GM in an order that no tile of a neighbour has.

before: y = gather(x: [n], 0, index: [t])
after:  for t0: here = read index[t0]; load x[here]; store y[t0]

The compiler chooses their tiles. Afterwards they are tile kernels like all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Op, Program
from pyptogen.lower.tile.ir import GmTensor, TileKernel
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.standalone import indexed
from pyptogen.lower.tile.standalone.builder import StandaloneBuilder
from pyptogen.lower.tile.standalone.needed import Standalone, longest_rows

CUTTERS: Mapping[str, Callable[[StandaloneBuilder, Op], None]] = {
    **indexed.CUTTERS,
}


def run(
    program: Program,
    kernel: KernelOps,
    tensors: Mapping[str, GmTensor],
    gm_names: Mapping[str, str],
    platform: Platform,
) -> TileKernel:
    """The kernel of one operation, with the elementwise work that leads to it, or of several that are made together.

    Raises:
        DiagnosticError: PTG303, a form of it that is not lowered.
    """
    op = next(op for op in kernel.ops if op.kind in CUTTERS)
    builder = StandaloneBuilder(program, kernel, op, tensors, gm_names, platform)
    CUTTERS[op.kind](builder, op)
    return builder.finish()


__all__ = ["CUTTERS", "Standalone", "longest_rows", "run"]
