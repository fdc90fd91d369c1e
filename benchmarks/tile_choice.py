"""How good the compiler's own tiles are: what it chooses for `- {}` against the best row that a full search finds.

    python benchmarks/tile_choice.py                      all platforms
    python benchmarks/tile_choice.py --target a2a3        by the cost model, all powers of two; a5 alike
    python benchmarks/tile_choice.py --target cpu         by running on one thread, all powers of two around the choice

On `a2a3` and `a5` a row costs the cycles of `pyptogen.lower.instruction.duration`; on `cpu` the least processor time
(one thread: others on the machine do not count) of many interleaved runs with given outputs. A ratio of 1.10 says that
the choice takes 10 % longer than the best row. The aim is 1.25.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pyptogen
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.estimate import nominal_dims
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program, TilingRow
from pyptogen.schema import load_spec

SPECS = Path(__file__).parents[1] / "specs"
OPERATORS: Mapping[str, tuple[str, int]] = {
    "softmax": ("rows", 2048), "log_softmax": ("rows", 2048), "rms_norm": ("rows", 2048),
    "layer_norm_residual": ("rows", 2048), "swiglu": ("rows", 2048), "quant_per_token": ("rows", 2048),
    "linear_int8": ("t", 512), "matmul_fp32": ("m", 512), "matmul_bf16": ("m", 512), "matmul_int8": ("m", 512),
}  # fmt: skip
"""The dynamic dim of each operator, and its length in the runs on the CPU."""
ROUNDS = tuple({"tile": 1024, "rows": rows} for rows in (32, 64, 128, 256))
LOOPS_AND_EPILOGUES: Mapping[str, tuple[dict[str, int], dict[str, tuple[Any, ...]]]] = {
    "flash_attention": ({"sq": 512, "kv": 512}, {"heads": (1,), "sq": ROUNDS, "kv": (128, 256, 512)}),
    "flash_attention_fp32": ({"sq": 512, "kv": 512}, {"heads": (1,), "sq": ROUNDS, "kv": (128, 256, 512)}),
    "flash_attention_causal": ({"sq": 512, "kv": 512}, {"heads": (1,), "sq": ROUNDS, "kv": (128, 256, 512)}),
    "flash_attention_grouped": (
        {"sq": 512, "kv": 512},
        {"kv_heads": (1,), "group": (1,), "sq": ROUNDS, "kv": (128, 256, 512)},
    ),
    "sparse_attention": ({"t": 32, "kv": 4096}, {"t": (1,), "selected": (32, 64, 128)}),
    "paged_attention": (
        {"batch": 4, "pages": 64, "blocks": 512},
        {"batch": (1,), "kv_heads": (1,), "slots": (128, 256, 512, 1024)},
    ),
    "moe_gate_softmax": ({"t": 256}, {"t": (32, 64, 128, 256), "experts": (512,), "h": (512, 2048)}),
    "glm_gate": ({"t": 512}, {"t": (64, 128, 256), "h": (512, 1024, 2048)}),
    "linear_gelu": ({"t": 256}, {"t": (64, 128, 256), "n": (128, 256), "k": (512, 1024)}),
}
"""More for the CPU: sizes of the runs, and the tiles of the search by dim."""
NOMINAL = 4096
"""Length of the dynamic dim in the cost model."""
LARGEST = 1024
PRODUCT_TILES = {"m": (64, 128, 256), "t": (64, 128, 256), "n": (64, 128, 256), "k": (256, 512, 1024)}
"""Tiles of a product that are run on the CPU: each row costs a compilation."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """The chosen row and the best one, with their costs (cycles or seconds), and how many rows there were."""

    operator: str
    chosen: Row
    chosen_cost: float
    best: Row
    best_cost: float
    rows: int

    @property
    def ratio(self) -> float:
        return self.chosen_cost / self.best_cost


def tiled(program: Program, row: Row) -> Program:
    """The program with one tiling row for all stages."""
    return replace(program, tiling=(TilingRow((), {"": row} if row else {}, (), {}, program.span),))


def chosen_row(program: Program, target: str) -> Row:
    """What the compiler chooses, by dim, of the kernel with most dims."""
    report = generate(tiled(program, {}), target).report["kernels"]
    found = max((k["tiles"] for k in report.values()), key=len)
    return {dim: sizes[0] if len(sizes) == 1 else {"l1": sizes[0], "l0": sizes[1]} for dim, sizes in found.items()}


def powers(limit: int) -> list[int]:
    return [2**i for i in range(limit.bit_length()) if 2**i <= limit]


def grid(program: Program, name: str, target: str) -> Iterator[Row]:
    """All rows of the search."""
    if name in LOOPS_AND_EPILOGUES:
        _, tiles = LOOPS_AND_EPILOGUES[name]
        yield from (dict(zip(tiles, row, strict=True)) for row in product(*tiles.values()))
        return
    dynamic, _ = OPERATORS[name]
    static = {d.name: d.value for d in program.dims if d.value is not None}
    is_product = any(op.kind == "matmul" for op in program.ops)
    if not is_product:
        yield from ({dynamic: tile} for tile in powers(64 if target == "cpu" else 256))
        return
    dims = [dynamic, "n", "k"]
    if target == "cpu":
        yield from (dict(zip(dims, tiles, strict=True)) for tiles in product(*(PRODUCT_TILES[d] for d in dims)))
        return
    sizes = [[t for t in powers(min(static.get(d, LARGEST), LARGEST)) if t >= 16] for d in dims]
    for rows, columns, depth in product(*sizes):
        for inner in powers(depth):
            if inner >= 16:
                yield {dynamic: rows, "n": columns, "k": {"l1": depth, "l0": inner}}


def cycles(program: Program, row: Row, target: str) -> float | None:
    """Cost of a row on a platform with figures, None where it cannot be lowered."""
    try:
        kernels = generate(tiled(program, row), target).instructions
    except DiagnosticError:
        return None
    dims = nominal_dims(program.dims)
    found = [duration(k, PLATFORMS[target], NOMINAL, dims) for k in kernels]
    return sum(f for f in found if f is not None)


def by_model(name: str, target: str) -> Outcome:
    """Choice and full search by the cost model."""
    program = from_spec(load_spec(SPECS / f"{name}.yaml"))
    chosen = chosen_row(program, target)
    cost = cycles(program, {}, target)
    assert cost is not None
    every = ((cycles(program, row, target), row) for row in grid(program, name, target))
    rows = [(found, row) for found, row in every if found is not None]
    best_cost, best = min(rows, key=lambda entry: entry[0])
    return Outcome(name, chosen, cost, best, min(best_cost, cost), len(rows))


def by_running(name: str, seconds: float) -> Outcome:
    """Choice and search by running, interleaved, outputs given, one thread."""
    sizes = LOOPS_AND_EPILOGUES[name][0] if name in LOOPS_AND_EPILOGUES else dict([OPERATORS[name]])
    spec = load_spec(SPECS / f"{name}.yaml")
    program = from_spec(spec)
    chosen = chosen_row(program, "cpu")
    rows: list[Row] = [{}, *grid(program, name, "cpu")]
    text = (SPECS / f"{name}.yaml").read_text(encoding="utf-8")
    operators = []
    for row in rows:
        operator = compiled(text, row)
        if operator is not None:
            operators.append((row, operator))
    arrays = operators[0][1].example_inputs(seed=1, **sizes)
    outputs = operators[0][1](**arrays)._asdict()
    least = [float("inf")] * len(operators)
    until = time.process_time() + seconds
    while time.process_time() < until:
        for i, (_, operator) in enumerate(operators):
            start = time.process_time()
            operator(**arrays, out=outputs)
            least[i] = min(least[i], time.process_time() - start)
    best = min(range(len(operators)), key=least.__getitem__)
    return Outcome(name, chosen, least[0], operators[best][0] or chosen, least[best], len(operators))


def compiled(text: str, row: Row) -> Any:
    """The operator with one tiling row, None where that row does not fit."""
    import tempfile

    start, end = text.index("tiling:\n"), text.index("verify:\n")
    written = ", ".join(f"{dim}: {tile}" for dim, tile in row.items())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_text(f"{text[:start]}tiling:\n  - {{{written}}}\n\n{text[end:]}", encoding="utf-8")
        try:
            return pyptogen.compile(path, threads=1)
        except DiagnosticError:
            return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=("a2a3", "a5", "cpu"), help="only this platform")
    parser.add_argument("--only", nargs="*", choices=(*OPERATORS, *LOOPS_AND_EPILOGUES), help="only these operators")
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="processor time for the runs of one operator on the CPU"
    )
    given = parser.parse_args()
    for target in (given.target,) if given.target else ("a2a3", "a5", "cpu"):
        on_cpu = target == "cpu"
        print(f"{target}: {'ms' if on_cpu else 'cycles'}")
        for name in [n for n in given.only or (*OPERATORS, *LOOPS_AND_EPILOGUES) if on_cpu or n in OPERATORS]:
            found = by_running(name, given.seconds) if on_cpu else by_model(name, target)
            scale = 1e3 if on_cpu else 1
            print(
                f"  {name:<20} {found.ratio:5.2f}  chosen {found.chosen} {found.chosen_cost * scale:.2f}"
                f"  best of {found.rows} {found.best} {found.best_cost * scale:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
