"""What a kernel by hand is when its level leaves nothing for the passes above instructions."""

from __future__ import annotations

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """``outline`` has the kernel's arguments and its parallel loop, for the execution graph; ``instructions`` its
    text, or with ``source`` (C++ as the author wrote it) its signature alone."""

    outline: TileKernel
    instructions: InstrKernel
    source: str | None = None

    def block(self) -> BlockKernel:
        """As the block level sees it."""
        return BlockKernel(self.outline, self.outline.body, (), (), ())
