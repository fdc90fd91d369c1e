"""Runs of an operator on a chip of its own, for what ``pyptogen run`` records and limits; how Ctrl-C ends others."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pyptogen.diagnostics import fault

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator


def on_a_chip(
    operator: CompiledOperator, threads: int | None, trace: Path | None, deps: Path | None, timeout: float | None
) -> Callable[..., Any]:
    """A call of the operator that records and that can be stopped; its cores are those of the platform unless
    ``threads`` says how many. Raises PTG504 for a file that cannot be written, and exits with 1 after ``timeout``.
    """
    from pyptogen.runtime.faults import TaskTimeout
    from pyptogen.runtime.runtime import Runtime

    def call(*, out: dict[str, Any], **inputs: Any) -> Any:
        with Runtime(level="chip", platform=operator.target, cores=threads) as rt:
            rt.register("operator", operator)
            try:
                result = rt.run("operator", inputs | out, trace=trace, deps=deps, timeout=timeout)
            except TaskTimeout as late:
                typer.echo(f"{late}", err=True)
                raise typer.Exit(1) from None
            except OSError as error:
                raise fault("PTG504", f"{error}", None, expected="a file that can be written") from error
            assert rt.last_report is not None
            operator.last_run = rt.last_report.seconds
            return result

    return call


@contextmanager
def interrupt_ends() -> Iterator[None]:
    """Ctrl-C ends the program at once, also inside a kernel, where Python would not hear of it."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
