"""``pyptogen new``: a spec to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The operator: lower-case letters, digits, underscores.")],
    like: Annotated[
        str | None,
        typer.Option("--like", metavar="SPEC", help="Begin with this operator of the library, or this file."),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="The folder of specs, or the file: FOLDER/X.yaml.")
    ] = Path("specs"),
    schema: Annotated[
        bool,
        typer.Option("--schema/--no-schema", help="With the JSON Schema, and a comment that names it, for editors."),
    ] = True,
) -> None:
    """Write a new spec: a small one, or one of the library under another name."""
    from pyptogen.editor.json_schema import FILE_NAME, schema_text
    from pyptogen.editor.new_spec import new_spec, place_of
    from pyptogen.editor.put_file import put_new_files

    folder, file = place_of(out, name)
    made = new_spec(name, like, schema)
    files = {Path(path): data for path, data in made.beside.items()}
    if schema:
        files[Path(FILE_NAME)] = schema_text().encode()
    for path in put_new_files(folder, file, made.text.encode(), files):
        typer.echo(f"wrote {path}")
