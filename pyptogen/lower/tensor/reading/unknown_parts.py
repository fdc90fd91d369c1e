"""What is certainly unknown in an expression that is not evaluated, or whose evaluation stopped at its first error."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from pyptogen.diagnostics import DiagnosticError, is_sound, keep, kept
from pyptogen.lower.tensor.building.registry import operations
from pyptogen.lower.tensor.reading.evaluate import unknown_operation
from pyptogen.lower.tensor.reading.scalars import CONSTANTS, FUNCTIONS
from pyptogen.schema import Expr


def tell(
    expr: Expr,
    names: Collection[str],
    functions: Collection[str],
    unknown: Callable[[str, Expr, ast.AST], DiagnosticError],
) -> None:
    """Keeps an error for each operation that does not exist, and for each operand of an operator that is no name of
    ``names`` (what an argument of a call may be, its operation decides)."""
    for node in ast.walk(expr.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name not in operations() and name not in functions and name not in FUNCTIONS and is_sound(name):
                keep(unknown_operation(name, expr, node.func, functions))
        for operand in _operands(node):
            if operand.id not in names and operand.id not in CONSTANTS and is_sound(operand.id):
                with kept():
                    raise unknown(operand.id, expr, operand)


def _operands(node: ast.AST) -> Iterator[ast.Name]:
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Subscript | ast.Attribute):
        parts = [node.value]
    yield from (part for part in parts if isinstance(part, ast.Name))
