"""``pyptogen calibrate``: measures what this machine's processor can do, for the model of it."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    portable: Annotated[
        bool, typer.Option("--portable", help="For operators compiled for the baseline of the architecture.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Measure nothing; show what is kept.")] = False,
) -> None:
    """Measure this machine, so that `pyptogen report` tells the times of operators for cpu. Takes about three minutes.

    Figures stay in the user's cache. Exits with 1 where --show finds none.
    """
    from pyptogen.runtime.calibration.kept import calibrate, kept_figures

    figures = kept_figures(portable) if show else calibrate(portable, lambda text: typer.echo(text, err=True))
    if figures is None:
        typer.echo("no figures of this machine: `pyptogen calibrate` measures them")
        raise typer.Exit(1)
    typer.echo(figures.machine)
    for name, value in figures.summary():
        typer.echo(f"  {name:<34}{value}")
