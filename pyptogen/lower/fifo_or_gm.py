"""Where cube and vector cores are separate: fifos between them, or kernels of their own that meet in GM, for stages
whose tiling row leaves all to the compiler.

before: - {}                      attention: scores and products of a whole loop in GM, four launches in a row
after:  - {fifo: 4}               one mixed kernel, which keeps four tiles of each

before: - {}                      product and gelu: the product in GM, two launches
after:  - {linear: {fifo: 4}}     one mixed kernel: the vector cores work on a tile while the cube core makes the next

Both are lowered, and each stage gets the form that the figures of the platform call faster. A recurrence that only a
mixed kernel can do has its fifos in any row, and a note says so where the row does not.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.refusal import Refusal
from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS
from pyptogen.lower.tile.kernels.partition import defining_ops, shared
from pyptogen.lower.tile.kernels.split_cores import MOST
from pyptogen.lower.tile.sizes.sizes import SLOTS, Selected, fifo_slots
from pyptogen.lower.ways import Choice, Stages, Way, Ways
from pyptogen.records import replace

LEAST_GAIN = 0.01


def choose(ways: Ways, fused: tuple[Stages, ...] = ()) -> Choice:
    """Of the ways that fuse so, the one whose fifos are faster by the model, or the only one that can be lowered; where
    none can, that without fifos."""
    separate = Way(fused)
    possible = _possible(ways, separate)
    if not possible:
        return Choice(separate)
    mixed = Way(fused, possible)
    if isinstance(ways.result(mixed), Refusal) or not (there := ways.with_fifos(mixed)):
        return Choice(separate)
    if isinstance(ways.result(separate), Refusal):
        return _chosen(ways, mixed, there, possible, "only they can do it")
    through_gm, in_fifos = ways.cycles(separate, mixed)
    faster = frozenset(stage for stage in there if in_fifos.kernels[stage] < through_gm.kernels.get(stage, 0.0))
    if faster != there:
        mixed = Way(fused, faster)
    if not faster or isinstance(ways.result(mixed), Refusal):
        return Choice(separate)
    gain = ways.gain(separate, mixed)
    if gain < 1 + LEAST_GAIN:
        return Choice(separate)
    return _chosen(ways, mixed, faster, possible, f"{gain:.2f} times as fast as through GM by the model")


def _possible(ways: Ways, way: Way) -> frozenset[str]:
    """The kernels with matrix and vector work, by their first stage, that are cut as the compiler likes, on cores that
    are apart and have figures, and for which there are fifos enough."""
    if ways.platform.unified or ways.platform.timing is None:
        return frozenset()
    program = ways.program
    defining = defining_ops(program)
    found = set()
    for stages in ways.groups(way):
        work = [op for op in program.ops if op.stage in stages and op.kind not in VIEWS]
        with_products = {op.loop for op in work if op.kind in PRODUCTS}
        loops = [[op for op in work if op.loop == loop] for loop in with_products if loop]
        enough = "" in with_products or any(shared(loop, defining) <= MOST for loop in loops)
        if enough and any(op.kind not in PRODUCTS for op in work):
            found.add(stages[0])
    return frozenset(found)


def _chosen(ways: Ways, mixed: Way, there: Set[str], possible: Set[str], why: str) -> Choice:
    """The way with fifos, which says so: as a tiling row would."""
    fifo = {"fifo": SLOTS}
    keys = fifo if there >= possible else dict.fromkeys(sorted(there), fifo)
    where = "" if there >= possible else f" in {', '.join(sorted(there))}"
    operator = f"{ways.program.name}, {ways.platform.name}"
    return Choice(mixed).noted(
        f"{operator}: the cores meet in fifos of {SLOTS} tiles (`fifo: {SLOTS}`){where}: {why}", keys
    )


def noted(result: Lowered, rows: Sequence[Selected]) -> Lowered:
    """The result with a line about the fifos that no row speaks of."""
    stages = {kernel.name: kernel.stages for kernel in result.instructions}
    there = [launch for plan in result.execution.plans for launch in plan if launch.programs]
    own = {k.kernel for k in there if not any(fifo_slots(row.row, stages[k.kernels[0]]) for row in rows)}
    where = f" in {', '.join(sorted(own))}"
    note = f"{result.name}, {result.target}: the cores meet in fifos of {SLOTS} tiles{where}: only they can do it"
    return replace(result, notes=(*result.notes, note)) if own else result
