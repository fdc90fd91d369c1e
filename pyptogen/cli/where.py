"""``pyptogen where``: the generated lines that serve a line of a spec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    place: Annotated[str, typer.Argument(metavar="SPEC:LINE", help="A line of a spec, or of a file that it includes.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of generated operators.")] = Path(
        "generated"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="As a JSON array.")] = False,
) -> None:
    """List the lines of generated files that serve a line of a spec."""
    from pyptogen.diagnostics.plain_text import name_shown
    from pyptogen.inspect.lines import where

    served = where(place, out)
    if as_json:
        import json

        found = [{"file": one.file, "ranges": [list(lines) for lines in one.ranges]} for one in served]
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for one in served:
        ranges = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in one.ranges)
        typer.echo(f"{name_shown(one.file)}:{ranges}")
    if not served:
        typer.echo(f"{name_shown(place)}: no generated line comes from it", err=True)
