"""Stages written by hand, as the ``kernels`` section of a spec says them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from pyptogen.diagnostics import Span
from pyptogen.records import dataclass
from pyptogen.schema.contract import TensorSpec
from pyptogen.schema.expression import Expr

Level = Literal["tile", "block", "instruction", "source"]
MEMORIES = ("ub", "l1", "l0a", "l0b", "l0c")

STORES = {"store": 1, "TSTORE": 0}
"""Calls that write a tensor, and the place of the tensor among their arguments."""
LOADS = {"load": 0, "TLOAD": 1}
"""Calls that read one."""


@dataclass(frozen=True, slots=True)
class HandLine:
    """``target: value``, or a call alone."""

    target: str | None
    value: Expr
    span: Span

    @property
    def call(self) -> str | None:
        """Name of the function that the line calls, if it is a call."""
        node = self.value.node
        return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


@dataclass(frozen=True, slots=True)
class HandLoop:
    """``for: {var: trips}`` around a body; every iteration runs on the same core, in order."""

    var: str
    trips: Expr
    body: tuple[HandLine | HandLoop, ...]
    span: Span


HandNode = HandLine | HandLoop


@dataclass(frozen=True, slots=True)
class HandBuffer:
    """A tile at a fixed place: byte ``address`` of ``memory``, ``shape`` elements of ``dtype``. ``valid`` says how much
    of it is in use: a size, or the name of a loop (the elements that its iteration has); all of it when not given."""

    name: str
    memory: str
    address: int
    dtype: str
    shape: tuple[Expr, Expr]
    valid: tuple[Expr, Expr] | None
    span: Span


@dataclass(frozen=True, slots=True)
class GridAxis:
    """One axis of a kernel's grid: a loop variable and its number of steps."""

    var: str
    trips: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class SourceFile:
    """C++ of a kernel: the file as the user may open it, its text, its entry point, and the names of the entry's
    arguments."""

    path: str
    text: str
    entry: str
    arguments: tuple[str, ...] | None
    blocks: Expr | None
    range: str | None


@dataclass(frozen=True, slots=True)
class HandKernel:
    """A stage that is given at a lower level. ``before`` and ``after`` are lines that each block runs once, around the
    loops of the grid; ``targets`` the platforms it is for (none: all); ``declared`` the types of values that this
    kernel alone makes."""

    name: str
    level: Level
    core: Literal["cube", "vector", "mixed"] | None
    grid: tuple[GridAxis, ...]
    buffers: tuple[HandBuffer, ...]
    sync: Literal["auto", "hand"]
    body: tuple[HandNode, ...]
    before: tuple[HandNode, ...]
    after: tuple[HandNode, ...]
    reads: tuple[tuple[str, Span], ...]
    writes: tuple[tuple[str, Span], ...]
    declared: tuple[TensorSpec, ...]
    targets: tuple[tuple[str, Span], ...]
    source: SourceFile | None
    span: Span


def lines(nodes: tuple[HandNode, ...]) -> Iterator[HandLine]:
    """Every line, in program order."""
    for node in nodes:
        if isinstance(node, HandLoop):
            yield from lines(node.body)
        else:
            yield node


def kernel_expressions(kernels: tuple[HandKernel, ...]) -> Iterator[Expr]:
    """Every expression of kernels by hand, for the names in them."""
    for kernel in kernels:
        for declared in kernel.declared:
            yield from declared.shape
        yield from (axis.trips for axis in kernel.grid)
        for buffer in kernel.buffers:
            yield from (*buffer.shape, *(buffer.valid or ()))
        if kernel.source is not None and kernel.source.blocks is not None:
            yield kernel.source.blocks
        yield from _in_body((*kernel.before, *kernel.body, *kernel.after))


def _in_body(nodes: tuple[HandNode, ...]) -> Iterator[Expr]:
    for node in nodes:
        if isinstance(node, HandLoop):
            yield node.trips
            yield from _in_body(node.body)
        else:
            yield node.value


def moved(nodes: tuple[HandNode, ...], calls: dict[str, int]) -> tuple[tuple[str, Span], ...]:
    """The tensors that calls of ``calls`` name, in order, each once, with the place of its first use."""
    found: dict[str, Span] = {}
    for line in lines(nodes):
        for node in ast.walk(line.value.node):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in calls:
                continue
            place = calls[node.func.id]
            if place < len(node.args):
                tensor = node.args[place]
                base = tensor.value if isinstance(tensor, ast.Subscript) else tensor
                if isinstance(base, ast.Name):
                    found.setdefault(base.id, line.value.span_of(base))
    return tuple(found.items())
