"""How far operators are from their rooflines, by the model of the device: the work list for generated kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.lower.artifacts import Lowered
    from pyptogen.simulate.device.call import CallTime


@dataclass(frozen=True, slots=True)
class CaseTime:
    """A case of an operator on a target: microseconds, what holds the longest launch up, how much of the time its bytes
    at the rate of HBM or its products on all cube cores would take (0 to 1), most cores that work at a time, launches.
    """

    operator: str
    case: str
    target: str
    us: float
    bound: str
    roofline_share: float
    cores: int
    launches: int


def cases_of(spec: Path) -> list[CaseTime]:
    """The cases of a spec on all of its platforms that have figures of time.

    Raises:
        DiagnosticError: any fault of the spec.
    """
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    timed = [name for name, platform in PLATFORMS.items() if platform.timing is not None]
    loaded = load_spec(spec)
    lowered = lower_targets(from_spec(loaded), timed, None, True)
    return [one for result in lowered.values() for one in case_times(result.lowered, loaded.verify.cases)]


def case_times(lowered: Lowered, cases: Sequence[Mapping[str, int]]) -> list[CaseTime]:
    """Cases of one lowered operator; none where its platform has no figures, or kernels are C++ by an author."""
    found = []
    for sizes in cases:
        case = shown_case(sizes)
        call = call_time(lowered, sizes)
        if call is not None:
            found.append(_case(lowered, case, call))
    return found


def call_time(lowered: Lowered, sizes: Mapping[str, int]) -> CallTime | None:
    """One call; None where the model has no figures for it, or does not see its kernels."""
    from pyptogen.lower.platforms import PLATFORMS
    from pyptogen.simulate.device.call import time_of_call

    known = {kernel.name for kernel in lowered.instructions}
    there = all(name in known for plan in lowered.execution.plans for launch in plan for name in launch.kernels)
    return time_of_call(lowered, sizes) if there and PLATFORMS[lowered.target].timing is not None else None


def shown_case(sizes: Mapping[str, int]) -> str:
    """What a case is called."""
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "the one size"


def _case(lowered: Lowered, case: str, call: CallTime) -> CaseTime:
    cores = max((launch.blocks for launch in call.launches), default=0)
    return CaseTime(
        lowered.name, case, lowered.target, round(call.micros, 1), call.bound, round(call.roofline_share, 3), cores,
        len(call.launches),
    )  # fmt: skip


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
