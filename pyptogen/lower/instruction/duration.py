"""How long a kernel takes on one core, to compare tilings: busy pipes, and how far they overlap.

A body takes its instructions one after another. A loop whose buffers rotate overlaps its rounds: after the first, a
round takes as long as its busiest pipe. A loop with single buffers takes all of its rounds one after another. Figures
as in `estimate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.estimate import NOMINAL_ROWS, Lengths, instruction_cycles
from pyptogen.lower.instruction.ir import Choose, Declare, For, Instr, InstrKernel, Node, declarations
from pyptogen.lower.platforms.model import Costs, Platform
from pyptogen.lower.tile.ir import TileVal

NOMINAL_ELEMENTS = 1 << 20
"""The same for a dim of columns without rows."""

Tiles = Mapping[str, Declare]


@dataclass(slots=True)
class _Work:
    """Cycles from the first instruction to the last, and of each pipe."""

    length: float = 0.0
    busy: dict[str, float] = field(default_factory=dict)

    def add(self, other: _Work, rounds: int, overlapping: bool) -> None:
        step = max(other.busy.values(), default=0.0) if overlapping else other.length
        self.length += other.length + (rounds - 1) * step
        for pipe, cycles in other.busy.items():
            self.busy[pipe] = self.busy.get(pipe, 0.0) + rounds * cycles


def _work(nodes: Sequence[Node], lengths: Lengths, cores: int, run: tuple[InstrKernel, Tiles, Costs]) -> _Work:
    kernel, tiles, costs = run
    total = _Work()
    for node in nodes:
        if isinstance(node, For):
            rounds = lengths.trips(node, kernel)
            share = -(-rounds // cores) if node.parallel else rounds
            total.add(_work(node.body, lengths.inside(node, kernel), cores, run), share, node.slots > 1)
        elif isinstance(node, Instr | Choose):
            instr = node if isinstance(node, Instr) else node.other
            cycles = instruction_cycles(instr, tiles, costs)
            total.add(_Work(cycles, {instr.pipe: cycles}), 1, False)
    return total


def nominal_length(tiles: Sequence[TileVal], segment: str | None, most: int) -> int:
    """Length of the segment dim for which tilings of a kernel are compared.

    Args:
        tiles: the tiles of the kernel.
        segment: the run-time dim that launches get in parts.
        most: its largest value.
    """
    part = Poly.of(f"{segment}0_valid")
    in_lines = any(t.cols.valid == part for t in tiles) and not any(t.rows.valid == part for t in tiles)
    return min(most, NOMINAL_ELEMENTS if in_lines else NOMINAL_ROWS)


def duration(kernel: InstrKernel, platform: Platform, rows: int, dims: Mapping[str, int]) -> float | None:
    """Cycles until the slowest core is done with ``rows`` of the segment dim and these sizes of other run-time dims;
    None where the platform has no figures.

    Flags need not be in place: loops that rotate tell what overlaps.
    """
    if platform.costs is None:
        return None
    beside = kernel.core == "cube" or kernel.fifos  # a program of a mixed kernel: as often as there are cube cores
    cores = platform.cube_cores if beside else platform.vector_cores
    return _work(kernel.body, Lengths(rows, dims), cores, (kernel, declarations(kernel), platform.costs)).length
