"""A loop with carried and collected values as a region of the graph.

before: loop: {over: kv, tile: 512}  carry: {l: full([sq, 1], 0)}  body: {s: matmul(q, k[kv].T)}  next: {l: l + sum(s)}
        collect: {most: amax(s)}
after:  l_start = full(0)
        loop attention: l = carry(l_start); k_block = block(k, axis=0); s = …; l_next = add(l, …); s_most = amax(s)
        l_end = carried(l, l_next); most = collected(s_most)

Inside, an axis of the block has the size `kv.tile`, a dim of its own, so that a block never meets the whole by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import DimTable, show_shape
from pyptogen.lower.tensor.building.fitting_shapes import unrelated
from pyptogen.lower.tensor.ir import Loop, Operand, Scalar, Value
from pyptogen.schema import Assign, LoopSpec


class Opened:
    """A loop that is being read; operations that the builder emits between `carry` and `close` are inside."""

    def __init__(self, name: str, loop: LoopSpec, dims: DimTable, builder: Builder) -> None:
        self.name, self.loop, self.dims, self.builder = name, loop, dims, builder
        whole = dims.number(dims.symbols[loop.over])
        self.tile = loop.tile if whole is None else min(loop.tile, whole)
        self.block = dims.open_block(loop.over, self.tile, loop.over_span)
        self.targets: tuple[tuple[str, Span], ...] = tuple(t for assign in loop.carry for t in assign.targets)
        self.assigns: tuple[Assign, ...] = tuple(assign for assign in loop.carry for _ in assign.targets)

    @property
    def symbol(self) -> Any:
        """The size of the block in shapes."""
        return self.dims.symbols[self.block.name]

    def carry(self, starts: Sequence[Operand]) -> tuple[Value, ...]:
        """Enters the loop: the carried values at the start of an iteration. Raises PTG220 where a start is a number."""
        self.builder.loop = self.name
        values = []
        for (name, span), start in zip(self.targets, starts, strict=True):
            if isinstance(start, Scalar):
                fix = f"make it a tensor: `full([1, 1], {start.expr}, fp32)`"
                raise fault(
                    "PTG220", f"the carried value `{name}` starts as a number", span, expected="a tensor", fix=fix
                )
            with self.builder.located(span):
                self.builder.prefix = name
                values.append(self.builder.carry(name, start))
        return tuple(values)

    def close(self, carries: Sequence[Value], following: Mapping[str, Operand]) -> tuple[Value, ...]:
        """Leaves the loop, and gives the carried values when it is over. Raises PTG220, PTG230."""
        following = {name: self._without_block(value) for name, value in following.items()}
        self.changing = self._changing()
        self.builder.loop = ""
        finals, pairs = [], []
        for (name, span), carry in zip(self.targets, carries, strict=True):
            value = following[name]
            if isinstance(value, Scalar) or not self._fits(carry, value):
                raise self._unfit(name, carry, value, span)
            with self.builder.located(span):
                self.builder.prefix = name
                finals.append(self.builder.carried(self.name, carry, value))
            pairs.append((carry.name, value.name))
        region = Loop(
            self.name, self.builder.stage, self.loop.over, self.tile, self.block, tuple(pairs), self.loop.span,
            exact=bool(self.loop.run_if),
        )  # fmt: skip
        self.builder.loops.append(region)
        return tuple(finals)

    def collect(self, name: str, span: Span, given: Operand, at: Span) -> Value:
        """After the loop: the blocks of all iterations. Raises PTG220, PTG230."""
        if isinstance(given, Scalar):
            raise fault("PTG220", f"the collected value `{name}` is a number", at, expected="a tensor")
        axes = [axis for axis, size in enumerate(given.shape) if self.symbol in size.free_symbols]
        block = self.block.name
        if given.name not in self.changing:
            problem, fix = "is the same in every iteration", "define it outside of the loop"
        elif not axes and self.tile != 1:
            problem, fix = f"has no axis of the size `{block}`", "carry it if its last value is what you want"
        elif len(axes) > 1 or any(given.shape[axis] != self.symbol for axis in axes):
            problem, fix = "has more than one axis with the size of the block", "reshape it, or reduce one of them"
        else:
            with self.builder.located(span):
                self.builder.prefix = name
                axis, over = (axes or [0])[0], self.dims.symbols[self.loop.over]
                return self.builder.collected(self.name, given, axis, over, not axes)
        raise fault(
            "PTG230",
            f"the collected value `{name}` {problem}: {given.dtype}{show_shape(given.shape)}",
            at,
            expected=f"a value of the iterations with one axis `{block}`",
            fix=fix,
        )

    def _changing(self) -> frozenset[str]:
        """The values that are others in every iteration: they follow from a carried value or from a block, or are as
        long as the block."""
        found: set[str] = set()
        for op in self.builder.ops:
            if op.loop == self.name and (
                op.kind in ("carry", "block")
                or any(isinstance(v, Value) and v.name in found for v in op.operands)
                or any(self.symbol in size.free_symbols for size in op.result.shape)
            ):
                found.add(op.result.name)
        return frozenset(found)

    def _without_block(self, value: Operand) -> Operand:
        """In iterations of one element: with the size 1 where it has that of the block."""
        if isinstance(value, Scalar) or self.tile != 1 or self.symbol not in value.shape:
            return value
        shape = tuple(sympy.Integer(1) if size == self.symbol else size for size in value.shape)
        return self.builder.emit("reshape", [value], value.dtype, shape, shape=shape)

    def _fits(self, carry: Value, value: Value) -> bool:
        same = carry.dtype == value.dtype and self.builder.dims.same_shape(carry.shape, value.shape)
        return same and not any(self.symbol in size.free_symbols for size in value.shape)

    def _unfit(self, name: str, carry: Value, value: Operand, start: Span) -> DiagnosticError:
        at = next(a.value.span for a in self.loop.next if name in (target for target, _ in a.targets))
        given = "a number" if isinstance(value, Scalar) else f"{value.dtype}{show_shape(value.shape)}"
        wanted = f"{carry.dtype}{show_shape(carry.shape)}"
        same_rank = isinstance(value, Value) and value.dtype == carry.dtype and len(value.shape) == len(carry.shape)
        unsaid = unrelated(self.dims, value.shape, carry.shape) if isinstance(value, Value) and same_rank else ""
        return fault(
            "PTG230",
            f"the next `{name}` is {given}, and it starts as {wanted}",
            at,
            expected=wanted,
            fix=unsaid
            or "cast it, or reduce it over the block, so that each iteration ends with what the next one starts with",
            notes=((f"`{name}` starts here", start),),
        )
