"""Sizes on the command line: ``--dims t=8 --dims blocks=64``, or ``--dims t=8,blocks=64``."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def parse_dims(options: Iterable[str]) -> dict[str, int]:
    """Sizes by dim name; a later one wins. Raises ``typer.BadParameter`` for text that is not
    ``name=integer``."""
    sizes: dict[str, int] = {}
    for part in ",".join(options).split(","):
        if not part.strip():
            continue
        name, _, size = (word.strip() for word in part.partition("="))
        if not name.isidentifier() or not size.isascii() or not size.isdigit():
            raise typer.BadParameter(f"`{part.strip()}` is not NAME=SIZE, such as t=8", param_hint="--dims")
        sizes[name] = int(size)
    return sizes
