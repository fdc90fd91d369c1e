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
ROUNDS = 7
"""Measurements of each; the fastest counts, as whatever else the machine does only adds time."""
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
    memory[:] = 0x33
    found: dict[str, float] = {}
    for name, made in GROUPS.items():
        found |= _of_group(name, list(made()), memory, portable, say)
    return found


def _of_group(
    name: str, cases: Sequence[Case], memory: np.ndarray, portable: bool, say: Callable[[str], None]
) -> dict[str, float]:
    say(f"{name}: compiling {len(cases)} cases")
    entries = [f"calibrate_{name}_{n}" for n in range(UNITS)]
    shares = [cases[n::UNITS] for n in range(UNITS)]
    sources = {f"{entry}.cpp": source(share, entry) for entry, share in zip(entries, shares, strict=True)}
    library = ctypes.CDLL(str(make_toolchain(portable=portable).shared_object(f"calibrate_{name}", sources, entries)))
    say(f"{name}: measuring")
    found: dict[str, float] = {}
    for entry, share in zip(entries, shares, strict=True):
        run = getattr(library, entry)
        run.restype, run.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_int64, ctypes.c_void_p]
        for n, case in enumerate(share):
            found[case.name] = _seconds(lambda repeats, n=n, run=run: run(n, repeats, memory.ctypes.data))
    return found


def _seconds(run: Callable[[int], float]) -> float:
    """Of one repeat."""
    repeats = 1
    while (spent := run(repeats)) < TURN / 4 and repeats < 1 << 24:
        repeats *= 4
    repeats = max(1, int(repeats * TURN / max(spent, 1e-9)))
    return min(run(repeats) / repeats for _ in range(ROUNDS if spent < 0.01 else 3))
