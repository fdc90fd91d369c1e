"""Where an operation runs: its example is lowered for each platform and dtype."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import DEFAULT_TARGETS, PLATFORMS
from pyptogen.lower.tensor import fit, halves
from pyptogen.lower.tensor.building.registry import Operation
from pyptogen.lower.tensor.fit.fitter import WIDER
from pyptogen.lower.tensor.ir import DTYPES, Program, Value
from pyptogen.lower.tensor.reading.examples import EXAMPLE_DTYPES, EXAMPLE_ROWS, example_dtypes, example_program

HALVES = "2×int32"
"""How 64 bits are computed where instructions take 32."""


@dataclass(frozen=True, slots=True)
class Support:
    """The dtypes for which an operation can be lowered to a platform, and why not for the others, by dtype.
    ``through``: the dtype in which one of them is computed, where that is another that holds all its numbers."""

    platform: str
    dtypes: tuple[str, ...]
    refused: tuple[tuple[str, Diagnostic], ...]
    through: tuple[tuple[str, str], ...] = ()


@cache
def support(operation: Operation) -> tuple[Support, ...]:
    """One entry per default platform, over the dtypes for which the operation has a meaning."""
    programs = {dtype: example_program(operation, dtype) for dtype in example_dtypes(operation)}
    entries = []
    for platform in DEFAULT_TARGETS:
        dtypes, refused, through = [], [], []
        for dtype, program in programs.items():
            try:
                lowered_example(operation, dtype, platform)
                dtypes.append(dtype)
                wide = _computed_in(program, dtype, platform)
                through += [(dtype, wide)] if wide else []
            except DiagnosticError as error:
                refused.append((dtype, error.diagnostics[0]))
        entries.append(Support(platform, tuple(dtypes), tuple(refused), tuple(through)))
    return tuple(entries)


@lru_cache(maxsize=len(EXAMPLE_DTYPES) * len(DEFAULT_TARGETS))
def lowered_example(operation: Operation, dtype: str, platform: str) -> Lowered:
    """The operation's example for a platform, with the first tiling row that it can be lowered with.

    Raises:
        DiagnosticError: there is none; what the first row says.
    """
    first: DiagnosticError | None = None
    for row in EXAMPLE_ROWS:
        try:
            return lower(example_program(operation, dtype, row), platform)
        except DiagnosticError as error:
            first = first or error
    assert first is not None
    raise first


def _computed_in(program: Program, dtype: str, platform: str) -> str:
    """The widest dtype into which values of ``dtype`` are cast for the platform's instructions, and not because the
    program says so; `HALVES` for 64 bits in two halves; else nothing."""
    if halves.run(program, PLATFORMS[platform]).halves:
        return HALVES
    own = {op.result.name for op in program.ops}
    fitted = fit.run(program, PLATFORMS[platform]).ops
    casts = [op for op in fitted if op.kind == "cast" and op.result.name not in own]
    wide = {op.result.dtype for op in casts for v in op.operands if isinstance(v, Value) and v.dtype == dtype}
    wide &= set(WIDER.get(dtype, ()))
    return max(wide, key=lambda name: (name == "fp32", DTYPES[name]), default="")
