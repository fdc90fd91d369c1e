"""Why a name means nothing where it is used: unknown, defined further down, or part of a cycle."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from pyptogen.diagnostics import DiagnosticError, Span, did_you_mean, fault
from pyptogen.schema import Expr, Spec, StageSpec


def unknown_value(
    spec: Spec,
    values: Mapping[str, Any],
    name: str,
    expr: Expr,
    node: ast.AST,
    left_out: Mapping[str, StageSpec] = MappingProxyType({}),
) -> DiagnosticError:
    """PTG209 (cycle), PTG211 (defined further down) or PTG201 (unknown) for ``name``, used at ``node``;
    ``left_out`` gives the stage of a value that is not there because of its `when`."""
    where, uses = _definitions(spec)
    span = expr.span_of(node)
    if name in left_out and name not in where:
        stage = left_out[name]
        return fault(
            "PTG201",
            f"`{name}` is not defined: its stage `{stage.name}` is left out",
            span,
            expected="a value that is there whenever it is used",
            fix="give this stage the same `when`, or define the value in another stage for the other case",
            notes=((f"`when` of `{stage.name}`", stage.when[0].span),),
        )
    loop = next((stage for stage in spec.stages if _is_inside(name, stage) and expr not in stage.expressions), None)
    if loop is not None:
        return fault(
            "PTG201",
            f"`{name}` is not defined here: it belongs to the iterations of the loop `{loop.name}`",
            span,
            expected="a carried value of the loop, which has its last value here",
            fix=f"carry it: start it under `carry` and give it under `next` of `{loop.name}`",
            notes=((f"`{name}` is defined here", where[name]),),
        )
    if name in where:
        path = _cycle(name, uses)
        if path:
            notes = tuple((f"`{a}` uses `{b}`", where[a]) for a, b in pairwise(path))
            shown = " → ".join(path)
            return fault("PTG209", f"values depend on themselves: {shown}", span, expected="no cycle", notes=notes)
        return fault(
            "PTG211",
            f"`{name}` is used before its definition",
            span,
            expected="values defined in order",
            fix="move its definition up",
            notes=((f"`{name}` is defined here", where[name]),),
        )
    if name in {output.name for output in spec.outputs}:
        fix = "define it in the graph first"
    else:
        fix = did_you_mean(name, [*values, *where])
    return fault("PTG201", f"`{name}` is not defined", span, expected="a value, input, dim or attr", fix=fix)


def _is_inside(name: str, stage: StageSpec) -> bool:
    body = () if stage.loop is None else stage.loop.body
    return any(name == target for assign in body for target, _ in assign.targets)


def _definitions(spec: Spec) -> tuple[dict[str, Span], dict[str, frozenset[str]]]:
    """Where each value of the graph is defined, and the names that its expression uses."""
    where: dict[str, Span] = {}
    uses: dict[str, frozenset[str]] = {}
    for stage in spec.stages:
        for assign in stage.definitions:
            names = frozenset(part.id for part in ast.walk(assign.value.node) if isinstance(part, ast.Name))
            for target, span in assign.targets:
                where[target], uses[target] = span, names
    return where, uses


def _cycle(start: str, uses: Mapping[str, frozenset[str]]) -> list[str]:
    """A path from ``start`` back to it, or nothing."""
    stack, seen = [[start]], set()
    while stack:
        path = stack.pop()
        for name in sorted(uses.get(path[-1], ()), reverse=True):
            if name == start:
                return [*path, name]
            if name not in seen:
                seen.add(name)
                stack.append([*path, name])
    return []
