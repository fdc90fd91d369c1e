"""How long a kernel takes on one core, to compare tilings: busy pipes, and how far they overlap.

A body takes its instructions one after another. A loop whose buffers rotate overlaps its iterations: after the first, a
iteration takes as long as its busiest pipe, or as the work on one place in memory, if that is longer: of a tile without
copies load, use and store take turns, of one with two every other iteration's do. A loop with single buffers takes all
of its iterations one after another. Figures as in `estimate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.estimate import NOMINAL_ROWS, Lengths, whole_tiles
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, InstrKernel, Node, declarations, walk
from pyptogen.lower.instruction.price import price_of
from pyptogen.lower.isa.cost import Price, Shape
from pyptogen.lower.platforms.model import Platform
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tile.ir import TileKernel, distributed_nest, walk_loops
from pyptogen.records import dataclass

NOMINAL_ELEMENTS = 1 << 20
"""The same for a dim of columns without rows."""

Place = tuple[str, Poly]
"""Memory and address of a tile, with the counter of its copies."""


@dataclass(slots=True)
class _Work:
    """Cycles from the first instruction to the last, of each pipe, and on each place."""

    length: float = 0.0
    busy: dict[str, float] = field(default_factory=dict)
    on: dict[Place, float] = field(default_factory=dict)

    def add(self, other: _Work, iterations: int, overlapping: bool, copies: Mapping[str, int]) -> None:
        """So many iterations behind what is there. ``copies``: by counter, of the tiles that rotate with it."""
        step = other.step(copies) if overlapping else other.length
        self.length += other.length + (iterations - 1) * step
        for pipe, cycles in other.busy.items():
            self.busy[pipe] = self.busy.get(pipe, 0.0) + iterations * cycles
        for place, cycles in other.on.items():
            self.on[place] = self.on.get(place, 0.0) + iterations * cycles

    def step(self, copies: Mapping[str, int]) -> float:
        """Cycles of an iteration behind another one."""
        turns = [
            cycles / max((copies[name] for name in address.names() & copies.keys()), default=1)
            for (_, address), cycles in self.on.items()
        ]
        return max((*self.busy.values(), *turns), default=0.0)


@dataclass(frozen=True, slots=True)
class _Kernel:
    """What a walk needs: the kernel, its tiles by name, copies by the counters of loops, figures, and cores."""

    kernel: InstrKernel
    tiles: Mapping[str, Declare]
    copies: Mapping[str, int]
    shapes: Mapping[str, Shape]
    timing: Timing
    cores: int
    barriers: bool
    """Whether vector instructions wait for the end of the last one."""
    settled: bool = False
    """Whether a buffer is held until what is loaded has come from HBM, and what is stored has settled."""

    def work(self, nodes: Sequence[Node], lengths: Lengths) -> _Work:
        total = _Work()
        for node in nodes:
            if isinstance(node, For):
                iterations, inside = lengths.trips(node, self.kernel), lengths.inside(node, self.kernel)
                for loop in distributed_nest(node)[1:]:
                    iterations, node = iterations * inside.trips(loop, self.kernel), loop
                    inside = inside.inside(loop, self.kernel)
                owned = node.only is not None and node.only.owner is not None
                share = -(-iterations // self.cores) if node.parallel or owned else iterations
                total.add(self.work(node.body, inside), share, node.slots > 1, self.copies)
            elif isinstance(node, Instr | Choose):
                instr = node if isinstance(node, Instr) else node.other
                total.add(self._instruction(instr, lengths), 1, False, self.copies)
        return total

    def _instruction(self, instr: Instr, lengths: Lengths) -> _Work:
        """Its pipe is free again after ``hold``; what waits for it sees ``latency`` too."""
        cost = price_of(instr, self.shapes, lambda value: lengths.of(value, self.kernel), self.timing)
        cycles = cost.hold + cost.latency
        held = cycles + self._until_there(instr, cost) if self.settled else cycles
        on = dict.fromkeys(map(self._place, (o for o in instr.operands if isinstance(o, str))), held)
        return _Work(cycles, {instr.pipe: cycles if instr.pipe == "V" and self.barriers else cost.hold}, on)

    def _until_there(self, instr: Instr, cost: Price) -> float:
        """How much longer it may take until what is loaded has come from HBM, or what is stored has settled."""
        cold = instr.name == "TLOAD" and any(isinstance(o, GmWindow) and self._is_given(o) for o in instr.operands)
        settle = cost.settle if instr.phase is None else 0.0
        return max(settle, self.timing.cold_latency.value if cold else 0.0)

    def _is_given(self, window: GmWindow) -> bool:
        """Whether a window is of a tensor of the call, which nobody has read before."""
        return any(tensor.name == window.tensor and not tensor.workspace for tensor in self.kernel.reads)

    def _place(self, name: str) -> Place:
        tile = self.tiles[name]
        return tile.type.loc, self.tiles.get(tile.owner, tile).address


def nominal_length(kernel: TileKernel, most: int) -> int:
    """Length of the launch dim for which tilings of a kernel are compared; ``most`` is its largest value."""
    loops = [loop for loop in walk_loops(kernel.body) if loop.role == "grid" and loop.dim == kernel.launch_dim]
    parts = {Poly.of(loop.valid) for loop in loops if loop.valid is not None}
    in_lines = any(t.cols.valid in parts for t in kernel.tiles) and not any(t.rows.valid in parts for t in kernel.tiles)
    return min(most, NOMINAL_ELEMENTS if in_lines else NOMINAL_ROWS)


def duration(kernel: InstrKernel, platform: Platform, rows: int, dims: Mapping[str, int]) -> float | None:
    """Cycles until the slowest core is done with ``rows`` of the launch dim and these sizes of other run-time dims;
    None where the platform has no figures.

    Flags need not be in place: loops that rotate tell what overlaps.
    """
    if platform.timing is None:
        return None
    return _walked(kernel, platform, rows, dims)


def gain_of_copies(kernel: InstrKernel, platform: Platform, rows: int, dims: Mapping[str, int], copies: int) -> float:
    """What share of its time a kernel might save at most with so many copies of the buffers that rotate: none where its
    pipes are busy, or wait for the other core."""
    now = _walked(kernel, platform, rows, dims, settled=True)
    return 1 - _walked(kernel, platform, rows, dims, settled=True, least=copies) / now if now else 0.0


def _walked(
    kernel: InstrKernel,
    platform: Platform,
    rows: int,
    dims: Mapping[str, int],
    settled: bool = False,
    least: int = 1,
) -> float:
    """Cycles as in `duration`, if rotating buffers had so many copies at the ``least``; ``settled`` as in `_Kernel`."""
    assert platform.timing is not None
    beside = kernel.core == "cube" or kernel.fifos  # a program of a mixed kernel: as often as there are cube cores
    cores = platform.cube_cores if beside else platform.vector_cores
    loops = (n for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None)
    copies = {str(loop.slot): max(loop.slots, least) for loop in loops}
    tiles, shapes = declarations(kernel), whole_tiles(kernel)
    run = _Kernel(kernel, tiles, copies, shapes, platform.timing, cores, platform.vector_barriers, settled)
    return run.work(kernel.body, Lengths(rows, dims)).length
