"""How native code looks at the indices of a call: their chains as numbers, for one choice of sizes.

Views cost nothing there: a step reads its operands by strides, which are those that numpy gives to the same views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.runtime.operator.indices import IndexBound

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.runtime.operator.call import CallRules

_KINDS = (
    "copy", "add", "sub", "mul", "maximum", "minimum", "neg", "abs", "where", "lt", "le", "gt", "ge", "eq", "ne",
    "bitwise_and", "bitwise_or",
)  # fmt: skip
"""``IndexStepKind`` of ``native/index_bound.hpp``."""

_WIDE = np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class NativeBound:
    """A bound that native code looks at; ``inputs`` are the places of the chain's inputs among those of the call."""

    bound: IndexBound
    inputs: tuple[int, ...]

    def numbers(self, dims: Sequence[int], shapes: Sequence[Sequence[int]]) -> list[int]:
        """What ``IndexBound::read`` of ``native/index_bound.hpp`` reads, for these dims and shapes of the inputs."""
        use, chain = self.bound.use, self.bound.chain
        simple = chain.simple
        head = [self.inputs[0], chain.lifted(dims) if simple else 0, use.least, use.count(dims)]
        if simple:
            return [*head, 0, 0]
        plan = _Plan(len(self.inputs))
        values = {
            name: plan.whole(number, shapes[at])
            for number, (name, at) in enumerate(zip(chain.inputs, self.inputs, strict=True))
        }
        for step, sizes in zip(chain.steps, chain.sizes(*dims), strict=True):
            sources = [values[name] for name in step.sources]
            if step.kind in _KINDS:
                values[step.result] = plan.elementwise(
                    step.kind, [sources[at] if is_value else sizes[at] for is_value, at in step.detail]
                )
            else:
                values[step.result] = plan.view(sources[0], step.do([sources[0].seen], sizes))
        plan.elementwise("copy", [values[chain.steps[-1].result]])
        return [*head, len(self.inputs), *self.inputs, len(plan.steps), *(n for step in plan.steps for n in step)]


def native_bounds(rules: CallRules) -> list[NativeBound] | None:
    """The bounds of a call's indices where all are made of inputs that lie as the contract says, else None. Indices
    that kernels look at need none."""
    names = [tensor.name for tensor in rules.contract.inputs]
    found = [NativeBound(bound, tuple(map(names.index, bound.chain.inputs))) for bound in rules.bounds]
    read = [rules.contract.inputs[at] for bound in found for at in bound.inputs]
    return found if all(tensor.layout == "nd" and not tensor.strides for tensor in read) else None


@dataclass(frozen=True, slots=True)
class _Value:
    """Elements of the value ``source``, as ``seen`` sees them in memory that nobody reads and ``memory`` is all of."""

    source: int
    memory: npt.NDArray[Any]
    seen: npt.NDArray[Any]

    def operand(self, shape: Sequence[int]) -> list[int]:
        seen = np.broadcast_to(self.seen, shape)
        start = seen.__array_interface__["data"][0] - self.memory.__array_interface__["data"][0]
        return [self.source, start // _WIDE.itemsize, seen.ndim, *(step // _WIDE.itemsize for step in seen.strides)]


class _Plan:
    """Steps as numbers, as they come to be."""

    def __init__(self, inputs: int) -> None:
        self._inputs = inputs
        self.steps: list[list[int]] = []

    @staticmethod
    def whole(source: int, shape: Sequence[int]) -> _Value:
        """All elements of a value."""
        memory = np.empty(shape, _WIDE)
        return _Value(source, memory, memory)

    def elementwise(self, kind: str, operands: Sequence[_Value | int]) -> _Value:
        """A step of values and numbers, which numpy would broadcast to one shape."""
        shape = np.broadcast_shapes(*(one.seen.shape for one in operands if isinstance(one, _Value)))
        written = (
            one.operand(shape) if isinstance(one, _Value) else [-1, one, len(shape), *[0] * len(shape)]
            for one in operands
        )
        sizes = [len(shape), *shape]
        self.steps.append([_KINDS.index(kind), *sizes, len(operands), *(number for one in written for number in one)])
        return self.whole(self._inputs + len(self.steps) - 1, shape)

    def view(self, source: _Value, seen: Any) -> _Value:
        """What numpy made of all that is seen of ``source``: a view, or a copy where there is no such view."""
        if np.may_share_memory(source.seen, seen):
            return _Value(source.source, source.memory, seen)
        copy = self.elementwise("copy", [source])
        return _Value(copy.source, copy.memory, copy.seen.reshape(seen.shape))
