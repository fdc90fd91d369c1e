"""The Tile and Block levels run as numpy, agree with the golden, and see what a plan does wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from lower.small_programs import elementwise, elementwise_arrays
from pyptogen.lower import pipeline
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret
from pyptogen.verify import example_inputs

SPECS = Path(__file__).parents[3] / "specs"
SIZES = {"t": 5, "rows": 9, "m": 37, "blocks": 2, "sq": 70, "kv": 300}
LEVELS: tuple[Literal["tile", "block"], ...] = ("tile", "block")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(
    "name", ["softmax", "rms_norm", "matmul_bf16", "linear_int8", "rope", "indexer_prolog", "flash_attention_causal"]
)
def test_the_library(name: str, target: str, level: Literal["tile", "block"]) -> None:
    spec = load_spec(SPECS / f"{name}.yaml")
    program = from_spec(spec)
    arrays = example_inputs(spec, {d.name: SIZES[d.name] for d in program.dims if d.dynamic}, seed=2)
    want, got = golden(program, arrays), interpret(pipeline.lower(program, target), arrays, level=level, blocks=2)
    for output, expected in want.items():
        exact = expected.astype(np.float64)
        allowed = 1 if expected.dtype.kind == "i" else 1e-2 * max(1.0, float(np.abs(exact).max()))
        np.testing.assert_allclose(got[output].astype(np.float64), exact, atol=allowed, err_msg=output)


def test_a_tile_under_another_one_is_lost() -> None:
    """Two buffers that live together at one address: the Tile level knows no addresses, the Block level finds it."""
    program = elementwise("a: exp(x)\nb: exp(z)\ny: a + b")
    lowered = pipeline.lower(program, "cpu")
    arrays = elementwise_arrays(5)
    np.testing.assert_array_equal(interpret(lowered, arrays, level="block")["y"], golden(program, arrays)["y"])
    (plan,) = lowered.blocks
    broken = replace(plan, buffers=tuple(replace(b, address=0) for b in plan.buffers))
    with pytest.raises(MachineFault, match="another tile took its place"):
        interpret(replace(lowered, blocks=(broken,)), arrays, level="block")
    interpret(replace(lowered, blocks=(broken,)), arrays, level="tile")
