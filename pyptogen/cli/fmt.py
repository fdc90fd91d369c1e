"""``pyptogen fmt``: specs in their one form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyptogen.cli.told import OutputFormat, findings, said


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="SPEC…", help="Specs, or folders of specs.")],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a spec would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change, as a patch.")] = False,
    form: OutputFormat = "full",
) -> None:
    """Give specs their one form: indentation, blanks, columns. Comments stay."""
    from pyptogen.diagnostics import DiagnosticError
    from pyptogen.editor.format_files import format_file, patch, unformatted, write
    from pyptogen.spec_files import find_specs, given_paths

    with findings(form) as found:
        results = []
        for path in find_specs(given_paths(paths)):
            try:
                results.append(format_file(path))
            except DiagnosticError as error:
                found += error.diagnostics
        changed = [one for one in results if one.changed]
        for one in changed if diff else ():
            said(patch(one).rstrip("\n"), form)
        if check:
            found += [unformatted(one) for one in changed]
        if not check and not diff and not found:
            for one in changed:
                write(one)
                said(f"formatted {one.path}", form)
        kept = len(results) - len(changed)
        if kept and not diff and not found:
            said(f"{kept} {'spec has' if kept == 1 else 'specs have'} the form already", form)
