"""The C++ of an operator that was lowered, and the report of its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.instruction import printer as instruction_printer
from pyptogen.lower.instruction.estimate import in_manifest, nominal_dims
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.origins import Traced, as_written
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.spec_lines import spec_lines
from pyptogen.lower.tensor.ir import CoreKind, Program
from pyptogen.lower.tile.ir import TileKernel, tile_sizes
from pyptogen.records import dataclass
from pyptogen.templates.kernel import kernel_text
from pyptogen.templates.orchestration import orchestration_text
from pyptogen.templates.spelling import function_names
from pyptogen.templates.twins import twins


@dataclass(frozen=True, slots=True)
class KernelSource:
    """One kernel file: ``<name>.cpp``."""

    name: str
    core: CoreKind
    text: Traced

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@dataclass(frozen=True, slots=True)
class Generated:
    """The C++ of an operator for one target, with the programs that it was made from. Kernels that differ in the names
    of their arguments alone are one file."""

    lowered: Lowered
    kernels: tuple[KernelSource, ...]
    orchestration: Traced
    report: Mapping[str, Any]
    functions: tuple[str, ...]
    """The kernels as C++ calls them."""

    @property
    def name(self) -> str:
        return self.lowered.name

    @property
    def target(self) -> str:
        return self.lowered.target

    @property
    def program(self) -> Program:
        return self.lowered.program

    @property
    def instructions(self) -> tuple[InstrKernel, ...]:
        return self.lowered.instructions

    @property
    def execution(self) -> ExecutionGraph:
        return self.lowered.execution

    @property
    def tiles(self) -> tuple[TileKernel, ...]:
        return self.lowered.tiles

    @property
    def blocks(self) -> tuple[BlockKernel, ...]:
        return self.lowered.blocks

    @property
    def notes(self) -> tuple[str, ...]:
        return self.lowered.notes


def lowered(program: Program, target: str, *, dump: Dump | None = None) -> Lowered:
    """Lower an operator for one target; what the compiler may choose, the model of the device chooses.

    Args:
        program: the operator at the Tensor level.
        target: a platform name, such as ``cpu``.
        dump: receives the text of the level after every pass.

    Raises:
        DiagnosticError: PTG3xx, with the place in the spec.
    """
    from pyptogen.simulate.device.call import launch_cycles

    return lower(program, target, dump=dump, launch_cost=launch_cycles)


def generate(program: Program, target: str, *, dump: Dump | None = None) -> Generated:
    """Lower an operator for one target, and write its C++.

    Args:
        program: the operator at the Tensor level.
        target: a platform name, such as ``cpu``.
        dump: receives the text of the level after every pass.

    Raises:
        DiagnosticError: PTG3xx, with the place in the spec.
    """
    return of_lowered(lowered(program, target, dump=dump))


def of_lowered(lowered: Lowered, prefix: str = "") -> Generated:
    """The C++ of an operator that was lowered; ``prefix`` as of `KernelWriter`."""
    program, by_hand = lowered.program, lowered.by_hand
    platform = PLATFORMS[lowered.target]
    longest, lengths = lowered.execution.longest_range, nominal_dims(program.dims)
    writer = KernelWriter(lowered, prefix)
    own = writer.own
    texts = tuple(KernelSource(k.name, k.core, writer.text(k)) for k in own)
    report: dict[str, Any] = {
        "kernels": {
            k.name: {
                "core": k.core,
                "memory": dict(k.occupancy),
                "stages": list(k.stages),
                **({"vector_cores": 2} if k.subblock else {}),
                "sync": instruction_printer.sync_counts(k),
                "tiles": tile_sizes(writer.plan_of[k.name].tile.body),
                **({} if by_hand.source(k.name) else in_manifest(k, platform, longest, lengths)),
                **by_hand.level(k.name),
            }
            for k in own
        },
        **({} if lowered.chosen is None else {"chosen": lowered.chosen}),
    }
    orchestration = orchestration_text(lowered.execution, program, lowered.walked, writer.functions)
    return Generated(lowered, texts, orchestration, report, tuple(dict.fromkeys(writer.functions.values())))


class KernelWriter:
    """The texts of the kernels of an operator that was lowered.

    ``functions`` are the kernels as C++ calls them; ``own`` those that have a file: the others differ from one of them
    in the names of their arguments alone. ``prefix`` stands before the names of all functions but those that an author
    wrote: operators of one library may have kernels of one name. ``told``: fifos are told on which vector core they
    are.
    """

    def __init__(self, lowered: Lowered, prefix: str = "", told: bool = False) -> None:
        by_hand = lowered.by_hand
        written = [k.name for k in lowered.walked if by_hand.source(k.name)]
        names = [k.name for k in lowered.walked if k.name not in written]
        named = function_names(names, lowered.program.name, written)
        self.functions = {name: f"{prefix}{named[name]}" if name in names else named[name] for name in named}
        self.plan_of = {k.name: plan for k, plan in zip(lowered.walked, lowered.plans, strict=True)}
        self._lowered, self._told = lowered, told
        self._source = spec_lines()
        self._files: dict[str, Traced] = {}
        """Of the operator's kernels, by name."""
        mine = [k for k in lowered.walked if k.name not in by_hand.finished and k.name not in by_hand.levels]
        same = twins(mine, self.text)
        self.functions |= {twin: self.functions[first] for twin, first in same.items()}
        self.own = [k for k in lowered.walked if k.name not in same]

    def text(self, kernel: InstrKernel, part: str = "file") -> Traced:
        """The file of a kernel; with the ``part`` "program" what stands in it between its includes and its entry, in a
        namespace of the kernel's name. Of a kernel that an author wrote there is only the file."""
        if part != "file" or not any(kernel is one for one in self._lowered.walked):
            return self._text(kernel, part)
        if kernel.name not in self._files:
            self._files[kernel.name] = self._text(kernel, part)
        return self._files[kernel.name]

    def _text(self, kernel: InstrKernel, part: str) -> Traced:
        lowered, program = self._lowered, self._lowered.program
        by_hand, given = lowered.by_hand, {hand.name: hand for hand in program.kernels}
        by_author = by_hand.source(kernel.name)
        if by_author:
            hand = given[kernel.stages[0]]
            assert hand.source is not None
            return as_written(by_author, hand.source.path, hand.name)
        own = given.get(kernel.stages[0]) if kernel.name in by_hand.levels else None
        sizes = _sizes(self.plan_of[kernel.name])
        return kernel_text(
            kernel,
            self.functions[kernel.name],
            program.name,
            sizes,
            self._source,
            PLATFORMS[lowered.target],
            program.sites,
            own,
            part,
            self._told,
        )


def _sizes(kernel: BlockKernel) -> str:
    sizes = tile_sizes(kernel.tile.body)
    return ", ".join(f"{dim} {' / '.join(map(str, tiles))}" for dim, tiles in sorted(sizes.items()))
