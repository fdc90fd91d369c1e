"""What a C++ compiler says about a kernel, as a diagnostic that points at the spec."""

from __future__ import annotations

import re

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span

_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<text>.*)$")
_PLACE = re.compile(r"^(?:In file included from |\s+from )?(?P<file>[^:\n]+):(?P<line>\d+)[:,]")
_SPEC = re.compile(r"//.*\[(?P<file>[^\[\]:]+):(?P<line>\d+)\]\s*$")


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

    ``path`` and ``text`` are the source; ``stderr`` is what the compiler said. The span is the spec's,
    taken from the last comment ``// … [file:line]`` at or before the failing line.
    """
    line = failing_line(path, stderr)
    source = text.splitlines()
    kernel = path.rsplit("/", 1)[-1].removesuffix(".cpp")
    notes = []
    if line and line <= len(source):
        notes.append(f"{path}:{line}: {source[line - 1].strip()}")
    notes += [found["text"] for found in map(_ERROR.match, stderr.splitlines()) if found][1:4]
    what = "the orchestration" if kernel == "orchestration" else f"kernel `{kernel}`"
    return DiagnosticError(
        Diagnostic(
            "PTG502",
            f"{what} does not compile: {first_error(stderr)}",
            spec_place(source, line),
            expected=f"C++ that {compiler} accepts",
            fix="if the kernel was generated and not edited, this is a fault of pyptogen: please report it",
            notes=tuple((note, None) for note in notes),
        )
    )


def failing_line(path: str, stderr: str) -> int:
    """The line of ``path`` at which the first error arises, also when it is reported inside a header; 0 if
    unknown.

    Compilers print the way into a header (`required from here`, `in instantiation of`) around the error
    itself.
    """
    before = 0
    for text in stderr.splitlines():
        place = _PLACE.match(text)
        mine = int(place["line"]) if place and place["file"].strip() == path else 0
        error = _ERROR.match(text)
        if error and (mine or before):
            return mine or before
        if mine:
            before = mine
    return before


def spec_place(source: list[str], line: int) -> Span | None:
    """The place named by the nearest spec comment at or before a 1-based line."""
    for text in reversed(source[:line]):
        found = _SPEC.search(text)
        if found:
            line = int(found["line"])
            return Span(found["file"], line, 1, line, 2)
    return None
