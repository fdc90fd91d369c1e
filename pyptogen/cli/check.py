"""``pyptogen check``: everything that a build checks, and no file written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyptogen.cli.told import OutputFormat, Strict, findings, said

if TYPE_CHECKING:
    from pyptogen.diagnostics.formats import Format


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="SPEC…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="NAME", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    verify_each: Annotated[
        bool, typer.Option("--verify-each", help="Check after every pass that it made a legal program.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Specs in work at a time. Default: one a processor."),
    ] = None,
    form: OutputFormat = "full",
    strict: Strict = False,
    fix: Annotated[bool, typer.Option("--fix", help="Mend what has one way out; comments stay.")] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="With --fix: show what would be mended, and write nothing.")
    ] = False,
) -> None:
    """Check specs: syntax, names, shapes, types, tiling and memory, for each target."""
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.builder.checking import examine

    if diff and not fix:
        raise typer.BadParameter("--diff goes with --fix")
    with findings(form, strict) as found:
        if fix:
            _mend(paths, diff, form)
        if diff:
            return
        for path, result in examine(paths, target or None, verify_each, jobs or usual_jobs()):
            if isinstance(result, tuple):
                found += result
                continue
            targets = ", ".join(result.targets)
            said(f"{path}: {result.operator} {f'is fine for {targets}' if targets else _LEFT_OUT}", form)
            for note in result.notes:
                said(f"note: {note}", form)
            found += result.warnings


def _mend(paths: list[Path], diff: bool, form: Format) -> None:
    """`--fix`; with ``diff`` exit code 1 where anything would change."""
    from pyptogen.builder.fixing import fixed, write
    from pyptogen.spec_files import find_specs, given_paths

    mended = [one for path in find_specs(given_paths(paths)) if (one := fixed(path)) is not None]
    for one in mended:
        if diff:
            said(one.diff().removesuffix("\n"), form)
        else:
            write(one)
            said(f"{one.path}: {one.count} mended", form)
    if diff and mended:
        raise typer.Exit(1)


_LEFT_OUT = "is left out, made for other targets"
