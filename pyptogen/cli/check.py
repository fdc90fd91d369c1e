"""``pyptogen check``: everything that a build checks, and no file written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.told import OutputFormat, Strict, findings, said


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
    form: OutputFormat = "full",
    strict: Strict = False,
) -> None:
    """Check specs: syntax, names, shapes, types, tiling and memory, for each target."""
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.builder.checking import examine

    with findings(form, strict) as found:
        for path, result in examine(paths, target or None, verify_each, jobs or usual_jobs()):
            if isinstance(result, tuple):
                found += result
                continue
            targets = ", ".join(result.targets)
            said(f"{path}: {result.operator} {f'is fine for {targets}' if targets else _LEFT_OUT}", form)
            for note in result.notes:
                said(f"note: {note}", form)
            found += result.warnings


_LEFT_OUT = "is left out, made for other targets"
