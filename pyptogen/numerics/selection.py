"""The meaning on numpy arrays of the primitives that round, compare, choose, order and index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.numerics import GROUP
from pyptogen.numerics.operations import Array, matmul, prepare_right, round_float, widen

ROUNDING: Mapping[str, Callable[[Array], Array]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
}

COMPARE: Mapping[str, Callable[[Any, Any], Array]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}

WHOLE: Mapping[str, Callable[[Any, Any], Array]] = {
    "floor_div": np.floor_divide,
    "gcd": np.gcd,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_left_shift": np.left_shift,
    "bitwise_right_shift": np.right_shift,
}


def compute(
    kind: str, operands: list[Any], attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """One primitive. ``attrs`` hold numbers, ``shape`` and ``dtype`` are those of the result.

    Raises ``IndexError`` for an index out of range.
    """
    if kind in ROUNDING:
        return ROUNDING[kind](widen(operands[0])).astype(dtype)
    if kind in COMPARE:
        return np.asarray(COMPARE[kind](*_alike(operands)))
    if kind in WHOLE:
        return np.asarray(WHOLE[kind](*_alike(operands))).astype(dtype)
    if kind == "where":
        condition, *sides = operands
        return np.asarray(np.where(condition, *(np.asarray(side, dtype) for side in sides)))
    return _FUNCTIONS[kind](*operands, attrs=attrs, shape=shape, dtype=dtype)


def _alike(operands: list[Any]) -> list[Array]:
    """Both operands in the dtype that they are computed in; one of them may be a number."""
    typed = (np.ndarray, np.generic)  # numpy gives a lone number where the axes are gone
    of = next(operand.dtype for operand in operands if isinstance(operand, typed))
    wide = widen(np.empty(0, of)).dtype
    return [widen(np.asarray(o)) if isinstance(o, typed) else np.asarray(o).astype(wide) for o in operands]


def _accumulated(x: Array, function: Callable[..., Any], dtype: np.dtype[Any], **how: Any) -> Array:
    """A sum or product in float64 (int64 for integers), rounded once."""
    if np.issubdtype(widen(x).dtype, np.floating):
        return round_float(np.asarray(function(x.astype(np.float64), **how)), dtype)
    return np.asarray(function(x.astype(np.int64), **how)).astype(dtype)


def _prod(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return _accumulated(x, np.prod, dtype, axis=attrs["axis"], keepdims=True)


def _cumsum(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return _accumulated(x, np.cumsum, dtype, axis=attrs["axis"])


def _cumprod(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return _accumulated(x, np.cumprod, dtype, axis=attrs["axis"])


def _argmax(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.asarray(np.argmax(widen(x), axis=attrs["axis"], keepdims=True)).astype(dtype)


def _argmin(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.asarray(np.argmin(widen(x), axis=attrs["axis"], keepdims=True)).astype(dtype)


def order(x: Array, axis: int, descending: bool) -> Array:
    """The indices that sort along an axis; equal elements keep their order."""
    wide = widen(x)
    if not descending:
        return np.argsort(wide, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(wide, axis), axis=axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backwards, axis))


def _topk_indices(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    ranked = order(x, attrs["axis"], attrs["largest"])
    return np.asarray(np.take(ranked, np.arange(shape[attrs["axis"]]), attrs["axis"])).astype(dtype)


def _topk_values(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    at = _topk_indices(x, attrs=attrs, shape=shape, dtype=np.dtype(np.int64))
    return np.asarray(np.take_along_axis(x, at, attrs["axis"]))


def _arange(*, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    wide = np.float64 if not np.issubdtype(dtype, np.integer) else np.int64
    return np.asarray(attrs["start"] + attrs["step"] * np.arange(shape[0], dtype=wide)).astype(dtype)


def _permute(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.transpose(x, attrs["axes"])


def _expand(x: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(np.broadcast_to(x, shape))


def _checked(index: Array, size: int) -> Array:
    outside = (index < 0) | (index >= size)
    if outside.any():
        raise IndexError(f"{int(index[outside][0])} is no index of {size}")
    return index.astype(np.int64)


def _grid(index: Array, axis: int, size: int) -> tuple[Array, ...]:
    """Where each element of the index points, as one array per axis."""
    places: list[Array] = list(np.indices(index.shape, sparse=True))
    places[axis] = _checked(index, size)
    return tuple(places)


def _gather(x: Array, index: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    return np.asarray(x[_grid(index, attrs["axis"], x.shape[attrs["axis"]])])


def _scatter(
    x: Array, index: Array, src: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    places = _grid(index, attrs["axis"], x.shape[attrs["axis"]])
    if attrs["reduce"] == "none":
        result: Array = x.copy()
        result[places] = src
        return result
    return _summed(x, src, places, dtype)


def _index_select(
    x: Array, index: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    return np.asarray(np.take(x, _checked(index, x.shape[attrs["axis"]]), attrs["axis"]))


def _index_add(
    x: Array, index: Array, src: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    axis = attrs["axis"]
    places = (slice(None),) * axis + (_checked(index, x.shape[axis]),)
    return _summed(x, src, places, dtype)


def _summed(x: Array, src: Array, places: tuple[Any, ...], dtype: np.dtype[Any]) -> Array:
    """``x`` with ``src`` added at places that may repeat: the total in float64 (int64), rounded once."""
    floats = np.issubdtype(widen(x).dtype, np.floating)
    total = x.astype(np.float64 if floats else np.int64)
    np.add.at(total, places, src.astype(total.dtype))
    return round_float(total, dtype) if floats else total.astype(dtype)


def _batch_matmul(
    a: Array, b: Array, *, attrs: Mapping[str, Any], shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    result = np.empty(shape, dtype)
    a, b = (np.broadcast_to(x, (*shape[:-2], *x.shape[-2:])) for x in (a, b))
    for at in np.ndindex(*shape[:-2]):
        result[at] = matmul(a[at], prepare_right(b[at]), dtype)
    return result


def _bitcast(x: Array, *, dtype: np.dtype[Any], **_: Any) -> Array:
    return np.ascontiguousarray(x).view(dtype)


def _matmul_mx(a: Array, b: Array, a_scale: Array, b_scale: Array, *, dtype: np.dtype[Any], **_: Any) -> Array:
    return round_float(in_groups(a, a_scale, 1) @ in_groups(b, b_scale, 0), dtype)


def in_groups(x: Array, scale: Array, axis: int) -> Array:
    """Each element times the scale of its group along an axis, exactly."""
    wide = np.repeat(scale.astype(np.float64), GROUP, axis)[: x.shape[0], : x.shape[1]]
    return np.asarray(x.astype(np.float64) * wide)


_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "prod": _prod,
    "cumsum": _cumsum,
    "cumprod": _cumprod,
    "argmax": _argmax,
    "argmin": _argmin,
    "topk_values": _topk_values,
    "topk_indices": _topk_indices,
    "arange": _arange,
    "permute": _permute,
    "reorder": _permute,
    "expand": _expand,
    "gather": _gather,
    "scatter": _scatter,
    "index_select": _index_select,
    "gathered": _index_select,
    "index_add": _index_add,
    "batch_matmul": _batch_matmul,
    "matmul_mx": _matmul_mx,
    "bitcast": _bitcast,
}

KINDS = frozenset({*ROUNDING, *COMPARE, *WHOLE, *_FUNCTIONS, "where"})
"""The primitives of this module."""
