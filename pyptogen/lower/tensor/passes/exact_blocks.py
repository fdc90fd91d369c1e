"""Pass: loops whose result depends on how long their blocks are keep the blocks that the author gave.

before: loop over t, 32 at a time: y = collected(x_block - amax(x_block))
after:  the same, exact: no tiling row and no choice of the compiler makes the blocks shorter or longer

A running sum or an online softmax gives the same in blocks of any length, by algebra that no rule about single
operations sees. So the loop is run in numbers, as an identity is tested at random points: every axis has one element,
that of the block `LENGTH`, and several cuts of these into blocks must give the same carried and collected values.
Roundings count for nothing: casts are left out, and all is done in double. What such a run has no meaning for is exact.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from pyptogen.lower.tensor.ir import BITWISE, PRODUCTS, Loop, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.passes.host_scalars import as_float
from pyptogen.numerics.operations import BINARY, UNARY, Array
from pyptogen.numerics.selection import COMPARE, ROUNDING
from pyptogen.records import replace

LENGTH = 4
CUTS = ((0, 4), (0, 2, 4), (0, 3, 4), (0, 1, 2, 3, 4))
"""Where blocks begin, and the end."""
POINTS = ((-1.0, 1.0), (0.5, 1.5))
"""Ranges that values from outside of the loop are drawn from: roots and logarithms want positive ones."""
CLOSE = 1e-9

SAME = frozenset({"cast", "bitcast", "reorder"})
ALONG: Mapping[str, Callable[..., Any]] = {
    "sum": np.sum,
    "amax": np.max,
    "amin": np.min,
    "prod": np.prod,
    "argmax": np.argmax,
    "argmin": np.argmin,
}
SCANS: Mapping[str, Callable[..., Array]] = {"cumsum": np.cumsum, "cumprod": np.cumprod}
UPDATES = frozenset({"scatter_update", "scatter", "index_add"})
BY_ELEMENT: Mapping[str, Callable[..., Array]] = {**BINARY, **COMPARE, "where": np.where}
OPAQUE = frozenset({"bitwise_not", "floor_div", "gcd", "gather", "expand"} | BITWISE)
"""Any function of single elements stands for these."""


def run(program: Program) -> Program:
    """The program with such loops marked as exact."""
    loops = tuple(
        loop if loop.fixed or _is_same(program, loop) else replace(loop, exact=True) for loop in program.loops
    )
    return replace(program, loops=loops)


def _is_same(program: Program, loop: Loop) -> bool:
    """Whether all cuts into blocks give the same at all points."""
    try:
        with np.errstate(all="ignore"):
            for low, high in POINTS:
                whole, *others = (_Blocks(program, loop, low, high).results(cut) for cut in CUTS)
                for other in others:
                    for a, b in zip(whole, other, strict=True):
                        if not np.allclose(a, b, rtol=CLOSE, atol=CLOSE, equal_nan=True):
                            return False
    except (_NoMeaning, ValueError):  # numpy's error for shapes that do not meet
        return False
    return True


class _NoMeaning(Exception):
    """An operation that one element for each axis but the block's has no meaning for."""


class _Blocks:
    """Runs one loop in numbers."""

    def __init__(self, program: Program, loop: Loop, low: float, high: float) -> None:
        self.loop, self.low, self.high = loop, low, high
        self.defining = {op.result.name: op for op in program.ops}
        self.ops = [op for op in program.ops if op.loop == loop.name]
        self.after = [op for op in program.ops if op.kind == "collected" and op.attrs["loop"] == loop.name]
        self.sliced = {_name(op.operands[0]): int(op.attrs["axis"]) for op in self.ops if op.kind == "block"}
        self.start, self.size = 0, 0

    def results(self, cut: Sequence[int]) -> list[Array]:
        """The carried values after the loop, and the collected ones."""
        names = dict(self.loop.carried)
        carried = {name: self._start(self.defining[name]) for name in names}
        iterations: list[dict[str, Array]] = []
        for self.start, stop in pairwise(cut):
            self.size = stop - self.start
            values = dict(carried)
            for op in self.ops:
                if op.kind != "carry":
                    values[op.result.name] = np.asarray(self._op(op, values), np.float64)
            carried = {name: self._value(following, values) for name, following in names.items()}
            iterations.append(values)
        collected = [
            np.concatenate([values[_name(op.operands[0])] for values in iterations], axis=int(op.attrs["axis"]))
            for op in self.after
        ]
        return [*carried.values(), *collected]

    def _start(self, carry: Op) -> Array:
        start = carry.operands[0]
        assert isinstance(start, Value)
        made = self.defining.get(start.name)
        if made is not None and made.kind == "full":
            return np.full(self._shape(start), self._number(made.attrs["value"]))
        return self._drawn(start)

    def _value(self, name: str, values: dict[str, Array]) -> Array:
        return values[name] if name in values else self._drawn(self.defining[name].result)

    def _drawn(self, value: Value) -> Array:
        """A value from outside of the loop: random numbers that its name determines."""
        shape = list(self._shape(value))
        if value.name in self.sliced:
            shape[self.sliced[value.name]] = LENGTH
        return np.random.default_rng(zlib.crc32(value.name.encode())).uniform(self.low, self.high, shape)

    def _shape(self, value: Value) -> tuple[int, ...]:
        return tuple(map(self._length, value.shape))

    def _length(self, size: Any) -> int:
        names = {symbol.name for symbol in size.free_symbols}
        return self.size if self.loop.block.name in names else LENGTH if self.loop.over in names else 1

    def _is_block(self, size: Any) -> bool:
        return any(symbol.name == self.loop.block.name for symbol in size.free_symbols)

    def _number(self, expr: Any) -> float:
        """A number of the spec, with some value for each attr and each dim."""
        known = {self.loop.block.name: self.size, self.loop.over: LENGTH}
        some = {symbol: known.get(symbol.name, 1 + len(symbol.name) % 3) for symbol in expr.free_symbols}
        return as_float(expr.subs(some))

    def _op(self, op: Op, values: dict[str, Array]) -> Array:
        """One operation on what it has in this iteration. Raises ``_NoMeaning``."""
        given = [self._operand(operand, values) for operand in op.operands]
        shape = self._shape(op.result)
        if op.kind in SAME:
            return given[0]
        if op.kind in UNARY or op.kind in ROUNDING:
            return (UNARY.get(op.kind) or ROUNDING[op.kind])(given[0])
        if op.kind in BY_ELEMENT:
            return BY_ELEMENT[op.kind](*given)
        if op.kind in OPAQUE:
            return _opaque(op.kind, given, shape)
        if op.kind in PRODUCTS and len(given) == 2:
            return np.asarray(np.matmul(*given))
        if op.kind in ALONG:
            return np.asarray(ALONG[op.kind](given[0], axis=int(op.attrs["axis"]), keepdims=True))
        if op.kind in SCANS:
            return SCANS[op.kind](given[0], axis=int(op.attrs["axis"]))
        if op.kind in UPDATES:
            return _updated(*given)
        if op.kind in ("full", "positions", "arange"):
            return self._made(op, shape)
        return self._view(op, given, shape)

    def _operand(self, operand: Operand, values: dict[str, Array]) -> Array:
        if isinstance(operand, Scalar):
            return np.asarray(self._number(operand.expr))
        return values[operand.name] if operand.name in values else self._drawn(operand)

    def _made(self, op: Op, shape: tuple[int, ...]) -> Array:
        if op.kind == "full":
            return np.full(shape, self._number(op.attrs["value"]))
        first = self._number(op.attrs["start"])
        if op.kind == "positions" and any(map(self._is_block, op.result.shape)) and not op.attrs["in_block"]:
            first += self.start
        step = self._number(op.attrs["step"]) if op.kind == "arange" else 1
        return (first + step * np.arange(max(shape, default=1))).reshape(shape)

    def _view(self, op: Op, given: Sequence[Array], shape: tuple[int, ...]) -> Array:
        x = given[0]
        if op.kind == "block":
            return np.take(x, range(self.start, self.start + self.size), int(op.attrs["axis"]))
        if op.kind == "transpose":
            return np.swapaxes(x, -1, -2)
        if op.kind == "permute":
            return np.transpose(x, op.attrs["axes"])
        if op.kind == "reshape":
            return x.reshape(shape)
        axis = int(op.attrs.get("axis", 0))
        if op.kind in ("index_select", "gathered"):
            index = given[1].reshape([-1 if at == axis else 1 for at in range(len(shape))])
            return _opaque(op.kind, [x, index], shape)
        sizes = [value.shape[axis] for value in op.operands if isinstance(value, Value)]
        if op.kind in ("slice", "concat") and not any(map(self._is_block, sizes)):
            return x if op.kind == "slice" else _opaque(op.kind, given, shape)
        raise _NoMeaning


def _opaque(kind: str, given: Sequence[Any], shape: tuple[int, ...]) -> Array:
    """Some function of single elements."""
    total = sum((np.asarray(x) * (1.5 + n) for n, x in enumerate(given)), start=np.float64(len(kind)))
    return np.broadcast_to(np.sin(total), shape)


def _updated(total: Array, index: Array, rows: Array) -> Array:
    """Rows that are put somewhere, or added there: one after the other in any case."""
    for row, at in zip(rows.ravel(), np.broadcast_to(index.ravel(), rows.size), strict=True):
        total = total * 0.75 + row + at
    return total


def _name(operand: Operand) -> str:
    assert isinstance(operand, Value)
    return operand.name
