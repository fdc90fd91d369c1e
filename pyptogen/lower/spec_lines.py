"""The lines of a spec, for the comments of generated code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyptogen.diagnostics import Span, read_source


def spec_lines() -> Callable[[Span], str]:
    """Looks up the line of a spec, or of a file that it includes, that a span stands in, with its place, for comments
    in generated code."""
    texts: dict[str, list[str]] = {}

    def line(span: Span) -> str:
        if span.file not in texts:
            texts[span.file] = (read_source(span.file) or "").split("\n")
        lines = texts[span.file]
        text = lines[span.line - 1].split(" #")[0].strip().removeprefix("- ") if 0 < span.line <= len(lines) else ""
        return f"{text}  [{Path(span.file).name}:{span.line}]"

    return line
