"""Run-time bounds of index inputs: kernels read and write where an index points, so a wrong one must not reach them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span, fault
from pyptogen.runtime.operator.contract import definitions
from pyptogen.runtime.operator.size_functions import expand, size_text, sizes_function

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Op, Program, Value

INDEXED = frozenset({"gather", "index_select", "scatter", "index_add"})
"""Operations whose indices count along one axis; `scatter_update` counts rows, and -1 skips."""


@dataclass(frozen=True, slots=True)
class IndexBound:
    """What input ``index`` holds are places of ``target``. ``least`` is the least index: -1 where that skips.

    ``steps`` lead from the input to the part of it that is used: a reshape, the order of axes, or a slice of an axis.
    ``sizes``, of the dynamic dims, gives the number of places, then the sizes of each step: a shape, or where a slice
    begins and ends. ``floor``: what `maximum` lifts lesser numbers to before they are used, None where it does not."""

    index: str
    target: str
    steps: tuple[tuple[str, Any], ...]
    sizes: Callable[..., tuple[tuple[int, ...], ...]]
    least: int
    floor: int | None
    what: str
    span: Span

    def check(self, arrays: Mapping[str, Any], dims: Sequence[int]) -> None:
        """Raises PTG408 for an index that is no place of the target."""
        (places,), *sizes = self.sizes(*dims)
        values = arrays[self.index]
        for (kind, axes), size in zip(self.steps, sizes, strict=True):
            if kind == "reshape":
                values = values.reshape(size)
            elif kind == "slice":
                values = values[(slice(None),) * axes + (slice(*size),)]
            else:
                values = values.transpose(axes)
        if values.size == 0:
            return
        least, largest = int(values.min()), int(values.max())
        if self.floor is not None:
            least, largest = max(least, self.floor), max(largest, self.floor)
        if least < self.least or largest >= places:
            wrong = largest if largest >= places else least
            raise fault(
                "PTG408",
                f"`{self.index}` holds {wrong}, which is no {self.what} of `{self.target}`",
                self.span,
                expected=f"{'-1 (skip), or ' if self.least < 0 else ''}0 to {places - 1}",
                fix=f"`{self.target}` has {places} there",
            )


def index_bounds(program: Program) -> tuple[IndexBound, ...]:
    """The bounds of every index that is an input of the operator itself or a part of one, also where `maximum` lifts
    what marks absent ones to a place."""
    bounds = (_bound(program, op) for op in program.ops if op.kind in INDEXED | {"scatter_update"})
    return tuple(bound for bound in bounds if bound is not None)


def _bound(program: Program, op: Op) -> IndexBound | None:
    """None for an index that is computed."""
    from pyptogen.lower.tensor.ir import Value

    target, index = op.operands[0], op.operands[1]
    assert isinstance(target, Value) and isinstance(index, Value)
    made_by = {op.result.name: op for op in program.ops}
    part = _lifted_part(index.name, made_by)
    if part is None:
        return None
    name, views, floor = part
    if op.kind == "scatter_update":
        sizes, least, what = target.shape[: op.attrs["dim"] % len(target.shape) + 1], -1, "row"
    else:
        axis = int(op.attrs["axis"])
        sizes, least, what = (target.shape[axis],), 0, f"place along axis {axis}"
    steps, texts = [], [[math.prod(sizes)]]
    for view in views:
        kind, axes, step = _step(view)
        steps.append((kind, axes))
        texts.append(step)
    known = definitions(program)
    function = sizes_function(
        [[expand(size_text(size), known) for size in group] for group in texts],
        [dim.name for dim in program.dims if dim.dynamic],
    )
    return IndexBound(name, _named(program, target), tuple(steps), function, least, floor, what, op.span)


def _lifted_part(name: str, made_by: Mapping[str, Op]) -> tuple[str, list[Op], int | None] | None:
    """The input that an index is a part of, the views that lead to the part, and the number of a `maximum` on the way;
    None for what is computed otherwise."""
    from pyptogen.lower.tensor.ir import Scalar, Value
    from pyptogen.lower.tensor.views import input_part, shown_part

    whole, views = shown_part(name, made_by)
    if whole not in made_by:
        return whole, views, None
    op = made_by[whole]
    if op.kind != "maximum":
        return None
    lifted, number = op.operands
    if not (isinstance(lifted, Value) and isinstance(number, Scalar) and number.expr.is_Integer):
        return None
    part = input_part(lifted.name, made_by)
    return (part[0], [*part[1], *views], int(number.expr)) if part else None


def _step(view: Op) -> tuple[str, Any, list[Any]]:
    """A view as a step: its kind, axes, and sizes."""
    axes = range(len(view.result.shape))
    if view.kind == "slice":
        return "slice", int(view.attrs["axis"]), [view.attrs["start"], view.attrs["stop"]]
    if view.kind == "reshape":
        return "reshape", None, list(view.result.shape)
    order = view.attrs["axes"] if view.kind == "permute" else [*axes[:-2], *reversed(axes[-2:])]
    return "order", tuple(map(int, order)), []


def _named(program: Program, target: Value) -> str:
    """A value as the author calls it: one that begins with a number is made of the output that it becomes."""
    updated = {op.operands[0].name: op.result.name for op in program.ops if op.kind == "scatter_update"}  # type: ignore[union-attr]
    name, outputs = target.name, {value.name: output for output, value in program.outputs}
    while name in updated and name not in outputs and all(name != value.name for value in program.inputs):
        name = updated[name]
    return outputs.get(name, name)
