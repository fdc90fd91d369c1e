"""``pyptogen breaking``: refuses changes that break callers and that nobody approved."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.diff import AGAINST
from pyptogen.cli.told import OutputFormat, Strict, findings, said


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    against: Annotated[str, AGAINST],
    approved: Annotated[
        Path | None,
        typer.Option("--approved", metavar="FILE", help="Approvals. Default: approved-breaks.yaml, if it is there."),
    ] = None,
    form: OutputFormat = "full",
    strict: Strict = False,
) -> None:
    """Fail where specs break those who call the operators, unless that was approved. Nothing is lowered."""
    from pyptogen.review.approvals import USUAL_FILE, judge, read_approvals
    from pyptogen.review.changes import Level
    from pyptogen.review.compare import review
    from pyptogen.review.render_text import verdict

    with findings(form, strict) as all_of_them:
        file = approved or (USUAL_FILE if USUAL_FILE.is_file() else None)
        approvals = () if file is None else read_approvals(file)
        found = review(paths, against, made=False)
        errors, warnings = judge(found.operators, approvals, date.today())
        said(verdict(found), form)
        breaks = sum(change.level is Level.BREAKING for one in found.operators for change in one.changes)
        if breaks > len(errors):
            said(f"approved in {file}: {breaks - len(errors)} of {breaks}", form)
        all_of_them += (*errors, *warnings)
