"""Running sums and products: one row of a tile after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy

from pyptogen.lower.expr import ONE
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.ir import Extent
from pyptogen.lower.tile.solo.builder import Item, SoloBuilder

JOINS = {"cumsum": "add", "cumprod": "mul"}
CPU_APART_BYTES = 32
"""Of one step of lines that lie apart, on a CPU: each touches a line of cache in operand and result, all of them in one
set where lines are 4 KB apart, and must find it there in the next step (fp32: 8 lines 5 times as fast as 512)."""


def scan(b: SoloBuilder, op: Op) -> None:
    """Along the axis step by step; as many lines beside each other as fit a tile, or stay in cache."""
    (source,) = op.operands
    assert isinstance(source, Value)
    axis, dtype = int(op.attrs["axis"]), op.result.dtype
    view, target = b.source(source), b.target()

    def side(part: slice) -> list[Item]:
        return b.merged(b.items(target.axes[part], view.axes[part]))

    along, others = side(slice(axis, axis + 1)), [*side(slice(axis)), *side(slice(axis + 1, None))]
    beside = others.pop() if others else Item(ONE, (ONE, ONE))
    as_row = beside.steps == (ONE, ONE)
    few = b.platform.unified and not as_row
    lines = b.step(beside, CPU_APART_BYTES // DTYPES[dtype] if few else b.budget(dtype) // 8)
    shape = (Extent(1), lines.extent()) if as_row else (lines.extent(), Extent(1))
    total, part = (b.tile(name, dtype, *shape, "row" if as_row else "col") for name in ("total", "part"))
    kept = [*(b.step(item, 1) for item in others), lines]
    inner = [b.step(item, 1) for item in along]
    steps = [*kept, *inner]
    body = [
        b.load(part, view.tensor, b.at(view.offset, steps, 1), beside.steps[1]),
        b.do(JOINS[op.kind], total, total, part),
        b.store(total, target.tensor, b.at(target.offset, steps, 0), beside.steps[0]),
    ]
    begin = b.do("fill", total, b.number(sympy.Integer(op.kind == "cumprod")))
    b.nest(kept, [begin, *b.wrapped(inner, body)])


CUTTERS: Mapping[str, Callable[[SoloBuilder, Op], None]] = dict.fromkeys(JOINS, scan)
