"""What verification and benchmarks look like on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from pyptogen.inspect import KernelReport, PlatformReport
    from pyptogen.simulate.device.call import CallTime
    from pyptogen.verify import CaseResult, Verdict
    from pyptogen.verify.bench import Timing

_PLAIN_WIDTH = 140
"""Columns of a table that goes to a file or a pipe."""


def console() -> Console:
    """Standard output; where it is no terminal, wide enough that no cell is cut."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def sizes_text(dims: Mapping[str, int]) -> str:
    """``t=8 blocks=64``."""
    return " ".join(f"{name}={size}" for name, size in dims.items())


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms"


def verdict_table(result: CaseResult) -> Table:
    """One row per output, its verdict first: on a narrow terminal the other columns give way. The time is that of the
    whole operator and stands in the first row."""
    table = Table(header_style="bold")
    table.add_column("verdict", no_wrap=True)
    table.add_column("output", overflow="fold")
    table.add_column("time", no_wrap=True, justify="right")
    for heading in ("worst difference", "allowed"):
        table.add_column(heading, overflow="fold", justify="right")
    for heading in ("shape", "dtype"):
        table.add_column(heading, overflow="fold")
    for row, verdict in enumerate(result.verdicts):
        table.add_row(
            _verdict_cell(verdict),
            verdict.output,
            milliseconds(result.seconds) if row == 0 else "",
            f"{verdict.worst:.3g}",
            verdict.tolerance.describe(),
            Text(str(list(verdict.shape))),
            verdict.dtype,
        )
    return table


def _verdict_cell(verdict: Verdict) -> Text:
    share = f", {verdict.outside:.3%} out" if verdict.outside else ""
    return Text(f"ok{share}", style="green") if verdict.passed else Text(f"FAILED{share}", style="red")


def timing_table(timings: Sequence[Timing]) -> Table:
    """One row per measured operator."""
    table = Table("target", header_style="bold")
    for heading in ("runs", "kernels min", "kernels median", "call min", "call median"):
        table.add_column(heading, justify="right")
    for timing in timings:
        times = (timing.kernels_min, timing.kernels_median, timing.call_min, timing.call_median)
        table.add_row(timing.target, str(timing.runs), *map(milliseconds, times))
    return table


def kernel_table(operator: str, platform: PlatformReport) -> Table:
    """One row per kernel of an operator on one platform."""
    table = Table(title=f"{operator} for {platform.target}", title_justify="left", header_style="bold")
    for heading in ("kernel", "core", "tiles", "memory", "set/wait/barrier", "lines", "cycles"):
        table.add_column(
            heading, no_wrap=heading in ("kernel", "core"), justify="right" if heading == "lines" else "left"
        )
    for kernel in platform.kernels:
        table.add_row(
            kernel.name,
            kernel.core,
            ", ".join(f"{dim} {'/'.join(map(str, sizes))}" for dim, sizes in sorted(kernel.tiles.items())),
            ", ".join(f"{use.memory} {use.used / 1024:.0f} of {use.capacity // 1024} K" for use in kernel.memory),
            f"{kernel.sets}/{kernel.waits}/{kernel.barriers}",
            str(kernel.lines),
            _cycles_cell(kernel),
        )
    return table


def launch_table(call: CallTime, case: str) -> Table:
    """One row per launch of a call, by the model of the device; those on the critical path in bold."""
    title = (
        f"{call.operator} for {call.platform}, {case}: about {call.micros:.3g} us, "
        f"{call.roofline_share:.0%} of its roofline"
    )
    table = Table(title=title, title_justify="left", header_style="bold")
    for heading in ("launch", "blocks", "from us", "to us", "held up by", "busy pipes"):
        table.add_column(heading, no_wrap=heading == "launch", justify="left" if heading[0] in "lh" else "right")
    micros = call.micros / call.cycles if call.cycles else 0.0
    for launch in call.launches:
        busy = sorted(launch.cost.busy.items(), key=lambda item: (-item[1], item[0]))[:3]
        table.add_row(
            launch.kernel,
            str(launch.blocks),
            f"{launch.start * micros:.1f}",
            f"{launch.end * micros:.1f}",
            launch.cost.bound,
            ", ".join(f"{pipe} {share:.0%}" for pipe, share in busy),
            style="bold" if launch.critical else None,
        )
    return table


def _cycles_cell(kernel: KernelReport) -> str:
    return ", ".join(f"{pipe} {cycles}" for pipe, cycles in sorted(kernel.cycles.items(), key=lambda c: (-c[1], c[0])))
