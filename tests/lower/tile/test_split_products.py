"""Products in parts of their depth (`split_k`): every level, both forms of the sum, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import TARGETS
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.simulate.tile import interpret as run_level
from pyptogen.verify import example_inputs

SPEC = """\
pyptogen: 1
operator: split
dims:
  t: {min: 1, max: 4096}
  k: 384
  n: 32
inputs:
  x: DTYPE[t, k]
  w: DTYPE[k, n] @ nz
  v: DTYPE[n, k]
outputs:
  y: WIDE[t, n]
  z: WIDE[t, n]
graph:
  a:
    y: matmul(x, w, dtype=WIDE)
  b:
    z: matmul(x, v.T, dtype=WIDE) + y
tiling:
"""


def program(table: str, dtype: str = "bf16", wide: str = "fp32") -> tuple[Program, dict[str, np.ndarray]]:
    spec = load_source(Source("split.yaml", SPEC.replace("DTYPE", dtype).replace("WIDE", wide) + f"  - {table}\n"))
    return from_spec(spec), example_inputs(spec, {"t": 21}, seed=4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("parts", [1, 3, 6])
@pytest.mark.parametrize(("dtype", "wide"), [("bf16", "fp32"), ("int8", "int32"), ("bf16", "bf16")])
def test_levels_agree(parts: int, dtype: str, wide: str, target: str) -> None:
    split, arrays = program(f"{{t: 16, a: {{k: 64, split_k: {parts}}}, b: {{split_k: {parts}}}}}", dtype, wide)
    want = interpret(split, arrays)
    lowered = lower(split, target)
    several = [t for t in lowered.tiles if any(d.endswith("_part") for d, *_ in t.sizes)]
    assert bool(several) == (parts > 1)
    for got in (
        run_level(lowered, arrays, level="tile", blocks=2),
        run_level(lowered, arrays, level="block", blocks=2),
        run_instructions(lowered, arrays, blocks=2),
    ):
        for name, expected in want.items():
            allowed = 0 if wide == "int32" else 2**-7 if wide == "bf16" else 1e-5
            scale = float(np.abs(expected.astype(np.float64)).max())
            np.testing.assert_allclose(
                got[name].astype(np.float64), expected.astype(np.float64), rtol=0, atol=allowed * scale
            )


def test_the_parts_are_distributed_to_the_cores() -> None:
    split, _ = program("{t: 16, a: {k: 64, split_k: 3}}")
    launch = next(launch for launch in lower(split, "a2a3").execution.plans[0] if launch.kernel == "a_cube")
    assert launch.tiles is not None
    assert [(extent.constant, step) for extent, step in launch.tiles.nests[0]][-1] == (3, 1)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("{t: 16, a: {split_k: 5}}", "whose depth is 384"),
        ('{when: {t: "< 9"}, t: 8, a: {split_k: 2}}\n  - {t: 16}', "in 2 and in 1 parts"),
    ],
)
def test_what_cannot_be_split(table: str, what: str) -> None:
    split, _ = program(table)
    with pytest.raises(DiagnosticError, match=what) as caught:
        lower(split, "a2a3")
    assert caught.value.diagnostics[0].code == "PTG304"
