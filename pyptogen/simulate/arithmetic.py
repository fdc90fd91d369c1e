"""In which formats a Tensor program is computed: those of its dtypes, or float64 without any rounding between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES, numbers, rounded_to

Apply = Callable[..., Array]
"""``apply(operands, dtype)`` does an operation, on these operands or others like them, with a result of this dtype."""

FLOATS = frozenset({"fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp8_e8m0", "hif8", "fp4_e2m1"})
"""dtypes of the language that iteration."""
_BY_DTYPE = frozenset({"bitcast", "by_hand"})
"""Operations whose meaning hangs on the bits of their operands."""


class AsDeclared:
    """Every value has the dtype that the program gives it: the order of roundings is the operator's contract."""

    def dtype(self, name: str) -> np.dtype[Any]:
        """How values of a dtype of the language are held."""
        return NUMPY_DTYPES[name]

    def given(self, array: Array) -> Array:
        """An input as it is held."""
        return array

    def result(self, op: Op, operands: list[Any], apply: Apply) -> Array:
        """The value of ``op.result``."""
        return apply(operands, NUMPY_DTYPES[op.result.dtype])


class InDouble(AsDeclared):
    """Every float is a float64, and no cast between floats changes it. Whole numbers are what they were."""

    def dtype(self, name: str) -> np.dtype[Any]:
        return np.dtype(np.float64) if name in FLOATS else NUMPY_DTYPES[name]

    def given(self, array: Array) -> Array:
        name = next(name for name, dtype in NUMPY_DTYPES.items() if dtype == array.dtype)
        return numbers(array).astype(np.float64) if name in FLOATS else array

    def result(self, op: Op, operands: list[Any], apply: Apply) -> Array:
        if op.kind not in _BY_DTYPE:
            return apply(operands, self.dtype(op.result.dtype))
        tensors = zip(op.operands, operands, strict=True)
        declared = [rounded_to(x, NUMPY_DTYPES[v.dtype]) if isinstance(v, Value) else x for v, x in tensors]
        return numbers(apply(declared, NUMPY_DTYPES[op.result.dtype])).astype(self.dtype(op.result.dtype))


AS_DECLARED, IN_DOUBLE = AsDeclared(), InDouble()
