"""The passes of the Execution level: kernels → launches, what they wait for, and how many blocks share each."""

from __future__ import annotations

from pyptogen.lower.execution import build, prioritise, share
from pyptogen.lower.instruction.estimate import nominal_dims, of_launch
from pyptogen.lower.passes.state import Pass, State
from pyptogen.records import replace


def _build(state: State) -> State:
    assert state.tiling is not None
    programs = {k.name: both for k, both in zip(state.kernels, state.split, strict=True) if len(both) > 1}
    conditions = {part.ops.name: part.ops.condition for part in state.variants.parts}
    graph = build.run(
        state.program, state.rows, state.blocks, state.variants.launched, state.tiling.tensors, state.platform.name,
        programs, conditions,
    )  # fmt: skip
    return replace(state, graph=graph)


def _share(state: State) -> State:
    stages = {block.tile.name: block.tile.stages for block in state.blocks}
    return replace(state, graph=share.run(state.launches, state.program, state.rows, stages))


def _prioritise(state: State) -> State:
    graph, dims = state.launches, nominal_dims(state.program.dims)
    found = {k.name: of_launch(k, state.platform, graph.longest_range, dims) for k in state.instructions if k.body}
    cycles = {name: cost.cycles for name, cost in found.items() if cost is not None}
    stages = {k.name: k.stages for k in state.instructions}
    for launch in (launch for launches in graph.plans for launch in launches if launch.programs):
        stages[launch.kernel] = tuple(dict.fromkeys(s for name in launch.kernels for s in stages[name]))
        known = [cycles[name] for name in launch.kernels if name in cycles]
        cycles |= {launch.kernel: max(known)} if known else {}
    return replace(state, graph=prioritise.run(graph, state.program, stages, cycles))


LAUNCHES = (
    Pass("build", "execution", "launches, dependencies, workspace", _build),
    Pass("share", "execution", "hints of the spec: tiles for each block, most blocks of a launch", _share),
)
PRIORITIES = (Pass("prioritise", "execution", "launches on the longest path come first", _prioritise),)
"""Behind the Instruction level, whose costs it needs."""
