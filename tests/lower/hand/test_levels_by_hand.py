"""Kernels given at every level compile, run and agree with numpy, alone and among stages of the compiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from lower.hand.cases import HEAD, INSTRUCTION, LEVELS, TILE, arrays, write
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as interpret_instructions
from pyptogen.simulate.tensor import interpret

TARGETS = ("cpu", "a2a3")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("level", LEVELS)
def test_runs(level: str, target: str, tmp_path: Path) -> None:
    operator = pyptogen.compile(write(tmp_path, LEVELS[level]), target=target)
    for rows in (1, 8, 37):
        given = arrays(rows)
        np.testing.assert_array_equal(operator(**given).y, given["x"] * np.float32(2))


@pytest.mark.parametrize("level", ["tile", "block", "instruction"])
def test_is_its_own_golden(level: str, tmp_path: Path) -> None:
    program = from_spec(load_spec(write(tmp_path, LEVELS[level])), verify_each=True)
    given = arrays(19)
    np.testing.assert_array_equal(interpret(program, given)["y"], given["x"] * np.float32(2))


AMONG = """\
graph:
  first: {h: x + 1.0}
  my_scale: {k: h * 2.0}
  last: {y: exp(k) * s}
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("level", LEVELS)
def test_among_stages_of_the_compiler(level: str, target: str, tmp_path: Path) -> None:
    name = {"tile": "my_scale", "block": "my_block", "instruction": "my_asm", "source": "my_extern"}[level]
    kernel = LEVELS[level][LEVELS[level].index("kernels:") :].replace(name, "my_scale")
    for old, new in (
        ("load(x[", "load(h["),
        (", y[", ", k["),
        ("TLOAD(xt, x[", "TLOAD(xt, h["),
        ("TSTORE(y[", "TSTORE(k["),
    ):
        kernel = kernel.replace(old, new)
    kernel = kernel.replace("reads: [x]", "reads: [h]").replace("writes: [y]", "writes: [k]")
    operator = pyptogen.compile(write(tmp_path, AMONG + kernel), target=target)
    given = arrays(37)
    want = np.exp((given["x"].astype(np.float64) + 1) * 2) * given["s"]
    np.testing.assert_allclose(operator(**given).y, want, rtol=1e-5)


def test_source_runs_compiled_only(tmp_path: Path) -> None:
    """The interpreter says so, with the place of the stage."""
    text = LEVELS["source"]
    lowered = generate(from_spec(load_spec(write(tmp_path, text))), "cpu")
    with pytest.raises(DiagnosticError, match="given as C\\+\\+ source, which no interpreter runs"):
        interpret_instructions(lowered, arrays(8), {})


BETWEEN = """\
graph:
  last: {y: x / total}
kernels:
  sums:
    level: tile
    writes: {total: "fp32[rows, 1]"}
    grid: {i: ceil(rows / 8)}
    before:
      - w: full(0.5, [1, 128], fp32)
    body:
      - t: full(0, [i, 1], fp32)
      - for: {j: ceil(cols / 128)}
        body:
          - t: t + rowsum(load(x[8*i:8*i+8, 128*j:128*j+128]) * scale * w)
      - store(t, total[8*i:8*i+8, :])
"""


@pytest.mark.parametrize("target", TARGETS)
def test_values_of_its_own_carried_tiles_and_attrs(target: str, tmp_path: Path) -> None:
    spec = write(tmp_path, BETWEEN)
    given = arrays(21)
    given["x"] = np.abs(given["x"])
    want = given["x"] / (given["x"].astype(np.float64) * 1.5).sum(axis=-1, keepdims=True)
    got = pyptogen.compile(spec, target=target)(**given, scale=3.0)
    np.testing.assert_allclose(got.y, want, rtol=1e-5)
    golden = interpret(from_spec(load_spec(spec)), given, {"scale": 3.0})
    np.testing.assert_allclose(golden["y"], want, rtol=1e-5)


def test_another_target_is_lowered_from_the_equations(tmp_path: Path) -> None:
    kernel = TILE.replace("level: tile", "level: tile\n    targets: [a2a3]")
    spec = write(tmp_path, "graph:\n  my_scale: {y: x * 2.0}\n" + kernel)
    program = from_spec(load_spec(spec))
    by_hand = {target: "by_hand" in generate(program, target).report["kernels"]["my_scale"] for target in TARGETS}
    assert by_hand == {"cpu": False, "a2a3": True}


def test_several_rows_of_a_table_share_the_kernel(tmp_path: Path) -> None:
    few = '{when: {rows: "<= 8"}, rows: {unroll: [8, 4, 2, 1]}}'
    table = f"tiling:\n  - {few}\n  - {{rows: {{unroll: [32, 16, 8, 4, 2, 1]}}}}\n"
    spec = write(tmp_path, INSTRUCTION + table)
    operator = pyptogen.compile(spec, target="cpu")
    for rows in (7, 45):
        given = arrays(rows)
        np.testing.assert_array_equal(operator(**given).y, given["x"] * np.float32(2))


def test_the_page_of_the_language_example(tmp_path: Path) -> None:
    """The tile-level example as it is written there, comment and all."""
    kernel = TILE.replace("level: tile", "level: tile                       # tensors are cut by hand")
    assert from_spec(load_spec(write(tmp_path, kernel, HEAD))).kernels[0].level == "tile"


HALVES = """\
graph:
  my_halves: {y: x * 2.0}
kernels:
  my_halves:
    level: block
    grid: {i: ceil(rows / 8)}
    buffers:
      low:   {memory: ub, address: 0x0000, shape: [8, 256], valid: [i, 256], dtype: fp32}
      high:  {memory: ub, address: 0x2000, shape: [8, 256], valid: [i, 256], dtype: fp32}
      twice: {memory: ub, address: 0x4000, shape: [8, 256], valid: [i, 256], dtype: fp32}
    body:
      - low: load(x[8*i:8*i+8, :256])
      - high: load(x[8*i:8*i+8, 256:])
      - low: muls(low, 2.0)
      - twice: muls(high, 2.0)
      - store(low, y[8*i:8*i+8, :256])
      - store(twice, y[8*i:8*i+8, 256:])
"""


def test_buffers_placed_by_hand_are_walked_together(tmp_path: Path) -> None:
    """Both halves of a row in one walk, values in registers."""
    spec = write(tmp_path, HALVES)
    (kernel,) = generate(from_spec(load_spec(spec)), "cpu").kernels
    assert (kernel.text.count("TPASS("), kernel.text.count("TASSIGN(")) == (1, 0)
    given = arrays(37)
    np.testing.assert_array_equal(pyptogen.compile(spec, target="cpu")(**given).y, given["x"] * np.float32(2))


def test_buffers_that_share_memory_are_left_to_their_instructions(tmp_path: Path) -> None:
    doubled, stored = "      - twice: muls(high, 2.0)\n", "      - store(low, y[8*i:8*i+8, :256])\n"
    shared = HALVES.replace("0x4000", "0x0400").replace("0x2000", "0x4000").replace(doubled + stored, stored + doubled)
    spec = write(tmp_path, shared)
    (kernel,) = generate(from_spec(load_spec(spec)), "cpu").kernels
    assert (kernel.text.count("TPASS("), kernel.text.count("TASSIGN(")) == (0, 3)
    given = arrays(37)
    np.testing.assert_array_equal(pyptogen.compile(spec, target="cpu")(**given).y, given["x"] * np.float32(2))
