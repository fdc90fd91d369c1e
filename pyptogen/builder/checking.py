"""Checking a spec as far as a build would get, without rendering or writing anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from pyptogen.builder.at_once import each
from pyptogen.diagnostics import Diagnostic, DiagnosticError, gathering
from pyptogen.records import dataclass
from pyptogen.spec_files import PathLike, find_specs, given_paths


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
    results = [result for _, result in examine(paths, targets, verify_each, jobs)]
    findings = [one for result in results if isinstance(result, tuple) for one in result]
    if findings:
        raise DiagnosticError(*dict.fromkeys(findings))
    return tuple(result for result in results if isinstance(result, CheckedSpec))


Examined = CheckedSpec | tuple[Diagnostic, ...]
"""What was checked, or the findings."""


def examine(
    paths: PathLike | Iterable[PathLike],
    targets: Sequence[str] | None = None,
    verify_each: bool = False,
    jobs: int = 1,
) -> list[tuple[Path, Examined]]:
    """The same, spec by spec. Raises ``DiagnosticError`` PTG110 for a folder without any spec."""
    given = given_paths(paths)
    specs = find_specs(given)
    return list(zip(specs, each(partial(_examined, targets, verify_each, given), specs, jobs), strict=True))


def _examined(targets: Sequence[str] | None, verify_each: bool, given: Sequence[Path], path: Path) -> Examined:
    try:
        return _check(path, targets, verify_each, path not in given)
    except DiagnosticError as error:
        return error.diagnostics


def _check(path: Path, targets: Sequence[str] | None, verify_each: bool, lenient: bool) -> CheckedSpec:
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec
    from pyptogen.schema.backward import has_backward, load_backward
    from pyptogen.verify.telling import untold

    with gathering():
        spec = load_spec(path)
        program = from_spec(spec, verify_each=verify_each)
        alone = not has_backward(spec)
        if not alone:
            load_backward(spec)
    lowered = lower_targets(program, targets, None, lenient)
    chosen = [note for result in lowered.values() for note in result.notes]
    if alone and spec.backward is not None:
        chosen.append(f"{program.name}: no gradients, its operator `{spec.backward[0]}` does not lie beside it")
    return CheckedSpec(path, program.name, tuple(lowered), (*program.notes, *chosen), untold(spec, program))
