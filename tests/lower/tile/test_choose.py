"""Tiles that the author left to the compiler: they fit, and the results are right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lower.small_programs import elementwise
from pyptogen.codegen import Generated, generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.instruction.duration import duration
from pyptogen.lower.instruction.ir import For, walk
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program, TilingRow
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.verify import example_inputs

SPECS = Path(__file__).parents[3] / "specs"
SIZES = {
    "softmax": {"rows": 5},
    "rms_norm": {"rows": 5},
    "matmul_fp32": {"m": 5},
    "matmul_bf16": {"m": 130},
    "matmul_int8": {"m": 5},
    "indexer_prolog": {"t": 3, "blocks": 2},
}


def with_tiling(name: str, tiling: str, folder: Path) -> Path:
    text = (SPECS / f"{name}.yaml").read_text()
    start, end = text.index("tiling:\n"), text.index("verify:\n")
    path = folder / f"{name}.yaml"
    path.write_text(f"{text[:start]}tiling:\n{tiling}\n{text[end:]}")
    return path


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("name", SIZES)
def test_an_empty_row(name: str, target: str, tmp_path: Path) -> None:
    spec = load_spec(with_tiling(name, "  - {}", tmp_path))
    program = from_spec(spec)
    lowered = generate(program, target)
    arrays = example_inputs(spec, SIZES[name], seed=5)
    want, got = interpret(program, arrays), run_instructions(lowered, arrays)
    for output, expected in want.items():
        allowed = 1 if expected.dtype == np.int8 else 1e-2 * max(1.0, float(np.abs(expected.astype(np.float64)).max()))
        np.testing.assert_allclose(got[output].astype(np.float64), expected.astype(np.float64), atol=allowed)


def tiles(lowered: object) -> dict[str, object]:
    return {name: k["tiles"] for name, k in lowered.report["kernels"].items()}  # type: ignore[attr-defined]


def test_what_is_chosen_suits_the_platform(tmp_path: Path) -> None:
    softmax = from_spec(load_spec(with_tiling("softmax", "  - {}", tmp_path)))
    assert tiles(generate(softmax, "cpu")) == {"softmax": {"rows": [1]}}  # 16 KB of fp32[1, 4096]
    assert tiles(generate(softmax, "a2a3")) == {"softmax": {"rows": [2]}}  # 32 KB, a copy, half rows


def test_rows_that_a_position_is_found_in_stay_in_the_first_level_cache() -> None:
    """Its result has one element a row; what it reads has 4096."""
    argmax = from_spec(load_spec(SPECS / "argmax.yaml"))
    assert tiles(generate(argmax, "cpu")) == {"argmax": {"rows": [1]}}  # 16 KB of fp32[1, 4096]


def test_an_epilogue_has_the_rows_of_its_product(tmp_path: Path) -> None:
    """Of a few rows each tile of the right operand would be rearranged again and again."""
    fused = from_spec(load_spec(with_tiling("linear_relu", "  - {fuse: [[product, activation]]}", tmp_path)))
    assert [sizes["t"] for sizes in tiles(generate(fused, "cpu")).values()] == [[256]]  # type: ignore[index]


def test_a_block_of_a_loop_meets_many_rows_a_part_at_a_time(tmp_path: Path) -> None:
    """A block of keys is rearranged once for 1024 queries; scores of 128 of them stay in the cache."""
    attention = from_spec(load_spec(with_tiling("flash_attention", "  - {}", tmp_path)))
    assert tiles(generate(attention, "cpu")) == {"flash_attention": {"heads": [1], "sq": [1024, 128], "kv": [512]}}


def test_blocks_of_a_causal_loop_are_short(tmp_path: Path) -> None:
    """Of a long one most would be computed for queries whose causal bound lies ahead of it."""
    causal = from_spec(load_spec(with_tiling("flash_attention_causal", "  - {}", tmp_path)))
    chosen = {"heads": [1], "sq": [1024, 128], "kv": [128]}
    assert tiles(generate(causal, "cpu")) == {"flash_attention_causal": chosen}


def test_columns_of_a_loop_stay_whole(tmp_path: Path) -> None:
    """Cut ones would make all scores again for every part of them."""
    sparse = from_spec(load_spec(with_tiling("sparse_attention", "  - {}", tmp_path)))
    assert tiles(generate(sparse, "cpu"))["attend"] == {"t": [1], "selected": [512]}


def test_columns_are_cut_where_a_middle_axis_is_summed() -> None:
    """512 rows of an iteration go into one sum: as many columns at a time as fit."""
    text = (
        "pyptogen: 1\noperator: sums\ndims: {n: {max: 9}, b: 2, k: 512, d: 2048}\ninputs: {x: 'fp32[n, b, k, d]'}\n"
        "outputs: {y: 'fp32[b, d]'}\ngraph:\n  add:\n    loop: {over: n, tile: 1}\n"
        "    carry:\n      y: full([b, d], 0, fp32)\n"
        "    next:\n      y: y + sum(abs(reshape(x[n], [b, k, d])), axis=1)\n"
    )
    lowered = generate(from_spec(load_source(Source("sums.yaml", text))), "cpu")
    assert tiles(lowered)["add"] == {"n": [1], "b": [1], "d": [256]}
    x = np.random.default_rng(3).normal(size=(3, 2, 512, 2048)).astype(np.float32)
    got = run_instructions(lowered, {"x": x})["y"]
    np.testing.assert_allclose(got, np.abs(x.astype(np.float64)).sum(axis=(0, 2)), rtol=1e-5)


def test_what_a_product_carries_on_stays_whole() -> None:
    """A carried value that goes through a product cannot be cut along what it sums over."""
    program = from_spec(
        load_source(
            Source(
                "power.yaml",
                "pyptogen: 1\noperator: power\ndims: {n: 129, steps: 7}\ninputs:\n  a: fp32[n, n]\n  v: fp32[n, 1]\n"
                "outputs:\n  u: fp32[n, 1]\ngraph:\n  iterate:\n"
                "    loop: {over: steps, tile: 1}\n    carry:\n      u: v\n"
                "    body:\n      z: a @ u\n    next:\n      u: z / sqrt(sum(z * z, axis=0, keepdim=true))\n",
            )
        )
    )
    rng = np.random.default_rng(3)
    a, u = rng.normal(size=(129, 129)).astype(np.float32), rng.normal(size=(129, 1)).astype(np.float32)
    got = run_instructions(generate(program, "cpu"), {"a": a, "v": u})["u"]
    for _ in range(7):
        u = a.astype(np.float64) @ u
        u /= np.linalg.norm(u)
    np.testing.assert_allclose(got, u, rtol=1e-3, atol=1e-4)


def test_what_is_written_stays(tmp_path: Path) -> None:
    product = from_spec(load_spec(with_tiling("matmul_bf16", "  - {n: 64}", tmp_path)))
    chosen = tiles(generate(product, "cpu"))["matmul_bf16"]
    assert chosen == {"m": [256], "n": [64]}  # k is static and not named: whole


TEN = (
    "softmax", "log_softmax", "rms_norm", "layer_norm_residual", "swiglu", "quant_per_token", "linear_int8",
    "matmul_fp32", "matmul_bf16", "matmul_int8",
)  # fmt: skip


@pytest.mark.parametrize("name", TEN)
def test_a_step_away_from_the_choice_does_not_pay(name: str, tmp_path: Path) -> None:
    """The row that was chosen for A2/A3 has no neighbour (one tile halved or doubled) that is more than 25 % faster."""
    program = from_spec(load_spec(with_tiling(name, "  - {}", tmp_path)))
    chosen = generate(program, "a2a3")
    cost = total(chosen)
    sizes = {stage: row_of(k["tiles"]) for k in chosen.report["kernels"].values() for stage in k["stages"]}
    for stage, row in sizes.items():
        for dim in row:
            for factor in (0.5, 2):
                tile = {key: int(size * factor) if key == dim else size for key, size in row.items()}
                table = {other: tile if other == stage else sizes[other] for other in sizes}
                try:
                    other = generate(replace(program, tiling=(written(program, table),)), "a2a3")
                except DiagnosticError:
                    continue
                assert total(other) > 0.75 * cost, f"{stage} {tile} takes {total(other):.0f}, the choice {cost:.0f}"


def row_of(tiles: dict[str, list[int]]) -> dict[str, int]:
    return {dim: sizes[0] for dim, sizes in tiles.items() if not dim.endswith(".l0")}


def written(program: Program, table: dict[str, dict[str, int]]) -> TilingRow:
    return TilingRow((), table, (), {}, program.span)


def total(lowered: Generated) -> float:
    found = [duration(kernel, PLATFORMS["a2a3"], 4096, {}) for kernel in lowered.instructions]
    return sum(cycles for cycles in found if cycles is not None)


def test_the_duration_of_a_loop_by_hand() -> None:
    """y = exp(x), 64 rows of 16 columns in tiles of 16: load, exp, store, four iterations on one of 48 cores each."""
    (kernel,) = generate(elementwise("y: exp(x)", tile=16), "a2a3").instructions
    timing = PLATFORMS["a2a3"].timing
    assert timing is not None
    tile, exp = 16 * 16 * 4, timing.vector["TEXP"]
    load, load_latency = tile / timing.load["Vec"].value, timing.load_latency.value
    store, store_latency = tile / timing.store["Vec"].value, timing.store_latency["Vec"].value
    work = tile / 256 * exp.repeat.value + exp.fixed.value
    one = duration(kernel, PLATFORMS["a2a3"], 64, {})
    first = load + load_latency + work + store + store_latency
    assert one == pytest.approx(first)
    many = duration(kernel, PLATFORMS["a2a3"], 16 * 48 * 3, {})
    (copies,) = {node.slots for node in walk(kernel.body) if isinstance(node, For) and node.slot is not None}
    of_one_buffer = max(load + load_latency + work, work + store + store_latency) / copies
    beside = max(load, work, store, of_one_buffer)
    assert many == pytest.approx(first + 2 * beside), "iterations overlap, those of one buffer take turns"


def test_tiles_four_times_smaller_are_tried(tmp_path: Path) -> None:
    """On A5 the memory of the first guess has no room for copies, nor that of half of it; a quarter has."""
    operator = from_spec(load_spec(with_tiling("layer_norm_residual", "  - {}", tmp_path)))
    lowered = generate(operator, "a5")
    assert tiles(lowered) == {"layer_norm_residual": {"rows": [2]}}
    of_eight = generate(replace(operator, tiling=(_row(operator, rows=8),)), "a5")
    costs = [duration(found.instructions[0], PLATFORMS["a5"], 4096, {}) for found in (lowered, of_eight)]
    assert costs[0] is not None
    assert costs[1] is not None
    assert 1.25 * costs[0] < costs[1]


def _row(program: Program, **sizes: int) -> TilingRow:
    return TilingRow((), {"": dict(sizes)}, (), {}, program.span)


HELD = """\
pyptogen: 1
operator: held
dims: {n: {min: 1, max: 4096}, d: 256, e: 256}
inputs: {x: "fp32[n, d]"}
outputs: {h: "fp32[d, e]"}
graph:
  state:
    loop: {over: n, tile: 32}
    carry:
      h: full([d, e], 0.5, fp32)
    next:
      h: h * 0.5 + matmul(transpose(x[n], 0, 1), matmul(x[n], h) - 1) * 0.001
tiling: [{}]
"""


def test_a_state_is_cut_along_the_axis_that_no_iteration_needs_whole() -> None:
    """All of it fits no memory of a cube core; its rows are the depth of an iteration's product, its columns apart."""
    made = generate(from_spec(load_source(Source("held.yaml", HELD))), "a2a3")
    assert all("d" not in cut and cut["e"][0] < 256 for cut in tiles(made).values())  # type: ignore[operator, index]
    x = np.random.default_rng(4).uniform(-1, 1, (70, 256)).astype(np.float32)
    h = np.full((256, 256), 0.5)
    for start in range(0, 70, 32):
        rows = x[start : start + 32].astype(np.float64)
        h = h * 0.5 + rows.T @ (rows @ h - 1) * 0.001
    np.testing.assert_allclose(run_instructions(made, {"x": x})["h"], h, rtol=1e-4, atol=1e-5)
