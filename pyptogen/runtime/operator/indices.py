"""Run-time bounds of index inputs: a kernel writes where an index points, so a wrong one must not reach it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span, fault

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program


@dataclass(frozen=True, slots=True)
class IndexBound:
    """Input ``index`` picks rows of input ``target``, whose first ``axes`` axes together are those rows."""

    index: str
    target: str
    axes: int
    span: Span

    def check(self, arrays: Mapping[str, Any]) -> None:
        """Raises PTG408 for an index that is neither -1 nor a row of the target."""
        values = arrays[self.index]
        if values.size == 0:
            return
        rows = math.prod(arrays[self.target].shape[: self.axes])
        least, largest = int(values.min()), int(values.max())
        if least < -1 or largest >= rows:
            wrong = largest if largest >= rows else least
            raise fault(
                "PTG408",
                f"`{self.index}` holds {wrong}, which is no row of `{self.target}`",
                self.span,
                expected=f"-1 (skip), or 0 to {rows - 1}",
                fix=f"`{self.target}` of shape {list(arrays[self.target].shape)} has {rows} rows",
            )


def index_bounds(program: Program) -> tuple[IndexBound, ...]:
    """The bounds of every index that is an input of the operator itself."""
    from pyptogen.lower.tensor.ir import Value

    inputs = {value.name for value in program.inputs}
    bounds = []
    for op in program.ops:
        if op.kind == "scatter_update":
            target, index = op.operands[0], op.operands[1]
            if isinstance(target, Value) and isinstance(index, Value) and {target.name, index.name} <= inputs:
                axes = op.attrs["dim"] % len(target.shape) + 1
                bounds.append(IndexBound(index.name, target.name, axes, op.span))
    return tuple(bounds)
