"""``pyptogen test``: all verify cases of specs, on each target."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from pyptogen.cli.told import AllowCode, OutputFormat, said

if TYPE_CHECKING:
    from pyptogen.diagnostics.formats import Format
    from pyptogen.verify.suite_process import Outcome


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="SPEC…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="NAME", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the example data.")] = 7,
    checked: Annotated[
        bool, typer.Option("--checked", help="In checked mode: races, ranges, bytes never written end a case.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Specs in work at a time. Default: one a processor."),
    ] = None,
    form: OutputFormat = "full",
    allow_code: AllowCode = False,
) -> None:
    """Run every verify case of specs on every target and verify all outputs."""
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.cli.recorded import interrupt_ends
    from pyptogen.verify.suite import run_suite

    begin = perf_counter()
    outcomes: list[Outcome] = []
    with interrupt_ends():
        suite = run_suite(
            paths, target or None, seed, checked=checked, jobs=jobs or usual_jobs(), allow_code=allow_code
        )
        for outcome in suite:
            outcomes.append(outcome)
            for line in lines(outcome):
                said(line, form)
            sys.stdout.flush()  # whoever reads from a pipe sees how far it is, too
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for name in dict.fromkeys(f"{outcome.operator} {outcome.target}".strip() for outcome in failed):
        said(f"failed: {name}", form)
    minutes, seconds = divmod(round(perf_counter() - begin), 60)
    specs = len({outcome.operator for outcome in outcomes})
    count = f"{specs} spec{'s' if specs > 1 else ''}"
    said(f"{len(outcomes) - len(failed)} of {len(outcomes)} cases agree ({count}, {minutes} min {seconds} s)", form)
    if form not in ("full", "concise"):
        typer.echo(_document(outcomes, form))
    if failed:
        raise typer.Exit(1)


def _document(outcomes: list[Outcome], form: Format) -> str:
    """All findings; of JUnit the cases that passed as well."""
    from pyptogen.cli.tables import sizes_text
    from pyptogen.diagnostics.formats import renderers
    from pyptogen.diagnostics.formats.junit import Case, render_cases

    if form != "junit":
        return renderers()[form](list(dict.fromkeys(one for outcome in outcomes for one in outcome.failures)))
    cases = []
    for outcome in outcomes:
        name = f"{outcome.operator} {outcome.target} {sizes_text(outcome.dims)}".strip()
        seconds = None if outcome.result is None else outcome.result.seconds
        cases += [Case(outcome.spec, name, one, seconds) for one in outcome.failures or (None,)]
    return render_cases(cases)


def lines(outcome: Outcome) -> list[str]:
    """A line for a case, and under it what is wrong with it."""
    from pyptogen.cli.tables import milliseconds, sizes_text
    from pyptogen.diagnostics import render_text

    state = "ok" if outcome.passed else "FAILED"
    line = f"{state:6} {outcome.operator} {outcome.target} {sizes_text(outcome.dims)}".rstrip()
    result = outcome.result
    if result is not None:
        failed = [verdict.describe() for verdict in result.verdicts if not verdict.passed]
        return [f"{line}  {milliseconds(result.seconds)}", *(f"       {text}" for text in failed)]
    texts = [outcome.problem, *(render_text(diagnostic) for diagnostic in outcome.diagnostics)]
    return [line, *(f"       {part}" for text in texts for part in text.splitlines())]
