"""How findings leave a command: in the form that was asked for, each once, in colour where that is wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pyptogen.diagnostics import Diagnostic
    from pyptogen.diagnostics.formats import Format


def _known_form(form: str) -> str:
    """Usage error for a form that neither pyptogen nor a plug-in has."""
    if form not in _OWN_FORMS:
        from pyptogen.diagnostics.formats import renderers

        if form not in renderers():
            raise typer.BadParameter(f"'{form}' is not one of {', '.join(repr(name) for name in renderers())}.")
    return form


_OWN_FORMS = ("full", "concise", "json", "github", "gitlab", "sarif", "junit", "rdjson")

OutputFormat = Annotated[
    str,
    typer.Option(
        "--output-format",
        metavar="full|concise|json|github|gitlab|sarif|junit|rdjson",
        help="How findings are shown: in text, or as one document on stdout.",
        callback=_known_form,
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings end the command with exit code 1, too.")]

AllowCode = Annotated[
    bool,
    typer.Option("--allow-code", help="Goldens and C++ of specs from outside of this project may run: they were read."),
]


def coloured(stream: IO[str]) -> bool:
    """Whether a stream gets colours: NO_COLOR and FORCE_COLOR, where they are not empty, decide before the terminal
    does (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def said(text: str, form: Format) -> None:
    """A line that is no finding: beside a document it goes to standard error."""
    from pyptogen.diagnostics.formats import FOR_PEOPLE

    typer.echo(text, err=form not in FOR_PEOPLE)


def tell(diagnostics: Iterable[Diagnostic], form: Format = "full") -> None:
    """Show findings, each once; a document also of none."""
    from pyptogen.diagnostics import render_text
    from pyptogen.diagnostics.formats import FOR_PEOPLE, renderers

    found = list(dict.fromkeys(diagnostics))
    if form == "full" and found:
        colour = coloured(sys.stderr)
        typer.echo("\n\n".join(render_text(one, colour=colour) for one in found), err=True, color=colour or None)
    elif found or form not in FOR_PEOPLE:
        typer.echo(renderers()[form](found), err=form in FOR_PEOPLE)


@contextmanager
def findings(form: Format = "full", strict: bool = False) -> Iterator[list[Diagnostic]]:
    """Takes findings, those that end the block with them, and shows all at its end. Exits with 1 where an error is
    among them; with ``strict`` warnings are errors."""
    from pyptogen.diagnostics import DiagnosticError

    found: list[Diagnostic] = []
    try:
        yield found
    except DiagnosticError as error:
        found += error.diagnostics
    if strict:
        found = [replace(one, severity="error") if one.severity == "warning" else one for one in found]
    tell(found, form)
    if any(one.severity == "error" for one in found):
        raise typer.Exit(1)
