"""Estimated cycles of one launch of a kernel on one core: busy time by pipe, and the busiest pipe.

A first-order model: every pipe runs on its own, so a well ordered kernel takes about as long as its busiest pipe.
Sources (see `platforms/`): transfer rates and cube rate from public A2/A3 figures, vector cycles as slope · elements +
bias from the public pto-isa fit at 128 fp32 columns, halved per element for two-byte types.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, InstrKernel, Node, declarations
from pyptogen.lower.platforms.model import Costs, Platform
from pyptogen.lower.tensor.ir import DTYPES, Dim

NOMINAL_ROWS = 4096
"""Length of a run-time dim for which tilings are compared, where it may be so long."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cycles by pipe for ``rows`` of the segment dim on one core."""

    rows: int
    pipes: Mapping[str, int]

    @property
    def cycles(self) -> int:
        return max(self.pipes.values(), default=0)


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long things are for an estimate: ``rows`` of the segment dim, run-time dims by name (as long as the segment
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
        if name in (kernel.segment, f"{kernel.segment}_end"):
            return self.rows
        return self.dims.get(name, self.rows) if name in kernel.dims else 0

    def trips(self, node: For, kernel: InstrKernel) -> int:
        """Iterations of a loop. One in stages has an iteration more than its work, as each stage is left out once."""
        if node.once:
            return 1
        extent = self.of(node.stop, kernel) - self.of(node.start, kernel)
        staged = any(isinstance(part, For) and part.once for part in node.body)
        return max(1, -(-extent // node.step) - staged)

    def inside(self, node: For, kernel: InstrKernel) -> Lengths:
        """The lengths in its body: of its first iteration, whose tile is whole if any is."""
        if node.valid is None:
            return self
        left = max(1, min(node.step, self.of(node.stop, kernel) - self.of(node.start, kernel)))
        share = {node.share[1]: -(-left // 2)} if node.share else {}
        return replace(self, valid={**self.valid, node.valid: left, **share})


def nominal_dims(dims: Iterable[Dim]) -> dict[str, int]:
    """Run-time dims as long as they may be, but at most `NOMINAL_ROWS`: what nobody knows before a call."""
    return {dim.name: min(dim.max or NOMINAL_ROWS, NOMINAL_ROWS) for dim in dims if dim.value is None}


def instruction_cycles(instr: Instr, tiles: Mapping[str, Declare], costs: Costs) -> float:
    """Cycles of one instruction on its pipe."""
    operands = [tiles[o] for o in instr.operands if isinstance(o, str)]
    if not operands:  # TPOP and TFREE: a flag
        return 0.0
    first = operands[0]
    elements = first.rows.size * first.cols.size
    moved = elements * DTYPES[first.type.dtype]
    if instr.name in ("TMATMUL", "TMATMUL_ACC", "TMATMUL_MX"):
        left = next(o for o in operands if o.type.loc == "Left")
        steps = -(-first.rows.size // 16) * -(-first.cols.size // 16)
        depth = -(-left.cols.size * DTYPES[left.type.dtype] // 32)
        return costs.matmul_issue + steps * depth * (4 if left.type.dtype == "fp32" else 1)
    if instr.name == "TPUSH" or any(isinstance(o, GmWindow) for o in instr.operands):
        key = f"GM>{'L1' if first.type.loc == 'Mat' else 'UB'}" if instr.name == "TLOAD" else f"{first.type.loc}>GM"
        return costs.transfer_issue + moved / costs.bytes_per_cycle[key]
    if instr.pipe in ("MTE1", "FIX"):
        return moved / costs.bytes_per_cycle[first.type.loc.removeprefix("Scale")]
    wide = max(elements, *(o.rows.size * o.cols.size for o in operands))
    slope, bias = costs.vector.get(instr.name, costs.vector["default"])
    return bias + slope * wide * min(4, DTYPES[first.type.dtype]) / 4


def _walk(
    nodes: Sequence[Node], times: int, lengths: Lengths, run: tuple[InstrKernel, Mapping[str, Declare], Costs]
) -> dict[str, float]:
    kernel, tiles, costs = run
    busy: dict[str, float] = {}
    for node in nodes:
        if isinstance(node, For):
            found = _walk(node.body, times * lengths.trips(node, kernel), lengths.inside(node, kernel), run)
        elif isinstance(node, Instr | Choose):
            instr = node if isinstance(node, Instr) else node.other
            found = {instr.pipe: times * instruction_cycles(instr, tiles, costs)}
        else:
            continue
        for pipe, cycles in found.items():
            busy[pipe] = busy.get(pipe, 0.0) + cycles
    return busy


def estimate(kernel: InstrKernel, platform: Platform, rows: int, dims: Mapping[str, int]) -> Estimate | None:
    """Estimate for a launch over ``rows`` of the segment dim, with these sizes of other run-time dims; None where the
    platform has no figures."""
    if platform.costs is None:
        return None
    busy = _walk(kernel.body, 1, Lengths(rows, dims), (kernel, declarations(kernel), platform.costs))
    return Estimate(rows, {pipe: round(cycles) for pipe, cycles in sorted(busy.items())})


def of_launch(kernel: InstrKernel, platform: Platform, longest: int, dims: Mapping[str, int]) -> Estimate | None:
    """One launch on one core: over the longest range of an unrolled segment, else one tile."""
    tile = next((n.step for n in kernel.body if isinstance(n, For)), 1)
    return estimate(kernel, platform, longest or tile, dims)


def in_manifest(kernel: InstrKernel, platform: Platform, longest: int, dims: Mapping[str, int]) -> dict[str, Any]:
    """The manifest's cycles of one launch."""
    found = of_launch(kernel, platform, longest, dims)
    if found is None:
        return {}
    return {"cycles": {"rows": found.rows, "pipes": dict(found.pipes), "busiest": found.cycles}}
