"""The golden once more, with the errors that a sound implementation may make where the golden makes none.

The Tensor level adds up in float64 and rounds its functions correctly. Kernels add up in fp32, in an order of their
own, and their `exp` may miss the last place. `Disturbed` makes such errors at random, of the size that they may have
and at every operation that has them, and lets the program carry them on to the outputs: through cancellation, through
roundings that fall the other way, through choices. This is Monte Carlo arithmetic (Parker, "Monte Carlo Arithmetic",
UCLA CSD-970002, 1997; Denis, de Oliveira Castro, Petit, "Verificarlo", ARITH 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.lower.tensor.ir import PRODUCTS, Op, Program
from pyptogen.numerics.operations import Array, round_float
from pyptogen.numerics.selection import in_groups
from pyptogen.numpy_dtypes import NUMPY_DTYPES, rounded_to
from pyptogen.simulate.arithmetic import Apply, AsDeclared
from pyptogen.verify.last_place import FLOATS, last_place
from pyptogen.verify.neighbourhoods import as_float64

_UNIT = 2.0**-24
"""Half a unit in the last place of an fp32 number of size 1."""
_DOUBLE = np.dtype(np.float64)
_PLACES: Mapping[str, float] = {"div": 2, "reciprocal": 2, "sqrt": 2, "rsqrt": 3, "exp": 4, "log": 4, "by_hand": 4}
"""Units in the last place by which a function may miss the rounded result; a kernel by hand in all."""
_LANES = 4
"""Numbers of fp32 in the narrowest vector register."""
_IN_LOOPS = frozenset({"add", "sub", "mul"})


class Disturbed(AsDeclared):
    """Formats and roundings as declared, and before each rounding an error, ``strength`` times as large as it may be.

    - A sum of n terms in fp32 is off by up to sqrt(n) / 2 roundings of its partial sums: errors of roundings are as
      good as independent, and add up like them (Higham, Mary, "A New Approach to Probabilistic Rounding Error
      Analysis", SIAM J. Sci. Comput. 41, 2019). Partial sums are as large as the result, or the root of the sum of the
      squares of the terms, whatever is more. With the half, the errors are on average those of terms added one after
      another: earlier partial sums are smaller. A row is added up by vector units, in `_LANES` partial sums or more.
    - A function is off by the places that an instruction may miss.
    - Inside a loop, blocks of another length meet other numbers: a cast to fewer bits falls either way, and sums and
      products of two are off by a unit in the last place.
    """

    def __init__(self, program: Program, seed: int, strength: float = 1.0) -> None:
        self._program, self._strength = program, strength
        self._rng = np.random.default_rng(seed)

    def result(self, op: Op, operands: list[Any], apply: Apply) -> Array:
        dtype = NUMPY_DTYPES[op.result.dtype]
        if not errs(op, self._program):
            return apply(operands, dtype)
        if op.kind == "cast":
            x = as_float64(operands[0])
            return apply([x + self._uniform(x.shape) * last_place(x, op.result.dtype) / 2], dtype)
        if op.kind in _TERMS:
            exact = apply(operands, _DOUBLE)
            count, squares = _TERMS[op.kind](op, operands, apply)
            largest = np.sqrt(np.square(exact) + squares)
            error = self._uniform(exact.shape) * np.sqrt(count) * (_UNIT / 2) * largest
        else:
            exact = as_float64(apply(operands, dtype)) if op.kind == "by_hand" else apply(operands, _DOUBLE)
            # Half of a function's error is the same everywhere, and does not average out.
            off = 0.5 * self._rng.choice((-1.0, 1.0)) + 0.5 * self._by_result(exact)
            error = off * _PLACES.get(op.kind, 1.0) * last_place(exact, "fp16" if op.result.dtype == "fp16" else "fp32")
        rounded = round_float(exact + self._strength * error, NUMPY_DTYPES["fp32"])
        return rounded_to(rounded, dtype)

    def _by_result(self, values: Array) -> Array:
        """Between -1 and 1, the same for the same number: of equal arguments a function makes the same."""
        bits = np.ascontiguousarray(values, np.float64).view(np.uint64)
        mixed = (bits ^ self._rng.integers(1 << 62, dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        return np.asarray((mixed >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1))

    def _uniform(self, shape: tuple[int, ...]) -> Array:
        """Between -1 and 1."""
        drawn = self._rng.random(shape, dtype=np.float32)
        drawn *= 2
        drawn -= 1
        return drawn


def errs(op: Op, program: Program) -> bool:
    """Whether kernels may be off in an operation where the golden is not."""
    if op.result.dtype not in FLOATS:
        return False
    if op.kind == "cast" or op.kind in _IN_LOOPS:
        movable = any(loop.name == op.loop and not loop.exact for loop in program.loops)
        return movable and (op.kind in _IN_LOOPS or narrows(op))
    if op.kind == "scatter":
        return bool(op.attrs["reduce"] == "add")
    return op.kind in _PLACES or op.kind in _TERMS


def narrows(op: Op) -> bool:
    """Whether a cast is to fewer digits; to whole numbers it is."""
    source = FLOATS.get(getattr(op.operands[0], "dtype", ""))
    result = FLOATS.get(op.result.dtype)
    return source is not None and (result is None or result.digits < source.digits)


Terms = tuple[Any, Array]
"""How many terms each element is the sum of, and the sum of their squares."""


def _row_or_column(op: Op, operands: list[Any], apply: Apply) -> Terms:
    count, squares = _along(op, operands, apply)
    return (count / _LANES if op.attrs["axis"] == operands[0].ndim - 1 else count), squares


def _along(op: Op, operands: list[Any], apply: Apply) -> Terms:
    return operands[0].shape[op.attrs["axis"]], apply([np.square(as_float64(operands[0]))], _DOUBLE)


def _factors(op: Op, operands: list[Any], apply: Apply) -> Terms:
    return operands[0].shape[op.attrs["axis"]], np.zeros(())


def _product(op: Op, operands: list[Any], apply: Apply) -> Terms:
    """The sum of squares as if the two rows knew nothing of each other: right on average, and no second product."""
    a, b = operands[:2]
    if op.kind == "matmul_mx":
        a, b = in_groups(a, operands[2], 1), in_groups(b, operands[3], 0)
    depth = a.shape[-1]
    rows = np.sum(np.square(as_float64(a)), axis=-1, keepdims=True)
    return depth, rows * np.sum(np.square(as_float64(b)), axis=-2, keepdims=True) / depth


def _at_indices(op: Op, operands: list[Any], apply: Apply) -> Terms:
    x, index, source = operands
    squares = apply([np.square(as_float64(x)), index, np.square(as_float64(source))], _DOUBLE)
    return apply([np.zeros(x.shape), index, np.ones(source.shape)], _DOUBLE), squares


_TERMS: Mapping[str, Callable[[Op, list[Any], Apply], Terms]] = {
    **dict.fromkeys(PRODUCTS, _product),
    "sum": _row_or_column,
    "cumsum": _along,
    "prod": _factors,
    "cumprod": _factors,
    "index_add": _at_indices,
    "scatter": _at_indices,
}
