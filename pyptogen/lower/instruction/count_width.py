"""Whether the loops of an operator may count further than int32 does, for all that its contract says.

before: for (int32_t t0 = t_begin + block * 64; t0 < t_end; t0 += nblk * 64)            t up to 2^31 - 1: t0 wraps
after:  for (int64_t t0 = t_begin + block * 64; …                                   `wide` of kernels and orchestration

Offsets into GM are computed in int64 always. Of what is computed in int32, the ends of loops are the greatest: dims,
products of them where several are one axis, and the number of tiles of loops that are distributed together. A loop
steps past its end by the tiles of all blocks, and a number of tiles is rounded up; there is room for both up to
`FARTHEST`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from pyptogen.diagnostics import fault
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Declare, For, GmWindow, Instr, InstrKernel, Node, Pass
from pyptogen.lower.tensor.ir import Program
from pyptogen.records import replace

FARTHEST = 2**30
"""The greatest number that int32 text computes; another 2^30 are left for a step past it."""


def run(
    program: Program, graph: ExecutionGraph, kernels: Sequence[InstrKernel], written: Iterable[str]
) -> tuple[ExecutionGraph, list[InstrKernel]]:
    """The graph and the kernels, `wide` where one of them may count beyond `FARTHEST`; they call each other, and count
    alike.

    Args:
        program: the operator, whose dims say how far calls go.
        graph: its launches.
        kernels: its kernels.
        written: names of those that are C++ by an author, which count in int32.

    Raises:
        DiagnosticError: PTG303, a kernel by an author would have to count further.
    """
    dims = {dim.name: dim.max for dim in program.dims}
    limits = _limits(dims, graph.launch_dim)
    far: list[int] = []
    for tiles in (launch.tiles for plan in graph.plans for launch in plan if launch.tiles is not None):
        for nest in tiles.nests:
            far += [_reach(extent, limits) for extent, _ in nest]
            far.append(prod(-(-_reach(extent, limits) // step) for extent, step in nest))
    far += [reach for kernel in kernels for reach in _reaches(kernel, dims)]
    far += [dim.max for dim in program.dims if dim.dynamic]
    if max(far, default=0) <= FARTHEST:
        return graph, list(kernels)
    by_author = next((kernel for kernel in kernels if kernel.name in set(written)), None)
    if by_author is not None:
        raise fault(
            "PTG303",
            f"the C++ kernel `{by_author.name}` counts in int32, and the sizes of calls go up to {max(far)}",
            by_author.span,
            expected=f"dims, and products of dims that are one axis, of at most {FARTHEST}",
            fix="lower `max` of the dims",
        )
    return replace(graph, wide=True), [replace(kernel, wide=True) for kernel in kernels]


def _limits(dims: Mapping[str, int], launch_dim: str | None) -> dict[str, int]:
    """The greatest value of each name that launches have."""
    ends = {f"{launch_dim}_{end}": dims[launch_dim] for end in ("begin", "end")} if launch_dim is not None else {}
    return {**dims, **ends}


def _reaches(kernel: InstrKernel, dims: Mapping[str, int]) -> list[int]:
    """The greatest values of what the text of a kernel computes in int32."""
    found: list[int] = []

    def walk(nodes: Sequence[Node], limits: Mapping[str, int]) -> None:
        for node in nodes:
            found.extend(_reach(poly, limits) for poly in _counts(node))
            if isinstance(node, For):
                inside = {node.var: _reach(node.stop, limits)} | ({node.valid: node.step} if node.valid else {})
                walk(node.body, {**limits, **inside})

    walk(kernel.body, _limits(dims, kernel.launch_dim))
    return found


def _counts(node: Node) -> list[Poly]:
    """The ends of a loop, and the extents of tiles and windows."""
    if isinstance(node, For):
        return [poly for poly in (node.start, node.stop, node.after, node.before) if poly is not None]
    if isinstance(node, Declare | Pass):
        return [node.rows.poly(), node.cols.poly()]
    if isinstance(node, Instr):
        windows = [operand for operand in node.operands if isinstance(operand, GmWindow)]
        return [extent.poly() for window in windows for extent in (window.rows, window.cols)]
    return []


def _reach(poly: Poly, limits: Mapping[str, int]) -> int:
    """The greatest magnitude of what is added, or of what is taken off; names are not negative. Those without a limit,
    such as elements of indices, are int64 already."""
    reach = {True: 0, False: 0}
    for names, coeff in poly.terms:
        size = abs(coeff)
        for name in names:
            size *= limits.get(name, 1)
        reach[coeff > 0] += int(size)
    return max(reach.values())
