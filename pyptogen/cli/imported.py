"""Where an imported spec goes."""

from __future__ import annotations

import re
from pathlib import Path

import typer


def put(text: str, folder: Path) -> None:
    """Write a new spec into a folder, under its operator's name, and check it. Raises what is wrong with it: the file
    is there then, to be mended."""
    from pyptogen.editor.put_file import put_new_files
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    operator = re.search(r"^operator: (\w+)$", text, re.MULTILINE)
    assert operator is not None  # `spec_text` wrote it
    for path in put_new_files(folder, Path(f"{operator[1]}.yaml"), text.encode(), {}):
        typer.echo(f"wrote {path}")
        from_spec(load_spec(path))
