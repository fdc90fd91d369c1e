"""``pyptogen schema``: JSON Schema of spec files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer


def command(
    kind: Annotated[
        Literal["spec", "include", "tiling"],
        typer.Option(
            "--for", metavar="spec|include|tiling", help="Of specs, of files that they include, or of tiling tables."
        ),
    ] = "spec",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it to FILE instead of stdout.")
    ] = None,
) -> None:
    """Print the JSON Schema of spec files, for editors and validators."""
    from pyptogen.editor.json_schema import schema_text
    from pyptogen.editor.put_file import put_file

    text = schema_text(kind)
    if out is None:
        typer.echo(text, nl=False)
    else:
        put_file(out, text)
        typer.echo(f"wrote {out}")
