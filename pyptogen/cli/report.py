"""``pyptogen report``: what the compiler decided, as a table, as pages of a gallery, or as a swimlane of one call."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyptogen.cli.dims import parse_dims

if TYPE_CHECKING:
    from rich.console import Console

    from pyptogen.inspect import OperatorReport


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Specs, or folders of specs.")],
    target: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="NAME", help="Only this platform (repeatable). Default: all of the spec."),
    ] = None,
    gallery: Annotated[
        Path | None, typer.Option("--gallery", metavar="DIR", help="Write a page per operator, and an index, to DIR.")
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option("--times", metavar="FILE", help="Measured times for the gallery, from benchmarks/library.py."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; list the pages that are stale and exit 1 if any is.")
    ] = False,
    swimlane: Annotated[
        Path | None,
        typer.Option("--swimlane", metavar="FILE", help="Write the estimated course of one call as a Chrome trace."),
    ] = None,
    dims: Annotated[
        list[str] | None,
        typer.Option("--dims", metavar="NAME=SIZE", help="Sizes of that call (repeatable, or t=8,blocks=64)."),
    ] = None,
) -> None:
    """Show kernels, tiles, memory, synchronisation and estimated time of operators."""
    sizes = parse_dims(dims or ())
    from pyptogen.builder.at_once import each, usual_jobs
    from pyptogen.spec_files import find_specs, given_paths

    given = given_paths(paths)
    found = each(partial(_report, target or None, given), find_specs(given), usual_jobs())
    reports = [entry for entry in found if entry.platforms]
    if gallery is not None:
        if _write_gallery(gallery, reports, times, check):
            raise typer.Exit(1)
        return
    if swimlane is not None:
        _write_swimlane(swimlane, reports, sizes)
        return
    from pyptogen.cli.tables import console, kernel_table

    screen = console()
    for entry in reports:
        for platform in entry.platforms:
            screen.print(kernel_table(entry.name, platform))
            _print_call(screen, entry, platform.target, sizes)
    if any(platform.target == "cpu" for entry in reports for platform in entry.platforms):
        _say_if_unmeasured()


def _print_call(screen: Console, entry: OperatorReport, target: str, sizes: dict[str, int]) -> None:
    """The launches of one call by the model of the device, or of this machine's processor: of the sizes that are given,
    else of the last case."""
    from pyptogen.cli.tables import launch_table
    from pyptogen.inspect.processor import call_here
    from pyptogen.schema import load_spec
    from pyptogen.simulate.device.cases import call_time, shown_case

    lowered = entry.lowered[target].lowered
    cases = load_spec(entry.spec).verify.cases
    wanted = sizes or (cases[-1] if cases else {})
    call = call_here(lowered, wanted) if target == "cpu" else call_time(lowered, wanted)
    if call is not None:
        screen.print(launch_table(call, shown_case(wanted)))


def _say_if_unmeasured() -> None:
    from pyptogen.inspect.processor import UNMEASURED
    from pyptogen.runtime.calibration.kept import kept_figures

    if kept_figures() is None:
        typer.echo(UNMEASURED, err=True)


def _report(targets: list[str] | None, given: list[Path], path: Path) -> OperatorReport:
    """Of one spec; lenient where only a folder led to it."""
    from pyptogen.inspect import report

    return report(path, targets, lenient=path not in given)


def _write_gallery(folder: Path, reports: list[OperatorReport], times: Path | None, check: bool) -> bool:
    """Whether ``check`` found a stale page."""
    from pyptogen.builder.compare import compare
    from pyptogen.builder.rendered import Rendered
    from pyptogen.builder.writer import exclusive, write
    from pyptogen.diagnostics import fault
    from pyptogen.inspect.gallery import files, gallery, read_times

    try:
        measured = None if times is None else read_times(times)
    except (OSError, ValueError, KeyError) as error:
        raise fault("PTG505", f"no measured times in `{times}`: {error}", None) from None
    done = compare(Rendered("gallery", files(gallery(reports, measured))), folder, None, None)
    if not check:
        try:
            with exclusive(folder.parent):
                write(done)
        except OSError as error:
            message = f"cannot write `{error.filename or folder}`: {error.strerror}"
            raise fault("PTG504", message, None, fix="choose another folder with `--gallery`") from None
    changed, gone = ("stale", "obsolete") if check else ("wrote", "deleted")
    for name in done.written:
        typer.echo(f"{changed} {folder / name}")
    for name in done.removed:
        typer.echo(f"{gone} {folder / name}")
    return check and done.changed


def _write_swimlane(file: Path, reports: list[OperatorReport], sizes: dict[str, int]) -> None:
    from pyptogen.diagnostics import fault
    from pyptogen.inspect import chrome_trace, swimlane

    lowered = [result for entry in reports for result in entry.lowered.values()]
    if len(lowered) != 1:
        raise fault(
            "PTG505",
            f"a swimlane shows one operator on one platform, not {len(lowered)}",
            None,
            fix="name one spec, and its platform with `--target`",
        )
    lane = swimlane(lowered[0].lowered, sizes)
    try:
        file.write_text(chrome_trace(lane), encoding="utf-8")
    except OSError as error:
        raise fault("PTG504", f"cannot write `{file}`: {error.strerror}", None) from None
    busy = lane.busy()
    typer.echo(f"{lane.operator} on {lane.platform}: about {lane.end:.1f} us on {len(busy)} cores, wrote {file}")
