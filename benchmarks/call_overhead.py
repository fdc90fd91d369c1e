"""What a call costs beyond its time in native code, in microseconds: for numpy arrays and for tensors of PyTorch.

    python benchmarks/call_overhead.py
    python benchmarks/call_overhead.py specs/softmax.yaml specs/gather.yaml

Each operator is called with the arguments of the first case of its spec (weights ``@ nz`` packed beforehand): wall time
less the seconds that the runtime counts in native code, the least of several rounds, on one thread. The last column is
an operator of PyTorch with the same arguments that is written in C++ and does nothing but make its outputs: what its
dispatcher costs. It and the three before it are left out where PyTorch is not installed. Operators that run for long,
or move much memory, find less of Python's own code in the caches than these.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyptogen
from pyptogen.layout.packing import PackedWeight
from pyptogen.runtime.toolchain.compiler import find_compiler

SPECS = ("rms_norm", "swiglu", "flash_attention", "embedding", "rope_cache", "paged_attention", "matmul_int8", "casts")
SOURCE = Path(__file__).parent / "empty_operator.cpp"
COMPUTED = Path(__file__).parent / "block_rows.yaml"
"""An index by arithmetic of two inputs, which no operator of the library has."""


def overhead(call: Callable[[], Any], native: Callable[[], float], rounds: int = 60, calls: int = 100) -> float:
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


def of_arrays(operator: Any, given: Mapping[str, Any], out: Mapping[str, Any]) -> tuple[float, float | None]:
    """A call that makes its results, and one with ``out=``, where that is possible."""
    fresh = overhead(lambda: operator(**given), lambda: operator.last_run)
    return fresh, overhead(lambda: operator(**given, out=out), lambda: operator.last_run) if out else None


def of_torch(operator: Any, given: Mapping[str, Any], out: Mapping[str, Any], work: Path) -> list[float | None]:
    """The same two with tensors, the operator as one of torch, and an empty one."""
    import torch

    from pyptogen.torch import load
    from pyptogen.torch.tensors import as_tensor

    def tensors(arrays: Mapping[str, Any]) -> dict[str, Any]:
        return {key: array if isinstance(array, PackedWeight) else as_tensor(array) for key, array in arrays.items()}

    torch.set_num_threads(1)
    columns: list[float | None] = [*of_arrays(operator, tensors(given), tensors(out))]
    loaded, named = load(operator), tensors(given)
    for name, array in named.items():
        if isinstance(array, PackedWeight):
            named[name] = loaded.pack(**{name: as_tensor(array)})
    arguments = [named[tensor.name] for tensor in operator.contract.inputs]
    columns.append(overhead(lambda: loaded(*arguments), lambda: loaded.last_run))
    empty = empty_operator(loaded.op, work)
    columns.append(overhead(lambda: empty(*arguments), lambda: 0.0))
    return columns


def empty_operator(op: Any, work: Path) -> Any:
    """An operator with the schema of ``op`` that does nothing."""
    import torch

    output, home = work / "empty.so", Path(torch.__file__).parent
    name, schema = op._schema.name.partition("::")[2], str(op._schema).partition("(")
    if hasattr(torch.ops.benchmark, name):
        return getattr(torch.ops.benchmark, name).default
    torch.library.define(f"benchmark::{name}", "".join(schema[1:]))
    if not output.exists():
        libraries = (f"-L{home / 'lib'}", "-lc10", "-ltorch_cpu", f"-Wl,-rpath,{home / 'lib'}")
        flags = ("-std=c++20", "-O2", "-fPIC", "-shared", "-w", f"-I{home / 'include'}")
        said = find_compiler().run([*flags, str(SOURCE), *libraries, "-o", str(output)])
        assert said.returncode == 0, said.stderr
    ctypes.CDLL(str(output)).implement(name.encode())
    return getattr(torch.ops.benchmark, name).default


def rows(operator: Any) -> dict[str, dict[str, Any]]:
    """The arguments of the first case as kernels read them, and, where they are others, as they are before ``pack``."""
    cases = operator.spec.verify.cases
    given = operator.example_inputs(**dict(cases[0] if cases else {}))
    plain = {tensor.name: tensor.elements(given[tensor.name]) for tensor in operator.contract.inputs}
    packed = {
        tensor.name: operator.pack(**{tensor.name: plain[tensor.name]})
        for tensor in operator.contract.inputs
        if tensor.layout != "nd" or tensor.packed is not None
    }
    name = operator.contract.name
    return {name: given | packed} | ({f"{name}, unpacked": plain} if packed else {})


def as_bytes(tensor: Any, given: Mapping[str, Any]) -> bool:
    """Whether an argument has elements that PyTorch has, too: not those of a dtype that it has as bytes."""
    return tensor.packed is None or given[tensor.name].dtype != tensor.packed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("specs", nargs="*", default=[*(f"specs/{name}.yaml" for name in SPECS), str(COMPUTED)])
    options = parser.parse_args()
    has_torch = importlib.util.find_spec("torch") is not None
    heads = ("numpy", "out=", *(("tensors", "out=", "torch op", "empty op") if has_torch else ()))
    print(f"{'':24}" + "".join(f"{head:>10}" for head in heads))
    with tempfile.TemporaryDirectory() as work:
        for spec in options.specs:
            operator = pyptogen.compile(spec, threads=1)
            for name, given in rows(operator).items():
                results = operator(**given)._asdict()
                out = {name: result for name, result in results.items() if name not in operator.contract.inplace}
                columns: list[float | None] = [*of_arrays(operator, given, out)]
                if has_torch and all(as_bytes(tensor, given) for tensor in operator.contract.inputs):
                    columns += of_torch(operator, given, out, Path(work))
                shown = "".join(f"{'-':>10}" if column is None else f"{column:10.2f}" for column in columns)
                print(f"{name:24}{shown}", flush=True)


if __name__ == "__main__":
    main()
