"""Block-level kernels → the execution graph.

before: kernels a (writes w), b (reads w), c         rows: t <= 32 unroll [32 … 1], else unroll [128 … 1]
after:  per launch range of t: launch a; launch b after a; launch c       c overlaps a and b, ranges overlap each other

Afterwards every launch names the launches it waits for, and every value between kernels has a workspace: one per range
where ranges are cut and the value's first axis is the launch dim (no range reads another's), else one for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sympy import And

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution import ranges
from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan, Nest, Tiles, Workspace
from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import Dim, Program
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.reading.conditions import shown
from pyptogen.lower.tile.ir import GmTensor, Loop, Node, TileKernel, distributed_nest
from pyptogen.lower.tile.ops import Load
from pyptogen.lower.tile.sizes.sizes import HINTS, Selected, normalise
from pyptogen.lower.verify import require
from pyptogen.records import replace


def parallel_tiles(nodes: Sequence[Node], around: Mapping[str, int] = MappingProxyType({})) -> Tiles | None:
    """The tiles that a kernel distributes to its blocks. ``around``: the largest valid extents of outer loops, such as
    that of a band."""
    nests = list(dict.fromkeys(_nests(nodes, around)))
    most = tuple(nest for nest in nests if not any(_has_fewer(nest, other) for other in nests))
    return Tiles(most) if most else None


def _has_fewer(nest: Nest, other: Nest) -> bool:
    """Whether a nest is sure to have fewer tiles than another one: both are known, or the same in larger steps."""
    if all(extent.constant is not None for extent, _ in (*nest, *other)):
        return Tiles((nest,)).blocks({}) < Tiles((other,)).blocks({})
    alike = [extent for extent, _ in nest] == [extent for extent, _ in other]
    return nest != other and alike and all(a >= b for (_, a), (_, b) in zip(nest, other, strict=True))


def _nests(nodes: Sequence[Node], around: Mapping[str, int]) -> Iterator[Nest]:
    for node in nodes:
        if isinstance(node, Loop):
            if nest := distributed_nest(node):
                yield tuple(((loop.stop - loop.start).substituted(around), loop.tile) for loop in nest)
            else:
                inside = {**around, node.valid: node.tile} if node.valid is not None else around
                yield from _nests(node.body, inside)


def rows_of_columns(kernels: Sequence[TileKernel]) -> int:
    """The tile of the launch dim in a launch of one kernel that rearranges an operand for each such tile, and whose
    blocks are distributed tiles of another dim inside of it; else 0."""
    if len(kernels) != 1 or kernels[0].launch_dim is None or not kernels[0].body:
        return 0
    outer = kernels[0].body[0]
    if not isinstance(outer, Loop) or outer.dim != kernels[0].launch_dim or outer.parallel:
        return 0
    loads_left = any(isinstance(n, Load) and n.role == "a" for n in outer.body)
    return outer.tile if loads_left and parallel_tiles(outer.body) is not None else 0


def _cut(selected: Selected, plan: int, launch_dim: Dim | None, whole: bool) -> Cut:
    """How a row cuts the launch dim; not at all where ranges need each other (``whole``)."""
    sizes: tuple[int, ...] = ()
    if whole:
        return Cut(selected.when, plan, sizes, selected.row.span)
    for scope, table in selected.row.sizes.items():
        if launch_dim is not None and launch_dim.name in table and launch_dim.name not in HINTS:
            span = selected.row.spans.get((scope, launch_dim.name), selected.row.span)
            size = normalise(table[launch_dim.name], span, launch_dim)
            sizes = sizes or size.unroll
    return Cut(selected.when, plan, sizes, selected.row.span)


def _launches(
    program: Program,
    kernels: Sequence[tuple[str, Sequence[TileKernel]]],
    between: Collection[str],
    conditions: Mapping[str, Any],
) -> tuple[LaunchPlan, ...]:
    """One launch a kernel, given as its name and its programs; each waits for the kernels that write what it reads, and
    for those that read what it overwrites. It runs where the condition of its stage holds, and its own.

    Raises:
        IllegalIR: nothing writes one of the tensors ``between`` kernels that a kernel reads.
    """
    dims = dim_table(program)
    writers: dict[str, tuple[str, ...]] = {}
    readers: dict[str, list[str]] = {}
    launches: list[LaunchPlan] = []
    for name, sides in kernels:
        reads = [t for side in sides for t in side.reads]
        writes = [t for side in sides for t in side.writes]
        written = {*writers, *writes}
        for tensor in reads:
            require(tensor in written or tensor not in between, f"{name} reads {tensor} unwritten", sides[0].span)
        after = dict.fromkeys(w for t in reads for w in writers.get(t, ()) if w != name)
        old = (r for t in writes for r in readers.get(t, ()) if r != name)
        after |= dict.fromkeys(r for r in old if r not in _waited_for(after, launches))
        first = sides[0]
        stage = program.stage(first.stages[0])
        tiles = parallel_tiles(first.body)
        launch = LaunchPlan(name, first.core, first.arguments, tiles, tuple(after), first.span)
        if stage.condition is not None:
            launch = replace(launch, condition=dims.resolve_condition(stage.condition), text=stage.text)
        if (own := conditions.get(name)) is not None:
            both = own if launch.condition is None else And(launch.condition, own)
            launch = replace(launch, condition=both, text=" and ".join(filter(None, (launch.text, shown(own)))))
        if len(sides) > 1:
            arguments = tuple(dict.fromkeys(a for side in sides for a in side.arguments))
            programs = tuple((side.name, side.arguments) for side in sides)
            fifos = tuple(Workspace(f.name, f.dtype, Poly.of(f.slots * f.rows * f.cols), f.span) for f in first.fifos)
            launch = replace(launch, core="mixed", arguments=arguments, programs=programs, fifos=fifos)
        launches.append(launch)
        for tensor in reads:
            readers.setdefault(tensor, []).append(name)
        for tensor in writes:  # what runs only sometimes leaves others their say
            earlier = writers.get(tensor, ()) if launch.condition is not None else ()
            writers[tensor] = (*earlier, name)
    return tuple(launches)


def _waited_for(after: Collection[str], launches: Sequence[LaunchPlan]) -> set[str]:
    """The launches that have finished when these have."""
    found = set(after)
    for launch in reversed(launches):
        if launch.kernel in found:
            found.update(launch.after)
    return found


def workspace(tensor: GmTensor, cut: str | None) -> Workspace:
    """The memory of a value between kernels; ``cut`` is the dim whose ranges have memory of their own."""
    rows, row = tensor.shape[0] if tensor.shape else ONE, ONE  # without axes: a lone number
    for extent in tensor.shape[1:]:
        row = row * extent
    by_range = cut is not None and rows == Poly.of(cut) and cut not in row.names()
    return Workspace(tensor.name, tensor.dtype, rows * row, tensor.span, row if by_range else None)


def run(
    program: Program,
    rows: Sequence[Selected],
    kernels: Sequence[BlockKernel],
    launched: Sequence[Sequence[str]],
    tensors: Mapping[str, GmTensor],
    platform: str,
    programs: Mapping[str, Sequence[TileKernel]],
    conditions: Mapping[str, Any] = MappingProxyType({}),
) -> ExecutionGraph:
    """Build the graph of one operator.

    Args:
        program: the operator.
        rows: the tiling rows that may apply, in order.
        kernels: all kernels.
        launched: by row, the names of the kernels it launches, in order.
        tensors: every GM tensor.
        platform: its name.
        programs: those of the mixed kernels whose cores are separate, by the kernel's name.
        conditions: of the kernels that run in some calls only, beside the conditions of stages, by the kernel's name.
    """
    by_name = {kernel.tile.name: kernel.tile for kernel in kernels}

    def sides(name: str) -> Sequence[TileKernel]:
        return programs.get(name) or (by_name[name],)

    launch_dim = next((k.launch_dim for k in by_name.values() if k.launch_dim), None)
    distinct = list(dict.fromkeys(tuple(names) for names in launched))
    between = {tensor.name for tensor in tensors.values() if tensor.workspace}
    plans = tuple(
        _launches(program, [(name, sides(name)) for name in names], between, conditions) for names in distinct
    )
    if PLATFORMS[platform].operands_from_gm:
        plans = tuple(
            (replace(plan[0], rows=rows_of_columns(sides(plan[0].kernel))),)
            if len(plan) == 1 and plan[0].condition is None
            else plan
            for plan in plans
        )
    cuts = tuple(
        _cut(
            row,
            distinct.index(tuple(names)),
            program.dim(launch_dim) if launch_dim is not None else None,
            launch_dim is not None and not ranges.are_independent([sides(n) for n in names], launch_dim),
        )
        for row, names in zip(rows, launched, strict=True)
    )
    cut = launch_dim if any(one.sizes for one in cuts) else None
    workspaces = [workspace(tensor, cut) for tensor in tensors.values() if tensor.workspace]
    dims = tuple(d.name for d in program.dims if d.dynamic)
    return ExecutionGraph(program.name, platform, launch_dim, dims, tuple(workspaces), cuts, plans, program.span)
