"""What a call costs beyond its time in native code, in microseconds: for numpy arrays and for tensors of PyTorch.

    python benchmarks/call_overhead.py
    python benchmarks/call_overhead.py --spec specs/softmax.yaml --rows 4

Wall time of a call less the seconds that the runtime counts in native code, the least of several rounds, on one thread.
PyTorch is left out where it is not installed. The last line is an operator of PyTorch itself, wall time.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import pyptogen


def overhead(call: Callable[[], Any], native: Callable[[], float], rounds: int = 30, calls: int = 300) -> float:
    """The least of the rounds, in microseconds a call."""
    best = idle = float("inf")
    for _ in range(rounds):
        inside, begin = 0.0, time.perf_counter()
        for _ in range(calls):
            call()
            inside += native()
        best = min(best, time.perf_counter() - begin - inside)
        asked, begin = 0.0, time.perf_counter()
        for _ in range(calls):
            asked += native()
        idle = min(idle, time.perf_counter() - begin)
    return 1e6 * (best - idle) / calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--spec", default="specs/rms_norm.yaml")
    parser.add_argument("--rows", type=int, default=1)
    options = parser.parse_args()
    operator = pyptogen.compile(options.spec, threads=1)
    given = operator.example_inputs(rows=options.rows)
    fresh = [tensor.name for tensor in operator.contract.outputs if tensor.name not in operator.contract.inplace]
    first = operator(**given)._asdict()
    out = {name: first[name] for name in fresh}
    print(f"numpy, new outputs  {overhead(lambda: operator(**given), lambda: operator.last_run):6.2f} us")
    print(f"numpy, out=         {overhead(lambda: operator(**given, out=out), lambda: operator.last_run):6.2f} us")
    if importlib.util.find_spec("torch") is None:
        return
    import torch

    from pyptogen.torch import load
    from pyptogen.torch.tensors import as_tensor

    torch.set_num_threads(1)
    tensors = [as_tensor(given[tensor.name]) for tensor in operator.contract.inputs]
    loaded = load(operator)
    print(f"torch               {overhead(lambda: loaded(*tensors), lambda: loaded.last_run):6.2f} us")
    print(f"torch, op alone     {overhead(lambda: loaded.op(*tensors), lambda: loaded.last_run):6.2f} us")
    small = torch.zeros(8)
    print(f"torch.add of 8      {overhead(lambda: torch.add(small, small), lambda: 0.0):6.2f} us")


if __name__ == "__main__":
    main()
