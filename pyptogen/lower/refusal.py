"""What a plan cannot be, as data: why, where, and what would help.

A plan is refused (these operations in one kernel, these tiles) by raising `Refused`. Whoever has another plan to try
asks with `asked`, and gets the refusal as a value. One that nobody takes is the author's fault, and reads so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Note, Span
from pyptogen.records import dataclass, replace

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CopyOf:
    """The value ``name`` cannot be read where it lies, such as slices that an index finds, or not written where it is
    to lie: it is copied."""

    name: str


@dataclass(frozen=True, slots=True)
class TwoKernels:
    """The result ``reader`` cannot be made from a tile of ``value`` in the same kernel: that goes through GM. Both are
    the same where an operation is a kernel of its own."""

    reader: str
    value: str

    @property
    def edge(self) -> tuple[str, str]:
        return self.reader, self.value


Remedy = CopyOf | TwoKernels


@dataclass(frozen=True, slots=True)
class Refusal:
    """``diagnostics`` tell people; ``remedy`` is what the compiler itself can do about it, if there is anything."""

    diagnostics: tuple[Diagnostic, ...]
    remedy: Remedy | None = None

    def helped_by(self, remedy: Remedy) -> Refusal:
        """The same with another remedy."""
        return replace(self, remedy=remedy)

    def error(self) -> Refused:
        return Refused(self)


class Refused(DiagnosticError):
    """A plan that cannot be."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(*refusal.diagnostics)
        self.refusal = refusal

    def helped_by(self, remedy: Remedy) -> Refused:
        """The same with another remedy."""
        return Refused(self.refusal.helped_by(remedy))


def asked(make: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | Refusal:
    """What a step makes, or why it cannot."""
    try:
        return make(*arguments, **named)
    except Refused as refused:
        return refused.refusal


def require_no_copy(refusal: Refusal) -> None:
    """Go on with another plan, but where a copy would help: then no plan will do without it.

    Raises:
        Refused: a copy would help.
    """
    if isinstance(refusal.remedy, CopyOf):
        raise refusal.error()


def refuse(
    code: str, message: str, span: Span, *, expected: str = "", fix: str = "", notes: tuple[Note, ...] = ()
) -> Refused:
    """A refusal for people, ready to be raised."""
    return Refused(Refusal((Diagnostic(code, message, span, expected, fix, notes),)))


def unsupported(span: Span, what: str, fix: str) -> Refused:
    """PTG303 for something that this version cannot lower."""
    return refuse("PTG303", f"cannot lower {what}", span, expected="a form that maps to 2-D tiles", fix=fix)
