"""``pyptogen diff``: what a change of specs means."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyptogen.cli.told import coloured

AGAINST = typer.Option("--against", metavar="git:REF|DIR", help="A commit, or a folder of specs, to compare with.")


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    against: Annotated[str, AGAINST],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="NAME", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    form: Annotated[
        Literal["text", "markdown", "json"],
        typer.Option("--format", metavar="text|markdown|json", help="For a terminal, a comment, or programs."),
    ] = "text",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Specs in work at a time. Default: one a processor."),
    ] = None,
) -> None:
    """Show what a change of specs means: contract, numerics, kernels, memory, synchronisation, estimated times."""
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.review.compare import review
    from pyptogen.review.render_json import render_json
    from pyptogen.review.render_markdown import render_markdown
    from pyptogen.review.render_text import render_text

    found = review(paths, against, True, target or None, jobs or usual_jobs())
    if form == "text":
        typer.echo(render_text(found, colour=coloured(sys.stdout)))
    else:
        typer.echo(render_markdown(found) if form == "markdown" else render_json(found), nl=form == "json")
