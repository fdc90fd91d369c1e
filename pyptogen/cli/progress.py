"""How far a build has come, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import typer

from pyptogen.builder.progress import Progress, silent


def shown(quiet: bool, verbose: bool) -> Progress:
    """A line for each spec where that is asked for (``verbose``), else a bar on a terminal, else nothing."""
    if verbose:
        return _lines
    return _bar if sys.stderr.isatty() and not quiet else silent


@contextmanager
def _lines(specs: Sequence[Path]) -> Iterator[Callable[[Path, float], None]]:
    yield lambda spec, seconds: typer.echo(f"rendered {spec} in {seconds:.2f} s", err=True)


@contextmanager
def _bar(specs: Sequence[Path]) -> Iterator[Callable[[Path, float], None]]:
    """Count, rate, time left, and which spec took longest."""
    if not specs:
        yield lambda spec, seconds: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("rendering"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[slowest]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(specs), rate="", slowest="")
        longest = [0.0]

        def done(longest: list[float], spec: Path, seconds: float) -> None:
            if seconds > longest[0]:
                longest[0] = seconds
                bar.update(task, slowest=f"slowest: {spec.name} {seconds:.1f} s")
            bar.advance(task)
            elapsed = bar.tasks[0].elapsed or 0.0
            if elapsed > 0:
                bar.update(task, rate=f"{bar.tasks[0].completed / elapsed:.1f}/s")

        yield partial(done, longest)
