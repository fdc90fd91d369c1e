"""Estimated cycles of one launch of a kernel on one core: busy time by pipe, and the busiest pipe.

A first-order model: every pipe runs on its own, so a well ordered kernel takes about as long as its busiest pipe.
Sources (see `platforms/`): transfer rates and cube rate from public A2/A3 figures, vector cycles as slope · elements +
bias from the public pto-isa fit at 128 fp32 columns, halved per element for two-byte types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import Choose, Declare, For, GmWindow, Instr, InstrKernel, Node, declarations
from pyptogen.lower.platforms.model import Costs, Platform
from pyptogen.lower.tensor.ir import DTYPES


@dataclass(frozen=True, slots=True)
class Estimate:
    """Cycles by pipe for ``rows`` of the segment dim on one core."""

    rows: int
    pipes: Mapping[str, int]

    @property
    def cycles(self) -> int:
        return max(self.pipes.values(), default=0)


def trips(node: For, rows: int) -> int:
    """Rounds of a loop, for a segment of ``rows``."""
    if node.once:
        return 1
    extent = _nominal(node.stop, rows, node) - _nominal(node.start, rows, node)
    return max(1, -(-extent // node.step))


def _nominal(value: Poly, rows: int, node: For) -> int:
    """A bound with the segment at its nominal length, every offset at 0 and every tile whole."""

    def guess(name: str) -> int:
        if name.endswith("_end"):
            return rows
        if name.endswith("_share"):
            return -(-guess(name.removesuffix("_share") + "_valid") // 2)
        return node.step * max(1, rows // node.step) if name.endswith("_valid") else 0

    return value.evaluate({name: guess(name) for name in value.names()})


def instruction_cycles(instr: Instr, tiles: Mapping[str, Declare], costs: Costs) -> float:
    """Cycles of one instruction on its pipe."""
    operands = [tiles[o] for o in instr.operands if isinstance(o, str)]
    if not operands:  # TPOP and TFREE: a flag
        return 0.0
    first = operands[0]
    elements = first.rows.size * first.cols.size
    moved = elements * DTYPES[first.type.dtype]
    if instr.name in ("TMATMUL", "TMATMUL_ACC"):
        left = operands[-2]
        steps = -(-first.rows.size // 16) * -(-first.cols.size // 16)
        depth = -(-left.cols.size * DTYPES[left.type.dtype] // 32)
        return costs.matmul_issue + steps * depth * (4 if left.type.dtype == "fp32" else 1)
    if instr.name == "TPUSH" or any(isinstance(o, GmWindow) for o in instr.operands):
        key = f"GM>{'L1' if first.type.loc == 'Mat' else 'UB'}" if instr.name == "TLOAD" else f"{first.type.loc}>GM"
        return costs.transfer_issue + moved / costs.bytes_per_cycle[key]
    if instr.pipe in ("MTE1", "FIX"):
        return moved / costs.bytes_per_cycle[first.type.loc]
    wide = max(elements, *(o.rows.size * o.cols.size for o in operands))
    slope, bias = costs.vector.get(instr.name, costs.vector["default"])
    return bias + slope * wide * min(4, DTYPES[first.type.dtype]) / 4


def _walk(
    nodes: Sequence[Node], times: int, rows: int, run: tuple[Mapping[str, Declare], Costs, dict[str, float]]
) -> None:
    tiles, costs, busy = run
    for node in nodes:
        if isinstance(node, For):
            _walk(node.body, times * trips(node, rows), rows, run)
        elif isinstance(node, Instr | Choose):
            instr = node if isinstance(node, Instr) else node.other
            busy[instr.pipe] = busy.get(instr.pipe, 0.0) + times * instruction_cycles(instr, tiles, costs)


def estimate(kernel: InstrKernel, platform: Platform, rows: int) -> Estimate | None:
    """Estimate for a launch over ``rows`` of the segment dim; None where the platform has no figures."""
    if platform.costs is None:
        return None
    busy: dict[str, float] = {}
    _walk(kernel.body, 1, rows, (declarations(kernel), platform.costs, busy))
    return Estimate(rows, {pipe: round(cycles) for pipe, cycles in sorted(busy.items())})


def of_launch(kernel: InstrKernel, platform: Platform, longest: int) -> Estimate | None:
    """One launch on one core: over the longest range of an unrolled segment, else one tile."""
    tile = next((n.step for n in kernel.body if isinstance(n, For)), 1)
    return estimate(kernel, platform, longest or tile)


def in_manifest(kernel: InstrKernel, platform: Platform, longest: int) -> dict[str, Any]:
    """The manifest's cycles of one launch."""
    found = of_launch(kernel, platform, longest)
    if found is None:
        return {}
    return {"cycles": {"rows": found.rows, "pipes": dict(found.pipes), "busiest": found.cycles}}
