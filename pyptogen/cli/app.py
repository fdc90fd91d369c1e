"""The application: its commands, and what happens to an error.

Exit codes: 0 fine; 1 findings (a diagnostic, a mismatch, stale output); 2 the command line is wrong, or
the tool failed.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from pyptogen._version import __version__
from pyptogen.cli import (
    breaking,
    build,
    cache,
    calibrate,
    check,
    diff,
    doctor,
    explain,
    fmt,
    import_onnx,
    import_torch,
    lsp,
    new,
    opt,
    report,
    review,
    run,
    sanitize,
    schema,
    template,
    test,
    watch,
    where,
    why,
)
from pyptogen.cli.commands import add, group
from pyptogen.cli.output import written_out
from pyptogen.cli.told import tell
from pyptogen.diagnostics import DiagnosticError
from pyptogen.garbage import collect_seldom, leave_all_to_the_system

FINDINGS = 1
FAILED = 2

app = group(
    "Operator specs to PTO-ISA kernels that a person reviews, and a CPU runtime that runs them.",
    name="pyptogen",
)
add(app, "build", build.command)
add(app, "run", run.command)
add(app, "test", test.command)
add(app, "check", check.command)
add(app, "new", new.command)
add(app, "fmt", fmt.command)
add(app, "schema", schema.command)
add(app, "lsp", lsp.command)
add(app, "watch", watch.command)
add(app, "review", review.command)
add(app, "diff", diff.command)
add(app, "breaking", breaking.command)
add(app, "report", report.command)
add(app, "cache", cache.command)
add(app, "calibrate", calibrate.command)
add(app, "doctor", doctor.command)
add(app, "explain", explain.command)
add(app, "sanitize", sanitize.command)
add(app, "opt", opt.command, hidden=True)
add(app, "why", why.command)
add(app, "where", where.command)
imports = group("Programs of other libraries as specs.")
add(imports, "torch", import_torch.command)
add(imports, "onnx", import_onnx.command)
app.add_typer(imports, name="import")
app.add_typer(template.app, name="template")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pyptogen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback when the tool itself fails.")] = False,
) -> None:
    """Options of every command; both are read elsewhere."""


def main() -> None:
    """The ``pyptogen`` command. Never returns: raises ``SystemExit``."""
    collect_seldom()
    leave_all_to_the_system()
    try:
        with written_out():
            app()
    except DiagnosticError as error:
        tell(error.diagnostics)
        raise SystemExit(FINDINGS) from None
    except Exception as error:  # the one place where anything unforeseen becomes a line for a person
        if "--debug" in sys.argv[1:]:
            raise
        first = (str(error).splitlines() or [""])[0]
        typer.echo(f"pyptogen failed: {type(error).__name__}: {first}", err=True)
        typer.echo(
            "This is a fault of the tool, not of your spec. Please report it with the spec and the output of "
            "`pyptogen --debug …` (the same command).",
            err=True,
        )
        raise SystemExit(FAILED) from None
