"""What the tool knows of the values of a spec: shapes and dtypes from the Tensor level; tiles, memory and estimated
time from kernels. Plain data, so that another process can gather them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.tensor.ir import Program


@dataclass(frozen=True, slots=True)
class Types:
    """Types by name, as ``int8[t, d]``; ``inside`` those of values in loops, by (stage, name). ``sizes`` of dims in
    words."""

    of: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[tuple[str, str], str] = field(default_factory=dict)
    sizes: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, name: str, scope: str = "") -> str:
        """Empty where it is not known."""
        return self.inside.get((scope, name), "") or self.of.get(name, "")


@dataclass(frozen=True, slots=True)
class TileFact:
    """A tile of a value: ``128 x 512 int8 in L1 0x00000..0x20000, 2 copies``."""

    value: str
    text: str


@dataclass(frozen=True, slots=True)
class KernelFact:
    """A kernel: its stages, tile sizes by dim, bytes of each memory with what there is of it, estimated cycles of a
    launch over ``rows`` on one core by pipe (none where the platform has no figures), its tiles."""

    target: str
    name: str
    core: str
    stages: tuple[str, ...]
    sizes: Mapping[str, tuple[int, ...]]
    memory: Mapping[str, tuple[int, int]]
    rows: int
    cycles: Mapping[str, int]
    gigahertz: float
    tiles: tuple[TileFact, ...]

    @property
    def cost(self) -> str:
        """The busiest pipe, in words; empty where there are no figures."""
        if not self.cycles:
            return ""
        pipe, cycles = max(self.cycles.items(), key=lambda one: one[1])
        return f"{cycles / self.gigahertz / 1000:.3g} µs for {self.rows} rows on one core, {pipe} is busiest"

    @property
    def tiling(self) -> str:
        """Tile sizes in a line."""
        return ", ".join(f"{dim} {' / '.join(map(str, sizes))}" for dim, sizes in self.sizes.items())


@dataclass(frozen=True, slots=True)
class LoweredFacts:
    """What lowering for all targets found: kernels, or findings, and warnings."""

    kernels: tuple[KernelFact, ...] = ()
    found: tuple[Diagnostic, ...] = ()


def types(program: Program) -> Types:
    """Shapes and dtypes of everything that a spec names."""
    from pyptogen.lower.tensor.building.dims import show_shape

    of: dict[str, str] = {}
    inside: dict[tuple[str, str], str] = {}
    for value in program.inputs:
        of[value.name] = f"{value.dtype}{show_shape(value.shape)}"
    for op in program.ops:
        said = f"{op.result.dtype}{show_shape(op.result.shape)}"
        if op.loop and op.result.name in program.spoken:
            inside[op.stage, op.result.name] = said
        elif op.result.name in program.spoken:
            of[op.result.name] = said
    for name, value in program.outputs:
        of[name] = f"{value.dtype}{show_shape(value.shape)}"
    sizes = {}
    for dim in program.dims:
        if dim.value is not None:
            sizes[dim.name] = str(dim.value)
        else:
            made = f"{dim.definition}, " if dim.definition is not None else ""
            multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
            sizes[dim.name] = f"{made}{dim.min} to {dim.max}{multiple}"
    return Types(of, inside, sizes)


def lowered_facts(file: str, text: str) -> LoweredFacts:
    """Lower the spec in ``text`` for all its targets, as `pyptogen check` does; takes seconds."""
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import Source, load_source
    from pyptogen.verify.telling import untold

    try:
        spec = load_source(Source(file, text))
        program = from_spec(spec)
        lowered = lower_targets(program)
    except DiagnosticError as error:
        return LoweredFacts((), error.diagnostics)
    kernels = tuple(fact for result in lowered.values() for fact in _kernels(result, program))
    return LoweredFacts(kernels, untold(spec, program))


def _kernels(lowered: Generated, program: Program) -> list[KernelFact]:
    from pyptogen.lower.instruction.ir import declarations
    from pyptogen.lower.platforms import PLATFORMS

    platform = PLATFORMS[lowered.target]
    tiles = {kernel.name: declarations(kernel) for kernel in lowered.instructions}
    known = {*program.spoken, *(value.name for value in program.inputs)}
    facts = []
    for name, decided in lowered.report["kernels"].items():
        shown: list[TileFact] = []
        for tile in tiles.get(name, {}).values():
            value = re.sub(r"(_tile|_acc)?(_l0[ab])?\Z", "", tile.name)
            if value in known:
                extent = f"{tile.rows.size} x {tile.cols.size} {tile.type.dtype}"
                shown.append(TileFact(value, f"{extent} in {tile.note}"))
        cycles = decided.get("cycles", {})
        facts.append(
            KernelFact(
                lowered.target,
                name,
                decided["core"],
                tuple(decided["stages"]),
                {dim: tuple(sizes) for dim, sizes in decided["tiles"].items()},
                {memory: (used, platform.memories[memory]) for memory, used in decided["memory"].items()},
                cycles.get("rows", 0),
                cycles.get("pipes", {}),
                platform.frequency_ghz,
                tuple(shown),
            )
        )
    return facts
