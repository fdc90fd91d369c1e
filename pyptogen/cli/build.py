"""``pyptogen build``: specs to generated folders."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyptogen.cli.told import OutputFormat, coloured, findings, said

if TYPE_CHECKING:
    from pyptogen.builder import BuildReport, OperatorBuild
    from pyptogen.diagnostics import Diagnostic
    from pyptogen.diagnostics.formats import Format


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="NAME", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of generated operators.")] = Path(
        "generated"
    ),
    dump_ir: Annotated[
        Path | None,
        typer.Option("--dump-ir", metavar="DIR", help="Write every level after every pass to DIR."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is stale, and why; exit 1 if anything is.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Write nothing; print what would change, kernels first, as a patch.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Write nothing; list what would be written and deleted.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite and delete files that were edited by hand, too.")
    ] = False,
    depfile: Annotated[
        Path | None,
        typer.Option("--depfile", metavar="FILE", help="Write what the output depends on, for make and ninja."),
    ] = None,
    depfile_target: Annotated[
        str | None,
        typer.Option(
            "--depfile-target",
            metavar="NAME",
            help="The target of its rule, such as a stamp file. Default: a rule for each manifest.",
        ),
    ] = None,
    verify_each: Annotated[
        bool, typer.Option("--verify-each", help="Check after every pass that it made a legal program.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Specs in work at a time. Default: one a processor."),
    ] = None,
    binary: Annotated[
        Path | None,
        typer.Option(
            "--binary",
            metavar="DIR",
            help="Write shared objects to DIR instead, for a list of machines: what uses them needs no compiler.",
        ),
    ] = None,
    machine: Annotated[
        list[str] | None,
        typer.Option(
            "--machine", metavar="NAME", help="With --binary: x86_64, aarch64, or one level, x86_64:avx2. Default: all."
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Render every spec anew, also what was rendered before.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Print findings alone: no line per file, no progress.")
    ] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Print how long each spec took to render.")] = False,
    package: Annotated[
        Path | None,
        typer.Option(
            "--package",
            metavar="DIR",
            help="Write one library of the specs to DIR, for a device or for C++.",
        ),
    ] = None,
    package_form: Annotated[
        str,
        typer.Option(
            "--form",
            metavar="device|simpler|cmake",
            help="With --package: which runtime it is for. Default: `cmake` for the target cpu, else `device`.",
        ),
    ] = "",
    form: OutputFormat = "full",
) -> None:
    """Generate kernels, wrappers and tests from specs."""
    from pyptogen.builder import build
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.builder.findings import edits
    from pyptogen.cli.progress import shown

    looking = check or diff or plan
    if binary is not None:
        if looking or target or depfile or dump_ir or verify_each or package:
            raise typer.BadParameter("goes with --machine alone", param_hint="--binary")
        _write_binaries(paths, binary, machine or [], form, quiet)
        return
    if package is not None:
        if looking or depfile or dump_ir or verify_each:
            raise typer.BadParameter("goes with --target, --form and --force alone", param_hint="--package")
        _package(paths, target or [], package, package_form, force, form, quiet)
        return
    if looking and depfile is not None:
        raise typer.BadParameter("--depfile goes with a build that writes", param_hint="--depfile")
    if depfile_target is not None and depfile is None:
        raise typer.BadParameter("goes with --depfile", param_hint="--depfile-target")
    with findings(form) as found:
        report = build(
            paths,
            out,
            target or None,
            looking,
            dump_ir,
            verify_each,
            jobs or usual_jobs(),
            force,
            reuse=not no_cache,
            progress=shown(quiet, verbose),
        )
        if diff:
            _print_difference(report, form)
            _print_meaning(report, out, target or None, jobs or usual_jobs())
        if plan:
            refused = () if force else edits(report.operators)
            found += refused
            if not refused:
                _print(report, form, quiet)
        elif not looking and not quiet:
            _print(report, form, quiet)
        if check:
            found += _found(report, form, quiet)
        if depfile is not None:
            _write_depfile(report, out, paths, depfile, depfile_target)


def _package(
    paths: list[Path], targets: list[str], folder: Path, kind: str, force: bool, form: Format, quiet: bool
) -> None:
    """A package in place of generated folders."""
    from pyptogen.package.folder import FORMS, build_package

    if len(targets) != 1 or targets[0] not in FORMS:
        known = " or ".join(f"`--target {target}`" for target in FORMS)
        raise typer.BadParameter(f"a package is for one target: {known}", param_hint="--target")
    if kind and kind not in FORMS[targets[0]]:
        expected = ", ".join(map(repr, FORMS[targets[0]]))
        raise typer.BadParameter(f"'{kind}' is not one of {expected}, for {targets[0]}.", param_hint="--form")
    with findings(form):
        done = build_package(paths, targets[0], folder, kind, force)
        if quiet:
            return
        for verb, changed in (("wrote", done.written), ("deleted", done.removed)):
            for path in changed:
                said(f"{verb} {folder / path}", form)
        for note in done.notes:
            said(f"note: {note}", form)
        if not done.written and not done.removed:
            said(f"{folder}: up to date", form)


def _write_binaries(paths: list[Path], folder: Path, machines: list[str], form: Format, quiet: bool) -> None:
    from pyptogen.builder.binaries import chosen_machines, write_binaries
    from pyptogen.schema import load_spec
    from pyptogen.spec_files import find_specs, given_paths

    with findings(form):
        specs = (load_spec(path) for path in find_specs(given_paths(paths)))
        for path in write_binaries(specs, folder, chosen_machines(machines)):
            if not quiet:
                said(f"wrote {path}", form)


def _print(report: BuildReport, form: Format, quiet: bool) -> None:
    wrote, deleted = ("would write", "would delete") if report.checked else ("wrote", "deleted")
    for operator in report.operators:
        _print_unchanged(operator, form, quiet)
        for path in operator.written:
            said(f"{wrote} {operator.folder / path}", form)
        for path in operator.removed:
            said(f"{deleted} {operator.folder / path}", form)
        for note in operator.notes if operator.changed else ():
            said(f"note: {note}", form)


def _print_unchanged(operator: OperatorBuild, form: Format, quiet: bool) -> None:
    if operator.left_out:
        said(f"{operator.folder}: left out, it is made for other targets", form)
    elif not operator.changed and not quiet:
        said(f"{operator.folder}: up to date", form)


def _found(report: BuildReport, form: Format, quiet: bool) -> tuple[Diagnostic, ...]:
    """What ``--check`` finds; a line for each operator without findings."""
    from pyptogen.builder.findings import findings

    for operator in report.operators:
        _print_unchanged(operator, form, quiet)
    return findings(report.operators)


def _print_difference(report: BuildReport, form: Format) -> None:
    from pyptogen.builder.differences import differences, summary

    for line in differences(report.operators):
        said(line, form)
    for line in summary(report.operators):
        typer.echo(line, err=True)


def _print_meaning(report: BuildReport, out: Path, targets: list[str] | None, jobs: int) -> None:
    """What the changed specs mean for callers and reviewers, on stderr: the report of ``pyptogen diff``."""
    if not report.changed:
        return
    from pyptogen.diagnostics import DiagnosticError
    from pyptogen.review.compare import review_built
    from pyptogen.review.render_text import render_text

    try:
        text = render_text(review_built(report.operators, out, targets, jobs), colour=coloured(sys.stderr))
    except DiagnosticError as error:  # nobody keeps a generated folder from holding what is no spec any more
        text = f"what the change means cannot be told: {error}"
    typer.echo(text, err=True)


def _write_depfile(report: BuildReport, out: Path, given: list[Path], path: Path, target: str | None) -> None:
    from pyptogen.builder.depfile import depfile
    from pyptogen.builder.writer import replace_file
    from pyptogen.diagnostics import fault

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, depfile(report.operators, out, target, given).encode())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        fix = "choose another file with `--depfile`"
        raise fault("PTG504", f"cannot write `{error.filename or path}`: {reason}", None, fix=fix) from None
