"""What is certainly unknown in an expression that is not evaluated, or whose evaluation stopped at its first error."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pyptogen.diagnostics import DiagnosticError, is_sound, keep, kept
from pyptogen.lower.tensor.building.registry import operations
from pyptogen.lower.tensor.reading.arguments import bind_arguments, bind_function
from pyptogen.lower.tensor.reading.evaluate import unknown_operation
from pyptogen.lower.tensor.reading.scalars import CONSTANTS, FUNCTIONS
from pyptogen.schema import Expr, FunctionSpec

_READ = frozenset({"tensor", "operand", "scalar"})
"""Kinds of arguments whose names mean values."""


def tell(
    expr: Expr,
    names: Collection[str],
    functions: Mapping[str, FunctionSpec],
    unknown: Callable[[str, Expr, ast.AST], DiagnosticError],
) -> None:
    """Keeps an error for each operation that does not exist, for each call whose arguments are not those of what is
    called, and for each operand of an operator or of a call that is no name of ``names``."""
    for node in ast.walk(expr.node):
        operands: Iterable[ast.Name] = _operands(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            with kept():
                operands = _arguments(node, node.func.id, expr, functions)
        for operand in operands:
            if operand.id not in names and operand.id not in CONSTANTS and is_sound(operand.id):
                keep(unknown(operand.id, expr, operand))


def _arguments(call: ast.Call, name: str, expr: Expr, functions: Mapping[str, FunctionSpec]) -> Iterable[ast.Name]:
    """Names among the arguments that must mean values. Raises PTG202 and PTG203."""
    if not is_sound(name):
        return ()
    if name in functions:
        bound = bind_function(functions[name], call, expr)
    elif name in FUNCTIONS and (name not in operations() or not call.keywords):
        return ()  # a function of numbers, perhaps
    elif name in operations():
        operation = operations()[name]
        bound = bind_arguments(name, operation.signature, operation.parameters, call, expr)
    else:
        raise unknown_operation(name, expr, call.func, functions)
    return [node for parameter, node in bound if isinstance(node, ast.Name) and parameter.kind in _READ]


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
