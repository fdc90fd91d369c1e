"""Pass: dims that follow from others by an unproved equality disappear from shapes and tables.

before: ``dim u; y: [t, d] = add(a: [t, d], b: [u, d])``    assumed: u is t
after:  ``dim u = t; y: [t, d] = add(a: [t, d], b: [t, d])``

Afterwards the arrays of a call are checked against the shapes in the dims that are left, so the check needs no code
of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from pyptogen.lower.tensor.building.assumptions import Assumption
from pyptogen.lower.tensor.building.dims import DimTable, show_size
from pyptogen.lower.tensor.ir import Dim, Op, Operand, Program, Requirement, Scalar, TilingRow, Value


def run(program: Program, dims: DimTable, declared: Mapping[str, Dim]) -> Program:
    """The program with the assumptions of ``dims``; ``declared`` are the dims as the spec gives them."""
    if not dims.assumptions:
        return program
    definitions = {a.dim: a.definition for a in dims.assumptions if a.dim}
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
        requires=(
            *program.requires,
            *(r for a in dims.assumptions for r in _requirements(a, dims, declared)),
        ),
        notes=(*program.notes, *map(_note, dims.assumptions)),
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


def _requirements(assumption: Assumption, dims: DimTable, declared: Mapping[str, Dim]) -> list[Requirement]:
    """The equality itself where no dim follows from it; else the range that the dim had."""
    if not assumption.dim:
        left, right = (dims.resolve_unified(side) for side in (assumption.left, assumption.right))
        text = f"{show_size(left)} == {show_size(right)}"
        return [Requirement(text, sympy.Eq(left, right, evaluate=False), assumption.span, assumption.subject)]
    dim = declared[assumption.dim]
    size = dims.resolve_unified(assumption.definition)
    wanted = (
        (f"{dim.name} >= {dim.min}", sympy.Ge(size, dim.min)),
        (f"{dim.name} <= {dim.max}", sympy.Le(size, dim.max)),
        (f"{dim.name} % {dim.multiple_of} == 0", sympy.Eq(sympy.Mod(size, dim.multiple_of), 0)),
    )
    return [Requirement(text, relation, dim.span) for text, relation in wanted if dims.decide(relation) is not True]


def _note(assumption: Assumption) -> str:
    left, right = show_size(assumption.left), show_size(assumption.right)
    return f"{assumption.span}: {assumption.subject}: `{left}` must be `{right}`, which is checked at run time"
