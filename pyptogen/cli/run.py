"""``pyptogen run``: compile an operator, run it on example data, verify every output."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.dims import parse_dims
from pyptogen.cli.told import AllowCode


def command(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="The operator's spec.")],
    dims: Annotated[
        list[str] | None,
        typer.Option("--dims", metavar="NAME=SIZE", help="Size of a dynamic dim (repeatable, or t=8,blocks=64)."),
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", metavar="NAME", help="Platform to run (repeatable). Default: cpu.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Seed of the example data.")] = 7,
    bench: Annotated[bool, typer.Option("--bench", help="Also measure; several targets are run in turn.")] = False,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, help="Measured runs per target with --bench.")
    ] = 30,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", min=1, help="Cores to use. Default: all.")
    ] = None,
    isa: Annotated[
        Path | None,
        typer.Option("--isa", metavar="PATH", help="PTO-ISA installation to use instead of the bundled one."),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Write a trace for Perfetto, on the platform's cores."),
    ] = None,
    deps: Annotated[
        Path | None, typer.Option("--deps", metavar="FILE", help="Write the graph of its tasks: deps.json.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="Stop it after so many seconds.")
    ] = None,
    allow_code: AllowCode = False,
) -> None:
    """Run an operator on example data and verify its outputs."""
    sizes = parse_dims(dims or ())
    import pyptogen
    from pyptogen.cli.recorded import interrupt_ends, on_a_chip
    from pyptogen.cli.tables import console, sizes_text, timing_table, verdict_table
    from pyptogen.verify import verify_case
    from pyptogen.verify.bench import measure

    _check_trust(spec, allow_code)
    screen = console()
    recorded = trace is not None or deps is not None or timeout is not None
    native = recorded or bench
    with warnings.catch_warnings(record=True) as warned:
        operators = [
            pyptogen.compile(spec, target=name, isa=isa, threads=threads, interpret=False if native else None)
            for name in dict.fromkeys(target or ["cpu"])
        ]
    for message in dict.fromkeys(str(warning.message) for warning in warned):
        typer.echo(f"note: {message}", err=True)
    if recorded and len(operators) > 1:
        raise typer.BadParameter("--trace, --deps and --timeout take one target")
    passed = True
    with interrupt_ends():
        for operator in operators:
            run = on_a_chip(operator, threads, trace, deps, timeout) if recorded else operator
            result = verify_case(operator, sizes, seed, run=run, again=not recorded)
            passed &= result.passed
            sizes_line = sizes_text(result.dims)
            screen.print(f"[bold]{operator.spec.name}[/bold]  {sizes_line}  target {operator.target}  seed {seed}")
            screen.print(verdict_table(result))
            for verdict in result.verdicts:
                if not verdict.passed:
                    screen.print(verdict.describe(), style="red", markup=False, soft_wrap=True)
        if bench:
            screen.print(timing_table(measure(operators, sizes, seed, runs)))
    if not passed:
        raise typer.Exit(1)


def _check_trust(spec: Path, allow_code: bool) -> None:
    """PTG411 before anything is executed. What else is wrong with the spec is told when it is compiled."""
    from pyptogen.diagnostics import DiagnosticError
    from pyptogen.project import require_trusted
    from pyptogen.schema import load_spec

    try:
        loaded = load_spec(spec)
    except DiagnosticError:
        return
    require_trusted(loaded, allow_code)
