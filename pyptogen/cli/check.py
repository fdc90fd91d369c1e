"""``pyptogen check``: everything that a build checks, and no file written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="SPEC…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    verify_each: Annotated[
        bool, typer.Option("--verify-each", help="Check after every pass that it made a legal program.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Specs in work at a time. Default: one a processor.")
    ] = None,
) -> None:
    """Check specs: syntax, names, shapes, types, tiling and memory, for each target."""
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.builder.checking import check_specs
    from pyptogen.diagnostics import render_text

    for checked in check_specs(paths, target or None, verify_each, jobs or usual_jobs()):
        fine = f"is fine for {', '.join(checked.targets)}" if checked.targets else "is left out, made for other targets"
        typer.echo(f"{checked.path}: {checked.operator} {fine}")
        for note in checked.notes:
            typer.echo(f"note: {note}")
        for warning in checked.warnings:
            typer.echo(render_text(warning))
