"""Tiles that the author left to the compiler: they fit, and the results are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pyptogen.lower.instruction import interpret as run_instructions
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec, interpret
from pyptogen.schema import load_spec
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
    lowered = lower(program, target)
    arrays = example_inputs(spec, SIZES[name], seed=5)
    want, got = interpret(program, arrays), run_instructions(lowered, arrays)
    for output, expected in want.items():
        allowed = 1 if expected.dtype == np.int8 else 1e-2 * max(1.0, float(np.abs(expected.astype(np.float64)).max()))
        np.testing.assert_allclose(got[output].astype(np.float64), expected.astype(np.float64), atol=allowed)


def tiles(lowered: object) -> dict[str, object]:
    return {name: k["tiles"] for name, k in lowered.report["kernels"].items()}  # type: ignore[attr-defined]


def test_what_is_chosen_suits_the_platform(tmp_path: Path) -> None:
    softmax = from_spec(load_spec(with_tiling("softmax", "  - {}", tmp_path)))
    assert tiles(lower(softmax, "cpu")) == {"softmax": {"rows": [1]}}  # 16 KB of fp32[1, 4096]
    assert tiles(lower(softmax, "a2a3")) == {"softmax": {"rows": [8]}}
    product = from_spec(load_spec(with_tiling("matmul_bf16", "  - {}", tmp_path)))
    assert tiles(lower(product, "a2a3")) == {"matmul_bf16": {"m": [128], "n": [128], "k": [256]}}


def test_what_is_written_stays(tmp_path: Path) -> None:
    product = from_spec(load_spec(with_tiling("matmul_bf16", "  - {n: 64}", tmp_path)))
    chosen = tiles(lower(product, "cpu"))["matmul_bf16"]
    assert chosen == {"m": [128], "n": [64]}  # k is static and not named: whole
