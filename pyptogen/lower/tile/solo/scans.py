"""Running sums and products: one row of a tile after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy

from pyptogen.lower.expr import ONE
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tile.ir import Extent
from pyptogen.lower.tile.solo.builder import Item, SoloBuilder

JOINS = {"cumsum": "add", "cumprod": "mul"}


def scan(b: SoloBuilder, op: Op) -> None:
    """Along the axis step by step; as many lines beside each other as fit a tile."""
    (source,) = op.operands
    assert isinstance(source, Value)
    axis, dtype = int(op.attrs["axis"]), op.result.dtype
    view, target = b.source(source), b.target()

    def side(part: slice) -> list[Item]:
        return b.merged(b.items(target.axes[part], view.axes[part]))

    along, others = side(slice(axis, axis + 1)), [*side(slice(axis)), *side(slice(axis + 1, None))]
    beside = others.pop() if others else Item(ONE, (ONE, ONE))
    lines = b.step(beside, b.budget(dtype) // 8)
    as_row = beside.steps == (ONE, ONE)
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
