"""What the cases of a spec take, as plain figures for tables and manifests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction.estimate import about
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.records import dataclass
from pyptogen.simulate.device.call import CallTime, time_of_call
from pyptogen.simulate.device.kernel import TooLong


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


def call_time(lowered: Lowered, sizes: Mapping[str, int]) -> CallTime | None:
    """One call; None where the model has no figures for the platform, does not see a kernel, has no size of a dim, or
    would have too many iterations to look at."""
    if not PLATFORMS[lowered.target].timed:
        return None
    if not is_modelled(lowered, sizes):
        return None
    try:
        return time_of_call(lowered, sizes)
    except TooLong:
        return None


def is_modelled(lowered: Lowered, sizes: Mapping[str, int]) -> bool:
    """Whether a model can tell what a call takes: none of its kernels is C++ by an author, and all dims have a size."""
    known = {kernel.name for kernel in lowered.instructions}
    programs = all(name in known for plan in lowered.execution.plans for launch in plan for name in launch.kernels)
    return programs and all(dim in sizes for dim in lowered.execution.dims)


def case_times(lowered: Lowered, cases: Sequence[Mapping[str, int]]) -> list[CaseTime]:
    """Cases of one lowered operator, as far as the model can tell."""
    calls = [(shown_case(sizes), call_time(lowered, sizes)) for sizes in cases]
    return [case_time(lowered, case, call) for case, call in calls if call is not None]


def shown_case(sizes: Mapping[str, int]) -> str:
    """What a case is called."""
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "the one size"


def case_time(lowered: Lowered, case: str, call: CallTime) -> CaseTime:
    """What a table shows of a call."""
    cores = max((launch.blocks for launch in call.launches), default=0)
    share, count = round(call.roofline_share, 3), len(call.launches)
    return CaseTime(lowered.name, case, lowered.target, round(call.micros, 1), call.bound, share, cores, count)


def in_manifest(lowered: Lowered, cases: Sequence[Mapping[str, int]]) -> dict[str, Any]:
    """``{"time": …}`` for a manifest: the last case, rounded; empty where the model cannot tell."""
    sizes = cases[-1] if cases else {}
    call = call_time(lowered, sizes)
    if call is None or not call.launches:
        return {}
    micros = call.micros / call.cycles
    kernels: dict[str, dict[str, Any]] = {}
    for launch in call.launches:
        entry = kernels.setdefault(launch.kernel, {"bound": launch.cost.bound, "critical": False, "launches": 0})
        entry["critical"] |= launch.critical
        entry["launches"] += 1
        entry["us"] = max(entry.get("us", 0.0), about((launch.end - launch.start) * micros))
    whole = {"bound": call.bound, "case": shown_case(sizes), "roofline": round(call.roofline_share, 1)}
    return {"time": {**whole, "us": about(call.micros), "launches": kernels}}
