"""``pyptogen opt``: one pass of the compiler on the text of a kernel, for people who work on the compiler."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[
        Path | None, typer.Argument(help="Kernels as `--dump-ir` shows them: Tile, Block or Instruction level.")
    ] = None,
    passes: Annotated[
        list[str] | None, typer.Option("--pass", metavar="NAME", help="A pass; several run in this order.")
    ] = None,
    target: Annotated[str, typer.Option("--target", metavar="NAME", help="For which target.")] = "a2a3",
    listed: Annotated[bool, typer.Option("--list", help="List the passes, in the order of lowering.")] = False,
) -> None:
    """Run passes on the text of kernels and print what becomes of it. A tool for work on the compiler itself."""
    from pyptogen.lower.passes import ON_TEXT, PASSES

    if listed:
        every = dict.fromkeys((*PASSES, *ON_TEXT.values()))
        width = max(len(one.title) for one in every)
        for one in every:
            alone = "opt" if one.name in ON_TEXT else ""
            typer.echo(f"{one.title:{width}}  {alone:3}  {one.doc}")
        return
    if file is None:
        raise typer.BadParameter("a file with kernels, or --list", param_hint="FILE")
    typer.echo(run(file, passes or [], target), nl=False)


def run(file: Path, passes: list[str], target: str) -> str:
    """The kernels of a file after some passes, as text.

    Raises:
        DiagnosticError: PTG104 for a line that is none of the level, PTG110 for a file that cannot be read, PTG218
            for a pass or a target that there is not.
    """
    from pyptogen.diagnostics import fault, read_source
    from pyptogen.lower.passes import ON_TEXT, run_on_text
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.lower.verify import IllegalIR

    for word in passes:
        _require("pass", word, ON_TEXT)
    _require("target", target, PLATFORMS)
    text = read_source(str(file))
    if text is None:
        raise fault(
            "PTG110", f"cannot read `{file}`", None, fix="give a file of kernels as `build --dump-ir` writes them"
        )
    try:
        return run_on_text(text, str(file), passes, PLATFORMS[target])
    except IllegalIR as error:
        raise fault("PTG104", str(error), None, expected="kernels that keep the rules of their level") from error


def _require(what: str, word: str, known: Collection[str]) -> None:
    """Raises PTG218 where ``word`` is none of ``known``."""
    from pyptogen.diagnostics import did_you_mean, fault

    if word not in known:
        expected = "one of " + ", ".join(known)
        raise fault("PTG218", f"no {what} `{word}`", None, expected=expected, fix=did_you_mean(word, known))
