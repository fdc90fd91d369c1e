"""Elementwise arithmetic.

fp32 arithmetic is IEEE; fp16 and bf16 compute in fp32 and round once per step; integers wrap, and their division
truncates and gives 0 for a divisor of 0. NaN of an operand is the result's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, is_float, require, scalar_of, stepwise


def divide(a: Array, b: Array) -> Array:
    """IEEE division of floats; of integers the quotient toward zero, 0 for a divisor of 0, lowest / -1 = lowest."""
    a, b = np.broadcast_arrays(a, b)
    if is_float(a.dtype):
        return np.asarray(a / b)
    if a.dtype.kind == "u":
        return np.asarray(np.where(b == 0, a.dtype.type(0), a // np.where(b == 0, a.dtype.type(1), b)))
    unsigned = np.dtype(f"uint{8 * a.dtype.itemsize}")
    x, y = (np.where(v < 0, 0 - v.astype(unsigned), v.astype(unsigned)) for v in (a, b))
    quotient = x // np.where(y == 0, unsigned.type(1), y)
    signed = np.where((a < 0) != (b < 0), 0 - quotient, quotient).astype(a.dtype)
    return np.asarray(np.where(b == 0, a.dtype.type(0), signed))


BINARY: Mapping[str, Callable[[Array, Array], Array]] = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": divide,
    "MAX": np.maximum,
    "MIN": np.minimum,
}
"""Binary steps by the stem of their instructions."""


def pairwise(stem: str) -> Meaning:
    """T<stem> of two tiles."""

    def compute(dst: Shaped, a: Array, b: Array) -> Array:
        require(a.shape, dst.shape, "the first operand")
        require(b.shape, dst.shape, "the second operand")
        return stepwise(BINARY[stem], dst.numpy, a, b)

    return compute


def with_scalar(stem: str) -> Meaning:
    """One operand is a number, in the place where it stands."""

    def compute(dst: Shaped, a: Any, b: Any) -> Array:
        tile_first = isinstance(a, np.ndarray)
        require((a if tile_first else b).shape, dst.shape, "the operand")
        a, b = (a, scalar_of(b, dst.numpy)) if tile_first else (scalar_of(a, dst.numpy), b)
        return stepwise(BINARY[stem], dst.numpy, a, b)

    return compute


def _truncated(exact: Array, dtype: np.dtype[Any]) -> Array:
    """fp64 results in an integer type: toward zero, saturated, NaN as 0."""
    limits = np.iinfo(dtype)
    whole = np.trunc(np.nan_to_num(exact, nan=0.0, posinf=np.inf, neginf=-np.inf))
    top, low = whole >= float(limits.max), whole <= float(limits.min)
    result = np.where(top | low, 0, whole).astype(dtype)
    result[top], result[low] = limits.max, limits.min
    return result


def in_double(function: Callable[[Array], Array]) -> Meaning:
    """A function computed in fp64; floats are rounded through fp32, integers truncated and saturated."""

    def compute(dst: Shaped, a: Array) -> Array:
        require(a.shape, dst.shape, "the operand")
        with np.errstate(all="ignore"):
            exact = function(a.astype(np.float64))
            if not is_float(dst.numpy):
                return _truncated(exact, dst.numpy)
            return exact.astype(np.float32).astype(dst.numpy)

    return compute


def one_by_one(function: Callable[[Array], Array]) -> Meaning:
    """One step of one tile."""

    def compute(dst: Shaped, a: Array) -> Array:
        require(a.shape, dst.shape, "the operand")
        return stepwise(function, dst.numpy, a)

    return compute


def filled(dst: Shaped, scalar: float) -> Array:
    """TEXPANDS."""
    return np.full(dst.shape, scalar_of(scalar, dst.numpy), dst.numpy)


def relu(x: Array) -> Array:
    """max(x, 0); NaN stays."""
    return np.asarray(np.maximum(x, np.zeros((), x.dtype)))


def _steps(*kinds: str) -> Callable[..., Array]:
    """Binary steps one after the other on the last result: ``_steps("MUL", "ADD")(dtype, a, b, c) = a * b + c``."""

    def compute(dtype: np.dtype[Any], first: Array, *others: Any) -> Array:
        for kind, other in zip(kinds, others, strict=True):
            first = stepwise(BINARY[kind], dtype, first, other)
        return first

    return compute


_MUL_ADD = _steps("MUL", "ADD")


def _multiply_add_dst(dst: Shaped, old: Array, a: Array, b: Array) -> Array:
    return _MUL_ADD(dst.numpy, a, b, old)


def _fused_multiply_add(dst: Shaped, old: Array, a: Array, b: Array) -> Array:
    """The product of narrow floats is not rounded to them."""
    return stepwise(lambda x, y, z: x * y + z, dst.numpy, a, old, b)


def _fused_multiply_add_relu(dst: Shaped, old: Array, a: Array, b: Array) -> Array:
    return stepwise(relu, dst.numpy, _MUL_ADD(dst.numpy, a, old, b))


def _subtract_relu(dst: Shaped, a: Array, b: Array) -> Array:
    return stepwise(relu, dst.numpy, stepwise(np.subtract, dst.numpy, a, b))


def _axpy(dst: Shaped, old: Array, a: Array, scalar: Any) -> Array:
    """fp16 into fp32 multiplies in fp32."""
    return _MUL_ADD(dst.numpy, a, scalar_of(scalar, a.dtype), old)


def _leaky(dst: Shaped, a: Array, slope: Any) -> Array:
    product = stepwise(np.multiply, dst.numpy, a, slope if isinstance(slope, np.ndarray) else scalar_of(slope, a.dtype))
    return np.where(a.astype(np.float64 if is_float(a.dtype) else a.dtype) > 0, a, product).astype(dst.numpy)


def _three(*kinds: str) -> Meaning:
    compute = _steps(*kinds)

    def meaning(dst: Shaped, a: Array, b: Any, c: Array) -> Array:
        b = b if isinstance(b, np.ndarray) else scalar_of(b, dst.numpy)
        return compute(dst.numpy, a, b, c)

    return meaning


def _fmod(a: Array, b: Array) -> Array:
    if is_float(a.dtype):
        return np.asarray(np.fmod(a, b))
    a, b = np.broadcast_arrays(a, b)
    return np.asarray(np.where(b == 0, a.dtype.type(0), np.fmod(a, np.where(b == 0, a.dtype.type(1), b))))


def _rem(a: Array, b: Array) -> Array:
    if is_float(a.dtype):
        return np.asarray(np.remainder(a, b))
    a, b = np.broadcast_arrays(a, b)
    return np.asarray(np.where(b == 0, a.dtype.type(0), np.remainder(a, np.where(b == 0, a.dtype.type(1), b))))


def _power(a: Array, b: Array) -> Array:
    """IEEE ``pow`` in fp64 for floats; integers wrap, negative exponents give 0, or a power of a base of 1 or -1."""
    if is_float(a.dtype):
        base, exponent = a.astype(np.float64), b.astype(np.float64)
        root = np.sqrt(np.where(base == -np.inf, np.inf, base)) + 0.0  # numpy's power of 1/2 is sqrt, pow's is not
        return np.where(exponent == 0.5, root, np.power(base, exponent)).astype(np.float32)
    a, b = np.broadcast_arrays(a, b)
    bits = 8 * a.dtype.itemsize
    out = np.empty(a.shape, np.uint64)
    for at in np.ndindex(a.shape):
        x, y = int(a[at]), int(b[at])
        value = (x ** (y % 2 if x == -1 else 1) if x in (1, -1) else 0) if y < 0 else pow(x, y, 1 << bits)
        out[at] = value & (1 << bits) - 1
    return out.astype(a.dtype)


def _pair(function: Callable[[Array, Array], Array]) -> Meaning:
    def compute(dst: Shaped, a: Array, b: Any) -> Array:
        require(a.shape, dst.shape, "the operand")
        return stepwise(function, dst.numpy, a, b if isinstance(b, np.ndarray) else scalar_of(b, dst.numpy))

    return compute


MEANINGS: Mapping[str, Meaning] = {
    **{f"T{stem}": pairwise(stem) for stem in BINARY},
    **{f"T{stem}S": with_scalar(stem) for stem in BINARY},
    "TEXPANDS": filled,
    "TEXP": in_double(np.exp),
    "TLOG": in_double(np.log),
    "TSQRT": in_double(np.sqrt),
    "TRSQRT": in_double(lambda x: 1.0 / np.sqrt(x)),
    "TRECIP": in_double(lambda x: 1.0 / x),
    "TABS": one_by_one(np.abs),
    "TNEG": one_by_one(np.negative),
    "TRELU": one_by_one(relu),
    "TMULADDDST": _multiply_add_dst,
    "TFUSEDMULADD": _fused_multiply_add,
    "TFUSEDMULADDRELU": _fused_multiply_add_relu,
    "TSUBRELU": _subtract_relu,
    "TAXPY": _axpy,
    "TLRELU": _leaky,
    "TPRELU": _leaky,
    "TADDC": _three("ADD", "ADD"),
    "TSUBC": _three("SUB", "ADD"),
    "TADDSC": _three("ADD", "ADD"),
    "TSUBSC": _three("SUB", "ADD"),
    "TFMOD": _pair(_fmod),
    "TFMODS": _pair(_fmod),
    "TREM": _pair(_rem),
    "TREMS": _pair(_rem),
    "TPOW": _pair(_power),
    "TPOWS": _pair(_power),
}
