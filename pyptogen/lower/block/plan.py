"""The memory plan of a kernel with most overlap that fits.

Every memory starts at its roomiest level (see `memory`), and goes down a level whenever it overflows: what a kernel
gives up is overlap, in the memory that is short, but never copies that the author asked for: where these do not fit,
nothing does. Where pipes are not asynchronous there is nothing to overlap.

On platforms whose pipes are asynchronous, loads stand at the front of their loop as long as UB is not tight.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.block import memory, place, rotate
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.block.memory import Level, Overflow
from pyptogen.lower.platforms import Memory, Platform
from pyptogen.lower.tile.ir import Loop, TileKernel
from pyptogen.lower.tile.loops import hoist_loads
from pyptogen.records import dataclass

LEVELS: Mapping[Memory, tuple[Level, ...]] = {
    "ub": ("disjoint", "by loop", "in place", "loads", "single", "single in place", "tight"),
    "l1": ("disjoint", "single", "tight"),
    "l0a": ("disjoint", "single", "tight"),
    "l0b": ("disjoint", "single", "tight"),
    "l0c": ("disjoint", "single", "tight"),
}
SINGLE: tuple[Level, ...] = ("single", "single in place", "tight")
"""Levels at which nothing rotates."""
TOGETHER: Mapping[Memory, tuple[Memory, ...]] = {"l0a": ("l0a", "l0b"), "l0b": ("l0a", "l0b")}
"""Memories that only gain together: a product waits for both of its operands."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A kernel with its moves, and what all plans of it have in common."""

    kernel: TileKernel
    where: Mapping[str, Memory]
    uses: rotate.Uses
    needs: memory.Needs

    @staticmethod
    def of(tile: TileKernel, platform: Platform) -> _Placed:
        kernel, where = place.run(tile, platform)
        return _Placed(kernel, where, rotate.Uses.of(kernel), memory.Needs.of(kernel, where, platform))


Planned = tuple[TileKernel, BlockKernel | Overflow]
Held = frozenset[Memory]
LATELY = 4
_lately: tuple[tuple[TileKernel, Platform, Planned], ...] = ()
"""The last plans. A pass that asks whether a program fits is followed by the step that plans it."""


def run(tile: TileKernel, platform: Platform) -> Planned:
    """The kernel with its moves, and with its addresses, or what overflows even in the tightest plan that keeps the
    copies which the author asked for."""
    global _lately
    for kernel, where, planned in _lately:
        if kernel is tile and where is platform:
            return planned
    planned = _run(tile, platform)
    _lately = ((tile, platform, planned), *_lately[: LATELY - 1])
    return planned


def _run(tile: TileKernel, platform: Platform) -> Planned:
    several = sum(isinstance(node, Loop) for node in tile.body) > 1
    every = {where: tuple(level for level in found if several or level != "by loop") for where, found in LEVELS.items()}
    steps: dict[Memory, int] = dict.fromkeys(LEVELS, 0)
    if not platform.flags:
        steps = {where: len(every[where]) - 1 for where in LEVELS}
    views: dict[bool, _Placed] = {}
    rotated: dict[tuple[bool, Held, Held], tuple[TileKernel, dict[str, rotate.Rotation]]] = {}
    while True:
        levels = {where: every[where][step] for where, step in steps.items()}
        tight = levels["ub"] == "tight"
        if tight not in views:
            views[tight] = _Placed.of(tile if tight else hoist_loads.run(tile), platform)
        view = views[tight]
        single = frozenset(m for m, level in levels.items() if level in SINGLE)
        loads = frozenset(m for m, level in levels.items() if level == "loads")
        if (tight, single, loads) not in rotated:
            found = rotate.run(view.kernel, view.uses, view.where, platform, single, loads, dict(tile.depths))
            rotated[tight, single, loads] = found
        kernel, rotations = rotated[tight, single, loads]
        plan = memory.plan(kernel, view.needs, platform, rotations, levels)
        if isinstance(plan, BlockKernel):
            return kernel, plan
        short = plan.placed[-1].memory
        last = steps[short] == len(every[short]) - 1
        if last or _asked(rotations, view.where, every[short][steps[short] + 1], short):
            return kernel, plan
        for name in TOGETHER.get(short, (short,)):
            steps[name] = min(steps[name] + 1, len(every[name]) - 1)


def _asked(rotations: Mapping[str, rotate.Rotation], where: Mapping[str, Memory], level: Level, short: Memory) -> bool:
    """Whether the author asked for copies in a memory that the level has not."""
    together = TOGETHER.get(short, (short,))
    copies = (rotation.asked and where[tile] in together for tile, rotation in rotations.items())
    return level in ("loads", *SINGLE) and any(copies)


def fits(tile: TileKernel, platform: Platform) -> bool:
    """Whether the tightest plan fits that keeps the copies which the author asked for."""
    if platform.flags and any(copies > 1 for _, copies in tile.depths):
        return isinstance(run(tile, platform)[1], BlockKernel)
    placed, where = place.run(tile, platform)
    tight: Mapping[Memory, Level] = dict.fromkeys(LEVELS, "tight")
    return isinstance(memory.plan(placed, memory.Needs.of(placed, where, platform), platform, {}, tight), BlockKernel)
