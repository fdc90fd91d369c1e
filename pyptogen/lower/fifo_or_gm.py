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
from pyptogen.lower.tile.kernels.partition import defining_ops, groups, shared
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
    """The operator lowered for the rows, which name no sizes, as they are, or with fifos, by ``launch_cost`` or else by
    the slower program of each kernel. ``dump`` receives what the passes of the way that is taken show, or where none
    can be, of the first.

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

    def made(rows: Sequence[Selected]) -> Lowered:
        return noted(lowered(rows), rows)

    stages = _open(program, platform, rows)
    if not stages:
        return made(rows)
    leaders = {stage: kernel[0] for kernel in groups(program, rows[0].row) for stage in kernel}
    separate, mixed = asked(made, rows), asked(made, _rows_with_fifos(rows, stages))
    if isinstance(mixed, Refusal) or not (with_fifos := _with_fifos(mixed, leaders)):
        if isinstance(separate, Refusal):
            raise separate.error()
        return separate
    if isinstance(separate, Refusal):
        return _chosen(mixed, with_fifos, stages, "only they can do it")
    through_gm, in_rings = compared([separate, mixed], platform, launch_cost, leaders)
    faster = {stage for stage in with_fifos if in_rings.kernels[stage] < through_gm.kernels.get(stage, 0.0)}
    if faster and faster != with_fifos:
        mixed = asked(made, _rows_with_fifos(rows, faster))
    if isinstance(mixed, Refusal) or not faster:
        return separate
    through_gm, in_rings = compared([separate, mixed], platform, launch_cost, leaders)
    gain = through_gm.call / in_rings.call
    if gain < 1 + LEAST_GAIN:
        return separate
    return _chosen(mixed, faster, stages, f"{gain:.2f} times as fast as through GM by the model")


def _open(program: Program, platform: Platform, rows: Sequence[Selected]) -> frozenset[str]:
    """The kernels with matrix and vector work, by their first stage, that are cut as the compiler likes, on cores that
    are apart and have figures, and for which there are fifos enough."""
    if platform.unified or platform.timing is None:
        return frozenset()
    defining = defining_ops(program)
    found = set()
    for stages in groups(program, rows[0].row):
        work = [op for op in program.ops if op.stage in stages and op.kind not in VIEWS]
        with_products = {op.loop for op in work if op.kind in PRODUCTS}
        loops = [[op for op in work if op.loop == loop] for loop in with_products if loop]
        enough = "" in with_products or any(shared(loop, defining) <= MOST for loop in loops)
        if enough and any(op.kind not in PRODUCTS for op in work):
            found.add(stages[0])
    return frozenset(found)


def _rows_with_fifos(rows: Sequence[Selected], stages: Set[str]) -> list[Selected]:
    sizes = {stage: {"fifo": SLOTS} for stage in sorted(stages)}
    return [replace(row, row=replace(row.row, sizes={**row.row.sizes, **sizes})) for row in rows]


def _with_fifos(result: Lowered, leaders: Mapping[str, str]) -> frozenset[str]:
    """The kernels, by their first stage, whose cores meet in fifos in some plan."""
    launches = (launch for plan in result.execution.plans for launch in plan)
    return frozenset(_leader(result, launch, leaders) for launch in launches if launch.programs)


def _leader(result: Lowered, launch: LaunchPlan, leaders: Mapping[str, str]) -> str:
    """The first of the stages that share a kernel with what a launch works for. C++ by an author has its own."""
    stages = (leaders[stage] for k in result.instructions if k.name in launch.kernels for stage in k.stages)
    return next(stages, launch.kernel)


def _chosen(mixed: Lowered, with_fifos: Set[str], stages: Set[str], why: str) -> Lowered:
    """The result with fifos, which says so: as a tiling row would."""
    fifo = {"fifo": SLOTS}
    chosen = fifo if with_fifos >= stages else dict.fromkeys(sorted(with_fifos), fifo)
    where = "" if with_fifos >= stages else f" in {', '.join(sorted(with_fifos))}"
    note = f"{mixed.name}, {mixed.target}: the cores meet in fifos of {SLOTS} tiles (`fifo: {SLOTS}`){where}: {why}"
    return replace(mixed, notes=(*mixed.notes, note), chosen=chosen)


def noted(result: Lowered, rows: Sequence[Selected]) -> Lowered:
    """The result with a line about the fifos that no row speaks of."""
    stages = {kernel.name: kernel.stages for kernel in result.instructions}
    there = [launch for plan in result.execution.plans for launch in plan if launch.programs]
    own = {k.kernel for k in there if not any(fifo_slots(row.row, stages[k.kernels[0]]) for row in rows)}
    where = f" in {', '.join(sorted(own))}"
    note = f"{result.name}, {result.target}: the cores meet in fifos of {SLOTS} tiles{where}: only they can do it"
    return replace(result, notes=(*result.notes, note)) if own else result


@dataclass(frozen=True, slots=True)
class Cycles:
    """What a way takes: its launches by the first stage of their kernel, and the call, in which a launch waits for
    those that it needs and for the cores of its kind."""

    kernels: Mapping[str, float]
    call: float


def compared(
    ways: Sequence[Lowered], platform: Platform, launch_cost: LaunchCost | None, leaders: Mapping[str, str]
) -> list[Cycles]:
    """What each way takes, all at the same sizes, by the last plan, which serves the longest calls."""
    dims = nominal_dims(ways[0].program.dims)
    if launch_cost is not None:
        dims = compared_sizes([kernel for way in ways for kernel in way.instructions], platform.cube_cores, dims)
    return [_cycles(way, platform, dims, launch_cost, leaders) for way in ways]


def _cycles(
    result: Lowered,
    platform: Platform,
    dims: Mapping[str, int],
    launch_cost: LaunchCost | None,
    leaders: Mapping[str, str],
) -> Cycles:
    assert platform.timing is not None
    kernels = {kernel.name: kernel for kernel in result.instructions}
    total: dict[str, float] = {}
    ended: dict[str, float] = {}
    free = {"cube": 0.0, "vector": 0.0}
    for launch in result.execution.plans[-1]:
        programs = [kernels[name] for name in launch.kernels if name in kernels]
        if launch_cost is None or not programs:  # of C++ by an author nobody knows what it takes
            cycles = max((duration(one, platform, NOMINAL_ROWS, dims) or 0.0 for one in programs), default=0.0)
        else:
            numbers = with_bounds(dims, result.execution.segment)
            cycles = launch_cost(programs, platform, blocks_of(launch.tiles, launch.core, platform, numbers), numbers)
        cycles += platform.timing.task.value
        leader = _leader(result, launch, leaders)
        total[leader] = total.get(leader, 0.0) + cycles
        kinds = {"cube" if one.core == "cube" else "vector" for one in programs}
        begin = max((*(ended.get(name, 0.0) for name in launch.after), *(free[kind] for kind in kinds)), default=0.0)
        ended[launch.kernel] = begin + cycles
        free |= dict.fromkeys(kinds, begin + cycles)
    return Cycles(total, max(ended.values(), default=0.0))
