"""Pieces of a spec that hold names: keys, expressions, stages; nothing where a piece is not in order yet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pyptogen.diagnostics import DiagnosticError
from pyptogen.schema.expression import Expr, parse_expression, parse_text
from pyptogen.schema.loop_section import is_loop
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping, Node, Scalar


def values_of(stage: Mapping) -> Iterator[tuple[str, Scalar]]:
    """The keys of a stage that name values, with the section of the loop that they stand in."""
    if is_loop(stage):
        for section in ("carry", "collect", "body", "next"):
            for key, _ in mapping(stage.get(section)):
                yield section, key
        return
    for key, _ in stage:
        if key.text not in ("when", "if"):
            yield "", key


def mapping(node: Node | None) -> Mapping:
    return node if isinstance(node, Mapping) else Mapping(_NOWHERE, (), 0, 0, False)


_NOWHERE = Source("", "")


def expression(node: Node, key: bool = False) -> Expr | None:
    if not isinstance(node, Scalar) or not node.text.strip():
        return None
    try:
        return parse_text(node, 0, len(node.text)) if key else parse_expression(node)
    except DiagnosticError:
        return None


def parsed(node: Scalar, start: int, stop: int) -> Expr | None:
    try:
        return parse_text(node, start, stop)
    except DiagnosticError:
        return None


def targets(key: Scalar) -> list[tuple[str, int, int]]:
    """The names that a key gives, with their characters."""
    head = expression(key, key=True)
    nodes = [] if head is None else head.node.elts if isinstance(head.node, ast.Tuple) else [head.node]
    return [(node.id, *characters(head, node)) for node in nodes if head is not None and isinstance(node, ast.Name)]


def characters(expr: Expr, node: ast.AST) -> tuple[int, int]:
    span, source = expr.span_of(node), expr.source
    return source.offset(span.line, span.col), source.offset(span.end_line, span.end_col)
