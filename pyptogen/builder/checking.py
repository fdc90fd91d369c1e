"""Checking a spec as far as a build would get, without rendering or writing anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyptogen.builder.at_once import each
from pyptogen.builder.run import PathLike, find_specs, given_paths
from pyptogen.diagnostics import Diagnostic, DiagnosticError


@dataclass(frozen=True, slots=True)
class CheckedSpec:
    """A spec without findings, the targets for which it was lowered, and what its author may want to know."""

    path: Path
    operator: str
    targets: tuple[str, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def check_specs(
    paths: PathLike | Iterable[PathLike],
    targets: Sequence[str] | None = None,
    verify_each: bool = False,
    jobs: int = 1,
) -> tuple[CheckedSpec, ...]:
    """Load and lower each spec for each target; ``verify_each`` and ``jobs`` as in a build. Targets that a spec does
    not have are left out where a folder led to it. Raises ``DiagnosticError`` with the findings of all specs."""
    given = given_paths(paths)
    found = each(partial(_checked, targets, verify_each, given), find_specs(given), jobs)
    findings = [diagnostic for one in found if isinstance(one, tuple) for diagnostic in one]
    if findings:
        raise DiagnosticError(*findings)
    return tuple(one for one in found if isinstance(one, CheckedSpec))


def _checked(
    targets: Sequence[str] | None, verify_each: bool, given: Sequence[Path], path: Path
) -> CheckedSpec | tuple[Diagnostic, ...]:
    try:
        return _check(path, targets, verify_each, path not in given)
    except DiagnosticError as error:
        return error.diagnostics


def _check(path: Path, targets: Sequence[str] | None, verify_each: bool, lenient: bool) -> CheckedSpec:
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec
    from pyptogen.verify.telling import untold

    spec = load_spec(path)
    program = from_spec(spec, verify_each=verify_each)
    lowered = lower_targets(program, targets, None, lenient)
    chosen = [note for result in lowered.values() for note in result.notes]
    return CheckedSpec(path, program.name, tuple(lowered), (*program.notes, *chosen), untold(spec, program))
