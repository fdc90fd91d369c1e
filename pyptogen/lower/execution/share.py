"""Applies the hints about how many blocks share the work of a launch.

before: launch a on vector tiles t / 64                        schedule: {merge: {a: 4}, cores: 8}
after:  launch a on vector tiles t / 64, 4 a block; at most 8 blocks

`merge` counts where vector cores work, `l1_reuse` where a cube core does: blocks with several tiles load what these
share once (an operand in L1 that is the same for all of them). `cores` bounds the blocks of every launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace


def run(
    graph: ExecutionGraph, program: Program, rows: Sequence[Selected], stages: Mapping[str, Sequence[str]]
) -> ExecutionGraph:
    """The graph with the hints in it.

    Args:
        graph: the graph.
        program: the operator, whose ``schedule`` counts.
        rows: its tiling rows, one for each cut of the graph; ``l1_reuse`` of a stage in a row wins over the schedule's.
        stages: by kernel, the stages that it computes.
    """

    def shared(launch: LaunchPlan, plan: int) -> LaunchPlan:
        if launch.tiles is None:
            return launch
        mine = dict.fromkeys(stage for name in launch.kernels for stage in stages[name])
        merge, reuse = (program.schedule.get(key, {}) for key in ("merge", "l1_reuse"))
        counts = [1]
        if launch.core != "cube":
            counts += [int(merge[stage]) for stage in mine if stage in merge]
        if launch.core != "vector":
            tables = [row.row.sizes for row, cut in zip(rows, graph.cuts, strict=True) if cut.plan == plan]
            for stage in mine:
                written = [int(t[stage]["l1_reuse"]) for t in tables if "l1_reuse" in t.get(stage, {})]
                counts += written or ([int(reuse[stage])] if stage in reuse else [])
        return replace(launch, tiles=replace(launch.tiles, each=max(counts)))

    plans = tuple(tuple(shared(launch, number) for launch in plan) for number, plan in enumerate(graph.plans))
    return replace(graph, plans=plans, cores=int(program.schedule.get("cores") or 0))
