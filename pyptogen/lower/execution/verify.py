"""Legality of the Execution level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from pyptogen.diagnostics import Span
from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.verify import require


def verify(graph: ExecutionGraph, program: Program) -> None:
    """Launches wait only for earlier ones; a greedy cut ends in a size that divides the others, so that it covers every
    multiple of it; all that the orchestration names is of the contract, a workspace, or the range of a launch.

    Raises:
        IllegalIR: a rule is broken (a fault of the compiler, not of the spec).
    """
    contract = {value.name for value in program.inputs} | {attr.name for attr in program.attrs} | set(graph.dims)
    known = contract | {name for name, _ in program.outputs} | {space.name for space in graph.workspaces}
    known |= set(program.halves.values())
    for space in graph.workspaces:
        _require_bound(space.elements.names(), set(graph.dims), f"the memory of {space.name}", space.span)
    for plan in graph.plans:
        for launch in plan:
            ranges = {f"{graph.launch_dim}_begin", f"{graph.launch_dim}_end", "nblk"} | {
                fifo.name for fifo in launch.fifos
            }
            _require_bound(_named(launch), known | ranges, f"launch {launch.kernel}", launch.span)
        seen: set[str] = set()
        for launch in plan:
            require(set(launch.after) <= seen, f"launch {launch.kernel} waits for a later one", launch.span)
            require(
                launch.kernel not in seen, f"kernel {launch.kernel} is launched twice in a launch range", launch.span
            )
            seen.add(launch.kernel)
    for cut in graph.cuts:
        _require_bound([name for name, _, _ in cut.when], set(graph.dims), "a cut", cut.span)
        require(all(size % cut.sizes[-1] == 0 for size in cut.sizes), "a greedy cut leaves a rest", cut.span)
    require(not graph.cuts or not graph.cuts[-1].when, "the last cut must always hold", graph.span)


def _named(launch: LaunchPlan) -> Iterator[str]:
    """What a launch names: arguments, the number of its tiles, its condition."""
    yield from launch.arguments
    for _, arguments in launch.programs:
        yield from arguments
    if launch.tiles is not None:
        yield from launch.tiles.names()
    if launch.condition is not None:
        yield from (symbol.name for symbol in launch.condition.free_symbols)


def _require_bound(names: Iterable[str], known: Set[str], what: str, span: Span) -> None:
    missing = set(names) - known
    require(not missing, f"{what} names {', '.join(sorted(missing))}, which nothing binds", span)
