"""Small matrices of a long batch in planes: which work goes so, and that it means the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import pyptogen
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import fit, from_spec
from pyptogen.lower.tensor.ir import REDUCE, Program
from pyptogen.lower.tensor.passes import planes
from pyptogen.schema import load_spec
from pyptogen.simulate.tensor import interpret

HEAD = """\
pyptogen: 1
operator: small
dims:
  t: {min: 1, max: 65536}
  n: 3
  m: 5
inputs:
  x: fp32[t, n, m]
  w: fp32[t, n, 1]
outputs:
  y: fp32[t, n, m]
"""

MATRICES = """\
graph:
  e: exp(x - amax(x, axis=-2, keepdim=true)) * w
  y: e / sum(e, axis=-1, keepdim=true) + amin(e, axis=1, keepdim=true) * 0.5
"""


def write(folder: Path, graph: str, **changes: str) -> Path:
    text = HEAD
    for old, new in changes.items():
        assert f"  {old}: " in text
        text = "".join(f"  {old}: {new}\n" if line.startswith(f"  {old}: ") else line for line in text.splitlines(True))
    path = folder / "small.yaml"
    path.write_text(text + graph + "tiling:\n  - {}\n")
    return path


def fitted(path: Path, target: str = "cpu") -> tuple[Program, Program]:
    """The program as it is fitted to a platform, and in planes."""
    program = fit.run(from_spec(load_spec(path)), PLATFORMS[target])
    return program, planes.run(program, PLATFORMS[target])


def arrays(t: int, n: int = 3, m: int = 5) -> dict[str, npt.NDArray[np.float32]]:
    rng = np.random.default_rng(t)
    return {
        "x": rng.standard_normal((t, n, m)).astype(np.float32),
        "w": rng.uniform(0.5, 2, (t, n, 1)).astype(np.float32),
    }


def by_hand(x: npt.NDArray[np.float32], w: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """`MATRICES` in float64."""
    e = np.exp(x - x.astype(np.float64).max(1, keepdims=True)) * w
    return e / e.sum(2, keepdims=True) + e.min(1, keepdims=True) * 0.5


def test_lanes_run_over_the_batch(tmp_path: Path) -> None:
    """No reduction is left, and what is computed has the axes of the batch alone."""
    before, after = fitted(write(tmp_path, MATRICES))
    assert sum(op.kind in REDUCE for op in before.ops) == 3
    assert not any(op.kind in REDUCE for op in after.ops)
    assert {len(op.result.shape) for op in after.ops if op.kind in ("exp", "add", "mul", "div", "maximum")} == {1}


def test_means_the_same(tmp_path: Path) -> None:
    _, after = fitted(write(tmp_path, MATRICES))
    given = arrays(7)
    np.testing.assert_allclose(interpret(after, given)["y"], by_hand(**given), rtol=1e-5)


@pytest.mark.parametrize("t", [1, 67])
def test_compiled(tmp_path: Path, t: int) -> None:
    given = arrays(t)
    got = pyptogen.compile(write(tmp_path, MATRICES), target="cpu")(**given).y
    np.testing.assert_allclose(got, by_hand(**given), rtol=1e-5)


def test_a_value_that_something_else_reads_is_there_whole(tmp_path: Path) -> None:
    """A running sum works on matrices as they lie in memory."""
    graph = "graph:\n  h: x / sum(x * x, axis=1, keepdim=true) * w\n  y: cumsum(h, axis=-1)\n"
    given = arrays(9)
    h = given["x"] / (given["x"].astype(np.float64) ** 2).sum(1, keepdims=True) * given["w"]
    got = pyptogen.compile(write(tmp_path, graph), target="cpu")(**given).y
    np.testing.assert_allclose(got, np.cumsum(h, axis=-1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("graph", "changes"),
    [
        pytest.param("graph:\n  y: x / sum(x, axis=-1, keepdim=true) * w\n", {}, id="rows alone"),
        pytest.param(MATRICES, {"n": "4", "m": "8"}, id="many planes"),
        pytest.param(MATRICES, {"n": "1", "m": "16"}, id="rows that fill vectors"),
        pytest.param(MATRICES, {"t": "16"}, id="a short batch"),
        pytest.param(MATRICES, {"m": "{min: 1, max: 5}"}, id="a run-time axis"),
    ],
)
def test_what_stays_as_it_is(tmp_path: Path, graph: str, changes: dict[str, str]) -> None:
    before, after = fitted(write(tmp_path, graph, **changes))
    assert after is before


def test_other_platforms_have_none(tmp_path: Path) -> None:
    before, after = fitted(write(tmp_path, MATRICES), "a2a3")
    assert after is before
