"""Floats of four bits in memory, two to a byte: every code to other dtypes and back, compiled, in checked mode and at
each level, against the list of their values. Products: `test_fp8` of the library."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from operators.refused import refused
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as run_tiles

TEXT = """\
pyptogen: 1
operator: in_fp4
targets: [cpu, a5]
dims:
  t: {min: 1, max: 512}
  d: 96
inputs:
  a: fp4_e2m1[t, d]
  x: fp32[t, d]
  i: int32[t, d]
  left: fp4_e2m1[t, 64]
  left_scale: fp8_e8m0[t, 2]
  right: fp4_e2m1[16, 64]
  right_scale: fp8_e8m0[16, 2]
outputs:
  wide:  fp32[t, d]
  brain: bf16[t, d]
  half:  fp16[t, d]
  whole: int32[t, d]
  low:   fp4_e2m1[t, d]
  from_whole: fp4_e2m1[t, d]
  turned: fp32[d, t]
  c: fp32[t, 16]
graph:
  out:
    wide:  cast(a, fp32)
    brain: cast(a, bf16)
    half:  cast(a, fp16)
    whole: cast(a, int32)
  back:
    low:   cast(x, fp4_e2m1)
    from_whole: cast(i, fp4_e2m1)
  moves:
    turned: cast(a.T, fp32)
  product:
    c: scaled_mm(left, right.T, left_scale, right_scale.T, dtype=fp32)
tiling:
  - {}
"""
MAGNITUDES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
VALUES = np.concatenate([MAGNITUDES, -MAGNITUDES])
PACKED = ("low", "from_whole")


def numbers(packed: np.ndarray) -> np.ndarray:
    """The code in the low four bits of a byte is the first of two."""
    return VALUES[np.stack([packed % 16, packed // 16], axis=-1).reshape(*packed.shape[:-1], -1)]


def nearest(x: np.ndarray) -> np.ndarray:
    """Of two values as near the one with an even code; beyond the largest that."""
    apart = np.abs(np.minimum(np.abs(x.astype(np.float64)), 6)[..., None] - MAGNITUDES)
    return MAGNITUDES[np.argmin(apart + np.arange(8) % 2 * 1e-9, axis=-1)] * np.sign(x)


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_against_the_values_of_the_codes(target: str, tmp_path: Path) -> None:
    path = tmp_path / "in_fp4.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    checked = pyptogen.compile(path, target=target, checked=True)
    lowered = lower(operator.program, target)
    for t in (1, 37):
        rng = np.random.default_rng(t)
        # Eighths are whole in bf16, which numbers go by: nothing is rounded twice.
        x = (rng.integers(-64, 65, (t, 96)) / 8).astype(np.float32)
        x[0, :2] = [1e30, -np.inf]
        given = {
            "a": rng.integers(0, 256, (t, 48)).astype(np.uint8), "x": x,
            "i": rng.integers(-9, 9, (t, 96)).astype(np.int32),
            "left": rng.integers(0, 256, (t, 32)).astype(np.uint8),
            "right": rng.integers(0, 256, (16, 32)).astype(np.uint8),
            "left_scale": rng.integers(125, 130, (t, 2)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu),
            "right_scale": rng.integers(125, 130, (16, 2)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu),
        }  # fmt: skip
        a = numbers(given["a"])
        left, right = (
            numbers(given[name]) * np.repeat(np.exp2(given[f"{name}_scale"].view(np.uint8) - 127.0), 32, axis=1)
            for name in ("left", "right")
        )
        want = {
            "wide": a, "brain": a, "half": a, "whole": np.rint(a), "low": nearest(x), "from_whole": nearest(given["i"]),
            "turned": a.T, "c": left @ right.T,
        }  # fmt: skip
        fp4 = ("a", "left", "right")
        elements = given | {name: numbers(given[name]).astype(ml_dtypes.float4_e2m1fn) for name in fp4}
        for found in (
            operator(**given)._asdict(), operator(**elements)._asdict(), checked(**given)._asdict(),
            operator.golden(**given)._asdict(), interpret(lowered, elements),
            run_tiles(lowered, elements, level="block"),
        ):  # fmt: skip
            for name, expected in want.items():
                got = numbers(found[name]) if found[name].dtype == np.uint8 else found[name].astype(np.float64)
                np.testing.assert_array_equal(got, expected, err_msg=name)


@pytest.mark.parametrize(
    ("graph", "code", "words"),
    [
        ("x + x", "PTG206", "`add` has no meaning for fp4_e2m1, which is a dtype of memory"),
        ("matmul(x, x.T)", "PTG206", "matmul of fp4_e2m1 and fp4_e2m1"),
        ("cast(cast(x, fp32), fp4_e2m1, mode=floor)", "PTG109", "mode=floor"),
        ("cast(cast(x, fp32), fp4_e2m1, saturate=false)", "PTG109", "saturate=false"),
    ],
)
def test_what_fp4_does_not_do(graph: str, code: str, words: str, tmp_path: Path) -> None:
    diagnostic = refused("fp4_e2m1", graph, tmp_path)
    assert diagnostic.code == code
    assert words in diagnostic.message
