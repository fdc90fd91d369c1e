"""``pyptogen explain``: an operation of the language, or a diagnostic code, in words."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    topic: Annotated[str, typer.Argument(metavar="op|CODE", help="`op`, or a code such as PTG301.")],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The operation; without it, all are listed.")
    ] = None,
) -> None:
    """Explain an operation (`explain op softmax`) or a diagnostic (`explain PTG301`)."""
    typer.echo(_code(topic) if topic != "op" else _operation(name), nl=False)


def _code(topic: str) -> str:
    from pyptogen.diagnostics import CODES, did_you_mean
    from pyptogen.explain.code import explain_code

    code = topic.upper()
    if code not in CODES:
        hint = did_you_mean(code, CODES)
        raise typer.BadParameter(f"`{topic}` is neither `op` nor a code{f': {hint}' if hint else ''}")
    return explain_code(code)


def _operation(name: str | None) -> str:
    from pyptogen.explain.operation import explain_operation, list_operations
    from pyptogen.lower.tensor.building.registry import operations
    from pyptogen.lower.tensor.reading.other_names import meant

    if name is None:
        return list_operations()
    if name not in operations():
        hint = meant(name, operations())
        raise typer.BadParameter(f"there is no operation `{name}`{f': {hint}' if hint else ''}")
    return explain_operation(name)
