"""Symbolic sizes as fast Python functions, so that a call does not need sympy."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd)
_FUNCTIONS = frozenset({"floor", "ceiling", "Mod", "Max", "Min"})
"""sympy's names, as they stand in the text of an expression."""
_CALLED: Mapping[str, Callable[..., Any]] = {"int": int, "Max": max, "Min": min}
"""What the source of a function of sizes calls."""


def size_text(expression: Any) -> str:
    """A size (int or sympy expression) as Python source.

    Only arithmetic on names and integers passes: anything else raises ``ValueError``.
    """
    return _size_text(str(expression))


@functools.lru_cache(maxsize=1024)
def _size_text(expression: str) -> str:
    """The same few sizes over and over."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            legal = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        elif isinstance(node, ast.Constant):
            legal = isinstance(node.value, int)
        else:
            legal = isinstance(node, (ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, *_OPERATORS))
        if not legal:
            raise ValueError(f"not a size: {expression}")
    return ast.unparse(tree)


def expand(text: str, definitions: Mapping[str, str]) -> str:
    """A size text with defined dims replaced by their size texts, until none is left."""
    while names_in(text) & definitions.keys():
        text = ast.unparse(_Substitute(definitions).visit(ast.parse(text, mode="eval")))
    return text


class _Substitute(ast.NodeTransformer):
    """Replaces dims; a function keeps its name, also where a dim is called the same."""

    def __init__(self, definitions: Mapping[str, str]) -> None:
        self.definitions = definitions

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return ast.Call(node.func, [self.visit(argument) for argument in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self.definitions.get(node.id)
        return node if text is None else ast.parse(text, mode="eval").body


@functools.lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """The dims that a size text depends on."""
    tree = ast.parse(text, mode="eval")
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions)


def sizes_function(
    texts: Sequence[Sequence[str]],
    parameters: Sequence[str],
    called: Mapping[str, Callable[..., Any]] = _CALLED,
) -> Callable[..., tuple[tuple[int, ...], ...]]:
    """A function of the given dims, by position, that returns one tuple of sizes per sequence of size texts.

    The texts must come from ``size_text``. Only whole numbers are computed with. ``called``: other functions for
    ``int``, ``Max`` and ``Min``, for dims that are symbols.
    """
    own = _Substitute({name: f"_{i}" for i, name in enumerate(parameters)})  # a dim may be called `int` or `floor`

    def source_of(text: str) -> str:
        if text.isdecimal():
            return text
        above, below = fraction(own.visit(ast.parse(text, mode="eval")).body)
        return f"{above} // {below}" if below else above

    groups = ", ".join("(" + "".join(f"int({source_of(text)}), " for text in group) + ")" for group in texts)
    source = f"lambda {', '.join(own.definitions.values())}: ({groups}{',' if groups else ''})"
    function: Callable[..., tuple[tuple[int, ...], ...]] = eval(  # only arithmetic: see size_text
        compile(source, "<sizes>", "eval"), {"__builtins__": {}, **called}
    )
    return function


def fraction(node: ast.expr) -> tuple[str, str]:
    """A size as source: above and below the line, nothing below where it is whole."""
    match node:
        case ast.BinOp():
            return _arithmetic(node.op, fraction(node.left), fraction(node.right))
        case ast.UnaryOp(op=ast.USub()):
            above, below = fraction(node.operand)
            return f"(-{above})", below
        case ast.UnaryOp():
            return fraction(node.operand)
        case ast.Call(func=ast.Name(id=name)):
            return _called(name, [fraction(argument) for argument in node.args])
    return ast.unparse(node), ""


def _arithmetic(op: ast.operator, left: tuple[str, str], right: tuple[str, str]) -> tuple[str, str]:
    (a, b), (c, d) = left, right
    match op:
        case ast.Add() | ast.Sub():
            sign = "+" if isinstance(op, ast.Add) else "-"
            return (f"({_times(a, d)} {sign} {_times(c, b)})", _times(b, d))
        case ast.Mult():
            return _times(a, c), _times(b, d)
        case ast.Div():
            return _times(a, d), _times(b, c)
        case ast.FloorDiv():
            return f"({_times(a, d)} // {_times(b, c)})", ""
        case ast.Pow():
            return f"({a} ** {c})", f"({b} ** {c})" if b else ""
    return _called("Mod", [left, right])


def _called(name: str, given: Sequence[tuple[str, str]]) -> tuple[str, str]:
    if name in ("floor", "ceiling"):
        ((above, below),) = given
        if not below:
            return above, ""
        return (f"({above} // {below})", "") if name == "floor" else (f"(-(-{above} // {below}))", "")
    below = functools.reduce(_times, (b for _, b in given), "")
    whole = [
        functools.reduce(_times, (b for j, (_, b) in enumerate(given) if j != i), above)
        for i, (above, _) in enumerate(given)
    ]
    return f"({whole[0]} % {whole[1]})" if name == "Mod" else f"{name}({', '.join(whole)})", below


def _times(a: str, b: str) -> str:
    return f"({a} * {b})" if a and b else a or b


@dataclass(frozen=True, slots=True)
class Solution:
    """How a dim follows from the size of an axis: ``size = scale * dim + offset``.

    ``coefficients`` gives (offset, scale + offset) for the values of the dims in ``needs``, by position.
    """

    needs: tuple[str, ...]
    coefficients: Callable[..., tuple[tuple[int, ...], ...]]

    def solve(self, size: int, known: Mapping[str, int]) -> int | None:
        """The dim, or None when no integer gives this size."""
        ((offset, one),) = self.coefficients(*(known[name] for name in self.needs))
        scale = one - offset
        return None if scale <= 0 or (size - offset) % scale else (size - offset) // scale


def solve_linear(text: str, name: str, *, called: Mapping[str, Callable[..., Any]] = _CALLED) -> Solution | None:
    """How ``name`` follows from an axis whose size is linear in it with a positive factor; else None. ``called`` is
    that of ``sizes_function``."""
    needs = tuple(sorted(names_in(text) - {name}))
    if name not in names_in(text):
        return None
    at = sizes_function([[text]], [*needs, name])
    # Any values do for a test of degree and sign; the other dims are positive.
    (zero,), (one,), (seven,) = (at(*(3 for _ in needs), value)[0] for value in (0, 1, 7))
    if one <= zero or seven - zero != 7 * (one - zero):
        return None
    ends = [expand(text, {name: "0"}), expand(text, {name: "1"})]
    return Solution(needs, sizes_function([ends], needs, called))
