"""What a call of an operator and a launch in it take beside the work: measured on operators that do next to nothing."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from pyptogen.codegen.generate import lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime.operator.loading import compile as compile_operator
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: calibrate_{name}
doc: {what}

dims:
  rows: {{min: 1, max: 8}}
  cols: 16

inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]

graph:
{graph}
"""
ONE = "  y: relu(x)"
SEVERAL = """\
  a: x - sum(x, axis=0, keepdim=true)
  b: a - sum(a, axis=0, keepdim=true)
  y: b - sum(b, axis=0, keepdim=true)"""
CALLS = 2000
ROUNDS = 5


def measure_calls(portable: bool = False) -> dict[str, float]:
    """Processor seconds on one thread: ``call`` of an operator without its launches, ``launch`` of a kernel that has
    nothing to do.

    Raises:
        DiagnosticError: PTG501 to PTG504, as for any operator.
    """
    with tempfile.TemporaryDirectory(prefix="pyptogen-") as folder:
        (one, few), (several, many) = (
            _of(Path(folder), name, graph, portable) for name, graph in (("one", ONE), ("several", SEVERAL))
        )
    launch = max(0.0, (several - one) / max(1, many - few))
    return {"call": max(0.0, one - few * launch), "launch": launch}


def _of(folder: Path, name: str, graph: str, portable: bool) -> tuple[float, int]:
    """Seconds of a call, and its launches."""
    path = folder / f"calibrate_{name}.yaml"
    path.write_text(SPEC.format(name=name, what="What a call takes.", graph=graph), encoding="utf-8")
    launches = len(lowered(from_spec(load_spec(path)), "cpu").execution.plans[0])
    operator = compile_operator(path, threads=1, portable=portable)
    x, y = np.ones((1, 16), np.float32), np.empty((1, 16), np.float32)
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(CALLS):
            operator(x=x, out={"y": y})
        found.append((time.process_time() - begin) / CALLS)
    return statistics.median(found), launches
