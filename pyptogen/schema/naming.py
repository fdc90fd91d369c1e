"""Names a spec may give, and the check that each is given one meaning."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from pyptogen.diagnostics import Span, fault, keep
from pyptogen.schema.contract import DTYPES
from pyptogen.schema.tree import Scalar

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_SNAKE = re.compile(r"[a-z][a-z0-9_]*\Z")
_WORDS = frozenset({"true", "false", "null", "inf", "nan", "target", "when", "fuse", "out"})
_IN_THE_GRAPH = frozenset({"a value", "an output", "a parameter"})
_FREE = {"out": _IN_THE_GRAPH | {"a stage"}, "target": _IN_THE_GRAPH | {"an input"}}
"""What may be called so all the same: `out` is an argument of calls, `target` a subject of conditions, like a dim."""
RESERVED = _WORDS | frozenset(keyword.kwlist) | frozenset(DTYPES)
"""Expressions have Python's grammar, and names become its parameters, so its words are taken; those of C++ are not, as
C++ text spells such a name otherwise."""


def check_name(name: str, span: Span, what: str, *, snake: bool = False) -> str:
    """``name`` if it may be given to a ``what``; raises PTG213."""
    if name in RESERVED and what not in _FREE.get(name, ()):
        raise fault(
            "PTG213",
            f"`{name}` is reserved and cannot name {what}",
            span,
            fix=f"choose another name, such as `{name}_`",
        )
    if not (_SNAKE if snake else _NAME).match(name) or name.endswith("__"):
        kind = "lower-case letters" if snake else "letters"
        raise fault(
            "PTG213",
            f"`{name}` cannot name {what}",
            span,
            expected=f"{kind}, digits and underscores, a letter first",
            fix="give it a name: what nothing reads is not computed" if name == "_" and what == "a value" else "",
        )
    return name


def check_key(key: Scalar, what: str) -> str:
    """The text of a key that gives a name; raises PTG213."""
    return check_name(key.text, key.span, what)


def check_distinct(named: Iterable[tuple[str, Span, str]]) -> None:
    """Raises PTG208 for each (name, span, what) whose name stood before; of several definitions none is judged."""
    seen: dict[str, tuple[Span, str]] = {}
    for name, span, what in named:
        if name in seen:
            first_span, first_what = seen[name]
            keep(defined_twice(name, span, what, first_span, first_what), name)
        else:
            seen[name] = (span, what)


def check_ranges(dynamic: Iterable[str], named: Iterable[tuple[str, Span, str]]) -> None:
    """Raises PTG213 for each (name, span, what) that arguments of every kernel have: the number of blocks, and
    where the range of a dynamic dim begins and ends."""
    taken = {"nblk": "the number of blocks"}
    for dim in dynamic:
        taken |= {f"{dim}_begin": f"where a range of `{dim}` begins", f"{dim}_end": f"where a range of `{dim}` ends"}
    for name, span, what in named:
        if name in taken:
            taken_name = fault(
                "PTG213",
                f"`{name}` cannot name {what}: kernels call {taken[name]} so",
                span,
                fix=f"choose another name, such as `{name}_`",
            )
            keep(taken_name)


def defined_twice(name: str, span: Span, what: str, first_span: Span, first_what: str) -> Exception:
    """PTG208 with both places."""
    return fault(
        "PTG208",
        f"`{name}` is defined twice: as {first_what}, and here as {what}",
        span,
        expected="each name defined once",
        fix="rename one of the two",
        notes=((f"first defined here, as {first_what}", first_span),),
    )
