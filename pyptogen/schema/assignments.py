"""Reads `name: expression` entries, wherever values are defined."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pyptogen.diagnostics import fault, kept
from pyptogen.schema.expression import cut_by_yaml, parse_expression, parse_text, unbalanced
from pyptogen.schema.naming import check_name
from pyptogen.schema.spec import Assign
from pyptogen.schema.tree import Mapping, Node, Scalar


def read_assigns(entries: Iterable[tuple[Scalar, Node]]) -> list[Assign]:
    """Each entry; those with an error are told and left out, and what they would define is poisoned."""
    assigns = []
    for key, value in entries:
        with kept(*(name.strip() for name in key.text.split(","))):
            assigns.append(read_assign(key, value))
    return assigns


def read_assign(key: Scalar, node: Node) -> Assign:
    """``a, b: expression``; the names may be several, comma-separated."""
    head = parse_text(key, 0, len(key.text)) if key.text else None
    names: list[ast.expr] = []
    if head is not None:
        names = list(head.node.elts) if isinstance(head.node, ast.Tuple) else [head.node]
    targets = []
    for name in names:
        if not isinstance(name, ast.Name):
            names = []
            break
        assert head is not None
        targets.append((check_name(name.id, head.span_of(name), "a value"), head.span_of(name)))
    if not names:
        raise fault("PTG213", f"`{key.text}` cannot name a value", key.span, expected="a name, or names: `a, b`")
    return Assign(tuple(targets), parse_expression(node))


def check_not_cut(mapping: Mapping) -> None:
    """An expression with commas inside ``{…}`` arrives as a key without a value, or with open brackets."""
    if not mapping.flow:
        return
    for key, value in mapping:
        for part in (key, value):
            if isinstance(part, Scalar) and part.style == "plain" and unbalanced(part.text):
                raise cut_by_yaml(part)
