"""What lowering hands to the builder and the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.origins import Traced
from pyptogen.lower.tensor.ir import CoreKind, Program
from pyptogen.lower.tile.ir import TileKernel

Dump = Callable[[str, str], None]
"""Called with the name of a pass and the text of its level."""


@dataclass(frozen=True, slots=True)
class KernelSource:
    """One kernel file: ``<name>.cpp``."""

    name: str
    core: CoreKind
    text: Traced

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Lowered:
    """An operator lowered for one target: C++ texts, the levels they came from, and what the compiler decided."""

    name: str
    target: str
    program: Program
    kernels: tuple[KernelSource, ...]
    orchestration: Traced
    instructions: tuple[InstrKernel, ...]
    execution: ExecutionGraph
    report: Mapping[str, Any]
    tiles: tuple[TileKernel, ...] = ()
    blocks: tuple[BlockKernel, ...] = ()
    notes: tuple[str, ...] = ()
    """What the compiler chose where the spec leaves a choice, a line each."""
