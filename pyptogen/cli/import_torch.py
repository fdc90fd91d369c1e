"""``pyptogen import torch``: a program of PyTorch as a spec."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    program: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:FUNCTION", help="A function of tensors, or a module: model:block, model.py:Block."
        ),
    ],
    example: Annotated[
        list[str] | None,
        typer.Option(
            "--example",
            metavar="TEXT",
            help="An argument, in order or by name: 'x=bf16[rows=1..65536, cols=4096]', 'gamma=fp32[cols]', "
            "'eps=1.0e-6'.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Of the operator. Default: that of the program.")
    ] = "",
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder of specs.")] = Path("specs"),
) -> None:
    """Write a spec that computes what a function or module of PyTorch does. The program is traced, so it runs."""
    from pyptogen.importing import from_torch
    from pyptogen.torch.required import require_torch

    require_torch()
    from pyptogen.cli.imported import put
    from pyptogen.importing.torch_program import find_program

    put(from_torch(find_program(program), example or [], name), out)
