"""One finding about a user's input, and the exception that carries findings."""

from __future__ import annotations

from typing import Literal

from pyptogen.diagnostics.codes import CODES
from pyptogen.diagnostics.span import Span
from pyptogen.records import dataclass

Severity = Literal["error", "warning", "note"]
Note = tuple[str, Span | None]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding: what is wrong, where, what was expected and what to do about it.

    ``notes`` are further sentences, each with the place it speaks of or None. ``file`` is what a finding without a
    ``span`` speaks of as a whole, where that is a file: documents name it, and text does not, whose message does.
    Raises ``KeyError`` for a code that is not in the registry.
    """

    code: str
    message: str
    span: Span | None
    expected: str = ""
    fix: str = ""
    notes: tuple[Note, ...] = ()
    severity: Severity = "error"
    file: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(f"unregistered diagnostic code {self.code}")

    def __str__(self) -> str:
        place = f"{self.span}: " if self.span else ""
        return f"{place}{self.severity} {self.code}: {self.message}"

    @property
    def path(self) -> str:
        """The file that the finding speaks of; empty where there is none."""
        return self.span.file if self.span else self.file

    @property
    def ways(self) -> tuple[str, ...]:
        """What was expected and the way out, a line each."""
        return tuple(f"{word}: {text}" for word, text in (("expected", self.expected), ("fix", self.fix)) if text)

    @property
    def details(self) -> tuple[str, ...]:
        """The same, and the notes with their places."""
        return (*self.ways, *(f"note: {text}" + (f" ({span})" if span else "") for text, span in self.notes))


class DiagnosticError(Exception):
    """A user's fault: one or more diagnostics, in the order of the source. As text it says of each what was expected
    and the way out; it shows no source, which may have changed since."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join("\n  ".join((str(one), *one.details)) for one in diagnostics))
        self.diagnostics: tuple[Diagnostic, ...] = diagnostics


def fault(
    code: str,
    message: str,
    span: Span | None,
    *,
    expected: str = "",
    fix: str = "",
    notes: tuple[Note, ...] = (),
) -> DiagnosticError:
    """A ``DiagnosticError`` with one error, ready to be raised."""
    return DiagnosticError(Diagnostic(code, message, span, expected, fix, notes))
