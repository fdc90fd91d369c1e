"""Which names the code of a program gives to what its operations make.

Each operation of a trace knows the calls that led to it, outermost first. Where it is the last one of an assignment,
its result has the name that is assigned to; the outermost assignment counts.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Callable, Sequence
from typing import Any

from pyptogen.importing.faults import Place

_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')
Frames = tuple[Place, ...]


def frames_of(node: Any, home: str, caller: str) -> Frames:
    """The user's lines that led to an operation, outermost first: those of torch itself (in ``home``) are left out, and
    all up to the file ``caller``, which called the program."""
    text = node.meta.get("stack_trace") or ""
    found = [(match["file"], int(match["line"])) for match in _FRAME.finditer(text)]
    inside = max((i for i, place in enumerate(found) if place[0] == caller), default=-1) + 1
    return tuple(place for place in found[inside:] if not place[0].startswith((home, "<", "torch/")))


def assigned_names(nodes: Sequence[Any], frames_of: Callable[[Any], Frames]) -> dict[Any, tuple[str, ...]]:
    """The names that each operation's results have in the code; several for a tuple, which its parts have, too."""
    traces = [frames_of(node) for node in nodes]
    parallel = _parallel_names(nodes, traces)
    named: dict[Any, tuple[str, ...]] = {}
    for i, (node, frames) in enumerate(zip(nodes, traces, strict=True)):
        behind = i + 1
        while (
            _is_part(node) and behind < len(nodes) and _is_part(nodes[behind]) and nodes[behind].args[0] is node.args[0]
        ):
            behind += 1
        following = traces[behind] if behind < len(nodes) else ()
        for depth, place in enumerate(frames):
            statement = _statement(*place)
            names = _targets(statement)
            if (node, depth) in parallel:
                named[node] = (parallel[node, depth],)
                break
            if statement is not None and names and not _goes_on(following, frames[:depth], place[0], statement):
                named[node] = names
                break
    return named


def _parallel_names(nodes: Sequence[Any], traces: Sequence[Frames]) -> dict[tuple[Any, int], str]:
    """The names that ``a, b = f(x), g(x)`` gives, by operation and by how deep the statement lies. Lines do not tell
    which operation is of which part; those that are used elsewhere are as many as the names, in their order."""
    made: dict[tuple[Frames, str, ast.stmt], dict[Any, None]] = {}
    for node, frames in zip(nodes, traces, strict=True):
        for depth, place in enumerate(frames):
            statement = _statement(*place)
            if statement is not None and _parts(statement):
                made.setdefault((frames[:depth], place[0], statement), {})[node] = None
    named: dict[tuple[Any, int], str] = {}
    for (before, _, statement), group in made.items():
        results = [node for node in group if any(user not in group for user in node.users)]
        names = _parts(statement)
        if len(results) == len(names):
            named |= {(node, len(before)): name for node, name in zip(results, names, strict=True) if name}
    return named


def _parts(statement: ast.stmt) -> tuple[str, ...]:
    """The names of an assignment of as many values; empty texts for those that give something else than a name."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            return tuple(one.id if isinstance(one, ast.Name) else "" for one in names)
    return ()


def _is_part(node: Any) -> bool:
    return getattr(node.target, "__name__", "") == "getitem"


def _goes_on(following: Frames, before: Frames, file: str, statement: ast.stmt) -> bool:
    """Whether the next operation is of the same statement of the same call."""
    depth = len(before)
    if following[:depth] != before or len(following) <= depth:
        return False
    return following[depth][0] == file and statement.lineno <= following[depth][1] <= (statement.end_lineno or 0)


def _targets(statement: ast.stmt | None) -> tuple[str, ...]:
    match statement:
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            if isinstance(target, ast.Name):
                return (target.id,)
            if isinstance(target, ast.Tuple) and not isinstance(getattr(statement, "value", None), ast.Tuple):
                return tuple(one.id if isinstance(one, ast.Name) else "" for one in target.elts)
    return ()


def returned_names(file: str, first: int) -> tuple[str, ...]:
    """The names in the last ``return`` of the function whose ``def`` is at a line; empty texts where it returns more
    than a name."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef) and first <= node.lineno <= first + len(node.decorator_list):
            returns = [one for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
            if returns:
                value = returns[-1].value
                parts = value.elts if isinstance(value, ast.Tuple) else [value]
                return tuple(one.id if isinstance(one, ast.Name) else "" for one in parts)
    return ()


@functools.cache
def _tree(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # what a notebook keeps is no file of Python
        return ast.Module([], [])


@functools.cache
def _statement(file: str, line: int) -> ast.stmt | None:
    """The innermost simple statement at a line."""
    best: ast.stmt | None = None
    for node in ast.walk(_tree(file)):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            best = node
    return best
