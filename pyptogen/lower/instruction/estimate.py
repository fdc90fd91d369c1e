"""Estimated cycles of one launch of a kernel on one core: busy time by pipe, and the busiest pipe.

A first-order model: every pipe runs on its own, so a well ordered kernel takes about as long as its busiest pipe.
Prices are those of the model of the device (`price`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import floor, log10
from typing import Any

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, For, Instr, InstrKernel, Node, declarations
from pyptogen.lower.instruction.price import price_of, shape_of
from pyptogen.lower.isa.cost import Shape
from pyptogen.lower.platforms.model import Platform
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tensor.ir import Dim
from pyptogen.records import dataclass, replace

NOMINAL_ROWS = 4096
"""Length of a run-time dim for which tilings are compared, where it may be so long."""


STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0)
"""Figures in manifests are one of these, times a power of ten: a small change of the model changes few of them."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cycles by pipe for ``rows`` of the launch dim on one core."""

    rows: int
    pipes: Mapping[str, int]

    @property
    def cycles(self) -> int:
        return max(self.pipes.values(), default=0)


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long things are for an estimate: ``rows`` of the launch dim, run-time dims by name (as long as the launch dim
    where none is given), and what the loops around leave of their tiles, by the name of that (``t0_valid``)."""

    rows: int
    dims: Mapping[str, int] = field(default_factory=dict)
    valid: Mapping[str, int] = field(default_factory=dict)

    def of(self, value: Poly, kernel: InstrKernel) -> int:
        """A number of the kernel's text, at offset 0 and on block 0."""
        return value.evaluate({name: self._guess(name, kernel) for name in value.names()})

    def _guess(self, name: str, kernel: InstrKernel) -> int:
        if name in self.valid:
            return self.valid[name]
        if name in (kernel.launch_dim, f"{kernel.launch_dim}_end"):
            return self.rows
        return self.dims.get(name, self.rows) if name in kernel.dims else 0

    def trips(self, node: For, kernel: InstrKernel) -> int:
        """Iterations of a loop; of a software pipeline, those of its work: each stage is left out in the others."""
        if node.once:
            return 1
        extent = self.of(node.stop, kernel) - self.of(node.start, kernel)
        return max(1, -(-extent // node.advance) - node.distance)

    def inside(self, node: For, kernel: InstrKernel) -> Lengths:
        """The lengths in its body: of its first iteration, whose tile is whole if any is."""
        if node.valid is None:
            return self
        left = max(1, min(node.step, self.of(node.stop, kernel) - self.of(node.start, kernel)))
        half = {node.half[1]: -(-left // 2)} if node.half else {}
        return replace(self, valid={**self.valid, node.valid: left, **half})


def nominal_dims(dims: Iterable[Dim]) -> dict[str, int]:
    """Run-time dims as long as they may be, but at most `NOMINAL_ROWS`: what nobody knows before a call."""
    return {dim.name: min(dim.max or NOMINAL_ROWS, NOMINAL_ROWS) for dim in dims if dim.value is None}


def whole_tiles(kernel: InstrKernel) -> dict[str, Shape]:
    """The tiles of a kernel by name, all of each valid."""
    return {name: shape_of(tile, tile.rows.size, tile.cols.size) for name, tile in declarations(kernel).items()}


def _walk(
    nodes: Sequence[Node], times: int, lengths: Lengths, run: tuple[InstrKernel, Mapping[str, Shape], Timing]
) -> dict[str, float]:
    kernel, tiles, timing = run
    busy: dict[str, float] = {}
    for node in nodes:
        if isinstance(node, For):
            found = _walk(node.body, times * lengths.trips(node, kernel), lengths.inside(node, kernel), run)
        elif isinstance(node, Instr | Choose):
            instr = node if isinstance(node, Instr) else node.other
            cost = price_of(instr, tiles, lambda value: lengths.of(value, kernel), timing)
            found = {instr.pipe: times * cost.hold}
        else:
            continue
        for pipe, cycles in found.items():
            busy[pipe] = busy.get(pipe, 0.0) + cycles
    return busy


def estimate(kernel: InstrKernel, platform: Platform, rows: int, dims: Mapping[str, int]) -> Estimate | None:
    """Estimate for a launch over ``rows`` of the launch dim, with these sizes of other run-time dims; None where the
    platform has no figures."""
    if platform.timing is None:
        return None
    busy = _walk(kernel.body, 1, Lengths(rows, dims), (kernel, whole_tiles(kernel), platform.timing))
    return Estimate(rows, {pipe: round(cycles) for pipe, cycles in sorted(busy.items())})


def of_launch(kernel: InstrKernel, platform: Platform, longest: int, dims: Mapping[str, int]) -> Estimate | None:
    """One launch on one core: over the longest range of an unrolled launch dim, else one tile."""
    tile = next((n.step for n in kernel.body if isinstance(n, For)), 1)
    return estimate(kernel, platform, longest or tile, dims)


def in_manifest(kernel: InstrKernel, platform: Platform, longest: int, dims: Mapping[str, int]) -> dict[str, Any]:
    """The manifest's cycles of one launch, rounded."""
    found = of_launch(kernel, platform, longest, dims)
    if found is None:
        return {}
    pipes = {pipe: int(about(cycles)) for pipe, cycles in found.pipes.items()}
    return {"cycles": {"rows": found.rows, "pipes": pipes, "busiest": int(about(found.cycles))}}


def about(number: float) -> float:
    """The nearest of `STEPS` times a power of ten; 0 stays 0."""
    if number <= 0:
        return 0.0
    power = 10.0 ** floor(log10(number))
    nearest = min(STEPS, key=lambda step: abs(log10(step * power / number)))
    return float(f"{nearest * power:.2g}")
