"""One version of pyptogen in a process of its own, for regress.py: makes an operator ready, then times it when asked.

Reads a JSON request a line and answers with a JSON line. What it calls of pyptogen is what every version has. The
folder of the version comes first in PYTHONPATH.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  (numpy then knows its types by name)
import numpy as np

import pyptogen

CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
BURST, MOST, LONG = 3, 40, 0.05
"""Counted calls of a turn: so many at least, and more until they have taken so many seconds, but not above ``MOST``.
One more before them finds the other version's data in the caches."""


class Worker:
    """The operator that is ready, and its arguments."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.operator: Any = None
        self.arguments: dict[str, Any] = {}
        self.out: dict[str, Any] = {}

    def who(self) -> dict[str, Any]:
        """Where this version lies, and what level of instruction sets it compiles for."""
        from pyptogen.runtime.toolchain.cpu import features, native_level

        return {
            "root": str(Path(pyptogen.__file__).parents[1]),
            "level": native_level().name,
            "unit": "amx_tile" in features(),
        }

    def load(self, spec: str, dims: dict[str, int], threads: int, folder: str, write: bool) -> dict[str, Any]:
        """Compile an operator and give it its inputs: drawn here and written to a folder, or those that lie there."""
        path = self.root / "specs" / spec
        if not path.exists():
            return {"missing": f"no specs/{spec}"}
        self.operator = pyptogen.compile(path, threads=threads)
        arrays = self.operator.example_inputs(seed=7, **dims)
        signature = {name: [str(a.dtype), list(a.shape)] for name, a in arrays.items()}
        for name in arrays:
            file = Path(folder) / f"{name}.npy"
            if write:
                np.save(file, np.frombuffer(arrays[name].tobytes(), np.uint8))
            if file.exists() and file.stat().st_size >= arrays[name].nbytes:  # both read it: memory of one kind
                bits = np.load(file)
                if bits.size == arrays[name].nbytes:
                    arrays[name] = bits.view(arrays[name].dtype).reshape(arrays[name].shape)
        layouts = {tensor.name: tensor.layout for tensor in self.operator.contract.inputs}
        self.arguments = {
            name: pyptogen.pack(a, layout="nz", target="cpu") if layouts.get(name) == "nz" else a
            for name, a in arrays.items()
        }
        first = self.operator(**self.arguments)
        results = first._asdict() if hasattr(first, "_asdict") else {self.operator.contract.outputs[0].name: first}
        self.out = {name: array for name, array in results.items() if name not in self.operator.contract.inplace}
        return {"signature": signature}

    def turn(self, clock: str) -> dict[str, Any]:
        """Seconds of the calls of a turn."""
        now = CLOCKS[clock]
        times: list[float] = []
        while len(times) <= BURST or (len(times) <= MOST and sum(times) < LONG):
            begin = now()
            self.operator(**self.arguments, out=self.out)
            times.append(now() - begin)
        return {"seconds": times[1:]}


def main() -> None:
    worker = Worker(Path(sys.argv[1]))
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # of whatever version: the other side says what it was
            answer = {"missing": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
