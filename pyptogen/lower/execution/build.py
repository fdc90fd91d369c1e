"""Block-level kernels → the execution graph.

before: kernels a (writes w), b (reads w), c         rows: t <= 32 unroll [32 … 1], else unroll [128 … 1]
after:  per segment of t: launch a; launch b after a; launch c       c overlaps a and b, segments overlap each other

Afterwards every launch names the launches it waits for, and every value between kernels has a workspace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan, Workspace
from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import GmTensor, Loop, Node
from pyptogen.lower.tile.sizes import HINTS, Selected, normalise


def parallel_tiles(nodes: Sequence[Node]) -> tuple[Poly, int] | None:
    """(extent, tile) of the loop that a kernel deals to its blocks."""
    for node in nodes:
        if isinstance(node, Loop):
            if node.parallel:
                return node.stop - node.start, node.tile
            found = parallel_tiles(node.body)
            if found is not None:
                return found
    return None


def _cuts(program: Program, rows: Sequence[Selected], segment: str | None) -> tuple[Cut, ...]:
    cuts = []
    for selected in rows:
        sizes: tuple[int, ...] = ()
        spans = selected.row.spans
        for scope, table in selected.row.sizes.items():
            if segment is not None and segment in table and segment not in HINTS:
                size = normalise(table[segment], spans.get((scope, segment), selected.row.span), segment)
                sizes = sizes or size.unroll
        cuts.append(Cut(selected.when, sizes, selected.row.span))
    return tuple(cuts)


def run(
    program: Program,
    kernels: Sequence[BlockKernel],
    rows: Sequence[Selected],
    tensors: Mapping[str, GmTensor],
    platform: str,
) -> ExecutionGraph:
    """Build the graph of one operator."""
    tiles = [kernel.tile for kernel in kernels]
    segment = next((k.segment for k in tiles if k.segment), None)
    writer: dict[str, str] = {}
    launches = []
    for kernel in tiles:
        after = tuple(dict.fromkeys(writer[t] for t in kernel.reads if writer.get(t, kernel.name) != kernel.name))
        launches.append(
            LaunchPlan(kernel.name, kernel.core, kernel.arguments, parallel_tiles(kernel.body), after, kernel.span)
        )
        writer |= dict.fromkeys(kernel.writes, kernel.name)
    workspaces = []
    for tensor in tensors.values():
        if tensor.workspace:
            elements = ONE
            for extent in tensor.shape:
                elements = elements * extent
            workspaces.append(Workspace(tensor.name, tensor.dtype, elements, tensor.span))
    dims = tuple(d.name for d in program.dims if d.dynamic)
    cuts = _cuts(program, rows, segment)
    return ExecutionGraph(program.name, platform, segment, dims, tuple(workspaces), cuts, tuple(launches), program.span)
