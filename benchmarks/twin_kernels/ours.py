"""Operators that compute what published kernels compute, as specs without tiles, and attention with one line of tiles
as well: what the model says of kernels that people wrote, and of those that are generated.

Theirs are priced as `twin.py` judges them. Inputs of attention lie in L2 there, as its table was measured; ours read
them from HBM.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyptogen.codegen import lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.device.cases import call_time

GEMM = """\
pyptogen: 1
operator: gemm
dims: {{m: {{min: 1, max: 8192}}, k: {n}, n: {n}}}
inputs: {{a: "fp16[m, k]", b: "fp16[k, n]"}}
outputs: {{c: "fp32[m, n]"}}
graph: {{c: "matmul(a, b, dtype=fp32)"}}
tiling: [{{}}]
"""
TOPK = """\
pyptogen: 1
operator: best
dims: {rows: {min: 1, max: 8192}}
inputs: {x: "fp32[rows, 1024]"}
outputs: {v: "fp32[rows, 1000]", i: "int32[rows, 1000]"}
graph: {best: {"v, i": "topk(x, 1000)"}}
tiling: [{}]
"""
ATTENTION = """\
pyptogen: 1
operator: head
dims: {sq: {min: 1, max: 65536}, kv: {min: 1, max: 65536}, d: 128}
attrs: {scale: {type: fp32, default: 0.08838834764831845}}
inputs: {q: "fp16[sq, d]", k: "fp16[kv, d]", v: "fp16[kv, d]"}
outputs: {o: "fp16[sq, d]"}
graph: {o: "attention(q, k, v, scale=scale)"}
tiling: [{}]
"""
WIDE = ATTENTION.replace("[{}]", "[{sq: {tile: 128, rows: 64}, kv: 256, fifo: 4}]")
"""Blocks of 128 queries, which read keys and values half as often as those that the compiler takes."""
WITH_TILES = ", `sq: {tile: 128, rows: 64}`"
CASES: Mapping[str, tuple[str, Mapping[str, int]]] = {
    **{f"GEMM fp16 {n}³": (GEMM.format(n=n), {"m": n}) for n in (1536, 3072, 6144, 7680)},
    **{f"top-k fp32 {rows} rows": (TOPK, {"rows": rows}) for rows in (2304, 3456, 4800)},
    **{
        f"flash attention {s}{more}": (spec, {"sq": s, "kv": s})
        for s in (1024, 2048, 4096, 8192, 16384, 32768)
        for more, spec in (("", ATTENTION), (WITH_TILES, WIDE))
    },
}
"""By the name of the row that `twin.py` judges, and what is said of tiles: a spec, and the sizes of the call."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A kernel that people wrote and one that is generated: microseconds measured, by the model, and ours by the model.
    ``bound`` is what holds ours up."""

    name: str
    measured_us: float
    theirs_us: float
    ours_us: float
    bound: str


def beside(theirs: Mapping[str, tuple[float, float]]) -> Iterator[Beside]:
    """All cases of which ``theirs`` has microseconds, measured and by the model, by name."""
    for name, (spec, sizes) in CASES.items():
        judged = name.removesuffix(WITH_TILES)
        if judged in theirs:
            measured, predicted = theirs[judged]
            call = call_time(lowered(from_spec(load_source(Source(f"{name}.yaml", spec))), "a2a3"), sizes)
            yield Beside(name, measured, predicted, round(call.micros, 1), call.bound)


def table(found: list[Beside]) -> str:
    """Markdown: a line for each."""
    lines = [
        "| kernel | measured µs | theirs by the model | ours by the model | ours / theirs | ours held up by |",
        "|---|---|---|---|---|---|",
    ]
    for one in found:
        ratio = one.ours_us / one.theirs_us
        lines.append(
            f"| {one.name} | {one.measured_us:g} | {one.theirs_us:g} | {one.ours_us:g} | {ratio:.2f} | {one.bound} |"
        )
    return "\n".join(lines) + "\n"
