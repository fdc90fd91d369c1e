"""The driver: runs the passes of `pyptogen.lower.passes`, in order, and checks what each one made.

Two refusals of a pass send lowering back: a value that cannot be read where it lies is copied (`CopyOf`), and a value
whose reader cannot take it from a tile of the same kernel goes through GM (`TwoKernels`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower import chosen_rows, fifo_or_gm, fused_stages
from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.block import printer as block_printer
from pyptogen.lower.block import verify as block_verify
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution import printer as execution_printer
from pyptogen.lower.execution import verify as execution_verify
from pyptogen.lower.instruction import printer as instruction_printer
from pyptogen.lower.instruction import verify as instruction_verify
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.launch_cost import LaunchCost
from pyptogen.lower.passes import PASSES, Level, Pass, State, prepared
from pyptogen.lower.passes.state import Known
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.refusal import CopyOf, Refusal, TwoKernels, asked
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.printer import print_program
from pyptogen.lower.tile import printer as tile_printer
from pyptogen.lower.tile import verify as tile_verify
from pyptogen.lower.tile.ir import TileKernel, tile_sizes
from pyptogen.lower.tile.sizes import sizes
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.lower.ways import Ways
from pyptogen.records import replace

Kernel = TypeVar("Kernel", TileKernel, BlockKernel, InstrKernel)


def _programs(state: State) -> list[TileKernel]:
    return [program for programs in state.split for program in programs]


def _planned(state: State) -> list[BlockKernel]:
    return [block for block in state.blocks if block.tile.name not in state.by_hand.finished]


def _selected(state: State) -> list[InstrKernel]:
    return [kernel for kernel in state.instructions if kernel.name not in state.by_hand.finished]


TEXTS: Mapping[Level, Callable[[State], str]] = {
    "tensor": lambda state: print_program(state.fitted),
    "tile": lambda state: tile_printer.print_kernels(_programs(state)),
    "block": lambda state: block_printer.print_kernels(_planned(state)),
    "execution": lambda state: execution_printer.print_graph(state.launches),
    "instruction": lambda state: instruction_printer.print_kernels(_selected(state)),
}


class _Rules:
    """What every pass of a level must leave true, of the kernels that it made anew. Raise IllegalIR."""

    def __init__(self) -> None:
        self.sound: dict[int, object] = {}
        """Kernels by identity: most passes change few of them, and some none."""

    def check(self, level: Level, state: State) -> None:
        """Check what a pass of a level made."""
        if level == "tile":
            tile_verify.verify(self._new(_programs(state)))
        elif level == "block":
            block_verify.verify(self._new(_planned(state)), state.platform)
        elif level == "execution":
            execution_verify.verify(state.launches, state.program)
        elif level == "instruction":
            instruction_verify.verify(self._new(_selected(state)), state.platform)

    def _new(self, kernels: list[Kernel]) -> list[Kernel]:
        found = [kernel for kernel in kernels if id(kernel) not in self.sound]
        self.sound |= {id(kernel): kernel for kernel in found}
        return found


def lower(program: Program, target: str, *, dump: Dump | None = None, launch_cost: LaunchCost | None = None) -> Lowered:
    """Lower an operator for one target.

    Args:
        program: the operator at the Tensor level.
        target: a platform name, such as ``cpu``.
        dump: receives the text of the level after every pass that changed it; of what is tried, the way that is taken.
        launch_cost: how long launches take, by which tiles of mixed kernels and the use of fifos are chosen. Without it
            they are compared by their slower program alone.

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
    program = prepared(program, target)
    platform = PLATFORMS[target]
    rows = sizes.select_rows(program, target)

    rows_name_sizes = any(any(row.row.sizes.values()) for row in rows)
    known = Known()
    same: dict[_Parts, Lowered] = {}

    def lowered(tried: Sequence[Selected], shown: Dump | None = None) -> Lowered:
        state = State(program, program, platform, tuple(tried), launch_cost, known)
        result = _lower(state, shown, same if shown is None else {})
        return fifo_or_gm.noted(result, tried)

    if rows_name_sizes:
        return lowered(rows, dump)
    ways = Ways(program, platform, rows, launch_cost, lowered)
    rows_name_fused = any(row.row.fuse is not None for row in rows)
    choice = fifo_or_gm.choose(ways) if rows_name_fused else fused_stages.choose(ways)
    result = ways.result(choice.way) if dump is None else lowered(ways.rows_of(choice.way), dump)
    if isinstance(result, Refusal):
        raise result.error()
    return replace(result, notes=(*result.notes, *choice.notes), chosen=choice.keys or None)


_Parts = tuple[tuple[object, ...], ...]


def _parts(state: State) -> _Parts:
    """What a plan makes of the operator: by kernel, all that decides what becomes of it, but its name."""
    return tuple(
        (
            *(part.ops.core, part.ops.slots, part.ops.vector_cores, part.ops.writes, part.longest, part.depths),
            tuple((op.stage, op.result.name) for op in part.ops.ops),
            tuple((stage, dim, size) for stage, dims in part.sizes.items() for dim, size in dims.items()),
        )
        for part in state.variants.parts
    )


def _lower(state: State, dump: Dump | None, same: dict[_Parts, Lowered]) -> Lowered:
    """All passes. ``same``: what came of other plans; of a plan that becomes the same kernels comes the same."""
    passes = [one for one in PASSES if one.applies(state.platform)]
    before: list[State] = []
    shown, rules = _Shown(dump), _Rules()
    parts: _Parts | None = None
    while len(before) < len(passes):
        one = passes[len(before)]
        made = asked(one.run, state)
        if isinstance(made, Refusal):
            names = [done.name for done in passes]
            back = names.index("halves" if isinstance(made.remedy, CopyOf) else "partition")
            state, before = _without(made, state, before[back:]), before[:back]
            continue
        before.append(state)
        state = made
        if one.name == "partition" and parts is None:
            parts = _parts(state)
            if parts in same:
                return same[parts]
        rules.check(one.level, state)
        shown.note(one, state)
    result = _lowered(state)
    if parts is not None:
        same[parts] = result
    return result


def _without(refusal: Refusal, state: State, begun: Sequence[State]) -> State:
    """Where to begin anew so that the refusal does not come again: the first state of ``begun``, changed.

    Raises:
        Refused: nothing helps, or that has been tried.
    """
    remedy = refusal.remedy
    if isinstance(remedy, TwoKernels) and remedy.edge not in state.unfused:
        return replace(begun[0], unfused=begun[0].unfused | {remedy.edge})
    if isinstance(remedy, CopyOf):
        in_loop = any(op.result.name == remedy.name and op.loop for op in state.program.ops)
        if not in_loop and remedy.name not in state.copied:
            return replace(begun[0], copied=begun[0].copied | {remedy.name})
    raise refusal.error()


class _Shown:
    """Hands on the text of a level after each pass that changed it, by the number and the title of the pass."""

    def __init__(self, dump: Dump | None) -> None:
        self.dump, self.last = dump, dict[Level, str]()
        self.numbers = {one.name: number for number, one in enumerate(PASSES, 1)}

    def note(self, one: Pass, state: State) -> None:
        if self.dump is None:
            return
        text = (one.shows or TEXTS[one.level])(state)
        if text and self.last.get(one.level) != text:
            self.dump(f"{self.numbers[one.name]:02d}-{one.title}", text)
            self.last[one.level] = text


def _lowered(state: State) -> Lowered:
    """What lowering hands on."""
    program, target = state.program, state.platform.name
    own = state.tiling.own.keys() if state.tiling is not None else ()
    by_kernel = {block.tile.name: tile_sizes(block.tile.body) for block in state.blocks if block.tile.name not in own}
    return Lowered(
        program.name,
        target,
        program,
        state.instructions,
        state.walked,
        state.launches,
        state.kernels,
        tuple(_planned(state)),
        state.blocks,
        state.by_hand,
        chosen_rows.notes(program, target, state.rows, by_kernel),
    )
