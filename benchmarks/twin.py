"""The model of the device against what was measured on devices, and what it says of the library.

    python benchmarks/twin.py --sources ../pto-isa            all tables
    python benchmarks/twin.py --sources ../pto-isa --json twin.json
    python benchmarks/twin.py --sources ../pto-isa --docs      and write the tables of docs/twin.md
    python benchmarks/twin.py --rows                           measured kernels only
    python benchmarks/twin.py --library --only softmax         operators only
    python benchmarks/twin.py --library --here                 operators for cpu on this machine, once it is measured

`--sources` is a checkout of the public pto-isa: its GEMMs and top-k are read from their own C++. Without it their rows
are left out. Convolution and flash attention are written again by their published tilings (`twin_kernels/`); the
indexer prolog is ours, with the tiles that were published.

Beside each published kernel stands what the compiler makes of the same operator (`twin_kernels/ours.py`).

Rows of the set F were used to fit figures (`pyptogen/lower/platforms/a2a3_timing.py` says which); rows of the set J
only judge.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from twin_kernels.convolution import convolution
from twin_kernels.flash_attention import flash_attention
from twin_kernels.indexer_prolog import AIM, ladder
from twin_kernels.ours import beside
from twin_kernels.ours import table as table_of_peers

from pyptogen.diagnostics import DiagnosticError
from pyptogen.inspect.roofline import cases_of, table
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.platforms.timing import Timing
from pyptogen.sanitize.timed import stream_of, walk_of_file
from pyptogen.sanitize.trace import Trace
from pyptogen.simulate.device.cases import CaseTime
from pyptogen.simulate.device.launch import Cost, Launch, cost

SPECS = Path(__file__).parents[1] / "specs"
PAGE = Path(__file__).parents[1] / "docs" / "twin.md"
AIMS = {"F": 0.10, "J": 0.20, "small": 0.35}
BUSY_AIM = 10.0
"""Points by which a pipe's busy share may be off."""


@dataclass(frozen=True, slots=True)
class Row:
    """A published measurement: its set, microseconds, busy shares of pipes in percent; ``small``: of few keys or one
    core, where more is allowed."""

    name: str
    set: Literal["F", "J"]
    measured_us: float
    busy: Mapping[str, float]
    launch: Callable[[Timing], Launch]
    small: bool = False

    @property
    def aim(self) -> float:
        return AIMS["small" if self.small and self.set == "J" else self.set]


@dataclass(frozen=True, slots=True)
class Judged:
    """A row and what the model says of it."""

    name: str
    set: str
    measured_us: float
    predicted_us: float
    busy_measured: Mapping[str, float]
    busy: Mapping[str, float]
    bound: str
    aim: float
    seconds: float

    @property
    def off(self) -> float:
        return self.predicted_us / self.measured_us - 1

    @property
    def within(self) -> bool:
        return abs(self.off) <= self.aim

    def far_pipes(self) -> list[str]:
        """Pipes whose busy share is further off than the aim."""
        return [p for p, share in self.busy_measured.items() if abs(self.busy.get(p, 0.0) - share) > BUSY_AIM]


# -- the rows ---------------------------------------------------------------------------------------------------------

GEMM_PIPES = ("cube.M", "cube.MTE1", "cube.MTE2", "cube.FIX")
TOPK_PIPES = ("vector.V", "vector.S", "vector.MTE2", "vector.MTE3")
GEMM = {
    1536: ("J", 38.8, (54.5, 42.2, 72.2, 7.7)), 3072: ("F", 206.7, (79.0, 62.0, 90.9, 5.8)),
    6144: ("F", 1506.0, (86.7, 68.1, 95.2, 3.1)), 7680: ("J", 3168.0, (80.6, 63.0, 98.4, 2.4)),
}  # fmt: skip
GEMM_AR = 5504, 6144, 1536
"""Rows, depth and columns, as they are padded."""
CONVOLUTION = {
    ((4, 8, 8, 48, 16), (72, 96, 16, 16)): ("J", 32.2, (52.9, 59.4, 43.9, 5.6)),
    ((4, 16, 12, 64, 16), (144, 192, 16, 16)): ("F", 147.3, (86.1, 57.3, 75.1, 4.0)),
    ((4, 24, 12, 96, 16), (216, 288, 16, 16)): ("J", 470.9, (89.3, 61.6, 78.8, 2.8)),
    ((4, 32, 16, 96, 16), (288, 384, 16, 16)): ("J", 1097.9, (90.8, 61.1, 80.4, 2.1)),
}
TOPK = {
    ("float", 4800, 1000): ("F", 324.1, (94.0, 3.2, 11.7, 10.4)),
    ("float", 3456, 1000): ("J", 238.8, (91.5, 4.6, 12.3, 10.5)),
    ("float", 2304, 1000): ("J", 161.4, (88.7, 6.0, 12.4, 10.1)),
    ("uint16_t", 4800, 1008): ("J", 326.9, (93.7, 2.4, 11.5, 9.6)),
}
ATTENTION = {1024: ("J", 21.0), 2048: ("F", 32.5), 4096: ("J", 88.9), 8192: ("F", 292.6), 16384: ("J", 909.1),
             32768: ("J", 3262.6)}  # fmt: skip
FEW_CORES = {(128, 4096): 43.8, (128, 8192): 74.5, (1024, 4096): 64.5, (1024, 8192): 107.3}


def rows(sources: Path | None) -> Iterator[Row]:
    """All rows; those whose sources are not here are left out."""
    for n, (which, micros, busy) in GEMM.items() if sources else ():
        shares = dict(zip(GEMM_PIPES, busy, strict=True))
        yield Row(f"GEMM fp16 {n}³", which, micros, shares, partial(_gemm, sources, n))
    if sources:
        name = "GEMM fp16 {}x{}x{}, before a reduction over chips".format(*GEMM_AR)
        yield Row(name, "J", 368.1, {}, partial(_gemm_ar, sources))
    for (feature, weight), (which, micros, busy) in CONVOLUTION.items():
        shares = dict(zip(GEMM_PIPES, busy, strict=True))
        shape = "x".join(map(str, feature))
        yield Row(f"convolution {shape}", which, micros, shares, partial(convolution, feature, weight))
    for (kind, count, k), (which, micros, busy) in TOPK.items() if sources else ():
        shares = dict(zip(TOPK_PIPES, busy, strict=True))
        name = f"top-k {'fp32' if kind == 'float' else 'fp16'} {count} rows"
        yield Row(name, which, micros, shares, partial(_topk, sources, kind, count, k))
    for s, (which, micros) in ATTENTION.items():
        yield Row(f"flash attention {s}", which, micros, {}, partial(flash_attention, s, s), s < 4096)
    for (queries, keys), micros in FEW_CORES.items():
        name = f"flash attention {queries} x {keys}, cores: {queries // 128}, earlier version"
        yield Row(name, "J", micros, {}, partial(flash_attention, queries, keys), True)


def _gemm(sources: Path, n: int, timing: Timing) -> Launch:
    arguments = f"uint16_t, 24, {n}, {n}, {n}, {n // 4}, {n}, {n // 6}, 128, 64, 256, 1, 4, 4, 1"
    file = "a2a3/gemm_performance/gemm_performance_kernel.cpp"
    trace = _walk(sources, file, f"GemmPerformance<{arguments}>", 3, "CUBE")
    matrix, rows = 2.0 * n * n, 4 * 128 * n
    unique = {"aMatTile": matrix, "bMatTile": matrix, "cTile": 2 * matrix}
    # Each block goes over the rows of its part outside, over the columns inside.
    reuse = {"aMatTile": 2.0 * (rows + 6 * 256 * n), "bMatTile": matrix + 2.0 * rows + 4.0 * rows}
    return Launch((stream_of(trace, "cube", timing),), 24, 24, unique, reuse, results=frozenset({"cTile"}))


def _gemm_ar(sources: Path, timing: Timing) -> Launch:
    path = sources / "kernels/manual/a2a3/gemm_ar/gemm_compute_kernel.cpp"
    m, k, n = GEMM_AR
    trace = walk_of_file(path, "CUBE", {"launch_block_count": 24, "k_per_rank": k})
    unique = {"aMatTile": 2.0 * m * k, "bMatTile": 2.0 * k * n, "cTile": 2.0 * m * n}
    return Launch((stream_of(trace, "cube", timing),), 24, 24, unique, results=frozenset({"cTile"}))


def _topk(sources: Path, kind: str, count: int, k: int, timing: Timing) -> Launch:
    arguments = f"{kind}, 1, 1, 1, {count}, 1024, 1, 1, 1, {count}, 1280, {k}, 48"
    trace = _walk(sources, "a2a3/topk/topk_kernel.cpp", f"Topk<{arguments}>", 4, "VEC")
    return Launch((stream_of(trace, "vector", timing),), 48, 48, results=frozenset({"dTile", "iTile"}))


_walked: dict[str, Trace] = {}


def _walk(sources: Path, file: str, kernel: str, pointers: int, core: Literal["CUBE", "VEC"]) -> Trace:
    """The walk of an instance of a public kernel, whose host part is left out."""
    if kernel not in _walked:
        text = (sources / "kernels/manual" / file).read_text(encoding="utf-8").split("#ifndef __COSTMODEL")[0]
        parameters = ", ".join(f"__gm__ uint8_t* p{n}" for n in range(pointers))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.cpp"
            path.write_text(f"{text}\ntemplate __global__ AICORE void {kernel}({parameters});\n", encoding="utf-8")
            _walked[kernel] = walk_of_file(path, core, {})
    return _walked[kernel]


def judge(row: Row, timing: Timing, gigahertz: float) -> Judged:
    """What the model says of a row. A kernel's time has one launch in it."""
    begun = time.perf_counter()
    found: Cost = cost(row.launch(timing), timing)
    total = found.cycles + timing.launch.value
    busy = {pipe: round(100 * share * found.cycles / total, 1) for pipe, share in found.busy.items()}
    micros = total / gigahertz / 1000
    seconds = time.perf_counter() - begun
    return Judged(row.name, row.set, row.measured_us, round(micros, 1), row.busy, busy, found.bound, row.aim, seconds)


def steps() -> Iterator[Judged]:
    """The ladder of the indexer prolog, whose calls have their launch in them."""
    for step in ladder():
        name = f"indexer prolog t = 8, {step.name}"
        yield Judged(name, "J", step.measured_us, step.predicted_us, {}, {}, step.bound, AIM, step.seconds)


# -- what is shown ----------------------------------------------------------------------------------------------------


def judged_table(found: list[Judged]) -> str:
    """Markdown: a line for each row, misses marked."""
    lines = [
        "| kernel | set | measured µs | model µs | off | pipes: model / measured, % | |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        pairs = ((pipe.split(".")[1], one.busy.get(pipe, 0.0), share) for pipe, share in one.busy_measured.items())
        shares = ", ".join(f"{pipe} {ours:.0f}/{share:.0f}" for pipe, ours, share in pairs)
        far = [pipe.split(".")[1] for pipe in one.far_pipes()]
        verdict = "**miss**" if not one.within else f"{', '.join(far)} off" if far else ""
        numbers = f"{one.measured_us:g} | {one.predicted_us:g} | {one.off:+.0%}"
        lines.append(f"| {one.name} | {one.set} | {numbers} | {shares} | {verdict} |")
    return "\n".join(lines) + "\n"


def library(only: set[str], here: bool = False) -> Iterator[CaseTime]:
    """Operators of the library at the cases of their specs, on platforms with figures, or for cpu on this machine."""
    for spec in sorted(SPECS.glob("*.yaml")):
        if only and spec.stem not in only:
            continue
        try:
            yield from cases_of(spec, here)
        except DiagnosticError as error:
            print(f"{spec.stem}: {error.diagnostics[0].message}")


def write_page(name: str, text: str) -> None:
    """Puts a table into the page, between the two comments of its name."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = page.split(begin)
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def _lines(tables: Mapping[str, list[dict[str, Any]]]) -> str:
    """JSON with a line for each row."""
    shown = (
        f' "{name}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in found) + "\n ]"
        for name, found in tables.items()
    )
    return "{\n" + ",\n".join(shown) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, default=os.environ.get("PTO_ISA_ROOT"), help="a checkout of pto-isa")
    parser.add_argument("--json", type=Path, help="write the tables to this file")
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/twin.md")
    parser.add_argument("--rows", action="store_true", help="measured kernels only")
    parser.add_argument("--library", action="store_true", help="operators only")
    parser.add_argument("--here", action="store_true", help="of operators: for cpu, by figures of this machine")
    parser.add_argument("--only", nargs="*", default=[], help="these operators")
    chosen = parser.parse_args()
    platform = PLATFORMS["a2a3"]
    assert platform.timing is not None
    sources = Path(chosen.sources) if chosen.sources else None
    result: dict[str, list[dict[str, Any]]] = {"judged": [], "peers": [], "library": []}
    if not chosen.library:
        found = [*(judge(row, platform.timing, platform.frequency_ghz) for row in rows(sources)), *steps()]
        print(judged_table(found))
        missed = sum(not one.within for one in found)
        print(f"{len(found) - missed} of {len(found)} rows within their aims, {sum(o.seconds for o in found):.1f} s")
        result["judged"] = [asdict(one) for one in found]
        peers = list(beside({one.name: (one.measured_us, one.predicted_us) for one in found}))
        print(table_of_peers(peers))
        result["peers"] = [asdict(one) for one in peers]
        if chosen.docs:
            write_page("judged", judged_table(found))
            write_page("peers", table_of_peers(peers))
    if not chosen.rows:
        times = list(library(set(chosen.only), chosen.here))
        for one in sorted(times, key=lambda time: time.roofline_share):
            print(f"{one.roofline_share:5.0%} {one.us:10.1f} us  {one.bound:12} {one.operator} {one.case} {one.target}")
        if chosen.here and not times:
            raise SystemExit("no figures of this machine: `pyptogen calibrate` measures them")
        result["library"] = [asdict(one) for one in times]
        if chosen.docs and not chosen.here:
            write_page("library", table(list({(one.operator, one.target): one for one in times}.values())))
    if chosen.json:
        chosen.json.write_text(_lines(result), encoding="utf-8")


if __name__ == "__main__":
    main()
