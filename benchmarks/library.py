"""The operator library against PyTorch and ONNX Runtime: the same inputs, runs taken in turn.

    python benchmarks/library.py [--only softmax,rms_norm] [--threads 1,2] [--json FILE] [--picture FILE]

Needs the extra `bench`. README.md beside this file says how to read the table; --help lists the options.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent)]

try:
    import torch
    from library_cases import CASES, Case
except ImportError as missing:
    sys.exit(f"{missing}: pip install 'pyptogen[bench]'")

from library_contenders import OURS, Contender, field_of  # noqa: E402
from library_limits import Limits  # noqa: E402

BURST = 3
LONG = 0.5
"""Seconds."""
PAUSE = 0.1
"""Seconds between the turns of two contenders with several threads each: waiting threads of PyTorch and ONNX Runtime go
on spinning for a while, on the processor that the next one needs."""


def difference(case: Case, got: list[torch.Tensor], want: list[torch.Tensor]) -> float:
    """The largest difference as a share of the largest value of that output; of an integer output the elements that
    may be outliers are left out."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        scale = float(b.double().abs().max()) or 1.0
        apart = (a.double() - b.double()).abs().flatten() / scale
        if case.outliers and not b.is_floating_point() and b.dtype != torch.int8:
            apart = apart.kthvalue(max(1, int(apart.numel() * (1 - case.outliers)))).values
        worst = max(worst, float(apart.nan_to_num(math.inf).max()))
    return worst


def measure(contenders: list[Contender], runs: int, seconds: float, pause: float) -> None:
    """Take turns, so that a change of the machine's speed meets all alike. The first run of a turn is not counted: it
    finds the others' data in the caches. Who takes half a second has turns of one run, which caches do not change."""
    first = {c.name: c.once() for c in contenders}
    turns = {c.name: (1, 0) if first[c.name] > LONG else (BURST, 1) for c in contenders}
    for contender in contenders:
        if first[contender.name] <= LONG:  # it may have compiled
            first[contender.name] = contender.once()
    round_time = sum(first[name] * sum(turn) + pause for name, turn in turns.items())
    rounds = max(1, min(-(-runs // BURST), int(seconds / round_time)))
    for _ in range(rounds):
        for contender in contenders:
            time.sleep(pause)
            counted, before = turns[contender.name]
            for _ in range(before):
                contender.once()
            contender.times += [contender.once() for _ in range(counted)]


def one_case(case: Case, threads: int, limits: Limits, args: argparse.Namespace) -> dict[str, Any]:
    """Check, then time; milliseconds, how many times as long as ours each peer takes, and the fraction of the limit."""
    field = field_of(case, threads, args.compile)
    contenders, reference = field.contenders, []
    wrong = []
    for contender, outputs in field.outputs():
        reference = reference or [t.clone() for t in outputs]
        far = difference(case, outputs, reference)
        if not far <= 2 * case.apart:
            wrong.append(f"{contender.name} differs by {far:.2g}")
    del reference
    measure(contenders, args.runs, args.seconds, PAUSE if threads > 1 else 0.0)
    median = {c.name: 1e3 * statistics.median(c.times) for c in contenders}
    operations = {dtype: number(case.dims) for dtype, number in case.operations.items()}
    least = 1e3 * limits.seconds(field.moved, operations)
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
    text = f"{row['case']:<34}{row['threads']:>2} {row['median_ms'][OURS]:9.3f} {cells} {100 * row['of_limit']:8.0f} %"
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
    parser.add_argument("--seconds", type=float, default=2.5, help="time for one case, about")
    parser.add_argument("--no-compile", dest="compile", action="store_false", help="leave torch.compile out")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--picture", type=Path, help="also draw the ratios: an SVG or PNG file")
    return parser.parse_args()


def main() -> int:
    """Measure, print, write. Exit code 1 when a result is wrong."""
    args = arguments()
    begins = tuple(args.only.split(",")) if args.only else ("",)
    chosen = [case for case in CASES if case.name.startswith(begins)]
    counts = [int(count) for count in args.threads.split(",")]
    rows: list[dict[str, Any]] = []
    figures = {}
    torch.set_grad_enabled(False)
    begin = time.perf_counter()
    print(f"{'':<34}{'T':>2} {'ours ms':>9} {' '.join(f'{p:>11}' for p in PEERS)}   of limit")
    for threads in counts:
        torch.set_num_threads(threads)
        limits = Limits(threads)
        figures[threads] = limits.figures()
        for case in chosen:
            rows.append(one_case(case, threads, limits, args))
            print(line(rows[-1]), flush=True)
            if args.json:  # each time: a run that is stopped leaves what it has measured
                args.json.write_text(json.dumps({"limits": figures, "rows": rows}, indent=2, sort_keys=True) + "\n")
            progress(len(rows), len(chosen) * len(counts), time.perf_counter() - begin)
    print("\n".join(summary(rows)))
    if args.picture:
        from library_picture import draw

        draw(rows, PEERS, args.picture)
    return 1 if any(row["wrong"] for row in rows) else 0


def progress(done: int, of: int, seconds: float) -> None:
    """A line that the next one overwrites, where a person looks on."""
    if sys.stderr.isatty() and done < of:
        left = seconds / done * (of - done)
        print(f"{done} of {of}, {seconds / 60:.0f} min, about {left / 60:.0f} to go", end="\r", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
