"""Groups of commands, with help as plain text: to draw boxes takes 0.2 s, most of it imports."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc

import typer


def group(help_text: str, name: str | None = None) -> typer.Typer:
    """A group of commands. ``name``: of one that is the application."""
    return typer.Typer(
        name=name,
        help=help_text,
        short_help=help_text,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


def add(to: typer.Typer, name: str, command: Callable[..., None], *, hidden: bool = False) -> None:
    """Adds a command. What lists of commands say of it is the first paragraph of its docstring, not cut to a line."""
    first, _, _ = cleandoc(command.__doc__ or "").partition("\n\n")
    to.command(name, short_help=" ".join(first.split()), hidden=hidden)(command)
