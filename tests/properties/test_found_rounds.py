"""Loops that were once refused, or wrong: each must keep to its Tensor level."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.test_found_specs import spec
from properties.test_random_specs import checked_mode_is_silent, instructions_agree, kernels_agree

TURNS = (
    "run:\n    loop: {over: s, tile: 32}\n    carry:\n      o: full([r, d], 0, fp32)\n    body:\n"
    "      p: matmul(x, w, dtype=fp32) + sum(k[s], axis=0, keepdim=true)\n      c: CONCAT\n    next:\n"
    "      o: o * 0.25 + matmul(c, w, dtype=fp32) * 0.125"
)
ROWS = "tiling:\n  - r: {tile: 64, vector: 16}"


def turns(concat: str) -> str:
    """A round in which a product reads what vector work on some rows at a time puts together."""
    inputs = "x: fp32[r, d]; k: fp32[s, d]; w: fp32[d, d]"
    return spec("s: {min: 1, max: 4096}; d: 32", inputs, "o: fp32[r, d]", TURNS.replace("CONCAT", concat), ROWS)


FOUND = {
    "a product that is the same in every round": (turns("exp(p)"), {"r": 70, "s": 75}),
    "rows of a concat for a product": (turns("concat(p[:, 0:16] * 2, exp(p[:, 16:]), axis=1)"), {"r": 70, "s": 33}),
    "rows of a concat of any columns": (turns("concat(p[:, 3:19] * 2, exp(p[:, 16:]), axis=1)"), {"r": 70, "s": 33}),
    "a transposition whose axes are cut into single elements": (
        spec("", "x: fp32[r, 4, 8]", "y: fp32[r, 8, 4]",
             "run:\n    loop: {over: r, tile: 16}\n    body:\n      e: exp(x[r])\n    collect:\n"
             "      y: permute(e, [0, 2, 1])"),
        {"r": 33},
    ),
    "rotary embedding of a block of rows": (
        spec("d: 16", "x: fp32[r, d]; c: fp32[r, d]; s: fp32[r, d]", "y: fp32[r, d]",
             "run:\n    loop: {over: r, tile: 16}\n    body:\n      e: x[r] * 2\n    collect:\n"
             "      y: rope(e, c[r], s[r])"),
        {"r": 33},
    ),
    "a condition along an axis under another name, in tiles of the compiler's": (
        spec("n: 32; m: 32", "x: fp32[n, r]; w: fp32[n, m]; lengths: int32[m]", "y: fp32[n, 1]; z: fp32[n, 1]",
             'run:\n    loop: {over: r, tile: 32, if: "r.start < lengths[:, None]"}\n    carry:\n'
             "      y: full([n, 1], 0, fp32)\n    next:\n      y: y + sum(x[:, r], axis=1, keepdim=true)\n  out:\n"
             "    z: matmul(w, y)",
             'verify:\n  generate: {lengths: "integers(0, 70)"}'),
        {"r": 70},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_levels(name: str, tmp_path: Path) -> None:
    instructions_agree(FOUND[name], tmp_path)


@pytest.mark.parametrize("name", FOUND)
def test_kernels(name: str, tmp_path: Path) -> None:
    kernels_agree(FOUND[name], tmp_path)
    checked_mode_is_silent(FOUND[name], tmp_path)
