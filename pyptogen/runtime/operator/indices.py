"""Run-time bounds of index inputs: kernels read and write where an index points, so a wrong one must not reach them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span, fault

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Op, Program, Value

INDEXED = frozenset({"gather", "index_select", "scatter", "index_add"})
"""Operations whose indices count along one axis; `scatter_update` counts rows, and -1 skips."""


@dataclass(frozen=True, slots=True)
class IndexBound:
    """Input ``index`` names places of ``target``: as many as ``size`` and the axes of inputs in ``axes`` make together.
    ``least`` is the least index: -1 where that skips."""

    index: str
    target: str
    size: int
    axes: tuple[tuple[str, int], ...]
    least: int
    what: str
    span: Span

    def check(self, arrays: Mapping[str, Any]) -> None:
        """Raises PTG408 for an index that is no place of the target."""
        values = arrays[self.index]
        if values.size == 0:
            return
        places = self.size * math.prod(arrays[name].shape[axis] for name, axis in self.axes)
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
        sizes, least, what = target.shape[: op.attrs["dim"] % len(target.shape) + 1], -1, "row"
    else:
        axis = int(op.attrs["axis"])
        sizes, least, what = (target.shape[axis],), 0, f"place along axis {axis}"
    found = _factors(program, sizes)
    return None if found is None else IndexBound(name, _named(program, target), *found, least, what, op.span)


def _factors(program: Program, sizes: Sequence[Any]) -> tuple[int, tuple[tuple[str, int], ...]] | None:
    """The product of sizes: a number, and axes of inputs; None where no input has such an axis."""
    import sympy

    static = {dim.name: dim.value for dim in program.dims if dim.value is not None}
    size, axes = 1, []
    for expression in sizes:
        known = {symbol: static[symbol.name] for symbol in expression.free_symbols if symbol.name in static}
        for factor in sympy.Mul.make_args(expression.subs(known)):
            if factor.is_Integer:
                size *= int(factor)
                continue
            places = ((v.name, at) for v in program.inputs for at, own in enumerate(v.shape) if own == factor)
            place = next(places, None)
            if place is None:
                return None
            axes.append(place)
    return size, tuple(axes)


def _named(program: Program, target: Value) -> str:
    """A value as the author calls it: one that begins with a number is made of the output that it becomes."""
    updated = {op.operands[0].name: op.result.name for op in program.ops if op.kind == "scatter_update"}  # type: ignore[union-attr]
    name, outputs = target.name, {value.name: output for output, value in program.outputs}
    while name in updated and name not in outputs and all(name != value.name for value in program.inputs):
        name = updated[name]
    return outputs.get(name, name)


def _input_of(program: Program, value: Value) -> str | None:
    """The input that a value is, seen in another shape, or block after block of it."""
    made_by = {op.result.name: op for op in program.ops}
    name = value.name
    while name in made_by and made_by[name].kind in ("reshape", "transpose", "permute", "block"):
        name = made_by[name].operands[0].name  # type: ignore[union-attr]
    return name if any(name == known.name for known in program.inputs) else None
