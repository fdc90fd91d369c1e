"""The build itself: which specs, which of them are unchanged, render the rest, write."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen.builder.at_once import each
from pyptogen.builder.fingerprint import generator_hash, unchanged
from pyptogen.builder.report import BuildReport, OperatorBuild
from pyptogen.builder.writer import compare_with_disk, write
from pyptogen.diagnostics import Diagnostic, DiagnosticError, fault

if TYPE_CHECKING:
    from pyptogen.builder.render import Rendered

SPEC_SUFFIXES = frozenset({".yaml", ".yml", ".toml"})
PathLike = str | os.PathLike[str]


def build(
    spec_paths: PathLike | Iterable[PathLike],
    out: PathLike = "generated",
    targets: Sequence[str] | None = None,
    check: bool = False,
    dump_ir: PathLike | None = None,
    verify_each: bool = False,
    jobs: int = 1,
) -> BuildReport:
    """Write ``out/<operator>/`` for each spec: kernels and orchestration per target, wrappers, harness,
    manifest.

    Args:
        spec_paths: specs, or folders of specs (not their sub-folders, which hold tables)
        out: the folder of all operators
        targets: platforms to build for; None means those that each spec declares. A spec that has none of them is
            left out where a folder led to it. A folder of an operator holds what was built last:
            files of another target, and kernels that no longer exist, are deleted
        check: compare with what is on disk and write nothing; ``BuildReport.changed`` then says that the
            output is stale
        dump_ir: a folder for the text of every level after every pass
        verify_each: check after every pass that it made a legal program, also where hashes say that nothing changed
        jobs: specs in work at a time, each in a forked process; more than 1 only where the caller has no threads

    Files are staged beside their folder and renamed; a file that would not change is not touched. Either all
    specs are in order and all folders are written, or none is. Raises ``DiagnosticError`` with the findings
    of all specs, and PTG504 when ``out`` cannot be written.
    """
    folder = Path(out)
    # A check, or a look inside, must go the long way: the quick answer trusts the manifest.
    quick = check is False and dump_ir is None and not verify_each
    given = given_paths(spec_paths)
    options = _Options(targets, generator_hash(), None if dump_ir is None else Path(dump_ir), verify_each)
    plans = _plans(given, folder, options, quick, jobs)
    finish = compare_with_disk if check else write
    try:
        operators = tuple(
            plan
            if isinstance(plan, OperatorBuild)
            else replace(finish(plan.name, folder / plan.name, plan.files), notes=plan.notes)
            for plan in plans
        )
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise fault(
            "PTG504",
            f"cannot write `{error.filename}`: {reason}",
            None,
            fix="choose another folder with `-o`",
        ) from None
    return BuildReport(operators, check)


def find_specs(paths: PathLike | Iterable[PathLike]) -> tuple[Path, ...]:
    """The spec files that paths name: files as they are, folders as the specs in them, sorted by name.

    Raises ``DiagnosticError`` PTG110 for a folder without any spec.
    """
    specs: list[Path] = []
    for path in given_paths(paths):
        if not path.is_dir():
            specs.append(path)
            continue
        found = sorted(entry for entry in path.iterdir() if entry.suffix in SPEC_SUFFIXES and entry.is_file())
        if not found:
            raise fault("PTG110", f"no spec in folder `{path}`", None, expected="files named *.yaml, *.yml or *.toml")
        specs += found
    return tuple(dict.fromkeys(specs))


def given_paths(paths: PathLike | Iterable[PathLike]) -> list[Path]:
    """One path or several, as a list: a spec that is not among them was found in a folder."""
    return [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]


@dataclass(frozen=True, slots=True)
class _Options:
    """How all specs of a build are rendered: as in `build`, and the hash of the generator."""

    targets: Sequence[str] | None
    generator: str
    dump_ir: Path | None
    verify_each: bool


def _plans(
    given: Sequence[Path], out: Path, options: _Options, quick: bool, jobs: int
) -> list[OperatorBuild | Rendered]:
    """Per spec: the finished answer where hashes give it, else the rendered folder. Findings of all specs are
    collected."""
    specs = find_specs(given)
    known = {s: unchanged(s, out, options.targets, options.generator) if quick and s.is_file() else None for s in specs}
    stale = [spec for spec in specs if known[spec] is None]
    lenient = frozenset(stale).difference(given)
    rendered = dict(zip(stale, each(partial(_render, options, lenient), stale, jobs), strict=True))
    plans: list[OperatorBuild | Rendered] = []
    findings: list[Diagnostic] = []
    owners: dict[str, Path] = {}
    for spec in specs:
        made = rendered.get(spec)
        if isinstance(made, tuple):
            findings += made
            continue
        plan = _plan(made, known[spec], out)
        first = owners.setdefault(plan.name, spec)
        if first is not spec:
            message = f"operator `{plan.name}` is defined by `{first}` and by `{spec}`"
            findings.append(Diagnostic("PTG208", message, None))
            continue
        plans.append(plan)
    if findings:
        raise DiagnosticError(*findings)
    return plans


def _render(options: _Options, lenient: Collection[Path], spec: Path) -> Rendered | tuple[Diagnostic, ...]:
    """The folder of a spec, or what is wrong with that. ``lenient``: specs that a folder led to."""
    from pyptogen.builder.render import render_operator

    try:
        return render_operator(
            spec, options.generator, options.targets, options.dump_ir, options.verify_each, spec in lenient
        )
    except DiagnosticError as error:
        return error.diagnostics


def _plan(made: Rendered | None, known: str | None, out: Path) -> OperatorBuild | Rendered:
    if made is None:
        assert known is not None
        return OperatorBuild(known, out / known, quick=True)
    return made if made.files else OperatorBuild(made.name, out / made.name, left_out=True)
