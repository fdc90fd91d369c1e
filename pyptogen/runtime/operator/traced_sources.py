"""From a line of a kernel, as a compiler or the checked mode names it, to the spec."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Diagnostic, Span

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.origins import Origin, Traced

_SAID = re.compile(r"^(?P<file>[^\s:]+\.cpp):(?P<line>\d+)", re.MULTILINE)
_WRONG_INDEX = re.compile(r"wrong index: .*, site (?P<site>\d+)")


def traced_sources(generated: Generated) -> dict[str, Traced]:
    """Kernels and orchestration of a target by their paths in the generated folder."""
    sources = {f"{generated.target}/kernels/{kernel.name}.cpp": kernel.text for kernel in generated.kernels}
    sources[f"{generated.target}/orchestration.cpp"] = generated.orchestration
    return sources


def in_spec(diagnostic: Diagnostic, sources: Mapping[str, Traced]) -> Diagnostic:
    """The diagnostic at what of the spec its line of a kernel serves, if that is known; in C++ that an author wrote it
    keeps its column."""
    from pyptogen.lower.origins import AS_WRITTEN

    span = diagnostic.span
    origin = _origin(sources, span.file, span.line) if span is not None else None
    if span is None or origin is None or origin.span is None:
        return diagnostic
    place = origin.span
    if origin.part == AS_WRITTEN and span.end_col == place.end_col:
        place = replace(place, col=span.col)
    return replace(diagnostic, span=place)


def names_kernel(said: str) -> bool:
    """Whether a message of a run names a line of a source."""
    return _SAID.search(said) is not None


def place_of_message(said: str, generated: Generated) -> Span | None:
    """What of the spec a message of a run is about: the operation of a wrong index, or what the first line of a kernel
    serves that it names at the beginning of a line."""
    wrong = _WRONG_INDEX.search(said)
    if wrong is not None:
        return next((span for span, site in generated.program.sites.items() if site == int(wrong["site"])), None)
    sources = traced_sources(generated)
    found = (_place(sources, match["file"], int(match["line"])) for match in _SAID.finditer(said))
    return next((place for place in found if place is not None), None)


def _place(sources: Mapping[str, Traced], path: str, line: int) -> Span | None:
    origin = _origin(sources, path, line)
    return None if origin is None else origin.span


def _origin(sources: Mapping[str, Traced], path: str, line: int) -> Origin | None:
    traced = sources.get(path)
    return traced.origins[line - 1] if traced is not None and 0 < line <= len(traced.origins) else None
