"""Pass: rows that a loop puts into a carried tensor, iteration after iteration, are collected, and put there after the
loop.

before: loop over t: cache = carry(start); y = …; cache_next = scatter_update(cache, slot[t], y)
        cache_end = carried(cache, cache_next)
after:  loop over t: y = …
        y_rounds = collected(y); cache_end = scatter_update(start, slot, y_rounds)

Nothing in an iteration may read the tensor: then no iteration sees what another one put there. A tensor that is updated
lies in GM, and a carried value in a tile, so other updates of a carried value cannot be lowered (`unlowered`).
"""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.ir import Loop, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol, iteration_condition
from pyptogen.records import replace

_CHAIN = ("scatter_update", "reshape")
"""Operations that lead from a carried tensor to its next value, by their first operand."""


def run(program: Program) -> Program:
    """The program with such updates behind their loops; as it is where there are none."""
    for loop in program.loops:
        for carry, after in loop.carried:
            if not _is_read(program, carry):
                continue
            moved = _Update(program, loop, carry, after).moved()
            program = program if moved is None else moved
    return program


def _is_read(program: Program, carry: str) -> bool:
    """Whether anything needs a carried value after its loop."""
    return any(op.kind == "carried" and _first(op).name == carry for op in program.ops)


class _Update:
    def __init__(self, program: Program, loop: Loop, carry: str, after: str) -> None:
        self.program, self.loop, self.carry, self.after = program, loop, carry, after
        self.defining = {op.result.name: op for op in program.ops}
        self.names = FreeNames(program)
        self.end = next(op for op in program.ops if op.kind == "carried" and _first(op).name == carry)
        self.ops: list[Op] = []
        """What comes after the loop instead of the last value."""

    def moved(self) -> Program | None:
        """The program with this update behind the loop; None where that would be another program."""
        chain = self._chain()
        if not any(op.kind == "scatter_update" for op in chain) or iteration_condition(self.loop.name) in self.defining:
            return None
        gone = {self.carry, *(op.result.name for op in chain)}
        for op in self.program.ops:
            if op.result.name not in gone and op is not self.end and gone & {v.name for v in _values(op)}:
                return None
        now: Value = _first(self.defining[self.carry])
        for op in chain:
            whole = [self._whole(value) for value in _values(op)[1:]]
            there = [value for value in whole if value is not None]
            if len(there) < len(whole):
                return None
            last = op.result.name == self.after
            result = self.end.result if last else replace(op.result, name=self.names.take(f"{op.result.name}_all"))
            self.ops.append(replace(op, operands=(now, *there), result=result, loop=""))
            now = result
        return self._replaced(gone)

    def _chain(self) -> list[Op]:
        """From the carried value to the next one."""
        found: list[Op] = []
        name = self.after
        while name != self.carry:
            op = self.defining.get(name)
            if op is None or op.kind not in _CHAIN or op.loop != self.loop.name:
                return []
            found.append(op)
            name = _first(op).name
        return found[::-1]

    def _whole(self, value: Value) -> Value | None:
        """What a value of the iterations is in all of them together, along its first axis."""
        op = self.defining.get(value.name)
        block, over = (dim_symbol(name) for name in (self.loop.block.name, self.loop.over))
        if op is None or op.loop != self.loop.name:
            return None
        if op.kind == "block" and op.attrs["axis"] == 0:
            return _first(op)
        if op.kind == "reshape" and value.shape[:1] == _first(op).shape[:1] == (block,):
            source = self._whole(_first(op))
            return None if source is None else self._reshaped(source, (over, *value.shape[1:]))
        if value.shape[:1] == (block,):
            return self._collected(value, (over, *value.shape[1:]), False)
        if self.loop.tile == 1 and not any(block in size.free_symbols for size in value.shape):
            stacked = self._collected(value, (over, *value.shape), True)
            return self._reshaped(stacked, (over * value.shape[0], *value.shape[1:]))
        return None

    def _collected(self, value: Value, shape: tuple[Any, ...], stacked: bool) -> Value:
        attrs = {"loop": self.loop.name, "axis": 0, "stacked": stacked}
        return self._made("collected", value, "rounds", attrs, shape)

    def _reshaped(self, source: Value, shape: tuple[Any, ...]) -> Value:
        return self._made("reshape", source, "all", {"shape": shape}, shape)

    def _made(self, kind: str, of: Value, word: str, attrs: dict[str, Any], shape: tuple[Any, ...]) -> Value:
        shape = tuple(sympy.sympify(size) for size in shape)
        result = replace(of, name=self.names.take(f"{of.name.removesuffix('_rounds')}_{word}"), shape=shape)
        self.ops.append(Op(kind, (of,), result, attrs, self.end.stage, self.end.span))
        return result

    def _replaced(self, gone: set[str]) -> Program:
        ops: list[Op] = []
        for op in self.program.ops:
            if op is self.end:
                ops += self.ops
            elif op.result.name not in gone:
                ops.append(op)
        loops = tuple(
            replace(loop, carried=tuple(pair for pair in loop.carried if pair[0] != self.carry))
            for loop in self.program.loops
        )
        return replace(self.program, ops=tuple(ops), loops=loops)


def _values(op: Op) -> list[Value]:
    return [operand for operand in op.operands if isinstance(operand, Value)]


def _first(op: Op) -> Value:
    return _values(op)[0]
