"""``pyptogen test``: all verify cases of specs, on each target."""

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
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the example data.")] = 7,
) -> None:
    """Run every verify case of specs on every target and verify all outputs."""
    from pyptogen.cli.recorded import interrupt_ends
    from pyptogen.cli.tables import milliseconds, sizes_text
    from pyptogen.verify.suite import run_suite

    failed = count = 0
    with interrupt_ends():
        for operator, result in run_suite(paths, target or None, seed):
            count += 1
            failed += not result.passed
            state = "ok" if result.passed else "FAILED"
            line = f"{operator.spec.name} {operator.target} {sizes_text(result.dims)}"
            typer.echo(f"{state:6} {line}  {milliseconds(result.seconds)}")
            for verdict in result.verdicts:
                if not verdict.passed:
                    typer.echo(f"       {verdict.describe()}")
    typer.echo(f"{count - failed} of {count} cases agree")
    if failed:
        raise typer.Exit(1)
