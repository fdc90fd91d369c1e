"""The passes of the Tile level: operations on tensors → programs of tile operations, one for each kind of core."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pyptogen.lower.block import plan
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.passes.fifo_order import go_together
from pyptogen.lower.passes.made import Made
from pyptogen.lower.passes.state import OnText, Pass, Programs, State
from pyptogen.lower.passes.tiling import Tiling
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Op
from pyptogen.lower.tile import legalise, printer
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.lower.tile.kernels import (
    column_groups,
    orders,
    overwritten,
    partition,
    scan_groups,
    split_cores,
    split_rows,
)
from pyptogen.lower.tile.kernels.standalone import Standalone
from pyptogen.lower.tile.loops import (
    conditional_masks,
    distribute,
    fission,
    forward_copies,
    pipeline,
    split_index_sets,
)
from pyptogen.lower.tile.sizes import shorten_blocks, variants
from pyptogen.records import dataclass, replace


def _by_kind(state: State) -> Callable[[Op], bool]:
    """Which operations are a kernel of their own, but for those that are one together."""
    by_kind = Standalone(state.fitted, state.platform)
    return lambda op: (op.result.name, op.result.name) in state.unfused or by_kind(op)


def _is_standalone(state: State) -> Callable[[Op], bool]:
    """Which operations are a kernel of their own."""
    by_kind = _by_kind(state)
    return lambda op: op.result.name not in state.grouped and by_kind(op)


def _partition(state: State) -> State:
    state = replace(state, unfused=partition.before_updates(state.fitted) | state.unfused)
    by_kind = _by_kind(state)
    grouped = column_groups.run(state.fitted, state.platform, by_kind, state.unfused)
    grouped = {**grouped, **scan_groups.run(state.fitted, state.platform, by_kind, grouped, state.unfused)}
    state = replace(state, grouped={**grouped, **orders.groups(state.fitted, by_kind, state.unfused)})
    found = variants.run(state.fitted, state.rows, state.platform, _is_standalone(state), state.unfused, state.grouped)
    return replace(state, variants=found)


def _choose_tiles(state: State) -> State:
    tiling = Tiling.of(
        state.fitted,
        state.platform,
        state.variants.parts,
        _is_standalone(state),
        lambda kernel, made: _finished(kernel, state.platform, made),
        state.launch_cost,
        state.known,
    )
    tables = {part.ops.name: tiling.table(part) for part in tiling.parts}
    return replace(state, tiling=tiling, tables=tables, by_hand=tiling.by_hand, made=tiling.made(tables))


def _cut(state: State) -> State:
    tiling = state.tiling
    assert tiling is not None
    return replace(state, kernels=tuple(tiling.taken(part, state.tables[part.ops.name]) for part in tiling.parts))


def _shorten_blocks(state: State) -> State:
    tiling = state.tiling
    if tiling is None or not state.fitted.loops:
        return state
    unfit = [part for part, kernel in zip(tiling.parts, state.kernels, strict=True) if not tiling.fits(kernel)]
    shorter = shorten_blocks.run(state.fitted, unfit)
    if shorter is None:
        return state
    return _shorten_blocks(_cut(_choose_tiles(replace(state, fitted=shorter))))


def _choose_copies(state: State) -> State:
    tiling = state.tiling
    assert tiling is not None
    own = state.by_hand.tiles
    made = (
        programs if programs[0].name in own else tiling.with_copies(programs, state.made) for programs in state.split
    )
    return replace(state, programs=tuple(made))


def _check_overwrites(state: State) -> State:
    own = {part.ops.name: part.ops.ops for part in state.variants.parts if not part.ops.by_hand}
    for kernel in state.kernels:
        overwritten.check(kernel, own.get(kernel.name, ()), state.fitted, state.platform, state.unfused)
    return state


def _legalise(kernel: TileKernel, platform: Platform) -> TileKernel:
    """Reductions take memory beside their operands where a vector kernel has as many copies of each buffer then."""
    own = legalise.run(kernel, platform, extra_memory=False)
    if kernel.core != "vector" or not platform.serial_row_reductions:
        return own
    roomy = legalise.run(kernel, platform)
    return own if roomy.body == own.body or not _as_roomy(roomy, own, platform) else roomy


def _as_roomy(kernel: TileKernel, than: TileKernel, platform: Platform) -> bool:
    (_, found), (_, other) = plan.run(kernel, platform), plan.run(than, platform)
    if not isinstance(found, BlockKernel) or not isinstance(other, BlockKernel):
        return isinstance(found, BlockKernel)
    copies = {buffer.name: buffer.copies for buffer in found.buffers}
    return all(copies.get(buffer.name, 1) >= buffer.copies for buffer in other.buffers)


def _split_cores(programs: Programs, platform: Platform) -> Programs:
    (kernel,) = programs
    return programs if kernel.core != "mixed" or platform.unified else split_cores.run(kernel)


def _pipeline(programs: Programs, platform: Platform) -> Programs:
    """Each program of a mixed kernel in stages, where the memories of its core have room for them, and where the two
    still go together: both of them as far ahead as the slots of fifos allow, or the cube program alone."""
    if len(programs) != 2 or not programs[0].fifos:
        return programs
    cube, vector = programs
    early, behind = (_staged(program, 1, platform) for program in programs)
    for distance in range(pipeline.furthest(cube), 1, -1):
        further = tuple(_staged(program, distance, platform) for program in programs)
        as_many = all((a is b) == (c is b) for a, b, c in zip(further, programs, (early, behind), strict=True))
        if as_many and go_together(*further):
            return further
    plans: list[Programs] = [(early, behind), (early, vector)]
    return next((plan for plan in plans if go_together(*plan)), programs)


def _staged(program: TileKernel, distance: int, platform: Platform) -> TileKernel:
    """The program in stages, if it has any and fits, else as it is."""
    staged = pipeline.run(program, distance)
    if staged.body == program.body:
        return program
    _, found = plan.run(staged, platform)
    return staged if isinstance(found, BlockKernel) else program


def _split_rows(programs: Programs, platform: Platform) -> Programs:
    *cube, vector = programs
    if vector.core != "vector" or not vector.fifos:
        return programs
    both = split_rows.on_both(vector, platform)
    return (*(replace(program, fifos=both.fifos) for program in cube), both)


def _on_text(run: Callable[[TileKernel, Platform], Programs]) -> OnText:
    return OnText(run, "tile", "tile")


def _on_kernels(
    name: str,
    doc: str,
    run: Callable[[TileKernel, Platform], TileKernel],
    applies: Callable[[Platform], bool] = lambda platform: True,
) -> Pass:
    def of_all(state: State) -> State:
        def one(kernel: TileKernel) -> TileKernel:
            return state.made.of(name, (kernel,), lambda: run(kernel, state.platform))

        return replace(state, kernels=tuple(map(one, state.kernels)))

    return Pass(name, "tile", doc, of_all, applies, None, _on_text(lambda kernel, platform: (run(kernel, platform),)))


@dataclass(frozen=True, slots=True)
class Split:
    """A pass over the programs of one kernel, where cube and vector cores are separate."""

    run: Callable[[Programs, Platform], Programs]
    whole: Pass


def _on_programs(
    name: str,
    doc: str,
    run: Callable[[Programs, Platform], Programs],
    of_kernel: Callable[[TileKernel, Platform], Programs],
) -> Split:
    def of_all(state: State) -> State:
        def one(programs: Programs) -> Programs:
            return state.made.of(name, programs, lambda: run(programs, state.platform))

        return replace(state, programs=tuple(map(one, state.split)))

    return Split(run, Pass(name, "tile", doc, of_all, lambda platform: not platform.unified, None, _on_text(of_kernel)))


def _show_parts(state: State) -> str:
    return printer.print_partition([part.ops for part in state.variants.parts])


KERNELS = (
    _on_kernels("forward-copies", "next values are made in the place of the loop-carried ones",
                lambda kernel, _: forward_copies.run(kernel)),
    _on_kernels("split-index-sets", "rows whose causal bound lies behind a block lose their mask",
                lambda kernel, _: split_index_sets.run(kernel), lambda platform: platform.unified),
    _on_kernels("conditional-masks", "iterations within the causal bound of all rows compute no mask",
                lambda kernel, _: conditional_masks.run(kernel), lambda platform: not platform.unified),
    _on_kernels("legalise", "tile operations become those that the target has one instruction for", _legalise),
    _on_kernels("distribute", "directly nested grid loops are distributed to the blocks as one product",
                distribute.run, lambda platform: not platform.unified),
)  # fmt: skip
SPLITS = (
    _on_programs("split-cores", "a mixed kernel becomes a cube and a vector program", _split_cores,
                 lambda kernel, _: split_cores.run(kernel) if kernel.core == "mixed" else (kernel,)),
    _on_programs("fission", "loops over the rows of an iteration are divided where the core waits for the other one",
                 lambda programs, _: tuple(map(fission.run, programs)), lambda kernel, _: (fission.run(kernel),)),
    _on_programs("split-rows", "two vector cores take half of the rows, or of the columns, each", _split_rows,
                 lambda kernel, platform: (split_rows.on_both(kernel, platform),)),
    _on_programs("pipeline", "software pipelining on either core", _pipeline,
                 lambda kernel, _: (pipeline.run(kernel, pipeline.furthest(kernel)),)),
)  # fmt: skip


def _finished(kernel: TileKernel, platform: Platform, made: Made) -> Programs:
    """The programs that the passes after `cut` make of a kernel."""
    for one in KERNELS:
        if one.applies(platform):
            kernel = made.of(one.name, (kernel,), partial(_alone, one, kernel, platform))
    programs: Programs = (kernel,)
    if not platform.unified:
        for split in SPLITS:
            programs = made.of(split.whole.name, programs, partial(split.run, programs, platform))
    return programs


def _alone(one: Pass, kernel: TileKernel, platform: Platform) -> TileKernel:
    assert one.on_text is not None
    (made,) = one.on_text.run(kernel, platform)
    assert isinstance(made, TileKernel)
    return made


TILE = (
    Pass("partition", "tile", "stages become kernels", _partition, shows=_show_parts),
    Pass("choose-tiles", "tile", "sizes that no row names", _choose_tiles, shows=lambda state: ""),
    Pass("cut", "tile", "loop nests of 2-D tile operations", _cut),
    Pass("shorten-blocks", "tile", "shorter blocks of loops where a kernel does not fit", _shorten_blocks),
    *KERNELS,
    Pass("check-overwrites", "tile", "an input is read before it is overwritten", _check_overwrites),
    *(split.whole for split in SPLITS),
    Pass("choose-copies", "tile", "more copies of buffers where two leave a kernel waiting", _choose_copies,
         lambda platform: platform.timing is not None),
)  # fmt: skip
"""In order."""
