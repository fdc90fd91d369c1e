"""Where the parts of a concat are written: straight into its tile.

before: y = concat(a, b)      a and b computed on their own, then copied
after:  a and b are column windows of y's tile; when b is the matching slice of a tile x that nobody reads later, y's
        tile is x's own, and b costs nothing:  q_cat = concat(rope(q[:, :r]), q[:, r:])  writes the roped half into q

Afterwards a value is either plain, a window (`Window`), or must be copied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.lower.tensor.concat_parts import lie_in_a_tile
from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS, Op, Value
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Window:
    """Columns [offset, …) of the tile of value ``base``."""

    base: str
    offset: int


@dataclass(frozen=True, slots=True)
class ConcatPlan:
    """``windows``: value → where its tile lies; ``copies``: parts of each concat that need a copy, with offsets."""

    windows: Mapping[str, Window]
    copies: Mapping[str, tuple[tuple[str, int], ...]]


def _readers(ops: Sequence[Op], defining: Mapping[str, Op], name: str) -> list[int]:
    """Positions of the operations that read ``name``, through views too, once for each operand."""
    positions: list[int] = []
    for i, op in enumerate(ops):
        positions += [i for v in op.operands if isinstance(v, Value) and v.name == name]
    for view in defining.values():
        if view.kind in VIEWS and isinstance(view.operands[0], Value) and view.operands[0].name == name:
            positions += _readers(ops, defining, view.result.name)
    return positions


def _slice_of(defining: Mapping[str, Op], name: str, axes: Axes) -> tuple[str, int] | None:
    """(x, start) when ``name`` is a last-axis slice of a computed value x, possibly reshaped on the way."""
    op = defining.get(name)
    if op is None or op.kind != "slice" or op.attrs["axis"] != len(op.result.shape) - 1:
        return None
    start = axes.poly(op.attrs["start"]).constant
    operand = op.operands[0]
    assert isinstance(operand, Value)
    base = operand.name
    while base in defining and defining[base].kind == "reshape":
        inner = defining[base].operands[0]
        assert isinstance(inner, Value)
        base = inner.name
    return (base, start) if start is not None and base in defining and defining[base].kind not in VIEWS else None


def plan(ops: Sequence[Op], defining: Mapping[str, Op], axes: Axes, kept: frozenset[str]) -> ConcatPlan:
    """Plan every concat among ``ops`` (no views in it). Values in ``kept`` are stored to GM and keep their own tile."""
    at = {op.result.name: i for i, op in enumerate(ops)}
    windows: dict[str, Window] = {}
    copies: dict[str, tuple[tuple[str, int], ...]] = {}
    for op in ops:
        if op.kind != "concat" or not lie_in_a_tile(op, lambda size: axes.poly(size).constant):
            continue
        parts: list[tuple[str, int]] = []
        offset = 0
        for part in op.operands:
            assert isinstance(part, Value)
            parts.append((part.name, offset))
            width = axes.poly(part.shape[-1]).constant
            assert width is not None
            offset += width
        base = _in_place_base(op, parts, ops, defining, axes, kept, at)
        target = op.result.name
        if base is not None:
            windows[target] = Window(base, 0)
            parts = [p for p in parts if _slice_of(defining, p[0], axes) != (base, p[1])]
        left: list[tuple[str, int]] = []
        for name, column in parts:
            free = name in at and name not in kept and name not in windows and len(_readers(ops, defining, name)) == 1
            if free and ops[at[name]].kind not in PRODUCTS | {"concat", "carry", "carried"}:
                windows[name] = Window(target, column)
            else:
                left.append((name, column))
        copies[target] = tuple(left)
    return ConcatPlan(windows, copies)


def _in_place_base(
    op: Op,
    parts: list[tuple[str, int]],
    ops: Sequence[Op],
    defining: Mapping[str, Op],
    axes: Axes,
    kept: frozenset[str],
    at: Mapping[str, int],
) -> str | None:
    for name, column in parts:
        found = _slice_of(defining, name, axes)
        if found is None or found[1] != column:
            continue
        base = found[0]
        whole = defining[base].result
        same = whole.dtype == op.result.dtype and axes.poly(whole.shape[-1]).constant is not None
        others = [at[p] for p, _ in parts if p in at]
        me = at[op.result.name]
        read_late = [i for i in _readers(ops, defining, base) if i != me and others and i > min(others)]
        if (
            base in at
            and base not in kept
            and same
            and defining[base].kind not in PRODUCTS | {"concat", "carry", "carried"}
            and not read_late
        ):
            return base
    return None
