"""``pyptogen sanitize``: flags and memories of PTO-ISA kernels in C++."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.dims import parse_dims


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.cpp…", help="C++ files with kernels.")],
    given: Annotated[
        str,
        typer.Option("--set", metavar="NAME=VALUE", help="Run-time arguments that are fixed, such as rows=64,nblk=1."),
    ] = "",
    target: Annotated[
        str, typer.Option("--target", metavar="NAME", help="The device that they are for: a2a3 or a5.")
    ] = "a2a3",
) -> None:
    """Replay kernels and report races, flags that do not pair, and tiles that leave their memory."""
    from pyptogen.diagnostics import Diagnostic, DiagnosticError
    from pyptogen.sanitize import sanitize_files

    findings: list[Diagnostic] = []
    for kernel in sanitize_files(files, parse_dims([given]), findings, target):
        fine = "in order" if kernel.instructions or kernel.flags else "nothing to judge"
        found = f"{len(kernel.findings)} findings" if kernel.findings else fine
        size = f"{kernel.instructions} instructions, {kernel.flags} flags and barriers, {kernel.walks} walks"
        typer.echo(f"{kernel.file}: {kernel.name}: {found} ({size})")
        findings += kernel.findings
    if findings:
        raise DiagnosticError(*dict.fromkeys(findings))
