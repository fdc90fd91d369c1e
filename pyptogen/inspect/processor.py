"""Times of operators for `cpu` on this machine, by the model of the processor and the figures measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyptogen.lower.artifacts import Lowered
    from pyptogen.simulate.device.call import CallTime
    from pyptogen.simulate.device.cases import CaseTime

UNMEASURED = "cpu: no figures of this machine, so no times; `pyptogen calibrate` measures them"


def call_here(lowered: Lowered, sizes: Mapping[str, int], threads: int = 1) -> CallTime | None:
    """One call of an operator for `cpu` on so many cores; None where this machine was not measured, the model does not
    see a kernel, has no size of a dim, or would have too many iterations to look at."""
    from pyptogen.runtime.calibration.kept import kept_figures
    from pyptogen.simulate.device.cases import is_modelled
    from pyptogen.simulate.device.kernel import TooLong
    from pyptogen.simulate.processor.call import time_of_call

    figures = kept_figures()
    if figures is None or not is_modelled(lowered, sizes):
        return None
    try:
        return time_of_call(lowered, sizes, figures, threads)
    except TooLong:
        return None


def cases_here(lowered: Lowered, cases: Sequence[Mapping[str, int]]) -> list[CaseTime]:
    """Cases of one operator for `cpu`, as far as the model can tell."""
    from pyptogen.simulate.device.cases import case_time, shown_case

    calls = [(shown_case(sizes), call_here(lowered, sizes)) for sizes in cases]
    return [case_time(lowered, case, call) for case, call in calls if call is not None]
