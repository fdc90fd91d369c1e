"""The generator language of ``verify: generate:``, evaluated over its syntax tree and never executed.

- ``uniform(a, b)``: reals from a to b; for an integer tensor, integers from a to b, both included
- ``normal(mean, std)``: normally distributed; ``normal()`` is the standard one
- ``integers(a, b)``: integers from a to b, both included; ``integers()`` is the full range of the tensor's dtype
- ``permutation(n)``: distinct integers of 0 … n-1, in random order; n must be at least the tensor's size
- ``coordinate(axis, m, n)``: along one axis, of 0 and 1, the places of distinct elements of [m, n], in random order;
  tensors of as many elements that say the same sizes have the coordinates of the same places. Also of 3 and 4 axes
- ``skip(g, value, part)``: generator g with a random ``part`` of its elements replaced by ``value``
- ``skip_rows(g, value, part)``: the same with whole rows, along the last axis
- ``cos(g)``, ``sin(g)``: of another generator, element by element
- ``zeros()``, ``ones()``: constants, also without parentheses
- ``x + y``, ``-x`` …: arithmetic (``+ - * / // % **``) on generators, numbers, ``inf`` and dims
"""

from __future__ import annotations

import ast
import hashlib
import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.numpy_dtypes import INT4, INT4_RANGE, NUMPY_DTYPES, rounded_to
from pyptogen.records import dataclass, replace

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.schema.expression import Expr

_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, slots=True)
class Generator:
    """Draws one tensor. ``dtype`` is the tensor's numpy dtype; floats are drawn in fp32 and rounded once, at
    the end. ``seed`` is that of all tensors, for what several draw together."""

    expression: Expr
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dims: Mapping[str, int]
    rng: np.random.Generator
    seed: int = 0

    def draw(self) -> npt.NDArray[Any]:
        """An array of ``shape`` and ``dtype``. Raises ``DiagnosticError`` (PTG2xx) at the part that has no
        meaning."""
        value = self._evaluate(self.expression.node)
        return _to_dtype(np.broadcast_to(np.asarray(value), self.shape), self.dtype)

    def _evaluate(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in self.dims:
                return self.dims[name]
            case ast.Name(id="inf"):
                return math.inf
            case ast.Name(id=name) if name in _FUNCTIONS:
                return self._call(node, name, [])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._evaluate(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._arithmetic(node, _OPERATORS[type(op)], self._evaluate(left), self._evaluate(right))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case ast.Name(id=name):
                raise self._fault(
                    "PTG201",
                    f"unknown name `{name}` in a generator",
                    node,
                    did_you_mean(name, [*self.dims, *_FUNCTIONS]),
                )
        raise self._fault(
            "PTG108", "this has no meaning in a generator", node, f"generators are {', '.join(_FUNCTIONS)}"
        )

    def _arithmetic(self, node: ast.expr, apply: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        try:
            return apply(_widened(left), _widened(right))
        except (ZeroDivisionError, OverflowError) as error:
            raise self._fault("PTG215", f"this has no value: {error}", node) from None

    def _call(self, node: ast.expr, name: str, arguments: list[ast.expr]) -> Any:
        if name not in _FUNCTIONS:
            raise self._fault(
                "PTG202",
                f"unknown generator `{name}`",
                node,
                did_you_mean(name, _FUNCTIONS) or f"generators are {', '.join(_FUNCTIONS)}",
            )
        try:
            return _FUNCTIONS[name](self, *(self._evaluate(argument) for argument in arguments))
        except (ValueError, OverflowError) as error:
            raise self._fault("PTG215", f"`{name}`: {error}", node) from None

    def _fault(self, code: str, message: str, node: ast.expr, fix: str = "") -> DiagnosticError:
        return fault(code, message, self.expression.span_of(node), fix=fix)


def stream(seed: int, name: str) -> np.random.Generator:
    """The random stream of a name."""
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.Generator(np.random.PCG64([seed, *(int(word) for word in words)]))


def draw_default(shape: tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
    """Where a spec says nothing: reals from -1 to 1, integers over the full range of the dtype, booleans by a
    fair coin, powers of two near 1."""
    if dtype == np.bool_:
        return rng.integers(0, 2, shape, dtype=np.uint8).astype(np.bool_)
    if _is_integer(dtype):
        return _full_range(shape, dtype, rng)
    if dtype == NUMPY_DTYPES["fp8_e8m0"]:
        return np.exp2(rng.integers(-4, 5, shape)).astype(dtype)
    return _to_dtype(_reals(shape, -1.0, 1.0, rng), dtype)


def _uniform(g: Generator, low: float, high: float) -> Any:
    if low > high:
        raise ValueError(f"the lower bound {low} is above the upper bound {high}")
    if _is_integer(g.dtype) and float(low).is_integer() and float(high).is_integer():
        return g.rng.integers(int(low), int(high), g.shape, dtype=np.int64, endpoint=True)
    return _reals(g.shape, low, high, g.rng)


def _normal(g: Generator, mean: float = 0.0, std: float = 1.0) -> Any:
    if std < 0:
        raise ValueError(f"the standard deviation {std} is negative")
    return g.rng.standard_normal(g.shape, dtype=np.float32) * np.float32(std) + np.float32(mean)


def _integers(g: Generator, low: int | None = None, high: int | None = None) -> Any:
    if low is None or high is None:
        return _full_range(g.shape, g.dtype if _is_integer(g.dtype) else np.dtype(np.int8), g.rng)
    if low > high:
        raise ValueError(f"the lower bound {low} is above the upper bound {high}")
    return g.rng.integers(int(low), int(high), g.shape, dtype=np.int64, endpoint=True)


def _permutation(g: Generator, count: int) -> Any:
    size = int(np.prod(g.shape))
    if count < size:
        raise ValueError(f"{size} distinct integers are needed, and there are only {count} below {count}")
    return g.rng.choice(int(count), size, replace=False).astype(np.int64).reshape(g.shape)


def _coordinate(g: Generator, axis: int, *sizes: int) -> Any:
    if axis not in range(len(sizes)):
        raise ValueError(f"there is no axis {axis} of {len(sizes)}")
    shared = replace(g, rng=stream(g.seed, f"coordinates of {[*map(int, sizes)]}"))
    return np.unravel_index(_permutation(shared, math.prod(sizes)), sizes)[axis]


def _skip(g: Generator, drawn: Any, value: float, part: float) -> Any:
    if not 0 <= part <= 1:
        raise ValueError(f"the part to replace is {part}, not between 0 and 1")
    drawn = np.broadcast_to(np.asarray(drawn), g.shape)
    return np.where(g.rng.random(g.shape) < part, np.asarray(value, dtype=drawn.dtype), drawn)


def _skip_rows(g: Generator, drawn: Any, value: float, part: float) -> Any:
    chosen = _skip(replace(g, shape=(*g.shape[:-1], 1)), False, True, part)
    drawn = np.broadcast_to(np.asarray(drawn), g.shape)
    return np.where(chosen, np.asarray(value, dtype=drawn.dtype), drawn)


def _constant(value: int) -> Callable[[Generator], Any]:
    return lambda g: np.full(g.shape, value, dtype=np.int64)


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "uniform": _uniform,
    "normal": _normal,
    "integers": _integers,
    "permutation": _permutation,
    "coordinate": _coordinate,
    "skip": _skip,
    "skip_rows": _skip_rows,
    "cos": lambda _, x: np.cos(x),
    "sin": lambda _, x: np.sin(x),
    "zeros": _constant(0),
    "ones": _constant(1),
}
"""Generator functions by name; how many arguments each takes, reading the spec has checked."""


def _widened(value: Any) -> Any:
    """Integer arrays as int64: arithmetic in the tensor's own dtype would wrap around silently."""
    narrow = isinstance(value, np.ndarray) and _is_integer(value.dtype)
    return value.astype(np.int64) if narrow else value


def _reals(shape: tuple[int, ...], low: float, high: float, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    values = rng.random(shape, dtype=np.float32)
    values *= np.float32(high - low)
    values += np.float32(low)
    return values


def _full_range(shape: tuple[int, ...], dtype: np.dtype[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
    if dtype == INT4:
        return rng.integers(INT4_RANGE.min, INT4_RANGE.max, shape, dtype=np.int8, endpoint=True).astype(dtype)
    limits = np.iinfo(dtype)
    drawn: npt.NDArray[Any] = rng.integers(limits.min, limits.max, shape, dtype=dtype.type, endpoint=True)
    return drawn


def _to_dtype(values: npt.NDArray[Any], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """A contiguous array of ``dtype``; what does not fit an integer type saturates."""
    if _is_integer(dtype):
        limits = INT4_RANGE if dtype == INT4 else np.iinfo(dtype)
        whole = values if _is_integer(values.dtype) else np.rint(values)
        values = np.clip(whole, limits.min, limits.max)
    made: npt.NDArray[Any] = rounded_to(values, dtype)
    return np.ascontiguousarray(made).reshape(made.shape)  # it gives a lone number an axis


def _is_integer(dtype: np.dtype[Any]) -> bool:
    return bool(np.issubdtype(dtype, np.integer)) or dtype == INT4
