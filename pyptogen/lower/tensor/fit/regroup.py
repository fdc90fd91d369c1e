"""Reshapes of what does not lie row after row, where no strides express them.

before: y = reshape(transpose(x): [a, b], [c])
after:  x_rows = copy(transpose(x)); y = reshape(x_rows, [c])

Whether strides do is seen when kernels are cut: a reshape that they do not express is named then (``copied``).
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import Op, Value


def reshape(f: Fitter, op: Op) -> Value:
    """A view, of a copy where that is asked for."""
    value = f.value(op.operands[0])
    if op.result.name in f.copied:
        value = f.emit("copy", [value], value.dtype, value.shape, "rows")
    return f.emit("reshape", [value], value.dtype, op.result.shape, attrs=op.attrs)


RULES: Mapping[str, Rule] = {"reshape": reshape}
