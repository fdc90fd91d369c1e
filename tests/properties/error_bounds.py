"""How far a sound implementation may be from the Tensor level, element by element: a running error analysis.

Beside each value goes a bound on the difference that another order of summation, a last place more or less in a
function, and what came in with the operands can make (Higham, "Accuracy and Stability of Numerical Algorithms",
chapters 3 and 4). Correctly rounded operations of equal operands have no difference at all. Where a bound is infinite
nothing can be said: an index, or the order of elements, hangs on a rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyptogen.lower.tensor.ir import ARG_REDUCE, COMPARE, PRODUCTS, ROUNDING, SCAN, VIEWS, Op, Program, Value
from pyptogen.numerics.operations import Array
from pyptogen.simulate.tensor import interpret

_DIGITS = {"fp32": 23, "fp16": 10, "bf16": 7}
_LEAST = {"fp32": 2.0**-126, "fp16": 2.0**-24, "bf16": 2.0**-126}
"""Below it a device may give zero."""
_PLACES = {"div": 2, "reciprocal": 2, "sqrt": 2, "rsqrt": 3, "exp": 4, "log": 4}
"""Units in the last place by which an instruction may miss the rounded result."""
_MOVING = VIEWS | {"permute", "expand", "concat", "gather", "index_select", "scatter", "scatter_update"}

Apply = Callable[[list[Any]], Array]


def bounded(program: Program, arrays: Mapping[str, Array]) -> tuple[dict[str, Array], dict[str, Array]]:
    """The outputs of the Tensor level, and for each the greatest difference allowed, an array of its shape."""
    errors = _Errors(program)
    outputs = interpret(program, arrays, watch=errors)
    return outputs, {name: errors.of(value, outputs[name].shape) for name, value in program.outputs}


class _Errors:
    """Bounds by the name of a value. In a loop they are those of the present round; what it collects has those of all
    rounds, one after another."""

    def __init__(self, program: Program) -> None:
        self._bounds: dict[str, Array] = {}
        self._loops = {loop.name: loop for loop in program.loops}
        self._first = {
            name: next(op for op in program.ops if op.loop == name and op.kind not in ("carry", "only"))
            for name in self._loops
        }
        self._left_out = {op.loop for op in program.ops if op.kind == "only"}
        """Loops whose rounds have a condition."""
        self._either = {op.result.name: op for op in program.ops if op.kind == "either"}
        self._collected = [op for op in program.ops if op.kind == "collected"]
        self._rounds: dict[str, list[Array | None]] = {op.result.name: [] for op in self._collected}
        """Of what loops collect, the bounds of each round so far; None for a carried value that began exactly."""
        self._carries = {op.result.name: op for op in program.ops if op.kind == "carry"}
        self._entered: set[str] = set()

    def of(self, value: Value, shape: tuple[int, ...]) -> Array:
        if value.name in self._rounds:
            op = next(op for op in self._collected if op.result.name == value.name)
            rounds = self._rounds[value.name]
            known = next((part for part in rounds if part is not None), None)
            if known is None:
                return np.zeros(shape)
            each = [np.zeros(known.shape) if part is None else part for part in rounds]
            parts = [part[None] if op.attrs["stacked"] else part for part in each]
            return np.concatenate(parts, axis=int(op.attrs["axis"]))
        if value.name in self._either:  # one of them, as the call says
            of_each = [self.of(v, shape) for v in self._either[value.name].operands if isinstance(v, Value)]
            return np.asarray(np.max(of_each, axis=0))
        return self._bounds.get(value.name, np.zeros(shape))

    def __call__(self, op: Op, operands: list[Any], result: Array, apply: Apply) -> None:
        if op.loop and self._first[op.loop] is op:
            self._next_round(op.loop)
        errors = [
            self.of(operand, np.shape(x)) if isinstance(operand, Value) else np.zeros(())
            for operand, x in zip(op.operands, operands, strict=True)
        ]
        with np.errstate(all="ignore"):
            found = _bound(op, [_wide(x) for x in operands], errors, result, apply, operands)
        if op.kind == "carried" and op.attrs["loop"] in self._left_out:
            found = np.maximum(found, errors[0])
        found = np.where(np.isnan(found), np.inf, found)
        assert found.shape == result.shape, f"{op.kind}: {found.shape} and {result.shape}"
        self._bounds[op.result.name] = found
        self._collect(op.result.name)

    def _collect(self, name: str) -> None:
        for op in self._collected:
            if _names(op)[0] == name:
                self._rounds[op.result.name].append(self._bounds.get(name))

    def _next_round(self, name: str) -> None:
        pairs = self._loops[name].carried
        if name in self._entered:
            kept = dict(self._bounds)
            for carry, following in pairs:
                if following not in kept:  # no round took place yet
                    continue
                self._bounds[carry] = kept[following]
                if name in self._left_out and carry in kept:  # rows that the last round left out
                    self._bounds[carry] = np.maximum(kept[carry], kept[following])
        else:
            self._entered.add(name)
            for carry, _ in pairs:
                (start,) = _names(self._carries[carry])
                if start in self._bounds:
                    self._bounds[carry] = self._bounds[start]
        for carry, _ in pairs:
            self._collect(carry)


def _names(op: Op) -> list[str]:
    return [operand.name for operand in op.operands if isinstance(operand, Value)]


def _wide(x: Any) -> Any:
    return np.asarray(x).astype(np.float64)


def places(values: Array, dtype: str) -> Array:
    """One unit in the last place of a float dtype at these magnitudes; nothing for integers."""
    if dtype not in _DIGITS:
        return np.zeros(values.shape)
    size = np.maximum(np.abs(values), _LEAST[dtype])
    exponent = np.floor(np.log2(np.where(np.isfinite(size), size, 1.0)))
    return np.maximum(np.exp2(exponent - _DIGITS[dtype]), _LEAST[dtype])


def _bound(op: Op, x: list[Any], e: list[Array], result: Array, apply: Apply, operands: list[Any]) -> Array:
    kind, dtype = op.kind, op.result.dtype
    r = _wide(result)
    if kind in _MOVING:
        return _moved(op, e, result, apply, operands)
    if kind in ROUNDING or (kind == "cast" and dtype not in _DIGITS):
        return _stepped(x[0], e[0], r, apply)
    if kind in COMPARE:
        reach = e[0] + e[1]
        return np.where((reach > 0) & (np.abs(x[0] - x[1]) <= reach), 1.0, 0.0) + np.zeros(r.shape)
    if kind == "where":
        taken = np.where(x[0] != 0, e[1], e[2])
        return np.where(e[0] > 0, np.abs(x[1] - x[2]) + np.maximum(e[1], e[2]), taken) + np.zeros(r.shape)
    if kind in ARG_REDUCE:
        return _place_of_extreme(x[0], e[0], op.attrs["axis"], kind)
    if kind in ("topk_values", "topk_indices"):
        return _ordered(op, x[0], e[0], r)
    if kind in ("amax", "amin"):
        return np.asarray(np.max(e[0], axis=op.attrs["axis"], keepdims=True))
    if kind in _ELEMENTWISE:
        incoming = _ELEMENTWISE[kind](x, e, r) + np.zeros(r.shape)
    elif kind in PRODUCTS | {"sum", "prod", "index_add"} | SCAN:
        incoming = _accumulated(op, x, e, apply, operands)
    elif kind in ("full", "arange", "positions"):
        return np.zeros(r.shape)
    elif kind == "carried":
        return e[1]
    else:  # bits and whole quotients: exact, or unknown
        return np.where(sum(np.broadcast_to(each, r.shape) for each in e) > 0, np.inf, 0.0)
    rounded = np.where(incoming > 0, places(np.abs(r) + incoming, dtype), 0.0)
    return incoming + rounded + _PLACES.get(kind, 0) * places(r, dtype)


def _quotient(x: list[Any], e: list[Array], r: Array) -> Array:
    room = np.abs(x[1]) - e[1]
    return np.where(room > 0, (e[0] + np.abs(r) * e[1]) / np.maximum(room, 1e-300), np.inf)


_ELEMENTWISE: Mapping[str, Callable[[list[Any], list[Array], Array], Array]] = {
    "add": lambda x, e, r: e[0] + e[1],
    "sub": lambda x, e, r: e[0] + e[1],
    "mul": lambda x, e, r: np.abs(x[0]) * e[1] + np.abs(x[1]) * e[0] + e[0] * e[1],
    "div": _quotient,
    "reciprocal": lambda x, e, r: _quotient([1.0, x[0]], [np.zeros(()), e[0]], r),
    "maximum": lambda x, e, r: np.maximum(e[0], e[1]),
    "minimum": lambda x, e, r: np.maximum(e[0], e[1]),
    "neg": lambda x, e, r: e[0],
    "abs": lambda x, e, r: e[0],
    "relu": lambda x, e, r: e[0],
    "cast": lambda x, e, r: e[0],
    "exp": lambda x, e, r: np.abs(r) * np.expm1(e[0]),
    "log": lambda x, e, r: np.where(e[0] < x[0], -np.log1p(-e[0] / x[0]), np.inf),
    "sqrt": lambda x, e, r: np.where(e[0] > 0, np.sqrt(np.abs(x[0]) + e[0]) - np.sqrt(np.abs(x[0] - e[0])), 0.0),
    "rsqrt": lambda x, e, r: np.where(e[0] < x[0], 1 / np.sqrt(x[0] - e[0]) - 1 / np.sqrt(x[0]), np.inf),
}
"""What differences of the operands make of the result, the rounding apart."""


def _moved(op: Op, e: list[Array], result: Array, apply: Apply, operands: list[Any]) -> Array:
    """Elements keep their bounds; where an index is in doubt, nothing is known."""
    if op.kind == "concat" or op.kind in VIEWS or op.kind in ("permute", "expand"):
        return np.asarray(apply(e))
    if np.any(e[1] > 0):
        return np.full(result.shape, np.inf)
    if op.kind == "scatter" and op.attrs["reduce"] == "add":
        return _with_sums(op, [_wide(operands[0]), operands[1], _wide(operands[2])], e, apply)
    return np.asarray(apply([e[0], operands[1], *e[2:]])).astype(np.float64)


def _stepped(x: Array, e: Array, r: Array, apply: Apply) -> Array:
    """Rounding to whole numbers: as far as the rounded ends of the interval."""
    with np.errstate(all="ignore"):
        ends = [np.abs(_wide(apply([at])) - r) for at in (x - e, x + e)]
    return np.where(e > 0, np.maximum(*ends), 0.0)


def _place_of_extreme(x: Array, e: Array, axis: int, kind: str) -> Array:
    high, low = (x, x) if kind == "argmax" else (-x, -x)
    near = (high + e) >= np.max(low - e, axis=axis, keepdims=True)
    doubt = (np.sum(near, axis=axis, keepdims=True) > 1) & (np.max(e, axis=axis, keepdims=True) > 0)
    return np.where(doubt, np.inf, 0.0)


def _ordered(op: Op, x: Array, e: Array, r: Array) -> Array:
    """The i-th greatest of elements that move by e at most moves by e at most; who it is may be in doubt."""
    axis = op.attrs["axis"]
    reach = np.max(e, axis=axis, keepdims=True)
    if op.kind == "topk_values":
        return reach + np.zeros(r.shape)
    ranked = np.sort(x, axis=axis)
    ranked = np.flip(ranked, axis) if op.attrs["largest"] else ranked
    far = np.full((*ranked.shape[:-1], 1), np.inf)
    gaps = np.concatenate([far, np.abs(np.diff(ranked, axis=axis)), far], axis=axis)
    close = np.minimum(gaps[..., :-1], gaps[..., 1:])[..., : r.shape[-1]]
    return np.where((reach > 0) & (close <= 2 * reach), np.inf, 0.0)


def _with_sums(op: Op, x: list[Any], e: list[Array], apply: Apply) -> Array:
    """Sums at indices, each of at most as many terms as there are sources."""
    total = _wide(apply([np.abs(x[0]), x[1], np.abs(x[2])]))
    incoming = _wide(apply([e[0], x[1], e[2]]))
    floats = op.result.dtype in _DIGITS
    return (
        incoming * (1 + 2.0**-20)
        + (max(x[1].size, 1) * 2.0**-23 * total if floats else 0.0)
        + (places(total, op.result.dtype) if floats else 0.0)
    )


def _accumulated(op: Op, x: list[Any], e: list[Array], apply: Apply, operands: list[Any]) -> Array:
    """Sums and products of many: the bound holds for every order. Those of integers are exact."""
    unit = 2.0**-23 if op.result.dtype in _DIGITS else 0.0
    if op.kind == "index_add":
        if np.any(e[1] > 0):
            return np.full(x[0].shape, np.inf)
        return _with_sums(op, [x[0], operands[1], x[2]], e, apply)
    if op.kind in PRODUCTS:
        a, b = np.abs(x[0]), np.abs(x[1])
        return np.asarray(a @ e[1] + e[0] @ (b + e[1]) + a.shape[-1] * unit * (a @ b))
    size = np.abs(x[0])
    axis = op.attrs["axis"]
    count = size.shape[axis] * unit
    if op.kind == "sum":
        return np.asarray(np.sum(e[0] + count * size, axis=axis, keepdims=True))
    if op.kind == "cumsum":
        return np.asarray(np.cumsum(e[0] + count * size, axis=axis))
    if op.kind == "prod":
        most = np.prod(size + e[0], axis=axis, keepdims=True)
        return np.asarray(most - np.prod(size, axis=axis, keepdims=True) + count * most)
    most = np.cumprod(size + e[0], axis=axis)
    return np.asarray(most - np.cumprod(size, axis=axis) + count * most)
