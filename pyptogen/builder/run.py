"""The build itself: which specs, which of them are unchanged, render the rest, write."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

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

    Files are staged beside their folder and renamed; a file that would not change is not touched. Either all
    specs are in order and all folders are written, or none is. Raises ``DiagnosticError`` with the findings
    of all specs, and PTG504 when ``out`` cannot be written.
    """
    folder = Path(out)
    # A check, or a look inside, must go the long way: the quick answer trusts the manifest.
    quick = check is False and dump_ir is None and not verify_each
    given = given_paths(spec_paths)
    plans = _plans(given, folder, targets, quick, None if dump_ir is None else Path(dump_ir), verify_each)
    finish = compare_with_disk if check else write
    try:
        operators = tuple(
            plan if isinstance(plan, OperatorBuild) else finish(plan.name, folder / plan.name, plan.files)
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


def _plans(
    given: Sequence[Path],
    out: Path,
    targets: Sequence[str] | None,
    quick: bool,
    dump_ir: Path | None,
    verify_each: bool,
) -> list[OperatorBuild | Rendered]:
    """Per spec: the finished answer where hashes give it, else the rendered folder. Findings of all specs are
    collected."""
    generator = generator_hash()
    plans: list[OperatorBuild | Rendered] = []
    findings: list[Diagnostic] = []
    owners: dict[str, Path] = {}
    for spec in find_specs(given):
        try:
            plan = _plan(spec, out, targets, quick, dump_ir, verify_each, generator, spec not in given)
            first = owners.setdefault(plan.name, spec)
            if first is not spec:
                raise fault("PTG208", f"operator `{plan.name}` is defined by `{first}` and by `{spec}`", None)
            plans.append(plan)
        except DiagnosticError as error:
            findings += error.diagnostics
    if findings:
        raise DiagnosticError(*findings)
    return plans


def _plan(
    spec: Path,
    out: Path,
    targets: Sequence[str] | None,
    quick: bool,
    dump_ir: Path | None,
    verify_each: bool,
    generator: str,
    lenient: bool,
) -> OperatorBuild | Rendered:
    known = unchanged(spec, out, targets, generator) if quick and spec.is_file() else None
    if known is not None:
        return OperatorBuild(known, out / known, quick=True)
    from pyptogen.builder.render import render_operator

    rendered = render_operator(spec, generator, targets, dump_ir, verify_each, lenient)
    return rendered if rendered.files else OperatorBuild(rendered.name, out / rendered.name, left_out=True)
