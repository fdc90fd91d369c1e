"""How far operators are from their rooflines, by the model of the device: the work list for generated kernels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.simulate.device.cases import CaseTime


def cases_of(spec: Path, here: bool = False) -> list[CaseTime]:
    """The cases of a spec on all of its platforms that have figures of time; ``here``: for `cpu` on this machine, whose
    figures were measured.

    Raises:
        DiagnosticError: any fault of the spec.
    """
    from pyptogen.builder.render import lower_targets
    from pyptogen.inspect.processor import cases_here
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec
    from pyptogen.simulate.device.cases import case_times

    timed = ["cpu"] if here else [name for name, platform in PLATFORMS.items() if platform.timed]
    loaded = load_spec(spec)
    lowered = lower_targets(from_spec(loaded), timed, None, True)
    told = cases_here if here else case_times
    return [one for result in lowered.values() for one in told(result.lowered, loaded.verify.cases)]


def table(times: Sequence[CaseTime]) -> str:
    """Markdown, the furthest from its roofline first."""
    lines = [
        "| operator | case | target | µs | held up by | of its roofline | cores | launches |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in sorted(times, key=lambda time: (time.roofline_share, time.operator, time.case)):
        lines.append(
            f"| {one.operator} | {one.case} | {one.target} | {one.us:.3g} | {one.bound} | {one.roofline_share:.0%} "
            f"| {one.cores} | {one.launches} |"
        )
    return "\n".join(lines) + "\n"
