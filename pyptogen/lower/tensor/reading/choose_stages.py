"""Decides `when` of stages from the dims: those that do not hold leave the graph, the tables and the schedule.

before: ``stages a (when heads > 1), b (when heads == 1), c``    with ``heads: 1``
after:  ``stages b, c``

Afterwards no stage has a condition that the dims decide, and each value is defined once but for stages with `if`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from pyptogen.diagnostics import did_you_mean, fault, kept, require_sound, stop_if_faulty
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.reading.scalars import ScalarReader
from pyptogen.records import replace
from pyptogen.schema import Expr, Spec, StageSpec, TilingRowSpec
from pyptogen.schema.naming import check_distinct


def run(spec: Spec, dims: DimTable) -> Spec:
    """The spec with the stages that are there. Raises PTG201, PTG207, PTG208, PTG221."""
    if not any(stage.when for stage in spec.stages):
        return spec
    there: list[StageSpec] = []
    for stage in spec.stages:
        with kept(*(name for assign in stage.definitions for name, _ in assign.targets)):
            if all(_holds(expr, dims) for expr in stage.when):
                there.append(stage)
    if not there:
        stop_if_faulty()
        raise fault("PTG207", "no stage is left: every `when` is false", spec.stages[0].span)
    always = [stage for stage in there if not stage.run_if]
    check_distinct(
        (name, span, "a value") for stage in always for assign in stage.body for name, span in assign.targets
    )
    names = {stage.name for stage in there}
    return replace(
        spec,
        stages=tuple(there),
        tiling=tuple(_row(row, names) for row in spec.tiling),
        schedule={key: _entries(value, names) for key, value in spec.schedule.items()},
    )


def left_out(spec: Spec, chosen: Spec) -> dict[str, StageSpec]:
    """For each value that only left-out stages define: the first of them."""
    there = {name for stage in chosen.stages for assign in stage.body for name, _ in assign.targets}
    out: dict[str, StageSpec] = {}
    for stage in spec.stages:
        if stage not in chosen.stages:
            for name in (name for assign in stage.body for name, _ in assign.targets):
                out.setdefault(name, stage)
    return {name: stage for name, stage in out.items() if name not in there}


def _holds(expr: Expr, dims: DimTable) -> bool:
    known = [dim.name for dim in dims.dims]

    def lookup(name: str, expr: Expr, node: ast.AST) -> Any:
        require_sound(name)
        if name not in known:
            raise fault(
                "PTG201",
                f"`{name}` is no dim",
                expr.span_of(node),
                expected="the name of a dim",
                fix=did_you_mean(name, known),
            )
        return dims.symbols[name]

    value = dims.decide(ScalarReader(lookup).condition(expr))
    if value is None:
        raise fault(
            "PTG221",
            f"`{expr.text}` is true for some sizes and false for others",
            expr.span,
            expected="a condition that the values or ranges of the dims decide at build time",
            fix="give the dim a number, or make two operators",
        )
    return value


def _row(row: TilingRowSpec, names: set[str]) -> TilingRowSpec:
    fuse = None if row.fuse is None else [tuple(name for name in group if name in names) for group in row.fuse]
    return replace(
        row,
        sizes={stage: sizes for stage, sizes in row.sizes.items() if not stage or stage in names},
        fuse=None if fuse is None else tuple(group for group in fuse if len(group) > 1),
        spans={key: span for key, span in row.spans.items() if not key[0] or key[0] in names},
    )


def _entries(value: Any, names: set[str]) -> Any:
    """A hint by stage, without the stages that are not there; any other hint as it is."""
    return {stage: hint for stage, hint in value.items() if stage in names} if isinstance(value, Mapping) else value
