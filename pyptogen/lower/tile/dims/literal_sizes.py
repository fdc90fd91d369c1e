"""Pass: an axis of an input whose size is given as a number has a dim, so that loops can cut it.

before: y = matmul(x: [t, 1024], w: [1024, 512])            dim n = 512
after:  y = matmul(x: [t, size_1024], w: [size_1024, n])    dim size_1024 = 1024

A number that is the size of a dim of the spec becomes that dim, so the tiles of `n` cut the product above. Numbers
within other sizes, such as `2 * n`, stay. Computed values have numbers by reshapes alone, `distinct_dims` names other
axes by the operands: where a reshape gives several leading axes as numbers, they have dims too, because a tile has one
of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyptogen.lower.tensor.ir import Dim, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol


def run(program: Program) -> Program:
    """The program with a dim for each such axis; the program itself where there is none."""
    named = _Namer(program)
    inputs = tuple(map(named.value, program.inputs))
    ops = tuple(map(named.op, program.ops))
    if (inputs, ops) == (program.inputs, program.ops):
        return program
    return replace(program, dims=(*program.dims, *named.dims), inputs=inputs, ops=ops)


class _Namer:
    def __init__(self, program: Program) -> None:
        self.names = FreeNames(program)
        self.dims: list[Dim] = []
        self.symbols: dict[int, Any] = {}
        """By size, of the first dim that has it."""
        for dim in program.dims:
            if dim.value is not None:
                self.symbols.setdefault(dim.value, dim_symbol(dim.name))

    def value(self, value: Value) -> Value:
        return replace(value, shape=tuple(self._size(size, value) for size in value.shape))

    def op(self, op: Op) -> Op:
        if op.kind != "reshape" or sum(size.is_Integer and size != 1 for size in op.result.shape[:-1]) < 2:
            return op
        result = self.value(op.result)
        return replace(op, result=result, attrs={**op.attrs, "shape": result.shape})

    def _size(self, size: Any, value: Value) -> Any:
        if not size.is_Integer or size == 1:
            return size
        number = int(size)
        if number not in self.symbols:
            name = self.names.take(f"size_{number}")
            self.dims.append(Dim(name, number, number, number, number, None, value.span))
            self.symbols[number] = dim_symbol(name)
        return self.symbols[number]
