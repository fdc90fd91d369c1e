"""Parts of a computed value's columns, where the value is computed tile by tile along them: once each tile passed for
the part. The levels alone are asked, because kernels only repeat what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.test_found_specs import spec
from properties.test_random_specs import instructions_agree

FOUND = {
    "halves of a product": (
        spec("k: 128; f: 192", "x: bf16[r, k]; w: bf16[k, 2 * f]", "y: fp32[r, f]",
             "a: matmul(x, w, dtype=fp32) * 2; y: silu(a[:, :f]) * a[:, f:]"),
        {"r": 33},
    ),
    "the first third of a product alone": (
        spec("k: 64; f: 256", "x: bf16[r, k]; w: bf16[k, 3 * f]", "y: bf16[r, f]",
             "a: matmul(x, w, dtype=fp32) + 1; y: cast(a[:, :f], bf16)"),
        {"r": 5},
    ),
    "columns of a tile's size, of tiles of the author's": (
        spec("f: 96", "x: fp32[r, 2 * f]", "y: fp32[r, f]; z: fp32[r, 32]",
             "a: exp(x) + 1; y: a[:, :f] * 2; z: a[:, :32] - 1", "tiling:\n  - {r: 8, f: 32}"),
        {"r": 37},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_levels_of_found_slices(name: str, tmp_path: Path) -> None:
    instructions_agree(FOUND[name], tmp_path)
