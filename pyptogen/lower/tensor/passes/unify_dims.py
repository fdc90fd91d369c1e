"""Pass: dims that follow from others by an equality that the spec states disappear from shapes and tables.

before: ``dim u; y: [t, d] = add(a: [t, d], b: [u, d])``    requires: u == t
after:   ``dim u = t; y: [t, d] = add(a: [t, d], b: [t, d])``

Afterwards the arrays of a call are checked against the shapes in the dims that are left, so the check needs no code
of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.building.stated import Stated
from pyptogen.lower.tensor.ir import Op, Operand, Program, Requirement, Scalar, TilingRow, Value
from pyptogen.records import replace


def run(program: Program, dims: DimTable) -> Program:
    """The program without the dims that follow from others by what is stated in ``dims``."""
    definitions = {stated.dim: stated.definition for stated in dims.stated if stated.dim}
    if not definitions:
        return program
    mapping = {dims.symbols[name]: dims.resolve_unified(definition) for name, definition in definitions.items()}
    renamed = {str(symbol): str(to) for symbol, to in mapping.items() if to.is_Symbol}
    values = {value.name: _value(value, mapping) for value in (*program.inputs, *(op.result for op in program.ops))}
    return replace(
        program,
        dims=dims.dims,
        inputs=tuple(values[value.name] for value in program.inputs),
        outputs=tuple((name, values[value.name]) for name, value in program.outputs),
        laid_out={name: _value(value, mapping) for name, value in program.laid_out.items()},
        ops=tuple(_op(op, values, mapping) for op in program.ops),
        stages=tuple(replace(s, condition=_attr(s.condition, mapping)) for s in program.stages),
        tiling=tuple(_row(row, renamed) for row in program.tiling),
        requires=(*program.requires, *(r for stated in dims.stated if stated.dim for r in _range(stated, dims))),
    )


def _value(value: Value, mapping: Mapping[Any, Any]) -> Value:
    shape, strides = (tuple(size.xreplace(mapping) for size in sizes) for sizes in (value.shape, value.strides))
    return replace(value, shape=shape, strides=strides)


def _op(op: Op, values: Mapping[str, Value], mapping: Mapping[Any, Any]) -> Op:
    def operand(given: Operand) -> Operand:
        return values[given.name] if isinstance(given, Value) else Scalar(given.expr.xreplace(mapping), given.span)

    attrs = {name: _attr(value, mapping) for name, value in op.attrs.items()}
    return replace(op, operands=tuple(map(operand, op.operands)), result=values[op.result.name], attrs=attrs)


def _attr(value: Any, mapping: Mapping[Any, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_attr(item, mapping) for item in value)
    return value.xreplace(mapping) if isinstance(value, sympy.Basic) else value


def _row(row: TilingRow, renamed: Mapping[str, str]) -> TilingRow:
    """Sizes and tests of a dim that is another one go to that one, unless it has its own."""

    def sizes(of: Mapping[str, Any]) -> dict[str, Any]:
        moved = {renamed[name]: size for name, size in of.items() if name in renamed}
        return {**moved, **{name: size for name, size in of.items() if name not in renamed}}

    spans = {(stage, renamed.get(name, name)): span for (stage, name), span in row.spans.items() if name in renamed}
    return replace(
        row,
        when=tuple((renamed.get(name, name), op, value) for name, op, value in row.when),
        sizes={stage: sizes(of) for stage, of in row.sizes.items()},
        spans={**spans, **row.spans},
    )


def _range(stated: Stated, dims: DimTable) -> list[Requirement]:
    """The range of a dim that follows from others, as far as they may give it another size."""
    dim = dims.declared[stated.dim]
    size = dims.resolve_unified(stated.definition)
    wanted = (
        (f"{dim.name} >= {dim.min}", sympy.Ge(size, dim.min)),
        (f"{dim.name} <= {dim.max}", sympy.Le(size, dim.max)),
        (f"{dim.name} % {dim.multiple_of} == 0", sympy.Eq(sympy.Mod(size, dim.multiple_of), 0)),
    )
    return [Requirement(text, relation, dim.span) for text, relation in wanted if dims.decide(relation) is not True]
