"""Symbolic sizes as fast Python functions, so that a call does not need sympy."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd)
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "floor": lambda x: x // 1,
    "ceiling": lambda x: -(-x // 1),
    "Mod": lambda a, b: a % b,
    "Max": max,
    "Min": min,
}
"""sympy's names, as they stand in the text of an expression."""


def size_text(expression: Any) -> str:
    """A size (int or sympy expression) as Python source.

    Only arithmetic on names and integers passes: anything else raises ``ValueError``.
    """
    tree = ast.parse(str(expression), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            legal = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        elif isinstance(node, ast.Constant):
            legal = isinstance(node.value, int)
        else:
            legal = isinstance(
                node, (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, *_OPERATORS)
            )
        if not legal:
            raise ValueError(f"not a size: {expression}")
    return ast.unparse(tree)


def expand(text: str, definitions: Mapping[str, str]) -> str:
    """A size text with defined dims replaced by their size texts, until none is left."""
    while names_in(text) & definitions.keys():
        text = ast.unparse(_Substitute(definitions).visit(ast.parse(text, mode="eval")))
    return text


class _Substitute(ast.NodeTransformer):
    def __init__(self, definitions: Mapping[str, str]) -> None:
        self.definitions = definitions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.definitions.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


def names_in(text: str) -> frozenset[str]:
    """The dims that a size text depends on."""
    names = {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}
    return frozenset(names - set(_FUNCTIONS))


def sizes_function(
    texts: Sequence[Sequence[str]], parameters: Sequence[str]
) -> Callable[..., tuple[tuple[int, ...], ...]]:
    """A function of the given dims, by position, that returns one tuple of sizes per sequence of size texts.

    The texts must come from ``size_text``.
    """
    groups = ", ".join("(" + "".join(f"int({text}), " for text in group) + ")" for group in texts)
    source = f"lambda {', '.join(parameters)}: ({groups}{',' if groups else ''})"
    function: Callable[..., tuple[tuple[int, ...], ...]] = eval(  # only arithmetic: see size_text
        compile(source, "<sizes>", "eval"), {"__builtins__": {}, "int": int, **_FUNCTIONS}
    )
    return function


def solve_linear(text: str, name: str) -> tuple[int, int] | None:
    """(a, b) when the size is ``a * name + b`` with a > 0 and depends on nothing else; None otherwise."""
    if names_in(text) != {name}:
        return None
    at = sizes_function([[text]], [name])
    (zero,), (one,), (seven,) = (at(value)[0] for value in (0, 1, 7))
    slope = one - zero
    return (slope, zero) if slope > 0 and seven == 7 * slope + zero else None
