"""Pass: small matrices of a long batch become planes, one for each of their elements (platforms with `vector_passes`).

before: s: [t, 4, 1] = sum(x: [t, 4, 4], axis=2)      after: x_transposed: [4, 4, t] = permute(x, [1, 2, 0])
        y = div(x, s)                                        x_00: [t] = x_transposed[0, 0], x_01 …
                                                             s_00 = add(add(add(x_00, x_01), x_02), x_03), s_10 …
                                                             y_00 = div(x_00, s_00), y_01 …
                                                             y = permute(concat(y_00, y_01, …), [2, 0, 1])

A row of four elements fills a quarter of a vector or less, and a reduction along the columns of a matrix would be a
kernel of its own that meets one matrix at a time. In planes the lanes run over the batch, and a reduction is arithmetic
between planes, from the first to the last. It is done for connected elementwise work on few planes in which columns
are reduced; rows alone are not worth transposing the batch there and back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

import sympy

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import BINARY, REDUCE, UNARY, Op, Operand, Program, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.records import replace

MOST_PLANES = 16
SHORT = 8
"""A longer last axis fills vectors by itself."""
LONG = 64
"""The last axis of a batch, at the least."""
MOST_OPERATIONS = 512
JOINS = {"sum": "add", "amax": "maximum", "amin": "minimum"}

Index = tuple[int, ...]


def run(program: Program, platform: Platform) -> Program:
    """The program in planes where that is worth it; as it is where it never is."""
    return _Planes(program).run() if platform.vector_passes else program


class _Planes:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.sizes = {dim_symbol(d.name): sympy.Integer(d.value) for d in program.dims if d.value is not None}
        self.names = FreeNames(program)
        self.ops: list[Op] = []
        self.planes: dict[str, Mapping[Index, Value]] = {}
        """The planes of each value that has some, by their indices."""
        self.first: dict[str, int] = {}
        """By the result of an operation that goes by planes: the first axis of the matrices."""
        for group in _groups(program):
            first = min(int(op.attrs["axis"]) for op in group if op.kind in REDUCE)
            if self._worth_it(group, first):
                self.first |= dict.fromkeys((op.result.name for op in group), first)

    def _size(self, extent: Any) -> int | None:
        """An extent that is known at build time."""
        known = sympy.sympify(extent).xreplace(self.sizes)
        return int(known) if known.is_Integer else None

    def _extents(self, shape: Shape, first: int) -> Index:
        """The sizes of the axes of matrices, 0 for one that is not known."""
        return tuple(self._size(extent) or 0 for extent in shape[first:])

    def _worth_it(self, group: Sequence[Op], first: int) -> bool:
        """Few planes, each of a long batch, and not too many operations on them."""
        found = [self._extents(op.result.shape, first) for op in group]
        found += [self._extents(v.shape, first) for op in group for v in op.operands if isinstance(v, Value)]
        largest = tuple(max(sizes) for sizes in zip(*found, strict=True))
        if first == 0 or len(largest) < 2 or any(0 in sizes for sizes in found):
            return False
        if prod(largest) > MOST_PLANES or largest[-1] > SHORT:
            return False
        batch = self._size(group[0].result.shape[first - 1])
        return (batch is None or batch >= LONG) and len(group) * prod(largest) <= MOST_OPERATIONS

    def run(self) -> Program:
        if not self.first:
            return self.program
        outputs = {value.name for _, value in self.program.outputs}
        read_whole = outputs | {
            v.name
            for op in self.program.ops
            if op.result.name not in self.first
            for v in op.operands
            if isinstance(v, Value)
        }
        for op in self.program.ops:
            if op.result.name not in self.first:
                self.ops.append(op)
                continue
            self._by_planes(op, self.first[op.result.name])
            if op.result.name in read_whole:
                self._whole(op, self.first[op.result.name])
        return replace(self.program, ops=tuple(self.ops))

    def _by_planes(self, op: Op, first: int) -> None:
        """An operation on each plane of its operands, or between those along a reduced axis."""
        found: dict[Index, Value] = {}
        for index in product(*map(range, self._extents(op.result.shape, first))):
            hint = "".join(map(str, index))
            if op.kind in REDUCE:
                found[index] = self._reduced(op, first, index, hint)
            else:
                operands = [self._plane(op, o, first, index) if isinstance(o, Value) else o for o in op.operands]
                found[index] = self._emit(op, op.kind, operands, op.result.shape[:first], hint, op.attrs)
        self.planes[op.result.name] = found

    def _reduced(self, op: Op, first: int, index: Index, hint: str) -> Value:
        (source,) = op.operands
        assert isinstance(source, Value)
        axis = int(op.attrs["axis"]) - first
        along = range(self._extents(source.shape, first)[axis])
        total, *others = (self._plane(op, source, first, (*index[:axis], i, *index[axis + 1 :])) for i in along)
        for value in others:
            total = self._emit(op, JOINS[op.kind], [total, value], op.result.shape[:first], hint)
        return total

    def _plane(self, op: Op, value: Value, first: int, index: Index) -> Value:
        """The plane of a value at an index, which is 0 along axes of size 1."""
        if value.name not in self.planes:
            self.planes[value.name] = dict(self._taken_apart(op, value, first))
        planes = self.planes[value.name]
        extents = self._extents(value.shape, first)
        return planes[tuple(i if size > 1 else 0 for i, size in zip(index, extents, strict=True))]

    def _taken_apart(self, op: Op, value: Value, first: int) -> Iterator[tuple[Index, Value]]:
        """The planes of a value that lies in memory matrix by matrix: views of it, transposed."""
        rank, extents = len(value.shape), self._extents(value.shape, first)
        axes = (*range(first, rank), *range(first))
        shape = tuple(value.shape[i] for i in axes)
        transposed = self._emit(
            replace(op, result=value), "permute", [value], shape, "transposed", {"axes": axes}, value.dtype
        )
        for index in product(*map(range, extents)):
            at = transposed
            for axis, i in enumerate(index):
                shape = (*at.shape[:axis], sympy.Integer(1), *at.shape[axis + 1 :])
                where = {"axis": axis, "start": sympy.Integer(i), "stop": sympy.Integer(i + 1)}
                at = self._emit(replace(op, result=value), "slice", [at], shape, "row", where, value.dtype)
            hint, batch = "".join(map(str, index)), value.shape[:first]
            plane = self._emit(replace(op, result=value), "reshape", [at], batch, hint, {"shape": batch}, value.dtype)
            yield index, plane

    def _whole(self, op: Op, first: int) -> None:
        """The result as others read it: its planes one after the other, transposed back."""
        batch, matrix = op.result.shape[:first], op.result.shape[first:]
        one = sympy.Integer(1)
        parts: list[Operand] = [
            self._emit(op, "reshape", [plane], (one, *batch), "part", {"shape": (one, *batch)})
            for plane in self.planes[op.result.name].values()
        ]
        joined = self._emit(op, "concat", parts, (sympy.Integer(len(parts)), *batch), "planes", {"axis": 0})
        shape = (*matrix, *batch)
        planes = self._emit(op, "reshape", [joined], shape, "matrix", {"shape": shape})
        axes = (*range(len(matrix), len(shape)), *range(len(matrix)))
        self.ops.append(replace(op, kind="permute", operands=(planes,), attrs={"axes": axes}))

    def _emit(
        self,
        op: Op,
        kind: str,
        operands: Sequence[Operand],
        shape: Shape,
        hint: str,
        attrs: Mapping[str, Any] | None = None,
        dtype: str = "",
    ) -> Value:
        """One operation that belongs to `op`, named after its result."""
        name = self.names.take(f"{op.result.name}_{hint}")
        value = Value(name, dtype or op.result.dtype, shape, "nd", op.span)
        self.ops.append(Op(kind, tuple(operands), value, attrs or {}, op.stage, op.span))
        return value


def _groups(program: Program) -> list[list[Op]]:
    """Elementwise operations and reductions of one stage that values connect, with a reduction among them."""
    groups: list[tuple[set[str], list[Op]]] = []
    for op in program.ops:
        if not _joins(op):
            continue
        names = {op.result.name, *(v.name for v in op.operands if isinstance(v, Value))}
        joined = [g for g in groups if g[0] & names and g[1][0].stage == op.stage and _rank(g[1][0]) == _rank(op)]
        groups = [g for g in groups if g not in joined]
        groups.append((names.union(*(g[0] for g in joined)), [*(o for g in joined for o in g[1]), op]))
    return [ops for _, ops in groups if any(op.kind in REDUCE for op in ops)]


def _rank(op: Op) -> int:
    return len(op.result.shape)


def _joins(op: Op) -> bool:
    """Whether it works element by element on values of one rank, or reduces one; not in a loop."""
    values = [v for v in op.operands if isinstance(v, Value)]
    known = op.kind in UNARY | BINARY | REDUCE | {"cast"} and not op.loop
    return known and bool(values) and all(len(v.shape) == _rank(op) and v.layout == "nd" for v in values)
