"""Names a spec may give, and the check that each is given one meaning."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from pyptogen.diagnostics import Span, fault
from pyptogen.schema.contract import DTYPES
from pyptogen.schema.tree import Scalar

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_SNAKE = re.compile(r"[a-z][a-z0-9_]*\Z")
_WORDS = frozenset({"true", "false", "null", "inf", "nan", "target", "when", "fuse", "out"})
_OF_CONDITIONS_AND_CALLS = frozenset({"target", "out"})
"""Taken where conditions of rows read a name, or a call an argument: not by what only the graph knows."""
_IN_THE_GRAPH = frozenset({"a value", "an output", "a parameter"})
_CPP = (
    "alignas alignof and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do double dynamic_cast else enum explicit export extern float for friend goto if "
    "inline int long mutable namespace new noexcept not_eq nullptr operator or_eq private protected public "
    "register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct "
    "switch template this thread_local throw try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq "
)
RESERVED = _WORDS | frozenset(_CPP.split()) | frozenset(keyword.kwlist) | frozenset(DTYPES)
"""Names become Python parameters and C++ variables, so the words of both languages are taken."""


def check_name(name: str, span: Span, what: str, *, snake: bool = False) -> str:
    """``name`` if it may be given to a ``what``; raises PTG213. A stage may be called `out`, and a value or an output
    `out` or `target`: no parameter takes their names."""
    free = (name, what) == ("out", "a stage") or (name in _OF_CONDITIONS_AND_CALLS and what in _IN_THE_GRAPH)
    if name in RESERVED and not free:
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
    """Raises PTG208 for the first (name, span, what) whose name stood before."""
    seen: dict[str, tuple[Span, str]] = {}
    for name, span, what in named:
        if name in seen:
            first_span, first_what = seen[name]
            raise defined_twice(name, span, what, first_span, first_what)
        seen[name] = (span, what)


def check_ranges(dynamic: Iterable[str], named: Iterable[tuple[str, Span, str]]) -> None:
    """Raises PTG213 for the first (name, span, what) that arguments of every kernel have: the number of blocks, and
    where the range of a dynamic dim begins and ends."""
    taken = {"nblk": "the number of blocks"}
    for dim in dynamic:
        taken |= {f"{dim}_begin": f"where a range of `{dim}` begins", f"{dim}_end": f"where a range of `{dim}` ends"}
    for name, span, what in named:
        if name in taken:
            raise fault(
                "PTG213",
                f"`{name}` cannot name {what}: kernels call {taken[name]} so",
                span,
                fix=f"choose another name, such as `{name}_`",
            )


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
