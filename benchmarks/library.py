"""The operator library against PyTorch and ONNX Runtime: the same inputs, runs taken in turn.

    python benchmarks/library.py [--only softmax,rms_norm] [--threads 1,2] [--json FILE] [--picture FILE]

Needs the extra `bench`. README.md beside this file says how to read the table; --help lists the options.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(Path(__file__).parent)]

try:
    import torch
    from library_cases import CASES, Case, Tensors
except ImportError as missing:
    sys.exit(f"{missing}: pip install 'pyptogen[bench]'")

from library_limits import Limits  # noqa: E402

import pyptogen  # noqa: E402

BURST = 3
PAUSE = 0.1
"""Seconds between the turns of two contenders with several threads each: waiting threads of PyTorch and ONNX Runtime go
on spinning for a while, on the processor that the next one needs."""
OURS = "pyptogen"


class Contender:
    """Something that runs the operator: `run` is timed, `outputs` reads what the last run left."""

    def __init__(self, name: str, run: Callable[[], Any], outputs: Callable[[Any], list[torch.Tensor]]) -> None:
        self.name, self.run, self.outputs = name, run, outputs
        self.times: list[float] = []

    def once(self, *, counted: bool) -> None:
        """One run; its result is dropped before the next one allocates its own."""
        start = time.perf_counter()
        result = self.run()
        took = time.perf_counter() - start
        del result
        if counted:
            self.times.append(took)


def as_tensor(array: np.ndarray[Any, Any]) -> torch.Tensor:
    """A tensor with a copy of the array, at an address that suits vectors."""
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).clone().view(torch.bfloat16)
    return torch.from_numpy(array).clone()


def as_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """The tensor's memory as an array."""
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def as_list(result: Any) -> list[torch.Tensor]:
    """Outputs in contract order."""
    return list(result) if isinstance(result, tuple) else [result]


def operator_of(case: Case, threads: int) -> Any:
    """The operator as a user gets it, its static sizes replaced where the case has others."""
    path = ROOT / "specs" / case.spec
    text = path.read_text(encoding="utf-8")
    for dim, size in case.static.items():
        text, count = re.subn(rf"(?m)^(  {dim}): \d+", rf"\1: {size}", text)
        assert count == 1, f"{path.name} has no static dim {dim}"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy.write_text(text, encoding="utf-8")
        return pyptogen.compile(copy, threads=threads)


def ours(operator: Any, tensors: Tensors, out: Tensors) -> Contender:
    """Our operator into given memory; weights packed beforehand, as a model does once."""
    layouts = {tensor.name: tensor.layout for tensor in operator.contract.inputs}
    arguments = {
        name: pyptogen.pack(as_array(t), layout="nz", target="cpu") if layouts[name] == "nz" else as_array(t)
        for name, t in tensors.items()
    }
    inplace = operator.contract.inplace
    arrays = {name: as_array(t) for name, t in out.items() if name not in inplace}
    results = [tensors[inplace[name]] if name in inplace else t for name, t in out.items()]
    return Contender(OURS, lambda: operator(**arguments, out=arrays), lambda _: results)


def onnx_session(case: Case, tensors: Tensors, out: Tensors, threads: int) -> Contender | None:
    """ONNX Runtime with bound inputs and outputs; None where it has no such operator or it is not installed."""
    if case.onnx is None:
        return None
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return None
    kind, names, attributes = case.onnx
    types = {
        torch.float32: onnx.TensorProto.FLOAT,
        torch.int8: onnx.TensorProto.INT8,
        torch.int32: onnx.TensorProto.INT32,
    }
    helper = onnx.helper

    def value(name: str, t: torch.Tensor) -> Any:
        return helper.make_tensor_value_info(name, types[t.dtype], list(t.shape))

    graph = helper.make_graph(
        [helper.make_node(kind, list(names), list(out), **attributes)],
        case.name,
        [value(name, tensors[name]) for name in names],
        [value(name, t) for name, t in out.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name in names:
        array = as_array(tensors[name])
        binding.bind_input(name, "cpu", 0, array.dtype, list(array.shape), array.ctypes.data)
    for name, t in out.items():
        array = as_array(t)
        binding.bind_output(name, "cpu", 0, array.dtype, list(array.shape), array.ctypes.data)
    return Contender("onnxruntime", lambda: session.run_with_iobinding(binding), lambda _: list(out.values()))


def contenders_of(case: Case, threads: int, compiled: bool) -> tuple[Any, list[Contender], int]:
    """Everybody who takes part, with the operator, and the bytes that it must move."""
    operator = operator_of(case, threads)
    tensors = {n: as_tensor(np.asarray(a)) for n, a in operator.example_inputs(seed=7, **case.dims).items()}
    results = as_list(case.torch(tensors))
    names = [tensor.name for tensor in operator.contract.outputs]

    def fresh() -> dict[str, torch.Tensor]:
        return {name: torch.zeros_like(r) for name, r in zip(names, results, strict=True)}

    found = [ours(operator, tensors, fresh()), Contender("eager", lambda: case.torch(tensors), as_list)]
    if case.out is not None:
        given = fresh()
        found.append(Contender("eager out=", lambda: case.out(tensors, given), lambda _: list(given.values())))  # type: ignore[misc]
    if compiled and case.compiled:
        torch._dynamo.reset()
        function = torch.compile(case.torch, dynamic=False)
        found.append(Contender("compile", lambda: function(tensors), as_list))
    session = onnx_session(case, tensors, fresh(), threads)
    found += [session] if session else []
    caches = set(operator.contract.inplace) | set(operator.contract.inplace.values())
    moved = sum(
        t.numel() * t.element_size()
        for name, t in (*tensors.items(), *zip(names, results, strict=True))
        if name not in caches
    )
    return operator, found, moved


def difference(case: Case, got: list[torch.Tensor], want: list[torch.Tensor]) -> float:
    """The largest difference as a share of the largest value of that output."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        scale = float(b.double().abs().max()) or 1.0
        worst = max(worst, float((a.double() - b.double()).abs().max()) / scale)
    return worst


def measure(contenders: list[Contender], runs: int, seconds: float, pause: float) -> None:
    """Take turns, so that a change of the machine's speed meets all alike. The first run of a turn is not counted: it
    finds the others' data in the caches."""
    for contender in contenders:
        contender.once(counted=False)
        contender.once(counted=True)
    round_time = sum(min(c.times) for c in contenders) * (BURST + 1)
    rounds = max(1, min(-(-runs // BURST), int(seconds / (round_time + pause * len(contenders)))))
    for contender in contenders:
        contender.times.clear()
    for _ in range(rounds):
        for contender in contenders:
            time.sleep(pause)
            contender.once(counted=False)
            for _ in range(BURST):
                contender.once(counted=True)


def one_case(case: Case, threads: int, limits: Limits, args: argparse.Namespace) -> dict[str, Any]:
    """Check, then time; milliseconds, how many times as long as ours each peer takes, and the fraction of the limit."""
    _, contenders, moved = contenders_of(case, threads, args.compile)
    want = next(c for c in contenders if c.name == "eager")
    reference = want.outputs(want.run())
    wrong = []
    for contender in contenders:
        far = difference(case, contender.outputs(contender.run()), reference)
        if not far <= 2 * case.apart:  # a NaN counts as wrong
            wrong.append(f"{contender.name} differs by {far:.2g}")
    del reference
    measure(contenders, args.runs, args.seconds, PAUSE if threads > 1 else 0.0)
    median = {c.name: 1e3 * statistics.median(c.times) for c in contenders}
    least = 1e3 * limits.seconds(moved, case.operations(case.dims), case.unit)
    return {
        "case": case.name,
        "operator": Path(case.spec).stem,
        "threads": threads,
        "median_ms": median,
        "runs": len(contenders[0].times),
        "ratios": {name: ms / median[OURS] for name, ms in median.items() if name != OURS},
        "limit_ms": least,
        "of_limit": least / median[OURS],
        "wrong": wrong,
    }


PEERS = ("eager", "eager out=", "compile", "onnxruntime")


def line(row: Mapping[str, Any]) -> str:
    """One line of the table."""
    cells = " ".join(f"{row['ratios'][p]:11.2f}" if p in row["ratios"] else f"{'—':>11}" for p in PEERS)
    text = f"{row['case']:<30}{row['threads']:>2} {row['median_ms'][OURS]:9.3f} {cells} {100 * row['of_limit']:8.0f} %"
    return text + (f"  WRONG: {', '.join(row['wrong'])}" if row["wrong"] else "")


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """Geometric means over the cases, by peer and threads."""
    found = []
    for threads in sorted({row["threads"] for row in rows}):
        for peer in PEERS:
            ratios = [row["ratios"][peer] for row in rows if row["threads"] == threads and peer in row["ratios"]]
            if ratios:
                mean = math.exp(statistics.fmean(map(math.log, ratios)))
                found.append(f"{threads} thread(s), {peer}: {mean:.2f}x over {len(ratios)} cases")
    return found


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="The operator library against PyTorch and ONNX Runtime.")
    parser.add_argument("--only", default="", help="comma-separated beginnings of case names")
    parser.add_argument("--threads", default="1,2", help="comma-separated thread counts")
    parser.add_argument("--runs", type=int, default=30, help="timed runs of each, at most")
    parser.add_argument("--seconds", type=float, default=8.0, help="time for one case, about")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--picture", type=Path, help="also draw the ratios: an SVG or PNG file")
    return parser.parse_args()


def main() -> int:
    """Measure, print, write. Exit code 1 when a result is wrong."""
    args = arguments()
    begins = tuple(args.only.split(",")) if args.only else ("",)
    rows: list[dict[str, Any]] = []
    figures = {}
    torch.set_grad_enabled(False)
    print(f"{'':<30}{'T':>2} {'ours ms':>9} {' '.join(f'{p:>11}' for p in PEERS)}   of limit")
    for threads in map(int, args.threads.split(",")):
        torch.set_num_threads(threads)
        limits = Limits(threads)
        figures[threads] = limits.figures()
        for case in CASES:
            if case.name.startswith(begins):
                rows.append(one_case(case, threads, limits, args))
                print(line(rows[-1]), flush=True)
    print("\n".join(summary(rows)))
    if args.json:
        args.json.write_text(json.dumps({"limits": figures, "rows": rows}, indent=2, sort_keys=True) + "\n")
    if args.picture:
        from library_picture import draw

        draw(rows, PEERS, args.picture)
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
