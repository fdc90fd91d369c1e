"""By how much the loops of a kernel step on, by the argument that their ends hang on.

before: for (b0 = 0; b0 < b; ++b0) { for (s0 = 0; s0 < s; s0 += 64) … }
after:  b 1, s 64

So a walk with one iteration of each loop takes b = 1 and s = 64. A common step of 64 would mean 64 iterations of the
loop over b.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from pyptogen.records import replace
from pyptogen.sanitize.arithmetic import combine
from pyptogen.sanitize.syntax import (
    Binary,
    Block,
    Braces,
    Call,
    Declaration,
    Evaluate,
    Expr,
    File,
    Function,
    If,
    Index,
    Literal,
    Loop,
    Member,
    Name,
    Statement,
    Switch,
    Ternary,
    Unary,
)
from pyptogen.sanitize.values import UNKNOWN

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def steps(
    function: Function, names: Collection[str], fixed: Mapping[str, int], unused: int | None = None
) -> dict[str, int]:
    """The longest step of the loops whose first or last value hangs on each argument, also by way of other variables.
    An argument that no loop hangs on gets ``unused``, by default the longest of all.

    Args:
        function: the kernel.
        names: its arguments.
        fixed: variables and calls that are numbers in every walk, such as ``nblk``.
    """
    uses: dict[str, set[str]] = {}
    loops: list[tuple[set[str], int]] = []
    for node in _statements(function.body):
        if isinstance(node, Declaration):
            given = node.initial if isinstance(node.initial, tuple) else (node.initial,)
            uses.setdefault(node.name, set()).update(*(_names(expr) for expr in given if expr is not None))
        elif isinstance(node, Evaluate) and isinstance(node.expr, Binary) and isinstance(node.expr.left, Name):
            uses.setdefault(node.expr.left.path[-1], set()).update(_names(node.expr.right))
        elif isinstance(node, Loop):
            loops.append((set(_names(node.condition)), max((_step(s, fixed) for s in node.steps), default=1)))
    longest = max((step for _, step in loops), default=1) if unused is None else unused
    found: dict[str, int] = {}
    for ends, step in loops:
        for name in _reached(ends, uses) & set(names):
            found[name] = max(found.get(name, 1), step)
    return {name: found.get(name, longest) for name in names}


def whole(function: Function, program: File) -> Function:
    """A kernel with the functions of its file that it calls, behind what calls them: loops and conditions hang on its
    arguments by way of theirs."""
    known = {other.name: other for other in program.functions if not other.kernel}
    body, seen = list(function.body.body), {function.name}
    for statement in body:
        for call in (part for node in _statements(statement) for part in _calls(node)):
            called = known.get(call.function.path[-1]) if isinstance(call.function, Name) else None
            if called is None or called.name in seen:
                continue
            seen.add(called.name)
            given = zip(called.parameters, call.arguments, strict=False)
            body += [Declaration(p.type or a, p.name, a, (), p.reference, False, call.token) for p, a in given]
            body.append(called.body)
    return replace(function, body=replace(function.body, body=tuple(body)))


def _calls(node: Statement) -> Iterator[Call]:
    return (part for part in _parts(node.expr) if isinstance(part, Call)) if isinstance(node, Evaluate) else iter(())


def _reached(ends: set[str], uses: Mapping[str, set[str]]) -> set[str]:
    """The variables that an expression with ``ends`` hangs on."""
    found, new = set(), set(ends)
    while new:
        found |= new
        new = {use for name in new for use in uses.get(name, ())} - found
    return found


def _step(node: Expr, fixed: Mapping[str, int]) -> int:
    """By how much ``i += 8``, ``i += n * 8`` or ``++i`` steps on; 1 where nobody knows."""
    if isinstance(node, Binary) and node.op == "+=":
        value = _number(node.right, fixed)
        return value if isinstance(value, int) and value > 0 else 1
    return 1


def _number(node: Expr, fixed: Mapping[str, int]) -> Any:
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Binary):
        return combine(node.op, _number(node.left, fixed), _number(node.right, fixed), node.token)
    name = node.function if isinstance(node, Call) else node
    return fixed.get(name.path[-1], UNKNOWN) if isinstance(name, Name) else UNKNOWN


def _statements(node: Statement | None) -> Iterator[Statement]:
    """A statement and all within it."""
    if node is None:
        return
    yield node
    inner: tuple[Statement | None, ...] = ()
    if isinstance(node, Block | Switch):
        inner = node.body
    elif isinstance(node, If):
        inner = (node.then, node.other)
    elif isinstance(node, Loop):
        inner = (node.initial, node.body)
    for part in inner:
        yield from _statements(part)


def compared(function: Function, names: Collection[str]) -> dict[str, list[int]]:
    """The whole numbers that its conditions compare each argument with, and those beside them where order counts."""
    found: dict[str, list[int]] = {name: [] for name in names}
    for node in _statements(function.body):
        for part in _parts(node.condition) if isinstance(node, If | Loop) else ():
            sides = (part.left, part.right) if isinstance(part, Binary) and part.op in _COMPARISONS else ()
            numbers = [e.value for e in sides if isinstance(e, Literal) and isinstance(e.value, int)]
            for name in (e.path[-1] for e in sides if isinstance(e, Name) and e.path[-1] in found):
                equal = isinstance(part, Binary) and part.op in ("==", "!=")
                found[name] += [n + d for n in numbers for d in ((0,) if equal else (-1, 0, 1))]
    return {name: list(dict.fromkeys(values)) for name, values in found.items()}


def _names(node: Expr | None) -> Iterator[str]:
    """The variables of an expression, functions too."""
    return (part.path[-1] for part in _parts(node) if isinstance(part, Name))


def _parts(node: Expr | None) -> Iterator[Expr]:
    """An expression and all within it."""
    if node is None:
        return
    yield node
    inner: tuple[Expr | None, ...] = ()
    if isinstance(node, Binary):
        inner = (node.left, node.right)
    elif isinstance(node, Unary):
        inner = (node.operand,)
    elif isinstance(node, Ternary):
        inner = (node.condition, node.then, node.other)
    elif isinstance(node, Call):
        inner = (node.function, *node.arguments)
    elif isinstance(node, Member | Index):
        inner = (node.object, node.index if isinstance(node, Index) else None)
    elif isinstance(node, Braces):
        inner = node.items
    for part in inner:
        yield from _parts(part)
