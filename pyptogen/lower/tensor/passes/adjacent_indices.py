"""Pass: the indices that an iteration of a loop reads for the rows of a tile lie side by side.

before: place: int32[t, bag] = …
        loop over bag: row: bf16[t, h] = gathered(table, reshape(block(place, axis=1)))
after:  place_lines: int32[bag, t] = permute(place)
        loop over bag: row: bf16[t, h] = gathered(table, reshape(block(place_lines, axis=0)))

The scalar unit reads indices one by one, through a cache of short lines: where those of a tile are a column of their
tensor, each waits for a line of its own (700 cycles on A2/A3, by the model). A transposition ahead of the loop costs a
launch. An index that names a whole slice for an iteration stays: iteration after iteration it is the next element of a
row. A processor has larger caches, and reads ahead.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.passes import remove_dead
from pyptogen.lower.tensor.program_names import FreeNames
from pyptogen.records import replace


def run(program: Program, platform: Platform) -> Program:
    """The program with such indices in another order; as it is where there are none."""
    if platform.unified or not program.loops:
        return program
    return _Adjacent(program).run()


class _Adjacent:
    def __init__(self, program: Program) -> None:
        self.program, self.names = program, FreeNames(program)
        self.single = {loop.name for loop in program.loops if loop.tile == 1}
        self.defining = {op.result.name: op for op in program.ops}
        self.ops: list[Op] = []
        self.stages = list(program.stages)
        self.transposed: dict[tuple[str, str], Value] = {}
        """What has the columns of a tensor as its rows, by the tensor and the stage beside which it is made: others may
        run in other calls."""

    def run(self) -> Program:
        for op in self.program.ops:
            column = _column_of(op, self.defining) if op.kind == "gathered" and op.loop in self.single else None
            self.ops.append(op if column is None else self._by_rows(op, column))
        if not self.transposed:
            return self.program
        return remove_dead.run(replace(self.program, ops=tuple(self.ops), stages=tuple(self.stages)))

    def _by_rows(self, gathered: Op, column: Op) -> Op:
        """The operation with its index from a row of the transposed tensor. Elements keep their order, so that one
        reshape makes the index of it."""
        source, index = column.operands[0], gathered.operands[1]
        assert isinstance(source, Value) and isinstance(index, Value)
        made = self.defining.get(source.name)
        key = source.name, gathered.stage if made is None else made.stage
        if key not in self.transposed:
            self.transposed[key] = self._transpose(source, made, key[1], gathered.span)
        whole, shape = self.transposed[key], (column.result.shape[-1], *column.result.shape[:-1])
        line = replace(column.result, name=self.names.take(f"{column.result.name}_line"), shape=shape)
        same = replace(index, name=self.names.take(f"{index.name}_line"))
        self.ops.append(replace(column, operands=(whole,), result=line, attrs={**column.attrs, "axis": 0}))
        self.ops.append(replace(column, kind="reshape", operands=(line,), result=same, attrs={"shape": same.shape}))
        return replace(gathered, operands=(gathered.operands[0], same, *gathered.operands[2:]))

    def _transpose(self, source: Value, made: Op | None, beside: str, span: Span) -> Value:
        """A transposition behind what makes the tensor; of an input, in a stage of its own ahead of the one that reads
        it, whose kernel stays whole so."""
        axes = (len(source.shape) - 1, *range(len(source.shape) - 1))
        name = self.names.take(f"{source.name}_lines")
        result = replace(source, name=name, shape=tuple(source.shape[axis] for axis in axes))
        if made is not None:
            at, stage = self.ops.index(made) + 1, made.stage
        else:
            at, stage = next(n for n, op in enumerate(self.ops) if op.stage == beside), name
            place = next(n for n, one in enumerate(self.stages) if one.name == beside)
            self.stages.insert(place, replace(self.stages[place], name=name, implicit=True))
        self.ops.insert(at, Op("permute", (source,), result, {"axes": axes}, stage, span))
        return result


def _column_of(gathered: Op, defining: Mapping[str, Op]) -> Op | None:
    """The block that the index of an operation is, in another shape: a column of a tensor of several, each of which
    names a row of the result."""
    if gathered.attrs["axis"] != len(gathered.result.shape) - 2:
        return None
    index = gathered.operands[1]
    while isinstance(index, Value) and index.name in defining and defining[index.name].kind == "reshape":
        (index,) = defining[index.name].operands
    block = defining.get(index.name) if isinstance(index, Value) else None
    if block is None or block.kind != "block" or block.attrs["axis"] != len(block.result.shape) - 1:
        return None
    return block if any(size != 1 for size in block.result.shape[:-1]) else None
