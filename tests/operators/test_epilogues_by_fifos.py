"""Vector work on a product in a row without sizes, where cube and vector cores are separate: by fifos or through GM."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from properties.checked_run import said_by_checked_mode

import pyptogen
from pyptogen.codegen import Generated, generate
from pyptogen.lower import fused_stages
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.sizes.sizes import SLOTS
from pyptogen.schema import Source, load_source

Array = npt.NDArray[Any]

SPEC = """\
pyptogen: 1
operator: epilogue
dims: {t: {min: 1, max: 4096}, k: 512, n: 512}
inputs: {x: "DTYPE[t, k]", w: "DTYPE[k, n]", row: "fp32[n]", col: "fp32[t]"}
outputs: {y: "fp32[t, n]"}
graph:
  GRAPH
tiling: [{}]
"""


def shifted(p: Array, row: Array, col: Array) -> Array:
    return np.maximum(p * col[:, None] + row, 0)


def gated(p: Array, row: Array, col: Array) -> Array:
    return p / (1 + np.exp(-p)) * (p + row) + col[:, None]


def spread(p: Array, row: Array, col: Array) -> Array:
    e = np.exp(p - p.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * row + col[:, None]


CASES: dict[str, tuple[str, str, Callable[..., Array]]] = {
    "dequant": ("int8", "y: relu(cast(matmul(x, w, dtype=int32), fp32) * col[:, None] + row)", shifted),
    "gate": ("bf16", "y: silu(matmul(x, w, dtype=fp32)) * (matmul(x, w, dtype=fp32) + row) + col[:, None]", gated),
    "rows": ("bf16", "y: softmax(matmul(x, w, dtype=fp32)) * row + col[:, None]", spread),
}


def text_of(case: str) -> str:
    dtype, graph, _ = CASES[case]
    return SPEC.replace("DTYPE", dtype).replace("GRAPH", graph)


@cache
def lowered(text: str, target: str) -> Generated:
    return generate(from_spec(load_source(Source("epilogue.yaml", text))), target)


def mixed(result: Generated) -> list[str]:
    return [launch.kernel for launch in result.execution.plans[-1] if launch.programs]


@pytest.mark.parametrize(
    ("case", "target"), [("dequant", "a2a3"), ("dequant", "a5"), ("gate", "a2a3"), ("gate", "a5"), ("rows", "a5")]
)
def test_one_kernel(case: str, target: str) -> None:
    """One launch, no product in GM, and each vector core has half of the rows."""
    result = lowered(text_of(case), target)
    assert mixed(result) == ["epilogue"]
    assert len(result.execution.plans[-1]) == 1
    assert result.execution.workspaces == ()
    assert result.report["chosen"] == {"fifo": SLOTS}
    assert any("as fast as through GM" in note for note in result.notes)
    assert [kernel.subblock is not None for kernel in result.instructions] == [False, True]


@pytest.mark.parametrize(("case", "target"), [("dequant", "a2a3"), ("gate", "a2a3"), ("rows", "a2a3"), ("rows", "a5")])
def test_results(case: str, target: str, tmp_path: Path) -> None:
    """With one row, tiles that are full, and tails; by hand in numpy."""
    path = tmp_path / "epilogue.yaml"
    path.write_text(text_of(case))
    made, rng = pyptogen.compile(path, target=target, threads=2), np.random.default_rng(7)
    for t in (1, 64, 129, 257):
        given = made.example_inputs(t=t, seed=t)
        given["row"] = rng.uniform(-1, 1, 512).astype(np.float32)
        given["col"] = rng.uniform(0.5, 1, t).astype(np.float32)
        if CASES[case][0] == "bf16":
            given |= {name: (given[name] * np.float32(0.1)).astype(given[name].dtype) for name in ("x", "w")}
        product = given["x"].astype(np.float64) @ given["w"].astype(np.float64)
        want = CASES[case][2](product, given["row"], given["col"])
        np.testing.assert_allclose(made(**given).y, want, rtol=2e-5, atol=2e-5)
    assert said_by_checked_mode(path, target, {"t": 129}, 1) == ""


STAGES = """\
  product:
    p: matmul(x, w, dtype=fp32)
  gate:
    g: relu(matmul(x, w, dtype=fp32) * row + col[:, None]) * row
  sums:
    y: p + g
"""


def test_each_stage_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product alone and vector work alone have no fifos, where stages are not fused."""
    monkeypatch.setattr(fused_stages, "LEAST_GAIN", math.inf)
    text = text_of("rows").replace("  " + CASES["rows"][1] + "\n", STAGES)
    result = lowered(text, "a2a3")
    assert mixed(result) == ["gate"]
    assert [launch.kernel for launch in result.execution.plans[-1]] == ["product", "gate", "sums"]


def test_a_row_with_sizes_is_taken_as_it_is() -> None:
    result = lowered(text_of("dequant").replace("[{}]", "[{t: 64, n: 128}]"), "a2a3")
    assert mixed(result) == []
    assert result.notes == ()
    assert "chosen" not in result.report


def test_whole_rows_that_have_no_room_go_through_gm() -> None:
    """A row of the product that a softmax needs whole fits no L0C: the product is cut, and its parts meet in GM."""
    result = lowered(text_of("rows").replace("n: 512", "n: 65536"), "a5")
    assert mixed(result) == []
    assert {kernel.core for kernel in result.kernels} == {"cube", "vector"}
