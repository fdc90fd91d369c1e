"""Bounds of indices: kernels read and write where an index points, so a wrong one must not lead anywhere.

What a call gives, and what follows from it element by element, is computed and looked at before the call
(``IndexBound``). Other indices are looked at by the kernel that reads them, which goes on with one that names a place;
the call then fails (``wrong_index``). ``docs/runtime.md`` has the table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.runtime.operator.contract import definitions
from pyptogen.runtime.operator.index_chains import Chain, chain_of
from pyptogen.runtime.operator.size_functions import expand, size_text, sizes_function

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Op, Program, Value
    from pyptogen.runtime.native.binding import WrongIndexError


@dataclass(frozen=True, slots=True)
class IndexUse:
    """An operation that uses an index for positions of ``target``; ``index`` says which, in words. ``least`` is the
    least index: -1 where that skips. ``places``, a size of the dynamic dims ``dims``, is below what an index has to
    be."""

    index: str
    target: str
    places: str
    dims: tuple[str, ...]
    least: int
    what: str
    site: int
    """Its number in kernels (`index_sites`)."""
    span: Span

    def count(self, dims: Sequence[int]) -> int:
        """The bound for these dims."""
        ((places,),) = _sizes(self.places, self.dims)(*dims)
        return int(places)

    def wrong(self, index: str, holds: int, places: int) -> DiagnosticError:
        """PTG408 for a number of what ``index`` calls so."""
        return fault(
            "PTG408",
            f"{index} holds {holds}, which is no {self.what} of `{self.target}`",
            self.span,
            expected=f"{'-1 (skip), or ' if self.least < 0 else ''}0 to {places - 1}",
            fix=f"`{self.target}` has {places} there",
        )


@dataclass(frozen=True, slots=True)
class IndexBound:
    """An index that follows from the arguments of a call by itself, looked at before the call."""

    use: IndexUse
    chain: Chain

    def check(self, arrays: Mapping[str, Any], dims: Sequence[int]) -> None:
        """Raises PTG408 for an index that is no place of the target."""
        places = self.use.count(dims)
        values = self.chain.compute(arrays, dims)
        if values.size == 0:
            return
        least, largest = int(values.min()), int(values.max())
        if least < self.use.least or largest >= places:
            given = [f"`{name}`" for name in self.chain.inputs]
            shown = given[0] if not self.chain.computes else f"{self.use.index}, computed from {' and '.join(given)},"
            raise self.use.wrong(shown, largest if largest >= places else least, places)


def index_uses(program: Program) -> tuple[IndexUse, ...]:
    """Every operation of a program that reads or writes where an index points."""
    return tuple(_use(program, op) for op in _by_index(program))


def index_bounds(program: Program, uses: Sequence[IndexUse]) -> tuple[IndexBound, ...]:
    """The bounds of the indices that a call can compute by itself; ``uses`` are all of the program."""
    from pyptogen.lower.tensor.ir import Value

    indices = [(use, op.operands[1]) for use, op in zip(uses, _by_index(program), strict=True)]
    chains = ((use, chain_of(program, index.name)) for use, index in indices if isinstance(index, Value))
    return tuple(IndexBound(use, chain) for use, chain in chains if chain is not None)


def _by_index(program: Program) -> list[Op]:
    from pyptogen.lower.tensor.index_sites import BY_INDEX

    return [op for op in program.ops if op.kind in BY_INDEX]


@cache
def _sizes(text: str, dims: tuple[str, ...]) -> Any:
    return sizes_function([[text]], dims)


def wrong_index(
    error: WrongIndexError, uses: Sequence[IndexUse], dims: Sequence[int], operator: str
) -> DiagnosticError:
    """PTG408 for what a kernel found: the operation is known by its number, or by its bound."""
    fits = [use for use in uses if error.site in (0, use.site) and use.count(dims) == error.bound]
    numbered = [use for use in uses if error.site == use.site != 0]
    for found in (fits, numbered):
        if found:
            return found[0].wrong(found[0].index, error.index, error.bound)
    return fault(
        "PTG408",
        f"an index of `{operator}` is {error.index}, which is no position of what it counts",
        uses[0].span if uses else None,
        expected=f"0 to {error.bound - 1}",
    )


def _use(program: Program, op: Op) -> IndexUse:
    from pyptogen.lower.tensor.ir import Value

    target, index = op.operands[0], op.operands[1]
    assert isinstance(target, Value) and isinstance(index, Value)
    if op.kind == "scatter_update":
        sizes, least, what = target.shape[: op.attrs["dim"] % len(target.shape) + 1], -1, "row"
    else:
        axis = int(op.attrs["axis"])
        sizes, least, what = (target.shape[axis],), 0, f"position along axis {axis}"
    places = expand(size_text(math.prod(sizes)), definitions(program))
    dims = tuple(dim.name for dim in program.dims if dim.dynamic)
    own = index.name in program.spoken or any(value.name == index.name for value in program.inputs)
    shown = f"`{index.name}`" if own else f"the index of `{_as_output(program, op.result)}`"
    named = _named(program, target)
    return IndexUse(shown, named, places, dims, least, what, program.sites.get(op.span, 0), op.span)


def _as_output(program: Program, value: Value) -> str:
    """A value as the author calls it where it is an output."""
    return next((output for output, made in program.outputs if made.name == value.name), value.name)


def _named(program: Program, target: Value) -> str:
    """A value as the author calls it: one that begins with a number is made of the output that it becomes."""
    updated = {op.operands[0].name: op.result.name for op in program.ops if op.kind == "scatter_update"}  # type: ignore[union-attr]
    name, outputs = target.name, {value.name: output for output, value in program.outputs}
    while name in updated and name not in outputs and all(name != value.name for value in program.inputs):
        name = updated[name]
    return outputs.get(name, name)
