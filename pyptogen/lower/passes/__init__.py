"""Every pass of the compiler, in order: what lowering runs, what `--dump-ir` shows, what `pyptogen opt` tries.

Reading a spec makes the program of the Tensor level (`tensor.reading`); `prepared` gives it the form that all
platforms share. From there on the passes are a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyptogen.diagnostics import fault
from pyptogen.lower.block import parser as block_parser
from pyptogen.lower.block import printer as block_printer
from pyptogen.lower.block import verify as block_verify
from pyptogen.lower.instruction import parser as instruction_parser
from pyptogen.lower.instruction import printer as instruction_printer
from pyptogen.lower.instruction import verify as instruction_verify
from pyptogen.lower.passes.block import BLOCK, STEPS
from pyptogen.lower.passes.execution import LAUNCHES, PRIORITIES
from pyptogen.lower.passes.instruction import INSTRUCTION, WIDTHS
from pyptogen.lower.passes.state import Level, Pass, Programs, State
from pyptogen.lower.passes.tensor import TENSOR, prepared
from pyptogen.lower.passes.tile import TILE
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile import parser as tile_parser
from pyptogen.lower.tile import printer as tile_printer
from pyptogen.lower.tile import verify as tile_verify
from pyptogen.records import dataclass

PASSES: tuple[Pass, ...] = (*TENSOR, *TILE, *BLOCK, *LAUNCHES, *INSTRUCTION, *PRIORITIES, *WIDTHS)

ON_TEXT: Mapping[str, Pass] = {one.name: one for one in (*PASSES, *STEPS) if one.on_text is not None}
"""Those that can be tried on the text of a kernel, by name."""


@dataclass(frozen=True, slots=True)
class _Text:
    """How the kernels of a level are read, checked and printed."""

    read: Callable[[str, str], list[Any]]
    verify: Callable[[list[Any], Platform], None]
    show: Callable[[list[Any]], str]


_TEXTS: Mapping[str, _Text] = {
    "tile": _Text(tile_parser.parse_kernels, lambda kernels, _: tile_verify.verify(kernels),
                  tile_printer.print_kernels),
    "block": _Text(block_parser.parse_kernels, block_verify.verify, block_printer.print_kernels),
    "instruction": _Text(instruction_parser.parse_kernels, instruction_verify.verify,
                         instruction_printer.print_kernels),
}  # fmt: skip


def run_on_text(text: str, file: str, names: Sequence[str], platform: Platform) -> str:
    """The text of kernels after some passes, each of which leaves a legal program.

    Args:
        text: kernels of the Tile, Block or Instruction level.
        file: where it stands, for diagnostics.
        names: passes of `ON_TEXT`, which run in this order.
        platform: for which target.

    Raises:
        IllegalIR: the kernels, or what a pass made of them, break a rule of the level.
        DiagnosticError: PTG104 for a line that is none of the level, PTG218 for a pass that takes another level; what
            the passes refuse (PTG301, PTG302, PTG303).
    """
    level = _level(text)
    kernels = _TEXTS[level].read(text, file)
    _TEXTS[level].verify(kernels, platform)
    for name in names:
        step = ON_TEXT[name].on_text
        assert step is not None
        if step.takes != level:
            raise fault("PTG218", f"pass `{name}` takes the {step.takes} level", None, expected=f"one of {level} level")
        kernels = [made for kernel in kernels for made in step.run(kernel, platform)]
        level = step.gives
        _TEXTS[level].verify(kernels, platform)
    return _TEXTS[level].show(kernels)


def _level(text: str) -> str:
    if re.search(r"^kernel \w+ \(\w+\) on ", text, re.MULTILINE):
        return "instruction"
    return "block" if re.search(r"^ +buffer ", text, re.MULTILINE) else "tile"


__all__ = ["ON_TEXT", "PASSES", "Level", "Pass", "Programs", "State", "prepared", "run_on_text"]
