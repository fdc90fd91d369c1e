"""Run-time bounds of index inputs: kernels read and write where an index points, so a wrong one must not reach them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span, fault

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Op, Program, Value

INDEXED = frozenset({"gather", "index_select", "scatter", "index_add"})
"""Operations whose indices count along one axis; `scatter_update` counts rows, and -1 skips."""


@dataclass(frozen=True, slots=True)
class IndexBound:
    """Input ``index`` names places of ``target``: ``size`` many, or as many as the axes ``axes`` of the input
    ``source`` have together. ``least`` is the least index: -1 where that skips."""

    index: str
    target: str
    source: str
    axes: slice
    size: int | None
    least: int
    what: str
    span: Span

    def check(self, arrays: Mapping[str, Any]) -> None:
        """Raises PTG408 for an index that is no place of the target."""
        values = arrays[self.index]
        if values.size == 0:
            return
        places = self.size if self.size is not None else math.prod(arrays[self.source].shape[self.axes])
        least, largest = int(values.min()), int(values.max())
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
    """The bounds of every index that is an input of the operator itself, perhaps in another shape."""
    bounds = (_bound(program, op) for op in program.ops if op.kind in INDEXED | {"scatter_update"})
    return tuple(bound for bound in bounds if bound is not None)


def _bound(program: Program, op: Op) -> IndexBound | None:
    """None where nothing at hand tells the index or the size: they are computed."""
    from pyptogen.lower.tensor.ir import Value

    target, index = op.operands[0], op.operands[1]
    assert isinstance(target, Value) and isinstance(index, Value)
    name = _input_of(program, index)
    if name is None:
        return None
    if op.kind == "scatter_update":
        whole = slice(0, op.attrs["dim"] % len(target.shape) + 1)
        if all(target.name != value.name for value in program.inputs):
            return None
        return IndexBound(name, target.name, target.name, whole, None, -1, "row", op.span)
    axis = int(op.attrs["axis"])
    what = f"place along axis {axis}"
    size = target.shape[axis].subs({dim.name: dim.value for dim in program.dims if dim.value is not None})
    if size.is_Integer:
        return IndexBound(name, target.name, "", slice(0), int(size), 0, what, op.span)
    for value in program.inputs:
        for at, own in enumerate(value.shape):
            if own == target.shape[axis]:
                return IndexBound(name, target.name, value.name, slice(at, at + 1), None, 0, what, op.span)
    return None


def _input_of(program: Program, value: Value) -> str | None:
    """The input that a value is, seen in another shape."""
    made_by = {op.result.name: op for op in program.ops}
    name = value.name
    while name in made_by and made_by[name].kind in ("reshape", "transpose", "permute"):
        name = made_by[name].operands[0].name  # type: ignore[union-attr]
    return name if any(name == known.name for known in program.inputs) else None
