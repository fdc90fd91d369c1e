"""The indexer prolog against PyTorch: one process, one thread, the same inputs, runs taken in turn.

    python benchmarks/indexer_prolog.py [--tokens 1,8,32,128,1024] [--runs 30] [--json FILE]

README.md beside this file says how to read the table; --help lists the options.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

from references.data import prolog_inputs  # noqa: E402  (the data of the tests; the line above finds it)
from references.indexer_prolog import Outputs, indexer_prolog  # noqa: E402

Arrays = Mapping[str, npt.NDArray[Any]]
CACHES = ("k_cache", "k_scale_cache")
BURST = 5
KINDS = ("median_ms", "min_ms")
# How many times faster than each the project promises to be; the peers with a transposed weight are for information.
WORTH = {"eager": 3.0, "compile": 2.0}


class Contender:
    """Something that runs the operator: `run` is timed, `outputs` reads what the last run left."""

    def __init__(self, name: str, run: Callable[[], object], outputs: Callable[[Any], Arrays]) -> None:
        self.name, self.run, self.outputs = name, run, outputs
        self.times: list[float] = []

    def once(self) -> None:
        """One timed run."""
        start = time.perf_counter()
        self.run()
        self.times.append(time.perf_counter() - start)

    def figures(self) -> dict[str, float]:
        """Median and minimum in milliseconds, and of how many runs."""
        return {
            "median_ms": 1e3 * statistics.median(self.times),
            "min_ms": 1e3 * min(self.times),
            "runs": len(self.times),
        }


def peers(arrays: Arrays, *, compiled: bool, transposed: bool) -> list[Contender]:
    """PyTorch eager and, if asked for, compiled; `transposed` lays the int8 weight out as PyTorch likes it best."""
    try:
        import torch
        from torch_indexer_prolog import Composition
    except ImportError:
        sys.exit("PyTorch is missing: pip install 'pyptogen[torch]', or measure alone with --only pyptogen")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    suffix = " T" if transposed else ""
    eager = Composition(arrays, transposed=transposed)
    found = [Contender("eager" + suffix, eager.eager(), eager.outputs)]
    if compiled:
        torch._dynamo.reset()
        other = Composition(arrays, transposed=transposed)
        found.append(Contender("compile" + suffix, other.compiled(), other.outputs))
    return found


def ours(arrays: Arrays, operator: Any) -> Contender:
    """The compiled operator with packed weights, results into given arrays, caches in place."""
    import pyptogen

    inputs = dict(arrays)
    for name in ("w_qb", "w_k", "w_proj"):
        inputs[name] = pyptogen.pack(inputs[name], layout="nz", target=operator.target)
    for name in CACHES:
        inputs[name] = arrays[name].copy()
    t = len(arrays["x"])
    out = {
        "q": np.empty((t, 64, 128), np.int8),
        "q_scale": np.empty((t, 64, 1), np.float16),
        "weights": np.empty((t, 64), np.float16),
    }
    return Contender("pyptogen", lambda: operator(**inputs, out=out), lambda result: result._asdict())


def differences(got: Arrays, want: Outputs) -> dict[str, dict[str, float]]:
    """Per output: the worst difference, and the share of elements outside the operator's tolerance."""
    found = {}
    for name, reference in want._asdict().items():
        far = np.abs(got[name].astype(np.float64) - reference.astype(np.float64))
        allowed = 1.0 if reference.dtype == np.int8 else 2.5e-5
        # not(<=) rather than >: a NaN counts as outside
        found[name] = {"worst": float(far.max()), "outside": float(np.mean(~(far <= allowed)))}
    return found


def measure(contenders: list[Contender], runs: int, least_seconds: float = 1.0) -> None:
    """Take turns, so that a change of the machine's speed meets all alike; three rounds warm up.

    A turn is a burst of runs of which the first is not counted: it finds the others' weights in the caches.
    """
    for contender in contenders:
        for _ in range(3):
            contender.once()
    slowest = max(min(c.times) for c in contenders)
    rounds = max(runs, min(10 * runs, int(least_seconds / (slowest * len(contenders)))))
    for contender in contenders:
        contender.times.clear()
    for _ in range(-(-rounds // BURST)):
        for contender in contenders:
            contender.once()
            contender.times.pop()
            for _ in range(BURST):
                contender.once()


def one_size(t: int, args: argparse.Namespace, operator: Any) -> dict[str, Any]:
    """Measure all contenders at `t` tokens; times in milliseconds, and how far each is from the reference."""
    arrays = prolog_inputs(t, blocks=max(64, -(-t // 128)))
    contenders = []
    if args.only != "pyptogen":
        contenders += peers(arrays, compiled=args.compile, transposed=False)
        if args.transposed:
            contenders += peers(arrays, compiled=args.compile, transposed=True)
    if operator is not None:
        contenders.append(ours(arrays, operator))
    want = indexer_prolog(arrays)
    agree = {c.name: differences(c.outputs(c.run()), want) for c in contenders}
    measure(contenders, args.runs)
    times = {c.name: c.figures() for c in contenders}
    row: dict[str, Any] = {"t": t, "times": times, "differences": agree}
    if "pyptogen" in times:
        own = times.pop("pyptogen")
        row["ratios"] = {peer: {k: other[k] / own[k] for k in KINDS} for peer, other in times.items()}
        times["pyptogen"] = own
    return row


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text: median and minimum in ms, and how many times as long as pyptogen each peer takes."""
    lines = [f"{'t':>6}  {'who':<9} {'median ms':>9} {'min ms':>9}  {'x median':>8} {'x min':>8}  beyond tolerance"]
    for row in rows:
        for name, figures in row["times"].items():
            ratio = row.get("ratios", {}).get(name)
            times = " ".join(f"{figures[kind]:9.3f}" for kind in KINDS)
            ratios = " ".join(f"{ratio[kind]:8.2f}" if ratio else 8 * " " for kind in KINDS)
            lines.append(f"{row['t']:>6}  {name:<9} {times}  {ratios}  {apart(row['differences'][name])}")
    return "\n".join(lines)


def apart(of: Mapping[str, dict[str, float]]) -> str:
    """The outputs of a contender that have elements outside the tolerance, in words."""
    far = [(name, d) for name, d in of.items() if d["outside"] > 0]
    return ", ".join(f"{n} {100 * d['outside']:.2g}% (worst {d['worst']:.2g})" for n, d in far) or "none"


def findings(rows: list[dict[str, Any]]) -> list[str]:
    """What is not as promised: an output of ours outside its tolerance, or a ratio below its promise."""
    found = []
    for row in rows:
        own = row["differences"].get("pyptogen", {})
        wrong = {n: d for n, d in own.items() if d["outside"] > (0.0 if n in ("q", "k_cache") else 0.005)}
        if wrong:
            found.append(f"t = {row['t']}: outside tolerance: {apart(wrong)}")
        for peer, ratio in row.get("ratios", {}).items():
            if ratio["median_ms"] < WORTH.get(peer, 0.0):
                found.append(f"t = {row['t']}: {ratio['median_ms']:.2f}x {peer}, promised {WORTH[peer]:.0f}x")
    return found


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="The indexer prolog against PyTorch, one thread.")
    parser.add_argument("--tokens", default="1,8,32,128,1024", help="comma-separated token counts")
    parser.add_argument("--runs", type=int, default=30, help="least number of timed runs of each")
    parser.add_argument("--target", default="cpu", help="target of the pyptogen operator")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--only", choices=("peer", "pyptogen"), help="measure one side alone")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--strict", action="store_true", help="exit 1 when something is not as promised")
    parser.add_argument(
        "--no-transposed",
        dest="transposed",
        action="store_false",
        help="leave out PyTorch with the int8 weight transposed beforehand",
    )
    return parser.parse_args()


def main() -> int:
    """Measure, print, write. Exit code 1 with --strict when something is not as promised."""
    args = arguments()
    operator = None
    if args.only != "peer":
        import pyptogen

        operator = pyptogen.compile(ROOT / "specs" / "indexer_prolog.yaml", target=args.target, threads=1)
    rows = [one_size(int(t), args, operator) for t in args.tokens.split(",")]
    print(table(rows))
    found = findings(rows)
    for line in found:
        print("not as promised:", line)
    if args.json:
        record = {"python": platform.python_version(), "rows": rows, "findings": found}
        args.json.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    return 1 if args.strict and found else 0


if __name__ == "__main__":
    sys.exit(main())
