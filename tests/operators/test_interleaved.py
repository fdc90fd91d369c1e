"""Columns side by side, the elements of several runs in turn: on devices an instruction takes them from a tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk
from pyptogen.lower.tile.ops import GatherFromTile, Load
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret

SPEC = """\
pyptogen: 1
operator: turns
dims: {t: {min: 1, max: 4096}}
inputs:
INPUTS
outputs:
  y: DTYPE[t, INSIDE, RUNS]
graph:
  y: concat(PARTS, axis=-1)
"""
FORMS: dict[str, tuple[str, str, int]] = {
    "pairs": ("bf16", "192", 2),
    "words": ("int32", "16, 64", 2),
    "triples": ("fp32", "128", 3),
    "more than a tile": ("fp16", "3, 1024", 2),
}
"""Dtype, known axes, runs."""
APART: dict[str, tuple[str, str, int]] = {
    "short runs": ("fp32", "32", 2),
    "no whole blocks": ("fp32", "129", 2),
    "a dtype that no instruction takes": ("int8", "256", 2),
}
"""Where each run is stored by itself: the results are the same."""


def spec(folder: Path, form: tuple[str, str, int]) -> Path:
    dtype, inside, runs = form
    names = "abcdefgh"[:runs]
    text = SPEC.replace("INPUTS", "\n".join(f"  {name}: {dtype}[t, INSIDE]" for name in names))
    text = text.replace("PARTS", ", ".join(f"{name}[..., None]" for name in names))
    path = folder / "turns.yaml"
    path.write_text(text.replace("DTYPE", dtype).replace("INSIDE", inside).replace("RUNS", str(runs)))
    return path


def arrays(form: tuple[str, str, int], t: int) -> dict[str, np.ndarray]:
    dtype, inside, runs = form
    rng = np.random.default_rng(t)
    shape = (t, *(int(part) for part in inside.split(", ")))
    return {name: rng.integers(-99, 99, shape).astype(NUMPY_DTYPES[dtype]) for name in "abcdefgh"[:runs]}


@pytest.mark.parametrize("name", [*FORMS, *APART])
def test_results(tmp_path: Path, name: str) -> None:
    form = {**FORMS, **APART}[name]
    path = spec(tmp_path, form)
    made, operator = lower(from_spec(load_spec(path)), "a2a3"), pyptogen.compile(path, target="a2a3")
    for t in (1, 5):
        given = arrays(form, t)
        want = np.stack(list(given.values()), axis=-1)
        np.testing.assert_array_equal(operator(**given).y, want)
        np.testing.assert_array_equal(interpret(made, given, level="tile", blocks=3)["y"], want)
        np.testing.assert_array_equal(run_instructions(made, given)["y"], want)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_which_are_taken_in_turn(tmp_path: Path, target: str) -> None:
    """In tiles that divide the runs: all that the instruction may take is loaded."""
    for name, form in {**FORMS, **APART}.items():
        (kernel,) = lower(from_spec(load_spec(spec(tmp_path, form))), target).tiles
        assert any(isinstance(op, GatherFromTile) for op in walk(kernel.body)) == (name in FORMS), name
        loads = [op.gm for op in walk(kernel.body) if isinstance(op, Load)]
        assert name in APART or all(gm.cols.valid is None for gm in loads), name


def test_a_cpu_stores_each_run(tmp_path: Path) -> None:
    (kernel,) = lower(from_spec(load_spec(spec(tmp_path, FORMS["pairs"]))), "cpu").tiles
    assert not any(isinstance(op, GatherFromTile) for op in walk(kernel.body))
