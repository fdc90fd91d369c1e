"""Where cube and vector cores are apart: rings between them, or kernels of their own that meet in GM, for loops whose
tiling row leaves all to the compiler.

before: - {}                      attention: scores and products of all rounds in GM, four launches one after the other
after:  - {fifo: 2}               one mixed kernel, which keeps two tiles of each

Both are lowered, and the one that the figures of the platform call faster is kept. A recurrence that only a mixed
kernel can do gets its rings without a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.estimate import NOMINAL_ROWS, nominal_dims
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import PRODUCTS, Program
from pyptogen.lower.tile.sizes.sizes import Selected

SLOTS = 2
"""Tiles of a ring: one that is filled while the other is read."""
DISPATCH_CYCLES = 1300
"""Of a launch: 0.7 us at 1.85 GHz (published: 0.6 to 0.9 us a task on silicon)."""


def run(
    lowered: Callable[[Sequence[Selected]], Lowered], program: Program, platform: Platform, rows: Sequence[Selected]
) -> Lowered:
    """The operator lowered for the rows as they are, or with rings.

    Raises:
        DiagnosticError: neither can be lowered; what the rows as they are say.
    """
    if not _is_open(program, platform, rows):
        return lowered(rows)
    ringed = [replace(row, row=replace(row.row, sizes={**row.row.sizes, "": {"fifo": SLOTS}})) for row in rows]
    apart, refusal = _attempt(lowered, rows)
    mixed, _ = _attempt(lowered, ringed)
    if mixed is None or not any(launch.programs for plan in mixed.execution.plans for launch in plan):
        if apart is None:
            raise refusal or AssertionError
        return apart
    gain = 0.0 if apart is None else _cycles(apart, platform) / _cycles(mixed, platform)
    if apart is not None and gain <= 1:
        return apart
    why = "only they can do it" if apart is None else f"{gain:.2f} times as fast as through GM by the model"
    note = f"{program.name}, {platform.name}: the cores meet in rings of {SLOTS} tiles (`fifo: {SLOTS}`): {why}"
    return replace(mixed, notes=(*mixed.notes, note), report={**mixed.report, "chosen": {"fifo": SLOTS}})


def _is_open(program: Program, platform: Platform, rows: Sequence[Selected]) -> bool:
    """Whether a loop with products is cut as the compiler likes, on cores that are apart and have figures."""
    products = {op.loop for op in program.ops if op.kind in PRODUCTS}
    loops = any(loop.name in products for loop in program.loops)
    free = all(not row.row.fuse and not any(row.row.sizes.values()) for row in rows)
    return loops and free and not platform.unified and platform.costs is not None


def _attempt(
    lowered: Callable[[Sequence[Selected]], Lowered], rows: Sequence[Selected]
) -> tuple[Lowered | None, DiagnosticError | None]:
    try:
        return lowered(rows), None
    except DiagnosticError as error:
        return None, error


def _cycles(result: Lowered, platform: Platform) -> float:
    """Launch after launch of the last plan, which serves the longest calls; of a mixed one its slower program."""
    dims = nominal_dims(result.program.dims)
    found: Mapping[str, float] = {k.name: duration(k, platform, NOMINAL_ROWS, dims) or 0.0 for k in result.instructions}
    return sum(
        DISPATCH_CYCLES + max(found.get(name, 0.0) for name in launch.kernels) for launch in result.execution.plans[-1]
    )
