"""Indices that follow from the inputs of a call element by element, computed before the call.

Views, casts between whole numbers, and arithmetic of whole numbers, comparisons and `where`: numpy does as much for an
index in less time than a kernel needs to move what it names. Everything is computed in 64 bits, so that what does not
fit the dtype of a kernel is out of range here, and not wrapped into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.runtime.operator.contract import definitions
from pyptogen.runtime.operator.size_functions import expand, size_text, sizes_function

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Op, Operand, Program

_MOST_STEPS = 24
"""Longer chains are left to the kernel, which looks at what comes out of them."""

_ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "neg": np.negative,
    "abs": np.abs,
    "where": np.where,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
}
_VIEWS = frozenset({"reshape", "slice", "transpose", "permute", "reorder", "block"})
_WIDE = frozenset({"int32", "int64"})

_Values = Mapping[str, Any]
_Texts = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Step:
    """One value, of earlier ones, or of what the call gives. ``detail`` of a slice is its axis, of a permutation the
    axes, of what is done element by element for each operand whether it is a value, and which source or number."""

    result: str
    sources: tuple[str, ...]
    kind: str
    detail: tuple[Any, ...] = ()

    def do(self, given: Sequence[Any], sizes: Sequence[int]) -> Any:
        """The value, of its sources and its numbers."""
        if self.kind in _ELEMENTWISE:
            operands = (_in_64_bits(given[at]) if is_value else sizes[at] for is_value, at in self.detail)
            return _ELEMENTWISE[self.kind](*operands)
        (source,) = given
        if self.kind == "cast":  # of booleans, too: numpy adds these as booleans, and does not subtract them
            return source.astype(np.int64, copy=False)
        if self.kind == "slice":
            return source[(slice(None),) * self.detail[0] + (slice(*sizes),)]
        if self.kind == "reshape":
            return source.reshape(sizes)
        return source.transpose(self.detail) if self.kind == "permute" else source


@dataclass(frozen=True, slots=True)
class Chain:
    """How an index follows from inputs. ``sizes``, of the dynamic dims, gives the numbers of each step, ``texts`` has
    them in words. ``computes``: what comes out are other numbers than those of an input, which `maximum` may have
    lifted."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    texts: _Texts
    sizes: Callable[..., tuple[tuple[int, ...], ...]]
    computes: bool

    @classmethod
    def of(
        cls, inputs: Sequence[str], steps: Sequence[Step], texts: _Texts, dims: Sequence[str], computes: bool
    ) -> Chain:
        """The chain whose sizes are ``texts`` of the dynamic dims ``dims``."""
        return cls(tuple(inputs), tuple(steps), texts, sizes_function(texts, dims), computes)

    @property
    def simple(self) -> bool:
        """Whether it is all numbers of one input, in whatever order, of which ``maximum`` may have lifted some."""
        views = {"whole", "reshape", "permute", "cast"}
        return len(self.inputs) == 1 and all(
            step.kind in views
            or (step.kind == "maximum" and [is_value for is_value, _ in step.detail].count(True) == 1)
            for step in self.steps
        )

    def lifted(self, dims: Sequence[int]) -> int:
        """Of a simple chain: below which number others count as that."""
        numbers = [group for step, group in zip(self.steps, self.sizes(*dims), strict=True) if step.kind == "maximum"]
        return max((number for group in numbers for number in group), default=-(2**63))

    def compute(self, arrays: _Values, dims: Sequence[int]) -> Any:
        """The index, for the arrays of a call."""
        if not self.steps:
            return arrays[self.inputs[0]]
        values = {name: arrays[name] for name in self.inputs}
        result: Any = None
        for step, numbers in zip(self.steps, self.sizes(*dims), strict=True):
            result = values[step.result] = step.do([values[name] for name in step.sources], numbers)
        return result


def chain_of(program: Program, index: str) -> Chain | None:
    """The chain that leads to an index; None for one that a call cannot know so."""
    builder = _Builder(program)
    try:
        builder.value(index)
    except _UnknownError:
        return None
    known = definitions(program)
    texts = [[expand(size_text(size), known) for size in group] for group in builder.sizes]
    dims = [dim.name for dim in program.dims if dim.dynamic]
    inputs = tuple(builder.inputs)
    computed = any(builder.made_by[step.result].kind not in (*_VIEWS, "maximum", "cast") for step in builder.steps)
    return Chain.of(inputs, builder.steps, texts, dims, computed or len(inputs) != 1)


class _UnknownError(Exception):
    """A value that the host does not compute."""


class _Builder:
    """The steps of a chain, each value once, in an order in which they can be computed."""

    def __init__(self, program: Program) -> None:
        self.made_by: dict[str, Op] = {op.result.name: op for op in program.ops}
        self.dims = {dim.name for dim in program.dims}
        self.dtypes = {value.name: value.dtype for value in program.inputs}
        self.inputs: dict[str, None] = {}
        self.steps: list[Step] = []
        self.sizes: list[list[Any]] = []
        self.whole: dict[str, str] = {}
        """For each value what it is all of, where a loop sees a block of it: an iteration's shape is another."""

    def value(self, name: str) -> None:
        """The steps that lead to a value. Raises ``_UnknownError``."""
        if name in self.whole:
            return
        op = self.made_by.get(name)
        if op is None:
            self._need(self.dtypes[name] in _WIDE)
            self.inputs[name] = None
            self.whole[name] = ""
            return
        self._need(len(self.steps) < _MOST_STEPS and op.result.dtype in (*_WIDE, "bool"))
        if op.kind in _VIEWS:
            self._view(op)
        elif op.kind == "cast":
            self._need(op.result.dtype in _WIDE)
            (source,) = self._sources(op)
            self._add(op, (source,), "cast")
        elif op.kind in _ELEMENTWISE:
            self._elementwise(op)
        else:
            raise _UnknownError
        self._need(len(self.steps) <= _MOST_STEPS)

    def _sources(self, op: Op) -> tuple[str, ...]:
        """The values that an operation reads, computed. Blocks of different tensors do not meet here."""
        from pyptogen.lower.tensor.ir import Value

        names = tuple(operand.name for operand in op.operands if isinstance(operand, Value))
        for name in names:
            self.value(name)
        whole = {self.whole[name] for name in names}
        self._need(len(whole) == 1)
        self.whole[op.result.name] = whole.pop()
        return names

    def _elementwise(self, op: Op) -> None:
        from pyptogen.lower.tensor.ir import Value

        sources = self._sources(op)
        places: list[tuple[bool, int]] = []
        numbers: list[Any] = []
        for operand in op.operands:
            if isinstance(operand, Value):
                places.append((True, sources.index(operand.name)))
            else:
                places.append((False, len(numbers)))
                numbers.append(self._number(operand))

        self._add(op, sources, op.kind, tuple(places), numbers)

    def _view(self, op: Op) -> None:
        (source,) = self._sources(op)
        rank = len(op.result.shape)
        if op.kind == "block":  # each iteration has a part, all of them together everything
            self.whole[op.result.name] = source
            self._need(not self.whole[source])
            self._add(op, (source,), "whole")
        elif op.kind == "slice":
            self._need(not self.whole[source])
            numbers = [op.attrs["start"], op.attrs["stop"]]
            self._add(op, (source,), "slice", (int(op.attrs["axis"]),), numbers)
        elif self.whole[source]:  # in whichever order, the numbers are the same
            self._add(op, (source,), "whole")
        elif op.kind == "reshape":
            self._add(op, (source,), "reshape", (), list(op.result.shape))
        else:
            order = op.attrs["axes"] if op.kind != "transpose" else [*range(rank - 2), rank - 1, rank - 2]
            self._add(op, (source,), "permute", tuple(map(int, order)))

    def _number(self, operand: Operand) -> Any:
        """A whole number of dims. Raises ``_UnknownError`` for others, and for attrs."""
        from pyptogen.lower.tensor.ir import Value

        assert not isinstance(operand, Value)
        self._need(bool(operand.expr.is_integer) and {str(s) for s in operand.expr.free_symbols} <= self.dims)
        return operand.expr

    def _add(
        self,
        op: Op,
        sources: tuple[str, ...],
        kind: str,
        detail: tuple[Any, ...] = (),
        numbers: list[Any] | None = None,
    ) -> None:
        self.steps.append(Step(op.result.name, sources, kind, detail))
        self.sizes.append(numbers or [])

    @staticmethod
    def _need(holds: bool) -> None:
        if not holds:
            raise _UnknownError


def _in_64_bits(values: Any) -> Any:
    return values if values.dtype == np.bool_ else values.astype(np.int64, copy=False)
