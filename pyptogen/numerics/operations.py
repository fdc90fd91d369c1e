"""The meaning of each primitive on numpy arrays.

Float matmuls and sums are computed in float64 and rounded through fp32 to the result dtype; int8 matmuls are
exact; elementwise fp32 arithmetic is one correctly rounded fp32 operation each; fp16 and bf16 compute in fp32
and round once. Casts to integers saturate and turn NaN into 0; casts to floats overflow to infinity as in
IEEE 754.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.hifloat8 import HIF8, to_hif8
from pyptogen.numerics.rounding import GRIDS, on_grid, whole
from pyptogen.numpy_dtypes import INT4, INT4_RANGE, dtype_name, numbers

Array = np.ndarray[Any, Any]

_EXACT_K = 1024
"""Longest int8 dot product whose partial sums all stay within 2**24, so that fp32 holds each exactly."""


def _in_double(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """A function of one array computed in float64 and rounded to the array's dtype."""

    def compute(x: Array) -> Array:
        return function(x.astype(np.float64)).astype(x.dtype)

    return compute


UNARY: Mapping[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "exp": _in_double(np.exp),
    "log": _in_double(np.log),
    "sqrt": np.sqrt,
    "rsqrt": _in_double(lambda x: 1.0 / np.sqrt(x)),
    "reciprocal": lambda x: np.asarray(np.ones((), x.dtype) / x),
    "relu": lambda x: np.maximum(x, np.zeros((), x.dtype)),
}

BINARY: Mapping[str, Callable[[Any, Any], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def widen(x: Array) -> Array:
    """Floats of 8 and 16 bits as fp32, everything else as it is."""
    narrow = x.dtype.itemsize <= 2 and x.dtype != np.bool_ and not np.issubdtype(x.dtype, np.integer)
    return x.astype(np.float32) if narrow else x


def unary(kind: str, x: Array, dtype: np.dtype[Any] | None = None) -> Array:
    """An elementwise function; the result has the dtype of ``x``, or is computed in float64 where ``dtype`` is that."""
    wide = x.astype(np.float64, copy=False) if dtype == np.float64 else widen(x)
    return UNARY[kind](wide).astype(dtype or x.dtype, copy=False)


def binary(kind: str, a: Any, b: Any, dtype: np.dtype[Any]) -> Array:
    """An elementwise operation of arrays, one of which may be a Python number; ``dtype`` is that of the
    arrays, or float64."""
    compute = np.dtype(np.float32) if widen(np.empty(0, dtype)).dtype == np.float32 else dtype
    left, right = (x.astype(compute, copy=False) if isinstance(x, np.ndarray) else compute.type(x) for x in (a, b))
    return BINARY[kind](left, right).astype(dtype, copy=False)


def reduce(kind: str, x: Array, axis: int, dtype: np.dtype[Any] | None = None) -> Array:
    """A reduction that keeps its axis with size 1; the result has the dtype of ``x`` or is ``dtype``."""
    dtype = dtype or x.dtype
    if kind == "sum":
        wide = np.float64 if np.issubdtype(widen(x).dtype, np.floating) else np.int64
        total = np.asarray(np.sum(x, axis=axis, keepdims=True, dtype=wide))
        return round_float(total, dtype) if wide is np.float64 else total.astype(dtype)
    function = np.max if kind == "amax" else np.min
    return np.asarray(function(widen(x), axis=axis, keepdims=True)).astype(dtype)


def round_float(x: Array, dtype: np.dtype[Any]) -> Array:
    """float64 to a float dtype through fp32, as an fp32 accumulator is rounded; float64 stays what it is."""
    if dtype == np.float64:
        return x
    return x.astype(np.float32).astype(dtype, copy=False)


def prepare_right(b: Array) -> Array:
    """The right operand of matmuls in the dtype that they compute in; done once for many left operands."""
    return numbers(b).astype(np.float32 if b.dtype == np.int8 else np.float64)


def matmul(a: Array, prepared: Array, dtype: np.dtype[Any]) -> Array:
    """``a[…, m, k]`` times the right operand that ``prepare_right`` gave."""
    rows = a.reshape(-1, a.shape[-1])
    shape = (*a.shape[:-1], prepared.shape[1])
    if a.dtype != np.int8:
        return round_float(numbers(rows).astype(np.float64) @ prepared, dtype).reshape(shape)
    total = np.zeros((rows.shape[0], prepared.shape[1]), np.int32)
    for start in range(0, rows.shape[1], _EXACT_K):
        part = rows[:, start : start + _EXACT_K].astype(np.float32) @ prepared[start : start + _EXACT_K]
        total += part.astype(np.int32)
    return total.reshape(shape)


def cast(x: Array, dtype: np.dtype[Any], mode: str, saturate: bool) -> Array:
    """A conversion. ``mode`` says how an inexact result is rounded, ``saturate`` what happens to integers out of range;
    wider integers always saturate when they come from floats."""
    if dtype == np.bool_ or (x.dtype == np.bool_ and dtype != HIF8):
        return numbers(x).astype(dtype)
    x = x.astype(np.int8) if x.dtype == INT4 else numbers(x)
    if dtype == HIF8:
        return to_hif8(x, saturate)
    if dtype == INT4:
        return _four_bits(x, mode)
    if not np.issubdtype(dtype, np.integer):
        # numpy rounds to nearest even; it does not saturate, as casts to fp8 do.
        grid = None if mode in ("none", "rint") and dtype.itemsize > 1 else GRIDS.get(dtype_name(dtype))
        return x.astype(dtype) if grid is None else on_grid(x, grid, mode, saturate).astype(np.float64).astype(dtype)
    limits = np.iinfo(dtype)
    if np.issubdtype(x.dtype, np.integer):
        return (np.clip(x, *_within(limits, x.dtype)) if saturate else x).astype(dtype)
    rounded = whole(widen(x), mode)
    rounded = np.where(np.isnan(rounded), np.zeros((), rounded.dtype), rounded)
    if not saturate and dtype.itemsize < 4:  # an int32 first, which saturates; then its low bits, as TCVT does
        return np.clip(rounded.astype(np.float64), -(2.0**31), 2.0**31 - 1).astype(np.int32).astype(dtype)
    if dtype.itemsize >= 4:
        rounded = rounded.astype(np.float64)
    top = rounded >= float(limits.max)
    result = np.where(top, 0, np.maximum(rounded, float(limits.min))).astype(dtype)
    result[top] = limits.max
    return result


def _four_bits(x: Array, mode: str) -> Array:
    """Numbers as int4, saturated."""
    wide = x if np.issubdtype(x.dtype, np.integer) else cast(x, np.dtype(np.int32), mode, True)
    return np.clip(wide, *_within(INT4_RANGE, wide.dtype)).astype(np.int8).astype(INT4)


def _within(limits: Any, dtype: np.dtype[Any]) -> tuple[int, int]:
    """The part of an integer range that another integer dtype can hold."""
    own = np.iinfo(dtype)
    return max(int(limits.min), int(own.min)), min(int(limits.max), int(own.max))


def scatter_update(x: Array, index: Array, src: Array, dim: int) -> Array:
    """A copy of ``x`` with rows replaced; index -1 skips, the last of equal indices wins. Raises
    ``IndexError``."""
    result: Array = x.copy()
    rows = result.reshape(-1, *x.shape[dim + 1 :])
    used = index != -1
    outside = used & ((index < 0) | (index >= rows.shape[0]))
    if outside.any():
        raise IndexError(f"{int(index[outside][0])} is no row of {rows.shape[0]}")
    rows[index[used]] = src[used]
    return result
