"""From a line of a kernel, as a compiler or the checked mode names it, to the spec."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Diagnostic, Span

if TYPE_CHECKING:
    from pyptogen.lower.artifacts import Lowered
    from pyptogen.lower.origins import Traced

_SAID = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+)", re.MULTILINE)


def traced_sources(lowered: Lowered) -> dict[str, Traced]:
    """Kernels and orchestration of a target by their paths in the generated folder."""
    sources = {f"{lowered.target}/kernels/{kernel.name}.cpp": kernel.text for kernel in lowered.kernels}
    sources[f"{lowered.target}/orchestration.cpp"] = lowered.orchestration
    return sources


def in_spec(diagnostic: Diagnostic, sources: Mapping[str, Traced]) -> Diagnostic:
    """The diagnostic at what of the spec its line of a kernel serves, if that is known."""
    span = diagnostic.span
    place = _place(sources, span.file, span.line) if span is not None else None
    return diagnostic if place is None else replace(diagnostic, span=place)


def place_of_message(said: str, sources: Mapping[str, Traced]) -> Span | None:
    """What of the spec the first line of a kernel serves that a message of a run names at the beginning of a line."""
    found = (_place(sources, match["file"], int(match["line"])) for match in _SAID.finditer(said))
    return next((place for place in found if place is not None), None)


def _place(sources: Mapping[str, Traced], path: str, line: int) -> Span | None:
    traced = sources.get(path)
    return traced.origins[line - 1].span if traced is not None and 0 < line <= len(traced.origins) else None
