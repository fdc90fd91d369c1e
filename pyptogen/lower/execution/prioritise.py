"""Gives every launch its priority, from the spec's ``schedule`` and the paths behind it.

before: launch a; launch b after a; launch c                  schedule: {policy: critical_path}
after:  launch a priority 1; launch b after a; launch c       if a and b take longer than c

Under the policy ``critical_path`` launches are ranked by the estimated time from their begin to the end of their
launch range, along the slowest path (where a platform has no estimates, by the launches on it);
``schedule.priority`` of a stage comes before that. Under ``breadth`` and ``depth``, whose own order is that of
readiness, only ``schedule.priority`` counts.

Afterwards priorities are small: 0 for the least urgent rank of a plan (under ``critical_path``), at most 31, so that
a chip tells all of them apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan
from pyptogen.lower.tensor.ir import Program
from pyptogen.records import replace

HIGHEST = 31
"""The highest priority that the scheduler of the runtime tells apart from those below."""


def run(
    graph: ExecutionGraph, program: Program, stages: Mapping[str, Sequence[str]], cycles: Mapping[str, int]
) -> ExecutionGraph:
    """The graph with priorities.

    Args:
        graph: the graph.
        program: the operator, whose ``schedule`` counts.
        stages: by kernel, the stages that it computes.
        cycles: by kernel, the estimated cycles of one launch; empty where nothing is known.
    """
    given: Mapping[str, int] = program.schedule.get("priority") or {}
    by_path = (program.schedule.get("policy") or "critical_path") == "critical_path"

    def priorities(plan: tuple[LaunchPlan, ...]) -> tuple[LaunchPlan, ...]:
        wanted = {launch.kernel: max((given.get(s, 0) for s in stages[launch.kernel]), default=0) for launch in plan}
        if not by_path:
            return tuple(replace(launch, priority=_clamped(wanted[launch.kernel])) for launch in plan)
        paths = remaining_paths(plan, cycles)
        ranks = sorted({(wanted[launch.kernel], paths[launch.kernel]) for launch in plan})
        step = max(1.0, (len(ranks) - 1) / HIGHEST)
        rank = {pair: int(number / step) for number, pair in enumerate(ranks)}
        return tuple(replace(launch, priority=rank[wanted[launch.kernel], paths[launch.kernel]]) for launch in plan)

    return replace(graph, plans=tuple(priorities(plan) for plan in graph.plans))


def remaining_paths(plan: Sequence[LaunchPlan], cycles: Mapping[str, int]) -> dict[str, int]:
    """By kernel, the cycles from the begin of its launch to the end of the launch range; an unknown cost counts 1."""
    paths: dict[str, int] = {}
    for launch in reversed(plan):
        behind = max((paths[later.kernel] for later in plan if launch.kernel in later.after), default=0)
        paths[launch.kernel] = behind + cycles.get(launch.kernel, 1)
    return paths


def _clamped(priority: int) -> int:
    return max(-HIGHEST - 1, min(HIGHEST, priority))
