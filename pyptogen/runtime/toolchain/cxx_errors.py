"""What a C++ compiler says about a kernel, as a diagnostic at the line of the kernel."""

from __future__ import annotations

import re

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span

_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<text>.*)$")
_PLACE = re.compile(r"^(?:In file included from |\s+from )?(?P<file>[^:\n]+):(?P<line>\d+)(?::(?P<col>\d+))?[:,]")


def first_error(stderr: str) -> str:
    """The first error message without its place; the first line where none is recognised."""
    for line in stderr.splitlines():
        found = _ERROR.match(line)
        if found:
            return found["text"]
    lines = [line for line in stderr.splitlines() if line.strip()]
    return lines[0] if lines else "the compiler gave no message"


def compile_fault(path: str, text: str, stderr: str, compiler: str) -> DiagnosticError:
    """PTG502 for a source that does not compile.

    ``path`` and ``text`` are the source; ``stderr`` is what the compiler said. The span is the failing line of the
    source from the column on that the compiler names, None where it names no line.
    """
    line, column = failing_place(path, stderr)
    source = text.splitlines()
    kernel = path.rsplit("/", 1)[-1].removesuffix(".cpp")
    notes, span = [], None
    if line and line <= len(source):
        failing = source[line - 1]
        # Compilers count bytes; a column behind the line is that of a line end that is missing something.
        before = len(failing.encode()[: max(0, column - 1)].decode(errors="ignore"))
        span = Span(path, line, min(before, max(0, len(failing) - 1)) + 1, line, len(failing) + 1)
        notes.append(f"{path}:{line}: {source[line - 1].strip()}")
    notes += [found["text"] for found in map(_ERROR.match, stderr.splitlines()) if found][1:4]
    what = "the orchestration" if kernel == "orchestration" else f"kernel `{kernel}`"
    return DiagnosticError(
        Diagnostic(
            "PTG502",
            f"{what} does not compile: {first_error(stderr)}",
            span,
            expected=f"C++ that {compiler} accepts",
            fix="if the kernel was generated and not edited, this is a fault of pyptogen: please report it",
            notes=tuple((note, None) for note in notes),
        )
    )


def failing_place(path: str, stderr: str) -> tuple[int, int]:
    """The line of ``path`` at which the first error arises, also when it is reported inside a header, and its column
    in bytes; 0 for what is unknown.

    Compilers print the way into a header (`required from here`, `in instantiation of`) around the error
    itself.
    """
    before = 0, 0
    for text in stderr.splitlines():
        place = _PLACE.match(text)
        mine = (int(place["line"]), int(place["col"] or 0)) if place and place["file"].strip() == path else (0, 0)
        error = _ERROR.match(text)
        if error and (mine[0] or before[0]):
            return mine if mine[0] else before
        if mine[0]:
            before = mine
    return before
