"""Where cube and vector cores are apart: fifos between them, or kernels of their own that meet in GM, for stages whose
tiling row leaves all to the compiler.

before: - {}                      attention: scores and products of a whole loop in GM, four launches in a row
after:  - {fifo: 2}               one mixed kernel, which keeps two tiles of each

before: - {}                      product and gelu: the product in GM, two launches
after:  - {linear: {fifo: 2}}     one mixed kernel: the vector cores work on a tile while the cube core makes the next

Both are lowered, and each stage gets the form that the figures of the platform call faster. A recurrence that only a
mixed kernel can do has its fifos in any row, and a note says so where the row does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.execution.ir import LaunchPlan
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.estimate import NOMINAL_ROWS, nominal_dims
from pyptogen.lower.launch_cost import LaunchCost, blocks_of, compared_sizes, with_bounds
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, asked
from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS, Program
from pyptogen.lower.tile.kernels.partition import defining_ops, shared
from pyptogen.lower.tile.kernels.split_cores import MOST
from pyptogen.lower.tile.sizes.sizes import SLOTS, Selected, fifo_slots

LEAST_GAIN = 0.01


@dataclass(slots=True)
class _Way:
    """One way that is tried: what its passes show, and what it gave if it could be gone."""

    texts: dict[str, str] = field(default_factory=dict)
    result: Lowered | None = None


def run(
    lowered: Callable[[Sequence[Selected], Dump | None], Lowered],
    program: Program,
    platform: Platform,
    rows: Sequence[Selected],
    dump: Dump | None,
    launch_cost: LaunchCost | None = None,
) -> Lowered:
    """The operator lowered for the rows as they are, or with fifos, by ``launch_cost`` or else by the slower program of
    each kernel. ``dump`` receives what the passes of the way that is taken show, or where none can be, of the first.

    Raises:
        DiagnosticError: neither can be lowered; what the rows as they are say.
    """
    if dump is None:
        return _taken(lambda tried: lowered(tried, None), program, platform, rows, launch_cost)
    ways: list[_Way] = []

    def kept(tried: Sequence[Selected]) -> Lowered:
        ways.append(way := _Way())
        way.result = lowered(tried, way.texts.__setitem__)
        return way.result

    taken: Lowered | None = None
    try:
        taken = _taken(kept, program, platform, rows, launch_cost)
    finally:
        done = (way for way in ways if taken and way.result and way.result.instructions is taken.instructions)
        for name, text in next(done, ways[0] if ways else _Way()).texts.items():
            dump(name, text)
    return taken


def _taken(
    lowered: Callable[[Sequence[Selected]], Lowered],
    program: Program,
    platform: Platform,
    rows: Sequence[Selected],
    launch_cost: LaunchCost | None,
) -> Lowered:
    """The operator in the way that is faster by the model, or the only one."""

    def noted(rows: Sequence[Selected]) -> Lowered:
        return _noted(lowered(rows), rows)

    stages = _open(program, platform, rows)
    if not stages:
        return noted(rows)
    apart, mixed = asked(noted, rows), asked(noted, _rows_with_fifos(rows, stages))
    if isinstance(mixed, Refusal) or not (with_fifos := _with_fifos(mixed)):
        if isinstance(apart, Refusal):
            raise apart.error()
        return apart
    if isinstance(apart, Refusal):
        return _chosen(mixed, with_fifos, stages, "only they can do it")
    through_gm, in_rings = _compared([apart, mixed], platform, launch_cost)
    faster = {stage for stage in with_fifos if in_rings[stage] < through_gm.get(stage, 0.0)}
    if faster and faster != with_fifos:
        mixed = asked(noted, _rows_with_fifos(rows, faster))
    if isinstance(mixed, Refusal) or not faster:
        return apart
    through_gm, in_rings = _compared([apart, mixed], platform, launch_cost)
    gain = sum(through_gm.values()) / sum(in_rings.values())
    if gain < 1 + LEAST_GAIN:
        return apart
    return _chosen(mixed, faster, stages, f"{gain:.2f} times as fast as through GM by the model")


def _open(program: Program, platform: Platform, rows: Sequence[Selected]) -> frozenset[str]:
    """The stages with matrix and vector work that are cut as the compiler likes, on cores that are apart and have
    figures, and for which there are fifos enough."""
    if platform.unified or platform.timing is None or any(row.row.fuse or any(row.row.sizes.values()) for row in rows):
        return frozenset()
    defining = defining_ops(program)
    found = set()
    for stage in program.stages:
        work = [op for op in program.ops if op.stage == stage.name and op.kind not in VIEWS]
        with_products = {op.loop for op in work if op.kind in PRODUCTS}
        loops = [[op for op in work if op.loop == loop] for loop in with_products if loop]
        enough = "" in with_products or any(shared(loop, defining) <= MOST for loop in loops)
        if enough and any(op.kind not in PRODUCTS for op in work):
            found.add(stage.name)
    return frozenset(found)


def _rows_with_fifos(rows: Sequence[Selected], stages: Set[str]) -> list[Selected]:
    sizes = {stage: {"fifo": SLOTS} for stage in sorted(stages)}
    return [replace(row, row=replace(row.row, sizes={**row.row.sizes, **sizes})) for row in rows]


def _with_fifos(result: Lowered) -> frozenset[str]:
    """The stages whose cores meet in fifos in some plan."""
    return frozenset(_stage(result, launch) for plan in result.execution.plans for launch in plan if launch.programs)


def _stage(result: Lowered, launch: LaunchPlan) -> str:
    """The stage that a launch works for: rows without `fuse` have one for each kernel. C++ by an author has its own."""
    stages = (stage for k in result.instructions if k.name in launch.kernels for stage in k.stages)
    return next(stages, launch.kernel)


def _chosen(mixed: Lowered, with_fifos: Set[str], stages: Set[str], why: str) -> Lowered:
    """The result with fifos, which says so: as a tiling row would."""
    fifo = {"fifo": SLOTS}
    chosen = fifo if with_fifos >= stages else dict.fromkeys(sorted(with_fifos), fifo)
    where = "" if with_fifos >= stages else f" in {', '.join(sorted(with_fifos))}"
    note = f"{mixed.name}, {mixed.target}: the cores meet in fifos of {SLOTS} tiles (`fifo: {SLOTS}`){where}: {why}"
    return replace(mixed, notes=(*mixed.notes, note), chosen=chosen)


def _noted(result: Lowered, rows: Sequence[Selected]) -> Lowered:
    """The result with a line about the fifos that no row speaks of."""
    stages = {kernel.name: kernel.stages for kernel in result.instructions}
    there = [launch for plan in result.execution.plans for launch in plan if launch.programs]
    own = {k.kernel for k in there if not any(fifo_slots(row.row, stages[k.kernels[0]]) for row in rows)}
    where = f" in {', '.join(sorted(own))}"
    note = f"{result.name}, {result.target}: the cores meet in fifos of {SLOTS} tiles{where}: only they can do it"
    return replace(result, notes=(*result.notes, note)) if own else result


def _compared(ways: Sequence[Lowered], platform: Platform, launch_cost: LaunchCost | None) -> list[dict[str, float]]:
    """Cycles of each way by stage, all at the same sizes."""
    dims = nominal_dims(ways[0].program.dims)
    if launch_cost is not None:
        dims = compared_sizes([kernel for way in ways for kernel in way.instructions], platform.cube_cores, dims)
    return [_cycles(way, platform, dims, launch_cost) for way in ways]


def _cycles(
    result: Lowered, platform: Platform, dims: Mapping[str, int], launch_cost: LaunchCost | None
) -> dict[str, float]:
    """By stage, launch after launch of the last plan, which serves the longest calls."""
    assert platform.timing is not None
    kernels = {kernel.name: kernel for kernel in result.instructions}
    total: dict[str, float] = {}
    for launch in result.execution.plans[-1]:
        programs = [kernels[name] for name in launch.kernels if name in kernels]
        if launch_cost is None:
            cycles = max((duration(one, platform, NOMINAL_ROWS, dims) or 0.0 for one in programs), default=0.0)
        else:
            numbers = with_bounds(dims, result.execution.segment)
            cycles = launch_cost(programs, platform, blocks_of(launch.tiles, launch.core, platform, numbers), numbers)
        stage = _stage(result, launch)
        total[stage] = total.get(stage, 0.0) + platform.timing.task.value + cycles
    return total
