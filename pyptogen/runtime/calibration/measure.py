"""Compiles the microbenchmarks as operators are compiled, and runs them."""

from __future__ import annotations

import ctypes
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import numpy.typing as npt

from pyptogen.layout.buffers import aligned_empty
from pyptogen.processors import available_processors
from pyptogen.runtime.calibration import instruction_cases, memory_cases, pass_cases, product_cases
from pyptogen.runtime.calibration.case import SCRATCH, Case, source
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
LEAST = 3
"""Repeats of what takes longer than that."""
SWEEPS = 11
"""Turns of each, one after the other, so that a time in which the machine is slow meets no case alone."""
MOST_CORES = 8
"""That ask for memory at the same time, each for `MEMORY` bytes of its own."""
MEMORY = SCRATCH + memory_cases.SIZES[-1]


_Run = Callable[[int], float]
"""Processor seconds of so many repeats."""


def lower_quartile(times: Sequence[float]) -> float:
    """What a quarter of the times are below. Whatever else the machine does only adds time, so medians are too long
    where others have it; but the fastest turn of a microbenchmark finds a quiet millisecond on a machine that is never
    quiet for as long as an operator runs."""
    return statistics.quantiles(times, n=4, method="inclusive")[0] if len(times) > 1 else times[0]


class Microbenchmarks:
    """All of them, compiled; `sweep` measures each a few times more."""

    def __init__(self, portable: bool = False, say: Callable[[str], None] = lambda text: None) -> None:
        """Compiles.

        Args:
            portable: for the baseline of the architecture, as operators are on request.
            say: is told what is being done.

        Raises:
            DiagnosticError: PTG501, PTG502, PTG503, PTG504, as for any operator.
        """
        self._memory = aligned_empty((MEMORY,), np.dtype(np.uint8))
        _fill(self._memory)
        self._portable = portable
        self._runs: dict[str, _Run] = {}
        for name, made in GROUPS.items():
            cases = list(made())
            say(f"{name}: compiling {len(cases)} cases")
            self._runs |= _of_group(name, cases, self._memory, portable)
        say(f"measuring {len(self._runs)} cases")
        self._repeats = {name: _repeats(run) for name, run in self._runs.items()}
        self._turns: dict[str, list[float]] = {name: [] for name in self._runs}

    def sweep(self, times: int) -> None:
        """Turns of each, one after the other."""
        for _ in range(times):
            for name, run in self._runs.items():
                repeats = self._repeats[name]
                self._turns[name].append(run(repeats) / repeats)

    def times(self) -> dict[str, float]:
        """Seconds of each by name, on one thread: the lower quartile of its turns."""
        return {name: lower_quartile(turns) for name, turns in self._turns.items()}

    def together(self) -> dict[str, float]:
        """``together``: how many times as long reading memory takes where every processor does so."""
        return {"together": _together(self._runs[f"read@{memory_cases.SIZES[-1]}"], self._portable)}


def measure(portable: bool = False, say: Callable[[str], None] = lambda text: None) -> dict[str, float]:
    """Seconds of each case by name, and how cores hold each other up: all that the model needs but calls.

    Args:
        portable, say: as for `Microbenchmarks`.

    Raises:
        DiagnosticError: as for `Microbenchmarks`.
    """
    cases = Microbenchmarks(portable, say)
    cases.sweep(SWEEPS)
    return cases.times() | cases.together()


def _together(alone: _Run, portable: bool) -> float:
    """How many times as long reading memory takes where all processors do so at the same time, each its own."""
    count = min(available_processors(), MOST_CORES)
    memories = [aligned_empty((MEMORY,), np.dtype(np.uint8)) for _ in range(count)]
    for memory in memories:
        _fill(memory)
    name = f"read@{memory_cases.SIZES[-1]}"
    runs = [_of_group("memory", list(memory_cases.cases()), memory, portable)[name] for memory in memories]
    with ThreadPoolExecutor(count) as pool:
        turns = [max(pool.map(lambda run: run(LEAST), runs)) for _ in range(SWEEPS)]
    ratio = lower_quartile(turns) / lower_quartile([alone(LEAST) for _ in range(SWEEPS)])
    return max(1.0, ratio)


def _fill(memory: npt.NDArray[np.uint8]) -> None:
    """Plain numbers of fp32 and bf16 of either sign, no two neighbours alike."""
    rng = np.random.default_rng(1)
    words = rng.integers(0, 1 << 16, memory.size // 2, np.uint16)
    memory.view(np.uint16)[:] = words & 0x83FF | 0x3C00


def _of_group(name: str, cases: Sequence[Case], memory: npt.NDArray[np.uint8], portable: bool) -> dict[str, _Run]:
    entries = [f"calibrate_{name}_{n}" for n in range(UNITS)]
    shares = [cases[n::UNITS] for n in range(UNITS)]
    sources = {f"{entry}.cpp": source(share, entry) for entry, share in zip(entries, shares, strict=True)}
    library = ctypes.CDLL(str(make_toolchain(portable=portable).shared_object(f"calibrate_{name}", sources, entries)))
    found: dict[str, _Run] = {}
    for entry, share in zip(entries, shares, strict=True):
        run = getattr(library, entry)
        run.restype, run.argtypes = ctypes.c_double, [ctypes.c_int, ctypes.c_int64, ctypes.c_void_p]
        for n, case in enumerate(share):
            found[case.name] = partial(_run, run, n, memory.ctypes.data)
    return found


def _run(entry: Callable[[int, int, int], float], which: int, memory: int, repeats: int) -> float:
    return entry(which, repeats, memory)


def _repeats(run: _Run) -> int:
    """How many repeats fill a turn."""
    repeats = 1
    while (spent := run(repeats)) < TURN / 4 and repeats < 1 << 24:
        repeats *= 4
    return max(LEAST, int(repeats * TURN / max(spent, 1e-9)))
