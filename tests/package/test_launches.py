"""The `launch.cpp` of device packages, run on this project's chip: it gives what the orchestration gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compiling import NIGHTLY

import pyptogen
from package.standing_in import CONDITIONS, SPECS, on_chip
from pyptogen.verify import verify_case

OPERATORS = {
    "rms_norm": {"rows": 37},
    "flash_attention": {"sq": 70, "kv": 130},  # mixed
    "indexer_prolog": {"t": 13, "blocks": 8},  # workspaces of ranges, launches that wait for each other
    "paged_attention": {},  # workspaces of the whole call, and a mixed kernel behind vector kernels
}
if NIGHTLY:
    OPERATORS |= {name: {} for name in ("cross_entropy", "linear_w4a16", "matmul_split_k", "moe_dispatch", "scans")}


@pytest.mark.parametrize("name", OPERATORS)
def test_same_results_as_the_orchestration(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTO_ISA_ROOT", raising=False)
    spec = SPECS / f"{name}.yaml"
    packaged = on_chip(spec)
    verified = verify_case(packaged, OPERATORS[name])
    assert verified.passed, [verdict.describe() for verdict in verified.verdicts]
    whole = pyptogen.compile(spec, target="a2a3", threads=packaged.threads)
    inputs = packaged.example_inputs(seed=11, **verified.dims)
    expected = whole(**{key: np.copy(value) for key, value in inputs.items()})
    for got, wanted in zip(packaged(**inputs), expected, strict=True):
        assert np.asarray(got).tobytes() == np.asarray(wanted).tobytes()


@pytest.mark.parametrize("flag", [0, 1])
@pytest.mark.parametrize("rows", [5, 40])
def test_kernels_that_a_call_leaves_out(tmp_path: Path, rows: int, flag: int) -> None:
    (tmp_path / "s.yaml").write_text(CONDITIONS)
    packaged = on_chip(tmp_path / "s.yaml")
    inputs = packaged.example_inputs(seed=3, t=rows)
    for got, wanted in zip(packaged(**inputs, flag=flag), packaged.golden(**inputs, flag=flag), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
