"""``pyptogen import onnx``: a model of ONNX as a spec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    model: Annotated[str, typer.Argument(metavar="FILE", help="A model: layer.onnx.")],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Of the operator. Default: that of the file.")
    ] = "",
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder of specs.")] = Path("specs"),
) -> None:
    """Write a spec that computes what a model of ONNX does. Nothing of the model runs."""
    from pyptogen.cli.imported import put
    from pyptogen.importing import from_onnx

    put(from_onnx(model, name), out)
