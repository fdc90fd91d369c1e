"""Legality of the Execution level."""

from __future__ import annotations

from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.verify import require


def verify(graph: ExecutionGraph) -> None:
    """Launches wait only for earlier ones; a greedy cut ends in a size that divides the others, so that it covers every
    multiple of it.

    Raises:
        IllegalIR: a rule is broken (a fault of the compiler, not of the spec).
    """
    for plan in graph.plans:
        seen: set[str] = set()
        for launch in plan:
            require(set(launch.after) <= seen, f"launch {launch.kernel} waits for a later one", launch.span)
            require(launch.kernel not in seen, f"kernel {launch.kernel} is launched twice in a segment", launch.span)
            seen.add(launch.kernel)
    for cut in graph.cuts:
        require(all(size % cut.sizes[-1] == 0 for size in cut.sizes), "a greedy cut leaves a rest", cut.span)
    require(not graph.cuts or not graph.cuts[-1].when, "the last cut must always hold", graph.span)
