"""The passes of the Block level: every tile gets a memory, an address and copies."""

from __future__ import annotations

from pyptogen.lower import fitting_tiles
from pyptogen.lower.block import memory, place, plan
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.passes.state import OnText, Pass, Programs, State
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.lower.tile.loops import hoist_loads
from pyptogen.records import replace


def _memory(state: State) -> State:
    every = [program for programs in state.split for program in programs]
    names = [p.name for part in state.variants.parts for p in _programs_of(state).get(part.ops.name, (part.ops,))]
    return replace(state, blocks=tuple(state.by_hand.joined(names, [_planned(one, state) for one in every])))


def _programs_of(state: State) -> dict[str, Programs]:
    return {kernel.name: programs for kernel, programs in zip(state.kernels, state.split, strict=True)}


def _planned(program: TileKernel, state: State) -> BlockKernel:
    """Raises DiagnosticError PTG301 where a program overflows a memory, with tiles that would fit."""
    placed, found = state.made.of("memory", (program,), lambda: plan.run(program, state.platform))
    if isinstance(found, BlockKernel):
        return found
    assert state.tiling is not None
    resized = state.tiling.resized(state.tables)
    cut = fitting_tiles.of(program, state.fitted, state.program, state.platform, resized)
    otherwise = fitting_tiles.otherwise(program, state.fitted)
    raise memory.overflow(placed, found, state.platform, cut, otherwise)


def _roomiest(program: TileKernel, platform: Platform) -> tuple[BlockKernel, ...]:
    placed, found = plan.run(program, platform)
    if not isinstance(found, BlockKernel):
        raise memory.overflow(placed, found, platform, {}, "cut a dim that is whole now")
    return (found,)


BLOCK = (
    Pass("memory", "block", "memories, moves between them, copies of buffers, liveness and addresses", _memory,
         on_text=OnText(_roomiest, "tile", "block")),
)  # fmt: skip
"""In order. The memory plan tries the steps `hoist-loads` and `place` with several numbers of copies."""

STEPS = (
    Pass("hoist-loads", "block", "loads go to the front of their loop body", lambda state: state,
         on_text=OnText(lambda kernel, _: (hoist_loads.run(kernel),), "tile", "tile")),
    Pass("place", "block", "every tile gets a memory; moves between memories are explicit", lambda state: state,
         on_text=OnText(lambda kernel, platform: (place.run(kernel, platform)[0],), "tile", "tile")),
)  # fmt: skip
"""Steps of the memory plan, which can be tried alone."""
