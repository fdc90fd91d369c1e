"""Indices that a kernel computes are bounded in checked mode: nobody could check them before the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.checked_run import said_by_checked_mode

SPEC = """\
pyptogen: 1
operator: computed
dims: {{r: {{min: 1, max: 4096}}, n: 20, d: 8}}
inputs: {{x: "fp32[{rows}, d]", z: "fp32[r]"}}
outputs: {{y: {output}}}
graph: {{y: "{graph}"}}
verify: {{generate: {{z: "{low} + permutation(r)"}}}}    # no place twice, which would be a race
"""
GATHER = ("n", '"fp32[r, d]"', "index_select(x, 0, cast(z, int32))")
SCATTER = ("r", '{shape: "[n, d]", dtype: fp32, init: 0}', "scatter_update(y, cast(z, int32), x)")


@pytest.mark.parametrize(("rows", "output", "graph"), [GATHER, SCATTER], ids=["gather", "scatter"])
@pytest.mark.parametrize("low", [0, 20])
def test_checked_mode_bounds_indices_that_kernels_compute(
    rows: str, output: str, graph: str, low: int, tmp_path: Path
) -> None:
    path = tmp_path / "computed.yaml"
    path.write_text(SPEC.format(rows=rows, output=output, graph=graph, low=low))
    said = said_by_checked_mode(path, "a2a3", {"r": 3}, 1)
    assert ("wrong index: 2" in said) == (low == 20), said
    assert said == "" or low == 20
