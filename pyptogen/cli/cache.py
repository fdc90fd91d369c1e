"""``pyptogen cache``: what the store of compiled kernels holds, and making it smaller."""

from __future__ import annotations

import re
from typing import Annotated

import typer

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def command(
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove what was used longest ago, down to --max-size.")
    ] = False,
    max_size: Annotated[str, typer.Option("--max-size", metavar="SIZE", help="For --prune: 500M, 2G, 0.")] = "2G",
    unused_days: Annotated[
        float | None,
        typer.Option(
            "--unused-days", metavar="DAYS", min=0, help="For --prune: also remove what was not used for so long."
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove everything, also what is in use.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Read every entry; exit code 1 when one is damaged.")] = False,
) -> None:
    """Show the cache of compiled kernels: where it is, what it holds; or prune it."""
    from pyptogen.runtime.toolchain.cache import Cache

    bound = _bytes(max_size)
    cache = Cache()
    if prune or clear:
        cache.sweep()
        removed = cache.prune(bound, unused_days=unused_days, everything=clear)
        typer.echo(f"removed {len(removed)} entries, {_text(sum(entry.size for entry in removed))}")
    entries = cache.entries()
    typer.echo(f"{cache.root}: {len(entries)} entries, {_text(sum(entry.size for entry in entries))}")
    for kind in sorted({entry.kind for entry in entries}):
        of_kind = [entry for entry in entries if entry.kind == kind]
        typer.echo(f"  {kind:<12}{len(of_kind):>6}  {_text(sum(entry.size for entry in of_kind)):>10}")
    remains = cache.left_over()
    if remains:
        size = _text(sum(entry.size for entry in remains))
        typer.echo(f"  left over by interrupted work, goes with the next compilation: {len(remains)} folders, {size}")
    if check:
        damaged = cache.damaged()
        for entry in damaged:
            typer.echo(f"damaged, will be made again: {entry.path.relative_to(cache.root)}")
        if damaged:
            raise typer.Exit(1)
        typer.echo("every entry is what was written")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]?)i?B?", text.strip(), re.IGNORECASE)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no size; 500M and 2G are", param_hint="--max-size")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _text(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"
