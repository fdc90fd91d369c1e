"""Where an operation runs: its example is lowered for each platform and dtype."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import DEFAULT_TARGETS
from pyptogen.lower.tensor.examples import example_dtypes, example_program
from pyptogen.lower.tensor.registry import Operation


@dataclass(frozen=True, slots=True)
class Support:
    """The dtypes for which an operation can be lowered to a platform, and why not for the others, by dtype."""

    platform: str
    dtypes: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


@cache
def support(operation: Operation) -> tuple[Support, ...]:
    """One entry per default platform, over the dtypes for which the operation has a meaning."""
    programs = {dtype: example_program(operation, dtype) for dtype in example_dtypes(operation)}
    entries = []
    for platform in DEFAULT_TARGETS:
        dtypes, refused = [], []
        for dtype, program in programs.items():
            try:
                lower(program, platform)
                dtypes.append(dtype)
            except DiagnosticError as error:
                refused.append((dtype, error.diagnostics[0].message))
        entries.append(Support(platform, tuple(dtypes), tuple(refused)))
    return tuple(entries)
