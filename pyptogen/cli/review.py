"""``pyptogen review``: what a build would change, file by file, to be accepted or kept."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from pyptogen.builder import OperatorBuild
    from pyptogen.review.pages import Page, Row

_KEYS = "space: more   a: accept   A: accept the operator   k: keep what is there   q: end"


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder of generated operators.")] = Path(
        "generated"
    ),
    show: Annotated[bool, typer.Option("--print", help="Print all of it and ask nothing.")] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="OPERATOR", help="Accept this operator unseen (repeatable; `all` for all)."),
    ] = None,
) -> None:
    """Review what a build would change beside the spec; write what is accepted."""
    from pyptogen.builder import build
    from pyptogen.builder.at_once import usual_jobs
    from pyptogen.builder.findings import findings
    from pyptogen.cli.told import tell

    report = build(paths, out, check=True, jobs=usual_jobs(), reuse=True)
    changed = [one for one in report.operators if one.changed]
    if not changed:
        typer.echo("nothing to review: the generated files are what the specs make")
        return
    if accept:
        taken = _named(changed, accept)
    else:
        asks = not show and sys.stdin.isatty() and sys.stdout.isatty()
        taken = list(_reviewed(changed, asks))
    _write(taken, out)
    left = [one for one in changed if one not in taken]
    if left:
        tell(findings(left))
        raise typer.Exit(1)


def _named(changed: list[OperatorBuild], names: list[str]) -> list[OperatorBuild]:
    from pyptogen.diagnostics import did_you_mean, fault

    known = [one.name for one in changed]
    for name in names:
        if name not in (*known, "all"):
            expected = f"one of {', '.join(known)}, or `all`"
            raise fault(
                "PTG110", f"nothing changes in `{name}`", None, expected=expected, fix=did_you_mean(name, known)
            )
    return [one for one in changed if one.spec is not None and (one.name in names or "all" in names)]


def _reviewed(changed: list[OperatorBuild], asks: bool) -> Iterator[OperatorBuild]:
    """Shows the pages of each operator, and gives those of which everything was accepted."""
    from rich.console import Console

    from pyptogen.review.pages import pages

    console = Console(highlight=False, width=None if asks else 160)
    for operator in changed:
        found = pages(operator)
        console.rule(f"{operator.name}: {len(found)} {'file' if len(found) == 1 else 'files'} to review", style="bold")
        if operator.spec is None:
            console.print("its spec is gone: a build of the folder of specs deletes it")
            continue
        answer = "a" if asks and not found else ""
        for page in found:
            answer = _page(console, page, asks)
            if answer != "a":
                break
        if answer == "q":
            return
        if answer in ("a", "A"):
            yield operator


def _page(console: Console, page: Page, asks: bool) -> str:
    """Shows a page by the screen, and gives the answer of the reader; empty where nobody is asked."""
    console.print(f"[bold]{page.path}[/]: {page.why}, +{page.added} -{page.removed}")
    height = max(8, shutil.get_terminal_size().lines - 4) if asks else len(page.rows) + 1
    for begin in range(0, max(1, len(page.rows)), height):
        console.print(_table(page.rows[begin : begin + height]))
        more = begin + height < len(page.rows)
        while asks:
            typer.echo(_KEYS)
            key = _key()
            if key in ("a", "A", "k", "q"):
                return key
            if more and key in (" ", "\r", "\n"):
                break
    return ""


def _key() -> str:
    """The next key, without a return behind it; a Ctrl-C ends the command."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin, termios.TCSANOW)  # the usual way would drop a key that was pressed before
        return sys.stdin.read(1) or "q"
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _table(rows: tuple[Row, ...]) -> Table:
    """The difference on the left, what of the spec each line serves on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), expand=True, show_header=False)
    table.add_column(ratio=1, justify="right", no_wrap=True, max_width=6)
    table.add_column(ratio=12, overflow="fold")
    table.add_column(ratio=8, overflow="fold")
    styles = {"+": "green", "-": "red", "@": "dim", " ": ""}
    for row in rows:
        left = Text("⋯" if row.mark == "@" else f"{row.mark} {row.text}", style=styles[row.mark])
        number = "" if row.mark == "@" else str(row.number)
        table.add_row(Text(number, style="dim"), left, Text("\n".join(row.cause), style="cyan"))
    return table


def _write(accepted: list[OperatorBuild], out: Path) -> None:
    """Write the folders of operators; raises PTG511 where a spec changed since its pages were shown."""
    from pyptogen.builder import build
    from pyptogen.diagnostics import fault

    for operator in accepted:
        assert operator.spec is not None
        (now,) = (one for one in build(operator.spec, out, check=True, reuse=True).operators if one.spec is not None)
        if (now.new, now.removed) != (operator.new, operator.removed):
            message = f"`{operator.spec}` changed while it was reviewed; nothing of it is written"
            raise fault("PTG511", message, None, fix="review again")
        build(operator.spec, out, force=True, reuse=True)
        typer.echo(
            f"accepted {operator.folder}: {len(operator.written)} files written, {len(operator.removed)} deleted"
        )
