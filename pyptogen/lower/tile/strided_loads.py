"""Loads of every second or fourth element: one load of all elements serves those that interleave.

before: e = load a[0; 8 x 48, strides 96, 2]; o = load a[1; 8 x 48, strides 96, 2]
after:  one run of 8 x 96 elements from a[0] on, of which e is every second from the first one on, o from the second one

Only loads of one body share a run, and only where nothing between them writes their tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pyptogen.lower.expr import ONE
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.ir import Extent, GmRef, Node, walk
from pyptogen.lower.tile.ops import FifoOp, Load
from pyptogen.records import replace

EVERY = {2: ("P0101", "P1010"), 4: ("P0001", "P0010", "P0100", "P1000")}
"""The mask patterns that select every so many elements, by the number of the first one."""


@dataclass(slots=True)
class Run:
    """Neighbouring elements of rows, and the loads that take every so many of them. ``offsets``: where each of them
    begins, in elements behind the first load's."""

    load: Load
    offsets: dict[int, int] = field(default_factory=dict)
    """By the number of the node in its body."""
    tile: str | None = None
    """Where the elements lie, once they are loaded."""

    @property
    def step(self) -> int:
        step = self.load.gm.col_stride.constant
        assert step is not None
        return step

    @property
    def _start(self) -> int:
        return min(self.offsets.values())

    @property
    def gm(self) -> GmRef:
        """All elements from the first that a load takes to the last."""
        window, more = self.load.gm, max(self.offsets.values()) - self._start + 1
        whole, valid = (window.cols.size - 1) * self.step + more, window.cols.valid
        cols = Extent(whole, None if valid is None else (valid - 1) * self.step + more)
        return replace(window, offset=window.offset + self._start, col_stride=ONE, cols=cols)

    def pattern(self, node: int) -> str:
        """The mask pattern that selects the elements of a node's load."""
        return EVERY[self.step][self.offsets[node] - self._start]

    def takes(self, node: int, load: Load) -> bool:
        """Let a load join, if its elements lie between those of the others."""
        mine, other = self.load.gm, load.gm
        behind = (other.offset - mine.offset).constant
        if behind is None or replace(other, offset=mine.offset) != mine:
            return False
        offsets = (*self.offsets.values(), behind)
        if max(offsets) - min(offsets) >= self.step:
            return False
        self.offsets[node] = behind
        return True


def runs(nodes: Sequence[Node], is_strided: Callable[[Load], bool]) -> dict[int, Run]:
    """The runs of those loads of a body that are strided, by the numbers of their nodes."""
    found: dict[int, Run] = {}
    unwritten: list[Run] = []
    for at, node in enumerate(nodes):
        if isinstance(node, Load) and is_strided(node):
            run = next((run for run in unwritten if run.takes(at, node)), None)
            if run is None:
                run = Run(node, {at: 0})
                unwritten.append(run)
            found[at] = run
        else:
            others = [op for op in walk((node,)) if not isinstance(op, Load)]
            written = {op.window.tensor for op in others if op.window is not None}
            written |= {op.fifo for op in others if isinstance(op, FifoOp)}
            unwritten = [run for run in unwritten if run.load.gm.tensor not in written]
    return found


def loads_rows_of_every(platform: Platform, dtype: str, step: int) -> bool:
    """Whether a platform loads every so many elements as a row: at any distance, or by a pattern."""
    return not platform.runs_of_elements or (step in EVERY and dtype in INSTRUCTIONS["TGATHER"].dtypes[platform.name])
