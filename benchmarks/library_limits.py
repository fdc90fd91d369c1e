"""The machine's limits, measured in the same run as the operators: copy bandwidth, rates of multiply-adds, of dot
products and of the matrix unit."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np

from pyptogen.layout.buffers import aligned_empty
from pyptogen.runtime.toolchain.build import make_toolchain

SOURCE = Path(__file__).with_name("library_limits.cpp")
COPY_BYTES = 64 << 20


class Limits:
    """Rates of all threads together: `copy` in bytes read and written a second, `operations` by element type."""

    def __init__(self, threads: int, runs: int = 5) -> None:
        entries = ["limit_copy", "limit_fma", "limit_matrix"]
        built = make_toolchain().shared_object("limits", {"limits.cpp": SOURCE.read_text()}, entries)
        library = ctypes.CDLL(str(built))
        for entry in entries:
            getattr(library, entry).restype = ctypes.c_double
        library.limit_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]

        def copy() -> float:
            source, target = (aligned_empty((COPY_BYTES,), np.dtype(np.uint8)) for _ in range(2))
            source[:] = 1
            target[:] = 0
            seconds = library.limit_copy(target.ctypes.data, source.ctypes.data, COPY_BYTES, runs)
            return 2 * COPY_BYTES / float(seconds)

        self.copy = _together(copy, threads)
        fp32 = _together(lambda: float(library.limit_fma(runs)), threads)
        bf16 = _together(lambda: float(library.limit_matrix(0, runs)), threads)
        int8 = _together(lambda: float(library.limit_matrix(1, runs)), threads)
        self.operations = {
            "fp32": fp32,
            "bf16": max(bf16, fp32),
            "int8": max(int8, fp32),
            "fp16": max(bf16 / 4, fp32),  # two bf16 numbers each, on a unit that knows no half
        }

    def seconds(self, moved: float, operations: Mapping[str, float]) -> float:
        """The least time for moving so many bytes, or for so many operations of each element type one after the
        other, whichever takes longer."""
        computed = sum(number / self.operations[dtype] for dtype, number in operations.items())
        return max(moved / self.copy, computed)

    def figures(self) -> dict[str, float]:
        """GB/s and Gop/s, for the record."""
        return {"copy_gb_s": self.copy / 1e9, **{f"{k}_gop_s": v / 1e9 for k, v in self.operations.items()}}


def _together(measure: Callable[[], float], threads: int) -> float:
    """The sum of what `threads` threads reach at the same time."""
    start = Barrier(threads)

    def one() -> float:
        start.wait()
        return measure()

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda _: one(), range(threads)))
