"""``pyptogen template``: the generator's templates as a project's own."""

from __future__ import annotations

from typing import Annotated

import typer

from pyptogen.cli.commands import add, group

app = group("Take templates of the generator into the project, and see which were.")


def eject(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A template, such as wrapper_py.j2.")],
    force: Annotated[bool, typer.Option("--force", help="Write over the project's copy.")] = False,
) -> None:
    """Copy a template into the project, where builds take it from then on."""
    from pyptogen.templates.ejected import eject as copied

    typer.echo(f"{copied(name, force)}: builds take it from here now")


def status() -> None:
    """Which templates are the project's own, and whether their originals changed since; and which plug-ins give."""
    from pyptogen.templates.ejected import status as found

    for template in found():
        typer.echo(f"{template.state:16}  {template.name}" + (f" ({template.package})" if template.package else ""))


add(app, "eject", eject)
add(app, "status", status)
