"""The passes, in order, by name. This file and `tensor_level` are the only places that know the order.

    Tensor       (from_spec)  functions inlined, composites expanded, types and shapes proved
                 tensor_level  its passes, up to dims and dtypes that tiles can have; lowering  of kernels by hand
    Tile         variants     tiling rows → kernels and sizes   partition   stages → kernels
                 choose       sizes left to the compiler
                 cut          loop nests of 2-D tile operations carried     next values in the place of carried ones
                 index_sets   rows that see all of a block apart from the others, where one core does all
                 shorter_rounds  blocks of loops that fit        legalise    what the platform has no instruction for
                 divide       mixed kernels → a program for each kind of core, where these are apart
                 run_ahead    rounds of the cube program ahead of the vector core
                 share_rows   the vector program on both vector cores
    Block        plan         the roomiest that fits of: loads_first (loads ahead of vector work), place (memories and
                              moves), rotate (copies of buffers), memory (pitches, liveness, addresses)
    Execution    build        launches, dependencies, workspace   share       hints about blocks
    Instruction  select       PTO instructions                  synchronise flags and barriers, where pipes run apart
                 passes       vector instructions walked together, for the kernel's text; elsewhere
                              in_place: steps that overwrite each other under one name
                 count_width  int32 or int64, by how far loops may count

Each level has a printer (`--dump-ir`) and a legality check, run after each of its passes (on the Tensor level with
`--verify-each`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower import chosen_rows, fitting_tiles, rings_or_scratch, tensor_level
from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.block import memory, plan
from pyptogen.lower.block import printer as block_printer
from pyptogen.lower.block import verify as block_verify
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution import build as execution_build
from pyptogen.lower.execution import printer as execution_printer
from pyptogen.lower.execution import prioritise, share
from pyptogen.lower.execution import verify as execution_verify
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.fitting_tiles import Recut
from pyptogen.lower.hand.lowering import ByHand
from pyptogen.lower.instruction import count_width, in_place, passes, select, side_by_side, synchronise
from pyptogen.lower.instruction import printer as instruction_printer
from pyptogen.lower.instruction import verify as instruction_verify
from pyptogen.lower.instruction.duration import duration, nominal_length
from pyptogen.lower.instruction.estimate import nominal_dims, of_launch
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import PRODUCTS, Op, Program
from pyptogen.lower.tensor.printer import print_program
from pyptogen.lower.tile import legalise, solo
from pyptogen.lower.tile import printer as tile_printer
from pyptogen.lower.tile import verify as tile_verify
from pyptogen.lower.tile.cutting import cut
from pyptogen.lower.tile.cutting.axes import Apart, Axes, Copied
from pyptogen.lower.tile.cutting.tensors import gm_tensors
from pyptogen.lower.tile.ir import GmTensor, TileKernel, tile_sizes
from pyptogen.lower.tile.kernels import divide, overwritten, partition, share_rows
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.rounds import carried, index_sets, run_ahead
from pyptogen.lower.tile.sizes import choose, shorter_rounds, sizes, variants
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.lower.tile.sizes.variants import Part, Table, Variants


@dataclass(frozen=True, slots=True)
class _Session:
    program: Program
    fitted: Program
    """The same for the platform: what the levels below the Tensor level work on."""
    platform: Platform
    dump: Dump | None

    def note(self, number: int, name: str, text: Callable[[], str]) -> None:
        if self.dump is not None:
            self.dump(f"{number:02d}-{name}", text())


def lower(program: Program, target: str, *, dump: Dump | None = None) -> Lowered:
    """Lower an operator for one target.

    Args:
        program: the operator at the Tensor level.
        target: a platform name, such as ``cpu``.
        dump: receives the text of the level after every pass; of what is tried, the way that is taken.

    Raises:
        DiagnosticError: PTG3xx, with the place in the spec.
    """
    if target not in PLATFORMS:
        raise DiagnosticError(
            Diagnostic(
                "PTG303",
                f"unknown target `{target}`",
                program.span,
                expected=f"one of {', '.join(PLATFORMS)}",
            )
        )
    program = tensor_level.prepared(program, target)
    platform = PLATFORMS[target]
    rows = sizes.select_rows(program, target)
    return rings_or_scratch.run(
        lambda tried, shown: _lower(program, platform, tried, shown), program, platform, rows, dump
    )


def _lower(program: Program, platform: Platform, rows: Sequence[Selected], dump: Dump | None) -> Lowered:
    """All passes, with the tiling rows that can apply. What an index names, or another shape gives, is read where it
    lies; where that turns out to be impossible, it is copied, and all is done again."""
    copied: frozenset[str] = frozenset()
    while True:
        try:
            return _lowered(program, platform, rows, dump, copied)
        except Copied as error:
            if error.name in copied or any(op.result.name == error.name and op.loop for op in program.ops):
                raise
            copied |= {error.name}


def _lowered(
    program: Program, platform: Platform, rows: Sequence[Selected], dump: Dump | None, copied: frozenset[str]
) -> Lowered:
    """All passes, where these values are copied."""
    fitted, rows = tensor_level.fitted(program, platform, rows, copied)
    program = replace(program, attrs=fitted.attrs, halves=fitted.halves)
    session = _Session(program, fitted, platform, dump)
    session.note(5, "tensor-fit", lambda: print_program(session.fitted))
    needed, (tiles, tensors, recut, finished) = _cut(session, rows)
    programs = _programs(session, tiles)
    names = [p.name for part in needed.parts for p in programs.get(part.ops.name, (part.ops,))]
    every = [p for kernel in tiles for p in programs.get(kernel.name, (kernel,))]
    blocks = finished.joined(names, _block_level(session, every, recut))
    graph = execution_build.run(program, rows, blocks, needed.launched, tensors, platform.name, programs)
    graph = share.run(graph, program, rows, {block.tile.name: block.tile.stages for block in blocks})
    execution_verify.verify(graph, program)
    session.note(30, "execution-build", lambda: execution_printer.print_graph(graph))
    instructions = _instruction_level(session, blocks, finished)
    walked = _walked(session, instructions, finished)
    graph = _prioritised(session, graph, instructions)
    lowered = _finished(session, instructions, walked, graph, blocks, finished, tiles)
    by_kernel = {block.tile.name: tile_sizes(block.tile.body) for block in blocks}
    return replace(lowered, notes=chosen_rows.notes(program, platform.name, rows, by_kernel))


Tiles = tuple[list[TileKernel], Mapping[str, GmTensor], Recut, ByHand]


def _cut(session: _Session, rows: Sequence[Selected]) -> tuple[Variants, Tiles]:
    """Kernels and their tiles. A value whose reader cannot take it from a tile of the same kernel goes through GM: the
    kernel is cut there, and all is done again."""
    by_kind = solo.Alone(session.fitted, session.platform)
    apart: Edges = partition.before_updates(session.fitted)

    def alone(op: Op) -> bool:
        return (op.result.name, op.result.name) in apart or by_kind(op)

    while True:
        needed = variants.run(session.fitted, rows, session.platform, alone, apart)
        try:
            tiles = _tile_level(session, needed.parts, lambda op: op.kind not in PRODUCTS and alone(op))
            own = {part.ops.name: part.ops.ops for part in needed.parts if not part.ops.by_hand}
            for kernel in tiles[0]:
                overwritten.check(kernel, own.get(kernel.name, ()), session.fitted, session.platform, apart)
            return needed, tiles
        except Apart as error:
            if error.edge in apart:
                raise
            apart |= {error.edge}


def _divided(kernel: TileKernel, platform: Platform) -> tuple[TileKernel, ...]:
    """The kernel, or its two programs where cube and vector cores are apart; the cube program begins the next round
    before it waits for the vector core in this one, where its memories have room for two rounds."""
    if kernel.core != "mixed" or platform.unified:
        return (kernel,)
    cube, vector = divide.run(kernel)
    ahead = run_ahead.run(cube)
    _, found = plan.run(ahead, platform)
    apart = isinstance(found, BlockKernel) and run_ahead.is_apart(found)
    cube, vector = (ahead if apart else cube), share_rows.on_both(vector, platform)
    return replace(cube, fifos=vector.fifos), vector


def _slowest(session: _Session, programs: Sequence[TileKernel], rows: int) -> float | None:
    """Cycles of the slower program of a kernel, None where one does not fit its core."""
    longest, lengths = 0.0, nominal_dims(session.fitted.dims)
    for program in programs:
        _, found = plan.run(program, session.platform)
        if isinstance(found, memory.Overflow):
            return None
        selected = select.run(found, session.fitted, session.platform)
        longest = max(longest, duration(selected, session.platform, rows, lengths) or 0.0)
    return longest


def _programs(session: _Session, tiles: Sequence[TileKernel]) -> dict[str, tuple[TileKernel, ...]]:
    """The programs of each mixed kernel that is divided, by its name."""
    found = {kernel.name: _divided(kernel, session.platform) for kernel in tiles}
    programs = {name: both for name, both in found.items() if len(both) > 1}
    if programs:
        shown = [program for both in programs.values() for program in both]
        tile_verify.verify(shown)
        session.note(13, "tile-divide", lambda: tile_printer.print_kernels(shown))
    return programs


def _tile_level(session: _Session, parts: Sequence[Part], alone: Callable[[Op], bool]) -> Tiles:
    """Kernels of tile operations, all GM tensors, how to cut a kernel anew, and the kernels that an author finished."""
    program, platform = session.fitted, session.platform
    tensors, gm_names = gm_tensors(program, [part.ops for part in parts])
    axes = Axes(program)  # one for all attempts at tile sizes: it remembers what sizes come to
    every = parts
    by_hand = ByHand.read(program, parts, tensors, gm_names, platform)
    parts = [part for part in parts if part.ops.name not in by_hand.finished]
    segment = cut.segment_of(program, [part.ops for part in parts if not alone(part.ops.ops[0])])

    def cut_part(part: Part, table: Table) -> TileKernel:
        if part.ops.name in by_hand.tiles:
            return replace(by_hand.tiles[part.ops.name], depths=part.depths)
        if alone(part.ops.ops[0]):
            return solo.run(program, part.ops, tensors, gm_names, platform, segment if part.longest else None)
        kernel = cut.run(program, part.ops, table, tensors, gm_names, platform, axes, part.longest, segment)
        kernel = carried.run(kernel)
        kernel = index_sets.run(kernel) if platform.unified else kernel
        return replace(kernel, depths=part.depths, slots=part.ops.slots, vector_cores=part.ops.vector_cores)

    def recut(kernel: str, dim: str, tile: int) -> TileKernel:
        part = next(p for p in parts if p.ops.name in (kernel, kernel.rpartition("_")[0]))
        table = sizes.resized(tables[part.ops.name], dim, tile, part.row)
        smaller = legalise.run(cut_part(part, table), platform)
        return next((p for p in _divided(smaller, platform) if p.name == kernel), smaller)

    def fits(kernel: TileKernel) -> bool:
        return all(plan.fits(p, platform) for p in _divided(legalise.run(kernel, platform), platform))

    def choose_tiles(part: Part) -> Table:
        if alone(part.ops.ops[0]):
            return part.sizes

        def cost(table: Table) -> float | None:
            tile = cut_part(part, table)
            if platform.costs is None:
                return 0.0 if fits(tile) else None
            rows = part.longest or nominal_length(tile, program.dim(tile.segment).max if tile.segment else 1)
            return _slowest(session, _divided(legalise.run(tile, platform), platform), rows)

        return choose.run(program, part.ops, part.sizes, platform, part.row, cost)

    tables = {part.ops.name: part.sizes if part.ops.by_hand else choose_tiles(part) for part in parts}
    kernels = [cut_part(part, tables[part.ops.name]) for part in parts]
    if program.loops:
        fitting = [fits(kernel) for kernel in kernels]
        shorter = shorter_rounds.run(program, [part for part, fits in zip(parts, fitting, strict=True) if not fits])
        if shorter is not None:
            return _tile_level(replace(session, fitted=shorter), every, alone)
    session.note(10, "tile-partition", lambda: tile_printer.print_partition([part.ops for part in parts]))
    session.note(11, "tile-cut", lambda: tile_printer.print_kernels(kernels))
    tile_verify.verify(kernels)
    kernels = [legalise.run(k, platform) for k in kernels]
    tile_verify.verify(kernels)
    session.note(12, "tile-legalise", lambda: tile_printer.print_kernels(kernels))
    return kernels, tensors, recut, by_hand


def _block_level(session: _Session, tiles: Sequence[TileKernel], recut: Recut) -> list[BlockKernel]:
    if not tiles:
        return []
    placed, kernels = zip(*(_plan_memory(tile, session, recut) for tile in tiles), strict=True)
    session.note(20, "block-place", lambda: tile_printer.print_kernels(placed))
    block_verify.verify(kernels, session.platform)
    session.note(21, "block-memory", lambda: block_printer.print_kernels(kernels))
    return list(kernels)


def _plan_memory(tile: TileKernel, session: _Session, recut: Recut) -> tuple[TileKernel, BlockKernel]:
    """The kernel with its moves, and with its addresses."""
    placed, found = plan.run(tile, session.platform)
    if isinstance(found, memory.Overflow):
        cut = fitting_tiles.of(tile, session.fitted, session.program, session.platform, recut)
        otherwise = fitting_tiles.otherwise(tile, session.fitted)
        raise memory.overflow(placed, found, session.platform, cut, otherwise)
    return placed, found


def _instruction_level(session: _Session, blocks: Sequence[BlockKernel], by_hand: ByHand) -> list[InstrKernel]:
    """Instructions of all kernels; those that an author finished have theirs, with flags in place."""
    mine = [b for b in blocks if b.tile.name not in by_hand.finished]
    kernels = [select.run(b, session.program, session.platform) for b in mine]
    instruction_verify.verify(kernels, session.platform)
    session.note(40, "instruction-select", lambda: instruction_printer.print_kernels(kernels))
    if session.platform.flags:
        kernels = [synchronise.run(k) for k in kernels]
        side_by_side.require_order(kernels)
        session.note(41, "instruction-synchronise", lambda: instruction_printer.print_kernels(kernels))
    made = {k.name: k for k in kernels}
    return [made.get(b.tile.name) or by_hand.finished[b.tile.name].instructions for b in blocks]


def _walked(session: _Session, kernels: list[InstrKernel], by_hand: ByHand) -> list[InstrKernel]:
    """The kernels as their text has them; what an author wrote as instructions stays as it is."""
    if session.platform.vector_passes:
        as_written = {name for name, level in by_hand.levels.items() if level in ("instruction", "source")}
        walked = [k if k.name in as_written else passes.run(k, k.name in by_hand.finished) for k in kernels]
    else:
        walked = [k if k.name in by_hand.finished else in_place.run(k) for k in kernels]
    name = "passes" if session.platform.vector_passes else "in-place"
    session.note(42, f"instruction-{name}", lambda: instruction_printer.print_kernels(walked))
    return walked


def _prioritised(session: _Session, graph: ExecutionGraph, kernels: Sequence[InstrKernel]) -> ExecutionGraph:
    longest = graph.longest_range
    found = {
        k.name: of_launch(k, session.platform, longest, nominal_dims(session.program.dims)) for k in kernels if k.body
    }
    cycles = {name: cost.cycles for name, cost in found.items() if cost is not None}
    stages = {k.name: k.stages for k in kernels}
    for launch in (launch for launches in graph.plans for launch in launches if launch.programs):
        stages[launch.kernel] = tuple(dict.fromkeys(s for name in launch.kernels for s in stages[name]))
        known = [cycles[name] for name in launch.kernels if name in cycles]
        cycles |= {launch.kernel: max(known)} if known else {}
    graph = prioritise.run(graph, session.program, stages, cycles)
    execution_verify.verify(graph, session.program)
    session.note(50, "execution-prioritise", lambda: execution_printer.print_graph(graph))
    return graph


def _finished(
    session: _Session,
    kernels: Sequence[InstrKernel],
    walked: Sequence[InstrKernel],
    graph: ExecutionGraph,
    blocks: Sequence[BlockKernel],
    by_hand: ByHand,
    tiles: Sequence[TileKernel],
) -> Lowered:
    """What lowering hands on."""
    program = session.program
    written = [k.name for k in kernels if by_hand.source(k.name)]
    graph, walked = count_width.run(program, graph, walked, written)
    known = tuple(replace(k, wide=graph.wide) for k in kernels if k.name not in written)
    planned = tuple(b for b in blocks if b.tile.name not in by_hand.finished)
    target = session.platform.name
    return Lowered(
        program.name, target, program, known, tuple(walked), graph, tuple(tiles), planned, tuple(blocks), by_hand
    )
