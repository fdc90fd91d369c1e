"""What operations on int64 mean, in numpy, and numbers at which halves of 32 bits go wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

EXTREMES = np.array(
    [
        -(2**63), -(2**63) + 1, -(2**62), -(2**33), -(2**32) - 1, -(2**32), -(2**32) + 1, -(2**31) - 1, -(2**31),
        -(2**31) + 1, -(2**24) - 1, -129, -128, -127, -101, -100, -99, -2, -1, 0, 1, 2, 99, 100, 101, 127, 128, 129,
        2**24 + 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**33, 2**53 + 1, 2**62, 2**63 - 2,
        2**63 - 1,
    ],
    np.int64,
)  # fmt: skip


def pairs() -> tuple[Array, Array]:
    """Every extreme beside every other, int64[40, 40] twice."""
    return np.tile(EXTREMES, (EXTREMES.size, 1)), np.repeat(EXTREMES, EXTREMES.size).reshape(-1, EXTREMES.size)


def random_pairs(rows: int, cols: int, seed: int) -> tuple[Array, Array]:
    """Numbers of all magnitudes, int64[rows, cols] twice."""
    rng = np.random.default_rng(seed)
    shape = (rows, cols)
    a, b = (rng.integers(-(2**63), 2**63 - 1, shape, endpoint=True) >> rng.integers(0, 64, shape) for _ in range(2))
    return a, b


@dataclass(frozen=True)
class Case:
    """An expression of ``a`` and ``b``, the type of its result, and what it is."""

    text: str
    type: str
    meaning: Callable[[Array, Array], Any]


def _clipped(dtype: str) -> Callable[[Array, Array], Array]:
    limits = np.iinfo(dtype)
    return lambda a, b: np.clip(a, limits.min, limits.max).astype(dtype)


def _of_float(a: Array, b: Array) -> Array:
    """The nearest whole numbers of 1.5 times a, in fp32; the greatest int64 where that is beyond."""
    half = (a.astype(np.float32) * np.float32(1.5)).astype(np.float64)
    inside = np.clip(half, -(2.0**63), np.nextafter(2.0**63, 0))
    return np.where(half >= 2.0**63, np.iinfo(np.int64).max, np.rint(inside).astype(np.int64))


SAME = "int64[t, d]"
TRUTH = "bool[t, d]"
ELEMENTWISE = {
    "eq_number": Case("eq(a, -100)", TRUTH, lambda a, b: a == -100),
    "ne_wide": Case("ne(a, 4294967296)", TRUTH, lambda a, b: a != 2**32),
    "eq": Case("eq(a, b)", TRUTH, lambda a, b: a == b),
    "ne": Case("ne(a, b)", TRUTH, lambda a, b: a != b),
    "lt": Case("a < b", TRUTH, lambda a, b: a < b),
    "le": Case("a <= b", TRUTH, lambda a, b: a <= b),
    "gt": Case("a > b", TRUTH, lambda a, b: a > b),
    "ge": Case("a >= b", TRUTH, lambda a, b: a >= b),
    "lt_zero": Case("a < 0", TRUTH, lambda a, b: a < 0),
    "le_less": Case("a <= -1", TRUTH, lambda a, b: a <= -1),
    "ge_number": Case("a >= 2147483648", TRUTH, lambda a, b: a >= 2**31),
    "number_gt": Case("gt(5, a)", TRUTH, lambda a, b: a < 5),
    "lt_size": Case("a < d", TRUTH, lambda a, b: a < a.shape[1]),
    "add": Case("a + b", SAME, lambda a, b: a + b),
    "add_number": Case("a + 5000000000", SAME, lambda a, b: a + 5000000000),
    "sub": Case("a - b", SAME, lambda a, b: a - b),
    "sub_number": Case("a - 1", SAME, lambda a, b: a - 1),
    "number_sub": Case("7 - a", SAME, lambda a, b: 7 - a),
    "mul": Case("a * b", SAME, lambda a, b: a * b),
    "mul_number": Case("a * (-70000)", SAME, lambda a, b: a * -70000),
    "neg": Case("-a", SAME, lambda a, b: -a),
    "abs": Case("abs(a)", SAME, lambda a, b: np.abs(a)),
    "relu": Case("relu(a)", SAME, lambda a, b: np.maximum(a, 0)),
    "sign": Case("sign(a)", SAME, lambda a, b: np.sign(a)),
    "maximum": Case("maximum(a, b)", SAME, lambda a, b: np.maximum(a, b)),
    "minimum": Case("minimum(a, b)", SAME, lambda a, b: np.minimum(a, b)),
    "clip": Case("clip(a, 0, 127)", SAME, lambda a, b: np.clip(a, 0, 127)),
    "clip_wide": Case("clip(a, -4294967297, t)", SAME, lambda a, b: np.clip(a, -(2**32) - 1, a.shape[0])),
    "where_number": Case("where(a >= 0, a, 0)", SAME, lambda a, b: np.where(a >= 0, a, 0)),
    "where": Case("where(a >= b, a, b - 1)", SAME, lambda a, b: np.where(a >= b, a, b - 1)),
    "and_": Case("a & b", SAME, lambda a, b: a & b),
    "or_": Case("a | 1", SAME, lambda a, b: a | 1),
    "xor": Case("a ^ b", SAME, lambda a, b: a ^ b),
    "not_": Case("~a", SAME, lambda a, b: ~a),
    "right": Case("bitwise_right_shift(a, 7)", SAME, lambda a, b: a >> 7),
    "right_far": Case("bitwise_right_shift(a, 40)", SAME, lambda a, b: a >> 40),
    "left_": Case("bitwise_left_shift(a, 7)", SAME, lambda a, b: a << 7),
    "left_far": Case("bitwise_left_shift(a, 35)", SAME, lambda a, b: a << 35),
    "page": Case("a // 128", SAME, lambda a, b: a // 128),
    "slot": Case("a % 128", SAME, lambda a, b: a % 128),
    "divide": Case("a // b", SAME, lambda a, b: a // b),
    "divide_number": Case("a // (-7)", SAME, lambda a, b: a // -7),
    "rest": Case("a % 50257", SAME, lambda a, b: a % 50257),
    "to_int32": Case("cast(a ^ b, int32)", "int32[t, d]", lambda a, b: _clipped("int32")(a ^ b, b)),
    "to_bits": Case("cast(a ^ b, int32, saturate=false)", "int32[t, d]", lambda a, b: (a ^ b).astype(np.int32)),
    "to_int8": Case("cast(a ^ b, int8)", "int8[t, d]", lambda a, b: _clipped("int8")(a ^ b, b)),
    "to_byte": Case("cast(a ^ b, uint8, saturate=false)", "uint8[t, d]", lambda a, b: (a ^ b).astype(np.uint8)),
    "to_bool": Case("cast(a ^ b, bool)", TRUTH, lambda a, b: a != b),
    "to_fp32": Case("cast(a ^ b, fp32)", "fp32[t, d]", lambda a, b: (a ^ b).astype(np.float32)),
    "of_int32": Case("cast(cast(a, int32), int64) + b", SAME, lambda a, b: _clipped("int32")(a, b) + b),
    "of_byte": Case("cast(cast(a, uint8), int64) + b", SAME, lambda a, b: _clipped("uint8")(a, b) + b),
    "of_bool": Case("cast(a < b, int64) - b", SAME, lambda a, b: (a < b) - b),
    "of_fp32": Case("cast(cast(a, fp32) * 1.5, int64) + b", SAME, lambda a, b: _of_float(a, b) + b),
    "both": Case("logical_and(a, b)", TRUTH, lambda a, b: (a != 0) & (b != 0)),
    "column": Case("a[:, 1:2] + b", SAME, lambda a, b: a[:, 1:2] + b),
    "places": Case(
        "a + arange(5000000000, 5000000000 + 3 * d, 3, dtype=int64)", SAME,
        lambda a, b: a + (5000000000 + 3 * np.arange(a.shape[1])),
    ),
}  # fmt: skip
"""Element by element: results of all 64 bits, modulo 2^64; quotients by 0 are 0."""
ALONG = {
    "sum": Case("sum(a ^ b)", "int64[t]", lambda a, b: (a ^ b).sum(-1)),
    "sum_rows": Case("sum(a, axis=0)", "int64[d]", lambda a, b: a.sum(0)),
    "amax": Case("amax(b)", "int64[t]", lambda a, b: b.max(-1)),
    "amin": Case("amin(a ^ b)", "int64[t]", lambda a, b: (a ^ b).min(-1)),
    "amax_rows": Case("amax(b, axis=0)", "int64[d]", lambda a, b: b.max(0)),
    "argmax": Case("argmax(a ^ b)", "int32[t]", lambda a, b: (a ^ b).argmax(-1)),
    "argmin": Case("argmin(clip(a, -4294967296, 1))", "int32[t]", lambda a, b: np.clip(a, -(2**32), 1).argmin(-1)),
    "argmax_rows": Case("argmax(b, axis=0)", "int32[d]", lambda a, b: b.argmax(0)),
    "cumsum": Case("cumsum(a)", SAME, lambda a, b: a.cumsum(-1)),
    "turned": Case("transpose(a - b)", "int64[d, t]", lambda a, b: (a - b).T),
    "joined": Case("concat(a, a + b, axis=-1)", "int64[t, d + d]", lambda a, b: np.concatenate([a, a + b], -1)),
    "full_": Case("full([t, d], -5000000000, dtype=int64)", SAME, lambda a, b: np.full_like(a, -5000000000)),
}
"""Along an axis, and of no operand."""


def meaning(case: Case, a: Array, b: Array) -> Array:
    """The reference, where numpy divides by zero and wraps without a word."""
    with np.errstate(all="ignore"):
        return np.asarray(case.meaning(a, b))
