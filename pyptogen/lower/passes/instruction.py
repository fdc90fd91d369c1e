"""The passes of the Instruction level: placed tiles → PTO instructions, with their flags, and their text's form."""

from __future__ import annotations

from collections.abc import Callable

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.instruction import (
    count_width,
    in_place,
    passes,
    printer,
    select,
    side_by_side,
    synchronise,
    unit_flags,
)
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.passes.state import Known, OnText, Pass, State
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Attr, Program
from pyptogen.records import replace


def _select(state: State) -> State:
    """What an author finished has its instructions, with flags in place."""
    own = state.by_hand.finished
    made = (
        own[b.tile.name].instructions if b.tile.name in own else select.run(b, state.program, state.platform)
        for b in state.blocks
    )
    return replace(state, instructions=tuple(made))


def _select_one(kernel: BlockKernel, platform: Platform) -> tuple[InstrKernel, ...]:
    """Of a kernel without a spec: its numbers are fp32, and of its dims nothing is known but the range."""
    span = kernel.tile.span
    attrs = tuple(Attr(name, "fp32", None, span) for name in kernel.tile.scalars)
    program = Program(
        kernel.tile.name, "", (), attrs, (), (), {}, (), (), (), {}, (platform.name,), span
    )  # fmt: skip
    return (select.run(kernel, program, platform),)


def _mine(state: State) -> list[InstrKernel]:
    return [kernel for kernel in state.instructions if kernel.name not in state.by_hand.finished]


def _unit_flags(state: State) -> State:
    """Both programs of a mixed kernel see which fifos take part."""
    made = {kernel.name: unit_flags.run(kernel) for kernel in _mine(state)}
    for cube, vector in side_by_side.pairs(list(made.values())):
        made[vector.name] = replace(vector, fifos=made[cube.name].fifos)
    return replace(state, instructions=tuple(made.get(kernel.name, kernel) for kernel in state.instructions))


def _synchronise(state: State) -> State:
    """Raises IllegalIR where two programs of a kernel do not keep step."""
    made = {kernel.name: _synchronised(kernel, state.known) for kernel in _mine(state)}
    side_by_side.require_order(list(made.values()))
    return replace(state, instructions=tuple(made.get(kernel.name, kernel) for kernel in state.instructions))


def _synchronised(kernel: InstrKernel, known: Known | None) -> InstrKernel:
    if known is None:
        return synchronise.run(kernel)
    made = known.synchronised.get(kernel)
    if made is None:
        made = known.synchronised[kernel] = synchronise.run(kernel, known.flags)
    return made


def _passes(state: State) -> State:
    """What an author wrote as instructions stays as it is."""
    as_written = {name for name, level in state.by_hand.levels.items() if level in ("instruction", "source")}
    return replace(
        state,
        walked=tuple(
            kernel if kernel.name in as_written else passes.run(kernel, kernel.name in state.by_hand.finished)
            for kernel in state.instructions
        ),
    )


def _in_place(state: State) -> State:
    finished = state.by_hand.finished
    return replace(state, walked=tuple(k if k.name in finished else in_place.run(k) for k in state.instructions))


def _count_width(state: State) -> State:
    written = [kernel.name for kernel in state.instructions if state.by_hand.source(kernel.name)]
    graph, walked = count_width.run(state.program, state.launches, state.walked, written)
    known = tuple(replace(k, wide=graph.wide) for k in state.instructions if k.name not in written)
    return replace(state, graph=graph, walked=tuple(walked), instructions=known)


def _walked(state: State) -> str:
    return printer.print_kernels(state.walked)


def _on_text(run: Callable[[InstrKernel], InstrKernel]) -> OnText:
    return OnText(lambda kernel, _: (run(kernel),), "instruction", "instruction")


INSTRUCTION = (
    Pass("select", "instruction", "PTO instructions", _select,
         shows=lambda state: printer.print_kernels(_mine(state)),
         on_text=OnText(_select_one, "block", "instruction")),
    Pass("unit-flags", "instruction", "accumulators that the hardware hands to the fixpipe", _unit_flags,
         lambda platform: platform.unit_flags,
         lambda state: printer.print_kernels(_mine(state)), _on_text(unit_flags.run)),
    Pass("synchronise", "instruction", "flags and barriers", _synchronise, lambda platform: bool(platform.flags),
         lambda state: printer.print_kernels(_mine(state)), _on_text(synchronise.run)),
    Pass("passes", "instruction", "vector instructions walked together", _passes,
         lambda platform: platform.vector_passes, _walked, _on_text(passes.run)),
    Pass("in-place", "instruction", "tiles that overwrite each other in place have one name", _in_place,
         lambda platform: not platform.vector_passes, _walked, _on_text(in_place.run)),
)  # fmt: skip
WIDTHS = (
    Pass("count-width", "instruction", "int32 or int64, by how far loops may count", _count_width, shows=_walked),
)
"""Behind the launches, whose sizes count too."""
