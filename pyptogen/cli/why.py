"""``pyptogen why``: what of the spec a line of a generated file serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pyptogen.inspect.lines import Cause


def command(
    place: Annotated[str, typer.Argument(metavar="FILE:LINE", help="A line of a generated file.")],
    as_json: Annotated[bool, typer.Option("--json", help="As a JSON object.")] = False,
) -> None:
    """Show the statement of the spec that a generated line serves, and what put it there."""
    from pyptogen.inspect.lines import as_object, why

    cause = why(place)
    if as_json:
        import json

        typer.echo(json.dumps(as_object(cause), indent=2, ensure_ascii=False))
    else:
        typer.echo(_text(cause))


def _text(cause: Cause) -> str:
    from pyptogen.diagnostics import render_excerpt
    from pyptogen.diagnostics.plain_text import name_shown, shown

    origin = cause.origin
    lines = [f"{name_shown(cause.file)}:{cause.line}: {shown(cause.text.strip())}".rstrip(": ")]
    if origin.span is not None:
        lines += [f"  serves: {name_shown(str(origin.span))}", *render_excerpt(origin.span).splitlines()]
    facts = {"stage": origin.stage, "value": origin.value, "pass": origin.made_by, "template": origin.part}
    lines += [f"  {name}: {shown(fact)}" for name, fact in facts.items() if fact]
    return "\n".join(lines)
