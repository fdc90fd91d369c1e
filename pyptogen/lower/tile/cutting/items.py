"""Axes of several views of one shape, side by side.

before: y [t, h, d] with steps h * d, d, 1 and x with steps 2 * h * d, d, 1
after:  (t: h * d in y, 2 * h * d in x), (h * d: 1 in both)

Neighbouring axes that are one run in each of the views are one item. An axis that an index names in a view is its own
item, or one with others of the same index: its steps are those in the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.refusal import unsupported
from pyptogen.lower.tile.cutting.axes import Axis
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One axis of an iteration space: its extent, and how far one step moves in each tensor, in elements. ``dim``: that
    of the first view's axis, where it is one dim. ``gathers``: by tensor the index that names its elements, if any."""

    extent: Poly
    steps: tuple[Poly, ...]
    dim: str | None = None
    gathers: tuple[int | None, ...] = ()

    @property
    def gathered(self) -> bool:
        """Whether an index names its elements in one of the tensors."""
        return any(gather is not None for gather in self.gathers)


def items_of(span: Span, *views: Iterable[Axis]) -> list[Item]:
    """The factors of views of one shape, side by side.

    Raises:
        DiagnosticError: PTG303, the views split an axis in different places.
    """
    flat = [[f for axis in view for f in axis] for view in views]
    if len({tuple(f.extent for f in factors) for factors in flat}) != 1:
        raise unsupported(span, "an axis that is a product in one place and not in another", "reshape it")
    return [
        Item(fs[0].extent, tuple(f.stride for f in fs), fs[0].dim, tuple(f.gather for f in fs))
        for fs in zip(*flat, strict=True)
    ]


def merged(items: Sequence[Item]) -> list[Item]:
    """Neighbours that are one run in every tensor as one item; items of one element are gone."""
    result: list[Item] = []
    for item in items:
        if item.extent == ONE:
            continue
        last = result[-1] if result else None
        runs = last is not None and last.gathers == item.gathers
        if last and runs and all(a == b * item.extent for a, b in zip(last.steps, item.steps, strict=True)):
            result[-1] = Item(last.extent * item.extent, item.steps, gathers=item.gathers)
        else:
            result.append(item)
    return result
