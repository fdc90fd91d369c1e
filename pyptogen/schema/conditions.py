"""Reads the conditions of stages and of iterations: `when`, `if`."""

from __future__ import annotations

import ast

from pyptogen.diagnostics import fault
from pyptogen.schema.expression import Expr, parse_expression
from pyptogen.schema.python_text import parsed_expression
from pyptogen.schema.tree import Mapping, Node, Scalar, describe


def read_conditions(word: str, node: Node | None) -> tuple[Expr, ...]:
    """``when: heads > 1``, or the form of the tiling rows, ``when: {heads: "> 1"}``; the same for ``if``.
    Raises PTG104, PTG106."""
    if node is None:
        return ()
    if isinstance(node, Mapping):
        return tuple(_comparison(key, value) for key, value in node)
    condition = parse_expression(node)
    if not isinstance(condition.node, ast.Compare | ast.BoolOp):
        raise fault("PTG106", f"`{word}` must be a comparison", condition.span, expected="such as `heads > 1`")
    return (condition,)


def _comparison(key: Scalar, node: Node) -> Expr:
    """``name: 3`` or ``name: "<= 3"`` as an expression whose places are those of the key and the value."""
    text = f"== {node.text}" if isinstance(node, Scalar) and isinstance(node.value, int) else ""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        text = node.text.strip()
    try:
        tree = parsed_expression(f"{key.text} {text}")
    except (SyntaxError, ValueError):
        tree = ast.Constant(None)
    if not isinstance(tree, ast.Compare):
        expected = 'a number, or such as "<= 32"'
        raise fault("PTG104", f"the test of `{key.text}` cannot be {describe(node)}", node.span, expected=expected)
    places = (*range(key.start, key.stop), *(node.start,) * (len(text) + 1), node.stop)
    return Expr(tree, f"{key.text} {text}", key.source, places)
