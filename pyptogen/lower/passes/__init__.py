"""Every pass of the compiler, in order: what lowering runs, what `--dump-ir` shows, what `pyptogen opt` tries.

Reading a spec makes the program of the Tensor level (`tensor.reading`); `prepared` gives it the form that all
platforms share. From there on the passes are a list.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.passes.block import BLOCK, STEPS
from pyptogen.lower.passes.execution import LAUNCHES, PRIORITIES
from pyptogen.lower.passes.instruction import INSTRUCTION, WIDTHS
from pyptogen.lower.passes.state import Level, Pass, Programs, State
from pyptogen.lower.passes.tensor import TENSOR, prepared
from pyptogen.lower.passes.tile import TILE
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile import verify as tile_verify
from pyptogen.lower.tile.ir import TileKernel

PASSES: tuple[Pass, ...] = (*TENSOR, *TILE, *BLOCK, *LAUNCHES, *INSTRUCTION, *PRIORITIES, *WIDTHS)

ON_TEXT: Mapping[str, Pass] = {one.name: one for one in (*PASSES, *STEPS) if one.on_text is not None}
"""Those that can be tried on the text of a kernel, by name."""


def run_on_text(kernels: list[TileKernel], names: list[str], platform: Platform) -> list[TileKernel]:
    """The kernels after some passes, each of which leaves a legal program.

    Raises:
        IllegalIR: the kernels, or what a pass made of them, break a rule of the level.
        DiagnosticError: PTG302, PTG303, as the pass says.
    """
    tile_verify.verify(kernels)
    for name in names:
        run = ON_TEXT[name].on_text
        assert run is not None
        kernels = [made for kernel in kernels for made in run(kernel, platform)]
        tile_verify.verify(kernels)
    return kernels


__all__ = ["ON_TEXT", "PASSES", "Level", "Pass", "Programs", "State", "prepared", "run_on_text"]
