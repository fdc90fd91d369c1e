"""Compiles the microbenchmarks as operators are compiled, and runs them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from pyptogen.layout.buffers import aligned_empty
from pyptogen.runtime.calibration import instruction_cases, memory_cases, pass_cases, product_cases
from pyptogen.runtime.calibration.case import Case, source
from pyptogen.runtime.toolchain.build import make_toolchain

GROUPS: dict[str, Callable[[], Sequence[Case]]] = {
    "instructions": lambda: list(instruction_cases.cases()),
    "passes": lambda: list(pass_cases.cases()),
    "products": lambda: list(product_cases.cases()),
    "memory": lambda: list(memory_cases.cases()),
}
UNITS = 4
"""Sources into which a group is cut, so that compilers work beside each other."""
TURN = 1e-3
"""Seconds of one measurement."""
SWEEPS = 15
"""Turns of each, one after the other, so that a time in which the machine is slow meets no case alone. The fastest counts:
whatever else the machine does only adds time."""
MEMORY = memory_cases.SIZES[-1]


def measure(portable: bool = False, say: Callable[[str], None] = lambda text: None) -> dict[str, float]:
    """Seconds of each case by name, on one thread.

    Args:
        portable: compile for the baseline of the architecture, as operators are on request.
        say: is told what is being done.

    Raises:
        DiagnosticError: PTG501, PTG502, PTG503, PTG504, as for any operator.
    """
    memory = aligned_empty((MEMORY,), np.dtype(np.uint8))
    memory[:] = 0x3B  # plain numbers in every format
    runs: dict[str, _Run] = {}
    for name, made in GROUPS.items():
        cases = list(made())
        say(f"{name}: compiling {len(cases)} cases")
        runs |= _of_group(name, cases, memory, portable)
    say(f"measuring {len(runs)} cases, {SWEEPS} times")
    repeats = {name: _repeats(run) for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(SWEEPS):
        for name, run in runs.items():
            best[name] = min(best[name], run(repeats[name]) / repeats[name])
    return best


_Run = Callable[[int], float]
"""Seconds of so many repeats."""


def _of_group(name: str, cases: Sequence[Case], memory: np.ndarray, portable: bool) -> dict[str, _Run]:
    entries = [f"calibrate_{name}_{n}" for n in range(UNITS)]
    shares = [cases[n::UNITS] for n in range(UNITS)]
    sources = {f"{entry}.cpp": source(share, entry) for entry, share in zip(entries, shares, strict=True)}
    library = ctypes.CDLL(str(make_toolchain(portable=portable).shared_object(f"calibrate_{name}", sources, entries)))
    found: dict[str, _Run] = {}
    for entry, share in zip(entries, shares, strict=True):
        run = getattr(library, entry)
        run.restype, run.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_int64, ctypes.c_void_p]
        for n, case in enumerate(share):
            found[case.name] = lambda repeats, n=n, run=run: float(run(n, repeats, memory.ctypes.data))
    return found


def _repeats(run: _Run) -> int:
    """How many repeats fill a turn."""
    repeats = 1
    while (spent := run(repeats)) < TURN / 4 and repeats < 1 << 24:
        repeats *= 4
    return max(1, int(repeats * TURN / max(spent, 1e-9)))
