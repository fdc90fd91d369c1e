"""Execution level IR: which launches a call makes, in which order, over which memory."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Literal

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Workspace:
    """GM scratch that carries a value between kernels; ``elements`` of ``dtype``. ``row``: the elements of one index of
    the launch dim, where every range has memory of its own, which later ranges take over; None: there is one for all.
    """

    name: str
    dtype: str
    elements: Poly
    span: Span
    row: Poly | None = None


Nest = tuple[tuple[Poly, int], ...]
"""Loops whose iterations are distributed as one product: of each the extent and the step, in elements."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """The tiles that a launch distributes to its blocks: the iterations of ``nests`` that follow each other in its
    kernel, each distributed by itself. ``each``: so many of them are worth a block."""

    nests: tuple[Nest, ...]
    each: int = 1

    def names(self) -> frozenset[str]:
        """What has to be known to count them."""
        return frozenset().union(*(extent.names() for nest in self.nests for extent, _ in nest))

    def blocks(self, values: Mapping[str, int]) -> int:
        """How many blocks have work in the nest with the most tiles."""
        counts = (prod(-(-extent.evaluate(values) // step) for extent, step in nest) for nest in self.nests)
        return -(-max(counts) // self.each)

    def __str__(self) -> str:
        nests = (" x ".join(f"{extent} / {step}" for extent, step in nest) for nest in self.nests)
        counts = " or ".join(nests)
        return counts if self.each == 1 else f"{counts}, {self.each} a block"


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """One kernel of a launch range. ``tiles``: iterations of its parallel loops, which bound the blocks worth
    launching; ``after``: kernels of the same launch range that must have finished; ``priority``: of several ready
    launches, the one with the largest starts first. ``programs``: of a mixed kernel whose cores are separate, what its
    cube core and its vector core run side by side, as (kernel, arguments); ``fifos``: the memory through which the two
    of one block meet. ``rows``: of a product whose blocks are distributed columns, the tile of the launch dim: with
    rows for every core, each gets ranges of those instead, and rearranges its part of the left operand once; 0:
    never."""

    kernel: str
    core: Literal["cube", "vector", "mixed"]
    arguments: tuple[str, ...]
    tiles: Tiles | None
    after: tuple[str, ...]
    span: Span
    priority: int = 0
    programs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fifos: tuple[Workspace, ...] = ()
    rows: int = 0
    condition: Any = None
    """A sympy relation over dims, attrs and inputs of one element: where it does not hold, no block is launched."""
    text: str = ""
    """How the author wrote the condition."""

    def may_run(self, numbers: Mapping[str, float | int]) -> bool:
        """Whether a call may run it; one whose ``numbers`` are not all that its condition asks for, may."""
        if self.condition is None:
            return True
        symbols = self.condition.free_symbols
        known = all(symbol.name in numbers for symbol in symbols)
        return not known or bool(self.condition.subs({symbol: numbers[symbol.name] for symbol in symbols}))

    @property
    def kernels(self) -> tuple[str, ...]:
        """The kernels that the launch runs."""
        return tuple(name for name, _ in self.programs) or (self.kernel,)


@dataclass(frozen=True, slots=True)
class Cut:
    """How a call's launch dim is cut when ``when`` holds: by a greedy list of sizes, or (empty) in one range; and
    the position in ``ExecutionGraph.plans`` of what is launched for each range."""

    when: tuple[tuple[str, str, int], ...]
    plan: int
    sizes: tuple[int, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ExecutionGraph:
    """All that a call may launch. ``launch_dim`` is the dim that the cuts speak of; a plan is the launches of one
    range, and tiling rows with the same kernels share one."""

    name: str
    platform: str
    launch_dim: str | None
    dims: tuple[str, ...]
    workspaces: tuple[Workspace, ...]
    cuts: tuple[Cut, ...]
    plans: tuple[tuple[LaunchPlan, ...], ...]
    span: Span
    cores: int = 0
    """The most blocks of a launch that the author wants; 0: as many as keep the chip busy."""
    wide: bool = False
    """Whether dims and ranges are counted in int64: int32 would not reach (`lower/instruction/count_width.py`)."""

    @property
    def longest_range(self) -> int:
        """The longest launch range of an unrolled launch dim; 0 where none is unrolled."""
        return max((max(cut.sizes) for cut in self.cuts if cut.sizes), default=0)
