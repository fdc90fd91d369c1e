"""Python's parser, for text of strangers: whatever is wrong with it is one error, and nothing is said on the side."""

from __future__ import annotations

import ast
import warnings


def parsed_expression(text: str) -> ast.expr:
    """The tree of an expression. Raises ``SyntaxError`` where it is none, and ``ValueError`` where the parser gives
    up: too many levels, or characters that it does not take."""
    tree = _parsed(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree.body


def parsed_file(text: str) -> list[ast.stmt]:
    """The statements of a file; raises the same."""
    tree = _parsed(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree.body


def _parsed(text: str, mode: str) -> ast.AST:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            tree: ast.AST = ast.parse(text, mode=mode)
        except (RecursionError, MemoryError):
            raise ValueError("too many levels") from None
    return tree
