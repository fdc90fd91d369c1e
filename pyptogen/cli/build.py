"""``pyptogen build``: specs to generated folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pyptogen.builder import BuildReport


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of generated operators.")] = Path("generated"),
    dump_ir: Annotated[
        Path | None,
        typer.Option("--dump-ir", metavar="DIR", help="Write every level after every pass to DIR."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; list what is stale and exit 1 if anything is.")
    ] = False,
    verify_each: Annotated[
        bool, typer.Option("--verify-each", help="Check after every pass that it made a legal program.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Specs in work at a time. Default: one a processor.")
    ] = None,
) -> None:
    """Generate kernels, wrappers and tests from specs."""
    from pyptogen.builder import build
    from pyptogen.builder.at_once import usual_jobs

    report = build(paths, out, target or None, check, dump_ir, verify_each, jobs or usual_jobs())
    _print(report)
    if check and report.changed:
        raise typer.Exit(1)


def _print(report: BuildReport) -> None:
    changed, gone = ("stale", "obsolete") if report.checked else ("wrote", "deleted")
    for operator in report.operators:
        if operator.left_out:
            typer.echo(f"{operator.folder}: left out, it is made for other targets")
        elif not operator.changed:
            typer.echo(f"{operator.folder}: up to date")
        for path in operator.written:
            typer.echo(f"{changed} {operator.folder / path}")
        for path in operator.removed:
            typer.echo(f"{gone} {operator.folder / path}")
        for note in operator.notes if operator.changed else ():
            typer.echo(f"note: {note}")
