"""How long a launch takes, asked of whoever lowers: what choices between ways to do the same are made by.

A choice compares launches at sizes that nobody knows before a call. They are those of the estimates, made smaller where
loops would run so often that a model takes long to walk them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyptogen.lower.execution.ir import Tiles
from pyptogen.lower.instruction.estimate import Lengths
from pyptogen.lower.instruction.ir import For, InstrKernel, Node
from pyptogen.lower.platforms import Platform

LaunchCost = Callable[[Sequence[InstrKernel], Platform, int, Mapping[str, int]], float]
"""Cycles of a launch: its programs with their flags in place, the platform, blocks, and dims and bounds of the range by
name."""
MOST_ITERATIONS = 600
"""Iterations of the innermost loops of one block that a comparison walks."""


def blocks_of(tiles: Tiles | None, core: str, platform: Platform, numbers: Mapping[str, int], most: int = 0) -> int:
    """Blocks of a launch: the iterations of the loops that are distributed, at most a core for each, or ``most``."""
    if tiles is None:
        return 1
    cores = platform.vector_cores if core == "vector" else platform.cube_cores
    return max(1, min(tiles.blocks({name: numbers.get(name, 1) for name in tiles.names()}), cores, most or cores))


def compared_sizes(programs: Sequence[InstrKernel], cores: int, lengths: Mapping[str, int]) -> dict[str, int]:
    """``lengths`` by name, the longest halved until no program's loops run more than `MOST_ITERATIONS` times on one of
    so many cores."""
    sizes = dict(lengths)
    while max((_iterations(one, sizes) for one in programs), default=0) > MOST_ITERATIONS * cores:
        longest = max(sizes, key=lambda name: sizes[name], default=None)
        if longest is None or sizes[longest] <= 1:
            break
        sizes[longest] = -(-sizes[longest] // 2)
    return sizes


def _iterations(kernel: InstrKernel, sizes: Mapping[str, int]) -> int:
    rows = sizes.get(kernel.launch_dim or "", 1)

    def inside(nodes: Sequence[Node], lengths: Lengths) -> int:
        loops = [node for node in nodes if isinstance(node, For)]
        return sum(
            lengths.trips(loop, kernel) * max(1, inside(loop.body, lengths.inside(loop, kernel))) for loop in loops
        )

    return inside(kernel.body, Lengths(rows, sizes))


def with_bounds(numbers: Mapping[str, int], launch_dim: str | None) -> dict[str, int]:
    """The numbers of a call whose one range is all of the launch dim."""
    if launch_dim is None:
        return dict(numbers)
    return {**numbers, f"{launch_dim}_begin": 0, f"{launch_dim}_end": numbers[launch_dim]}
