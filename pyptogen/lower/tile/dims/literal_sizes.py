"""Pass: an axis of an input, or of `arange`, whose size is a number but no dim has one, so that loops can cut it.

before: y = matmul(x: [t, 1024], w: [1024, 512])            dim n = 512
after:  y = matmul(x: [t, size_1024], w: [size_1024, n])    dim size_1024 = 1024

A number that is the size of a dim of the spec becomes that dim, so the tiles of `n` cut the product above. Static sizes
of inputs such as `2 * n` and `n + r` are numbers, too, where no reshape takes them apart; `heads * n` is cut by its
dims. Other computed values have numbers by reshapes alone, `distinct_dims` names their axes by the operands: where a
reshape gives several leading axes as numbers, or as parts of dims (`n / 2`), they have dims too, because a tile has one
of them; and where the author names tiles, so has a leading axis that a slice or a concat made, beside another one.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from pyptogen.lower.tensor.ir import Dim, Op, Program, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.dims.tiles_of import with_tiles_of
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace


def run(program: Program, rows: Sequence[Selected] = ()) -> tuple[Program, tuple[Selected, ...]]:
    """The program with a dim for each such axis; the program itself where there is none. ``rows`` are the tiling rows
    that can apply: an axis `2 * n` has the tiles that they give `n`."""
    named = _Namer(program, any(row.row.sizes for row in rows))
    inputs = tuple(map(named.value, program.inputs))
    ops = tuple(map(named.op, program.ops))
    if (inputs, ops) == (program.inputs, program.ops):
        return program, tuple(rows)
    program = replace(program, dims=(*program.dims, *named.dims), inputs=inputs, ops=ops)
    return program, tuple(replace(row, row=with_tiles_of(row.row, named.multiples)) for row in rows)


class _Namer:
    def __init__(self, program: Program, by_author: bool) -> None:
        self.by_author = by_author
        self.names = FreeNames(program)
        self.dims: list[Dim] = []
        self.values = {dim_symbol(dim.name): dim.value for dim in program.dims if dim.value is not None}
        self._kept = {
            size
            for op in program.ops
            for size in set(op.result.shape) ^ {size for v in op.operands if isinstance(v, Value) for size in v.shape}
            if op.kind == "reshape" and not size.is_Integer
        } | {size for value in program.inputs for size in value.shape if size.is_Mul and not size.args[0].is_Integer}
        """Sizes that a reshape makes or takes apart, and parts of dims."""
        self.multiples: dict[str, str] = {}
        """New dims that are a number times a dim."""
        self.symbols: dict[int, Any] = {}
        """By size, of the first dim that has it."""
        for dim in program.dims:
            if dim.value is not None:
                self.symbols.setdefault(dim.value, dim_symbol(dim.name))

    def value(self, value: Value) -> Value:
        """An input, or what has numbers alone."""
        return self._named(value, self._kept)

    def op(self, op: Op) -> Op:
        leading = [size for size in op.result.shape[:-1] if size != 1]
        if op.kind == "reshape" and sum(self._number(size) is not None for size in leading) > 1:
            result = self._named(op.result, frozenset())
            return replace(op, result=result, attrs={**op.attrs, "shape": result.shape})
        numbers = any(size.is_Integer for size in leading)
        made = op.kind in ("slice", "concat") and not op.loop and self.by_author and numbers and len(leading) > 1
        return replace(op, result=self.value(op.result)) if made or op.kind == "iota" else op

    def _named(self, value: Value, kept: Set[Any]) -> Value:
        return replace(value, shape=tuple(size if size in kept else self._size(size, value) for size in value.shape))

    def _size(self, size: Any, value: Value) -> Any:
        number = self._number(size)
        if number is None:
            return size
        if number not in self.symbols:
            name = self.names.take(f"size_{number}")
            self.dims.append(Dim(name, number, number, number, number, None, value.span))
            self.symbols[number] = dim_symbol(name)
            if size.is_Mul and size.args[0].is_Integer and len(size.free_symbols) == 1:
                self.multiples[name] = next(iter(size.free_symbols)).name
        return self.symbols[number]

    def _number(self, size: Any) -> int | None:
        """A static size that is neither a dim nor a product of dims, as a number."""
        if size.is_Integer:
            return int(size) if size != 1 else None
        made = size.is_Add or (size.is_Mul and size.args[0].is_Rational)
        return int(size.xreplace(self.values)) if made and size.free_symbols <= self.values.keys() else None
