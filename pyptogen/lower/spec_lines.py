"""The lines of a spec, for the comments of generated code."""

from __future__ import annotations

from collections.abc import Callable

from pyptogen.diagnostics import Span, read_source


def spec_lines() -> Callable[[Span], str]:
    """Looks up the line of a spec, or of a file that it includes, that a span stands in, for comments in generated
    code. Without its number: a comment on top of a spec changes no kernel."""
    texts: dict[str, list[str]] = {}

    def line(span: Span) -> str:
        if span.file not in texts:
            texts[span.file] = (read_source(span.file) or "").split("\n")
        lines = texts[span.file]
        return lines[span.line - 1].split(" #")[0].strip().removeprefix("- ") if 0 < span.line <= len(lines) else ""

    return line
