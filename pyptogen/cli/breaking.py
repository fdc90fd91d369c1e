"""``pyptogen breaking``: refuses changes that break callers and that nobody approved."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.diff import AGAINST


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    against: Annotated[str, AGAINST],
    approved: Annotated[
        Path | None,
        typer.Option("--approved", metavar="FILE", help="Approvals. Default: approved-breaks.yaml, if it is there."),
    ] = None,
) -> None:
    """Fail where specs break those who call the operators, unless that was approved. Nothing is lowered."""
    from pyptogen.diagnostics import DiagnosticError
    from pyptogen.diagnostics import render_text as finding_text
    from pyptogen.review.approvals import USUAL_FILE, judge, read_approvals
    from pyptogen.review.compare import review
    from pyptogen.review.render_text import verdict

    file = approved or (USUAL_FILE if USUAL_FILE.is_file() else None)
    approvals = () if file is None else read_approvals(file)
    found = review(paths, against, made=False)
    errors, warnings = judge(found.operators, approvals, date.today())
    typer.echo(verdict(found))
    for warning in warnings:
        typer.echo(finding_text(warning), err=True)
    if errors:
        raise DiagnosticError(*errors)
