"""What lowering hands to code generation, to the interpreters and to the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.lower.hand.lowering import ByHand

Dump = Callable[[str, str], None]
"""Called with the name of a pass and the text of its level."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """An operator lowered for one target: its programs at all levels, and what the compiler decided."""

    name: str
    target: str
    program: Program
    instructions: tuple[InstrKernel, ...]
    """As they are proved and interpreted; of kernels that an author gives as C++ none."""
    walked: tuple[InstrKernel, ...]
    """As their text has them: vector instructions walked together, numbers as wide as they must be."""
    execution: ExecutionGraph
    tiles: tuple[TileKernel, ...]
    blocks: tuple[BlockKernel, ...]
    plans: tuple[BlockKernel, ...]
    """The blocks, and those of kernels that an author finished, in the order of `walked`."""
    by_hand: ByHand
    notes: tuple[str, ...] = ()
    """What the compiler chose where the spec leaves a choice, a line each."""
    chosen: Mapping[str, Any] | None = None
    """The keys of a tiling row that it chose with other kernels than the row asks for."""
