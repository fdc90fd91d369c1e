"""``pyptogen watch``: build, test and tell, whenever a spec changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

_PAUSE = 0.3
"""Seconds between two looks at the files."""


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of generated operators.")] = Path(
        "generated"
    ),
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target", metavar="NAME", help="Test on this platform alone (repeatable). Default: all of the spec."
        ),
    ] = None,
    test: Annotated[bool, typer.Option("--test/--no-test", help="Run the cases of what was built.")] = True,
) -> None:
    """Build and test the specs that a change reaches, and say what it reached; until Ctrl-C."""
    try:
        watch(paths, out, target or None, test)
    except KeyboardInterrupt:
        typer.echo("")


def watch(
    paths: Sequence[Path],
    out: Path,
    targets: Sequence[str] | None = None,
    test: bool = True,
    wait: Callable[[], bool] | None = None,
) -> None:
    """The loop of the command, as long as ``wait``, which comes between two looks, is true: a pause for ever without
    one. Specs that are not built yet are built at once; what is wrong is told, and ends nothing."""
    from pyptogen.builder import build
    from pyptogen.cli.told import tell
    from pyptogen.diagnostics import DiagnosticError
    from pyptogen.editor.watching import Watched, reached_kernels

    watched = Watched(tuple(paths))
    first = True
    while True:
        for spec in watched.changed():
            try:
                (operator,) = (one for one in build(spec, out, reuse=True).operators if one.spec is not None)
            except DiagnosticError as error:
                typer.echo(f"{_now()} {spec}: not built")
                tell(error.diagnostics)
                continue
            if not operator.changed:
                if not first:
                    typer.echo(f"{_now()} {operator.name}: nothing generated changes")
                continue
            kernels = reached_kernels(operator.written, operator.removed)
            said = ", ".join(kernels) or "no kernel"
            typer.echo(f"{_now()} {operator.name}: {said}; {len(operator.written) + len(operator.removed)} files")
            if test and (kernels or any("orchestration" in path for path in operator.written)):
                _test(spec, targets)
        if first:
            typer.echo(f"watching {' '.join(map(str, paths))}; Ctrl-C ends")
            first = False
        if wait is None:
            time.sleep(_PAUSE)
        elif not wait():
            return


def _now() -> str:
    return time.strftime("%H:%M:%S")


def _test(spec: Path, targets: Sequence[str] | None) -> None:
    """Run the cases of a spec, and tell of those that fail."""
    from pyptogen.cli.test import lines
    from pyptogen.verify.suite import run_suite

    outcomes = list(run_suite([spec], targets))
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        for line in lines(outcome):
            typer.echo(f"  {line}")
    typer.echo(f"  {len(outcomes) - len(failed)} of {len(outcomes)} cases agree")
