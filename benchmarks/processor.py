"""The model of the processor against the operator library on this machine: predicted and measured side by side.

    python benchmarks/processor.py [--only softmax,matmul] [--seconds 1.0] [--passes 2] [--json FILE] [--docs]

Needs the extra `bench` (the cases are those of library.py, which speak PyTorch; ours alone is run here). The machine's
figures are measured in the same run: microbenchmarks take turns with the operators, so that a machine whose speed
changes does so for both. Nothing is fitted to an operator. README.md beside this file says how to read the table.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent)]

try:
    import torch
    from library_cases import CASES, Case
except ImportError as missing:
    sys.exit(f"{missing}: pip install 'pyptogen[bench]'")

import numpy as np  # noqa: E402
from library_contenders import as_array, as_tensor, operator_of, spec_of  # noqa: E402

import pyptogen  # noqa: E402
from pyptogen.codegen.generate import lowered  # noqa: E402
from pyptogen.lower.tensor import from_spec  # noqa: E402
from pyptogen.runtime.calibration.calls import measure_calls  # noqa: E402
from pyptogen.runtime.calibration.measure import Microbenchmarks, lower_quartile  # noqa: E402
from pyptogen.schema import load_spec  # noqa: E402
from pyptogen.simulate.device.cases import is_modelled  # noqa: E402
from pyptogen.simulate.processor.call import time_of_call  # noqa: E402
from pyptogen.simulate.processor.figures import Figures  # noqa: E402
from pyptogen.simulate.processor.fit import from_times  # noqa: E402

AIM = 0.25
SWEEPS = 1
"""Turns of all microbenchmarks at a time."""
EVERY = 12
"""Cases between two of these."""
LEAST = 3
"""Runs of a case in a pass, however long they take."""
PAGE = Path(__file__).parents[1] / "docs" / "twin.md"


@dataclass(frozen=True)
class Row:
    """A case: milliseconds of a call, predicted and measured (the lower quartile of all runs, as of the
    microbenchmarks, and the median), and what the model says
    holds up its longest launch. Predicted is None where the model does not see a kernel."""

    case: str
    predicted: float | None
    measured: float
    median: float
    bound: str

    @property
    def ratio(self) -> float:
        return (self.predicted or 0.0) / self.measured

    @property
    def within(self) -> bool:
        return abs(self.ratio - 1) <= AIM


def runner(case: Case) -> Callable[[], object]:
    """Our operator with its arguments, weights packed, results in memory of their own."""
    operator = operator_of(case, 1)
    arrays = {n: np.asarray(a) for n, a in operator.example_inputs(seed=7, **case.dims).items()}
    case.inputs(arrays, np.random.default_rng(7))
    tensors = {n: as_tensor(a) for n, a in arrays.items()}
    contract = operator.contract
    layouts = {tensor.name: tensor.layout for tensor in contract.inputs}
    arguments = {
        name: pyptogen.pack(as_array(t), layout="nz", target="cpu") if layouts[name] == "nz" else as_array(t)
        for name, t in tensors.items()
    }
    first = operator(**arguments)
    results = first._asdict() if hasattr(first, "_asdict") else {contract.outputs[0].name: first}
    out = {name: array for name, array in results.items() if name not in contract.inplace}
    return lambda: operator(**arguments, out=out)


def turns(run: Callable[[], object], seconds: float) -> list[float]:
    """Milliseconds of processor time of each run. Whoever else has the processor meanwhile is not counted."""
    run()
    begin, found = time.perf_counter(), list[float]()
    while time.perf_counter() - begin < seconds or len(found) < LEAST:
        start = time.process_time()
        run()
        found.append(1e3 * (time.process_time() - start))
    return found


def predicted(case: Case, figures: Figures) -> tuple[float | None, str]:
    """Milliseconds by the model, and what holds the longest launch up."""
    with spec_of(case) as path:
        operator = lowered(from_spec(load_spec(path)), "cpu")
    if not is_modelled(operator, case.dims):
        return None, "C++ by an author"
    call = time_of_call(operator, case.dims, figures)
    return call.micros / 1e3, call.bound


def summary(rows: list[Row]) -> str:
    return f"{sum(row.within for row in rows)} of {len(rows)} within {AIM:.0%}"


def table(rows: list[Row]) -> str:
    """Markdown of the misses, the furthest first on either side."""
    lines = ["| case | predicted ms | measured ms | ratio | the model says |", "|---|---|---|---|---|"]
    for row in sorted((row for row in rows if not row.within), key=lambda row: row.ratio):
        shown = "—" if row.predicted is None else f"{row.predicted:.3g}"
        lines.append(f"| {row.case} | {shown} | {row.measured:.3g} | {row.ratio:.2f} | {row.bound} |")
    return "\n".join(lines) + "\n"


def write_page(text: str) -> None:
    """Puts the table into the page, between the two comments of its name."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = "<!-- processor -->\n", "<!-- end of processor -->"
    before, rest = page.split(begin)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="comma-separated beginnings of case names")
    parser.add_argument("--seconds", type=float, default=1.0, help="time for one case in a pass, about")
    parser.add_argument("--passes", type=int, default=2, help="how often all cases are run")
    parser.add_argument("--json", type=Path, help="also write the rows and the microbenchmarks' times to this file")
    parser.add_argument("--docs", action="store_true", help="write summary and misses into docs/twin.md")
    chosen = parser.parse_args()
    torch.set_grad_enabled(False)
    begins = tuple(chosen.only.split(","))
    cases = [case for case in CASES if case.name.startswith(begins)]
    benchmarks = Microbenchmarks(say=lambda text: print(text, file=sys.stderr))
    times: dict[str, list[list[float]]] = {case.name: [] for case in cases}
    for _ in range(chosen.passes):
        for n, case in enumerate(cases):
            if n % EVERY == 0:
                benchmarks.sweep(SWEEPS)
            run = runner(case)
            times[case.name].append(turns(run, chosen.seconds))
            del run
    benchmarks.sweep(SWEEPS)
    measured = benchmarks.times() | measure_calls()
    figures = from_times("this machine", measured)
    rows = []
    for case in cases:
        runs = [one for turn in times[case.name] for one in turn]
        told, bound = predicted(case, figures)
        rows.append(Row(case.name, told, lower_quartile(runs), statistics.median(runs), bound))
    print(f"{'':<36}{'predicted':>10}{'measured':>10}{'median':>10}{'ratio':>7}")
    for row in sorted(rows, key=lambda row: row.ratio):
        shown = "—" if row.predicted is None else f"{row.predicted:.3f}"
        mark = "" if row.within else "  *"
        print(f"{row.case:<36}{shown:>10}{row.measured:>10.3f}{row.median:>10.3f}{row.ratio:>7.2f}  {row.bound}{mark}")
    print(summary(rows))
    print("not measured by a microbenchmark of their own:", ", ".join(sorted(figures.unknown)) or "none")
    if chosen.json:
        data: dict[str, Any] = {"rows": [asdict(row) for row in rows], "times": measured}
        chosen.json.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if chosen.docs:
        write_page(f"{summary(rows)}.\n\n{table(rows)}")


if __name__ == "__main__":
    main()
