"""Figures of this machine, kept in the user's cache: they hang on the processor, the compiler and the headers."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from functools import cache
from pathlib import Path

from pyptogen.diagnostics import DiagnosticError
from pyptogen.processors import available_processors
from pyptogen.runtime.calibration.calls import measure_calls
from pyptogen.runtime.calibration.measure import measure
from pyptogen.runtime.toolchain.build import Toolchain, make_toolchain
from pyptogen.runtime.toolchain.cache import digest
from pyptogen.simulate.processor.figures import Figures
from pyptogen.simulate.processor.fit import from_times

FORMAT = "2"
"""Of the microbenchmarks' names and what is made of them."""


def calibrate(portable: bool = False, say: Callable[[str], None] = lambda text: None) -> Figures:
    """Measures this machine and keeps what came out.

    Args:
        portable: for operators that are compiled for the baseline of the architecture.
        say: is told what is being done.

    Raises:
        DiagnosticError: PTG501 to PTG504, as for any operator.
    """
    toolchain = make_toolchain(portable=portable)
    say("calls: compiling and measuring")
    times = measure_calls(portable) | measure(portable, say)
    data = json.dumps(times, indent=0, sort_keys=True).encode()
    toolchain.cache.put("calibration", _key(toolchain), ".json", data)
    _kept.cache_clear()
    return from_times(_machine(toolchain), times)


def kept_figures(portable: bool = False) -> Figures | None:
    """Those that were measured on this machine with the compiler and the headers of now; None where there are none, or
    no compiler."""
    return _kept(portable)


@cache
def _kept(portable: bool) -> Figures | None:
    try:
        toolchain = make_toolchain(portable=portable)
        data = toolchain.cache.get("calibration", _key(toolchain), ".json")
        return from_times(_machine(toolchain), json.loads(data)) if data is not None else None
    except (DiagnosticError, KeyError, ValueError):
        return None


def _key(toolchain: Toolchain) -> str:
    return digest("calibration", FORMAT, toolchain.key, _processor(), str(available_processors()))


def _machine(toolchain: Toolchain) -> str:
    return f"{_processor()}, {toolchain.level}"


def _processor() -> str:
    """What the processor calls itself; its architecture where it does not say."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
