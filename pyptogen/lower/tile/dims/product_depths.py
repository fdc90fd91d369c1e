"""Pass: the depth of a product is one dim, so that one loop cuts it.

before: y = matmul(x: [t, heads * d], w: [heads * d, n])
after:  dim y_depth = heads * d;  x_deep = reshape(x): [t, y_depth];  w_deep = reshape(w): [y_depth, n]
        y = matmul(x_deep, w_deep)

A tile has rows of one dim, and the rows of a right operand are its depth. The operands are views, free for what lies
in GM; products of one depth share the dim. Where a tiling row cuts `heads` or `d`, it cuts the depth into as many
elements: `{heads: 2}` of `d: 64` into 128.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyptogen.lower.tensor.ir import Dim, Op, Program, TilingRow, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.cutting.axes import Axes, Axis
from pyptogen.lower.tile.dims.named_sizes import dim_of_size
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace


def run(program: Program, rows: Sequence[Selected]) -> tuple[Program, tuple[Selected, ...]]:
    """The program and its tiling rows with such dims; as they are where each depth is one."""
    deep = _Depths(program)
    ops = tuple(made for op in program.ops for made in deep.of(op))
    if not deep.dims:
        return program, tuple(rows)
    named = replace(program, dims=(*program.dims, *deep.dims.values()), ops=ops)
    return named, tuple(replace(row, row=deep.row(row.row)) for row in rows)


class _Depths:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.axes = Axes(program)
        self.names = FreeNames(program)
        self.dims: dict[Any, Dim] = {}
        """By size."""

    def of(self, op: Op) -> list[Op]:
        """The operations for one."""
        if op.kind not in ("matmul", "batch_matmul"):
            return [op]
        a, b = op.operands
        assert isinstance(a, Value) and isinstance(b, Value)
        if not (self._is_made(a.shape[-1]) and self._is_made(b.shape[-2])):
            return [op]
        depth = dim_symbol(self._dim(a.shape[-1], op).name)
        left = self._view(op, a, (*a.shape[:-1], depth))
        right = self._view(op, b, (*b.shape[:-2], depth, b.shape[-1]))
        return [left, right, replace(op, operands=(left.result, right.result))]

    def _is_made(self, size: Any) -> bool:
        """Whether a size is that of no single dim, but of dims of the whole operator."""
        factors = self.axes.factor(size)
        known = {dim.name for dim in self.program.dims}
        named = len(factors) == 1 and factors[0].dim is not None
        return bool(factors) and not named and {symbol.name for symbol in size.free_symbols} <= known

    def _dim(self, size: Any, op: Op) -> Dim:
        if size not in self.dims:
            name = self.names.take(f"{op.result.name}_depth")
            self.dims[size] = dim_of_size(self.program, self.axes, size, name, op.span)
        return self.dims[size]

    def _view(self, op: Op, value: Value, shape: tuple[Any, ...]) -> Op:
        result = replace(value, name=self.names.take(f"{value.name}_deep"), shape=shape, layout="nd")
        return replace(op, kind="reshape", operands=(value,), result=result, attrs={"shape": shape})

    def row(self, row: TilingRow) -> TilingRow:
        """The row with tiles for the new dims."""
        sizes = {scope: dict(of) for scope, of in row.sizes.items()}
        spans = dict(row.spans)
        for size, dim in self.dims.items():
            factors = self.axes.factor(size)
            for scope, of in row.sizes.items():
                given = [str(factor.dim) for factor in factors if factor.dim in of]
                if given:
                    sizes[scope][dim.name] = self._tile(factors, {**row.sizes.get("", {}), **of})
                    spans[scope, dim.name] = row.spans.get((scope, given[0]), row.span)
        return replace(row, sizes=sizes, spans=spans)

    def _tile(self, factors: Axis, sizes: Mapping[str, Any]) -> int:
        """Elements of the depth that a tile has of these factors: one run, so that those around a cut one are 1."""
        tile = 1
        for factor in reversed(factors):
            whole = factor.extent.constant
            given = sizes.get(factor.dim or "", whole)
            if isinstance(given, Mapping):
                given = max(given.get("unroll", ()), default=given.get("tile", given.get("l1")))
            size = min((int(number) for number in (given, whole) if number is not None), default=1)
            tile *= size
            if size != whole:
                break
        return tile
