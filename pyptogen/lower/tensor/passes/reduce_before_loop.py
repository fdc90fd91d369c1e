"""Pass: what a loop reduces over an axis that only a call knows is reduced before the loop, for all iterations at once;
so are running sums and orders along another axis than the block's.

before: loop over c: a = sum(exp(block(x)), axis=-1); …       x [c, t, n], n known at run time
after:  a_all = sum(exp(x), axis=-1); loop over c: a = block(a_all); …

Such a sum takes a loop of its own, which an iteration has no place for, as a running sum does. The operands follow from
what is there before the loop: what follows from a carried value stays, and so does what no longer has the block as an
axis.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyptogen.lower.tensor.ir import (
    BINARY,
    COMPARE,
    REDUCE,
    ROUNDING,
    SCAN,
    SORTING,
    UNARY,
    Loop,
    Op,
    Program,
    Value,
)
from pyptogen.lower.tensor.passes import remove_dead
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol, iteration_condition
from pyptogen.records import replace

BY_ELEMENT = UNARY | BINARY | ROUNDING | COMPARE | {"cast", "where"}
OF_ANY_SHAPE = BY_ELEMENT | REDUCE | {"reshape", "slice", "transpose", "full"}
"""What may stand in an iteration without the block."""


def run(program: Program) -> Program:
    """The program with such reductions before their loops; as it is where there are none."""
    for loop in program.loops:
        if iteration_condition(loop.name) not in {op.result.name for op in program.ops}:
            program = _Move(program, loop).moved()
    return program


@dataclass(slots=True)
class _Move:
    program: Program
    loop: Loop
    defining: dict[str, Op] = field(init=False)
    names: FreeNames = field(init=False)
    before: list[Op] = field(default_factory=list)
    """What comes before the loop."""
    whole: dict[str, Value] = field(default_factory=dict)
    """Values of an iteration, by name, in all iterations together."""

    def __post_init__(self) -> None:
        self.defining = {op.result.name: op for op in self.program.ops}
        self.names = FreeNames(self.program)

    def moved(self) -> Program:
        instead: dict[str, Op] = {}
        for op in self.program.ops:
            if op.loop == self.loop.name and self._takes_a_loop(op) and self._can_move(op):
                attrs = {"axis": op.result.shape.index(self._block())}
                instead[op.result.name] = replace(op, kind="block", operands=(self._all(op.result),), attrs=attrs)
        if not instead:
            return self.program
        ops: list[Op] = []
        first = next(op for op in self.program.ops if op.loop == self.loop.name)
        for op in self.program.ops:
            ops += self.before if op is first else []
            ops.append(instead.get(op.result.name, op))
        return remove_dead.run(replace(self.program, ops=tuple(ops)))

    def _block(self) -> Any:
        return dim_symbol(self.loop.block.name)

    def _takes_a_loop(self, op: Op) -> bool:
        """Whether an operation goes along rows with a loop of its own."""
        return op.kind in SCAN | SORTING or (op.kind in REDUCE and self._is_open(op))

    def _is_open(self, op: Op) -> bool:
        """Whether the length of the reduced axis is known at run time only."""
        source = op.operands[0]
        assert isinstance(source, Value)
        names = {symbol.name for symbol in source.shape[int(op.attrs["axis"])].free_symbols}
        dims = {dim.name for dim in self.program.dims if dim.value is None}
        return bool(names & dims) and self.loop.block.name not in names

    def _can_move(self, op: Op) -> bool:
        """Whether all that leads to an operation follows from values before the loop, with the block as one axis."""
        if op.loop != self.loop.name or op.kind == "block":
            return True
        blocks = [size for size in op.result.shape if self._block() in size.free_symbols]
        kinds = BY_ELEMENT | REDUCE if blocks else OF_ANY_SHAPE
        if blocks and op.kind in SCAN | SORTING:
            kinds = SCAN | SORTING if op.result.shape[int(op.attrs["axis"])] not in blocks else frozenset()
        return (
            op.kind in kinds
            and blocks in ([], [self._block()])
            and all(
                self._can_move(self.defining[value.name])
                for value in op.operands
                if isinstance(value, Value) and value.name in self.defining
            )
        )

    def _all(self, value: Value) -> Value:
        """A value of an iteration in all iterations together; made where it is not there yet."""
        op = self.defining.get(value.name)
        if op is None or op.loop != self.loop.name:
            return value
        if op.kind == "block":
            source = op.operands[0]
            assert isinstance(source, Value)
            return source
        if value.name not in self.whole:
            operands = tuple(self._all(v) if isinstance(v, Value) else v for v in op.operands)
            shape = tuple(size.subs(self._block(), dim_symbol(self.loop.over)) for size in value.shape)
            self.whole[value.name] = replace(value, name=self.names.take(f"{value.name}_all"), shape=shape)
            self.before.append(replace(op, operands=operands, result=self.whole[value.name], loop=""))
        return self.whole[value.name]
