"""fp8 in memory: conversions of every code, moves, products of both kinds; compiled, in the checked machine, and in the
golden, against ml_dtypes."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from operators.refused import refused
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.simulate.graph import interpret

TEXT = """\
pyptogen: 1
operator: in_fp8
targets: [cpu, a5]
dims:
  t: {min: 1, max: 512}
  d: 256
  n: 64
inputs:
  a: fp8_e4m3[t, d]
  b: fp8_e5m2[d, n]
  x: fp32[t, d]
  h: fp16[t, d]
  i: int32[t, d]
outputs:
  wide:  fp32[t, d]
  half:  fp16[t, d]
  whole: int32[t, d]
  low:   fp8_e4m3[t, d]
  high:  fp8_e5m2[t, d]
  from_half:  fp8_e4m3[t, d]
  from_whole: fp8_e5m2[t, d]
  other: fp8_e5m2[t, d]
  moved: fp8_e4m3[t, 2, d]
  c: fp32[t, n]
graph:
  out:
    wide:  cast(a, fp32)
    half:  cast(a, fp16)
    whole: cast(a, int32)
  back:
    low:   cast(x, fp8_e4m3)
    high:  cast(x, fp8_e5m2)
    from_half:  cast(h, fp8_e4m3)
    from_whole: cast(i, fp8_e5m2)
    other: cast(a, fp8_e5m2)
  moves:
    moved: permute(reshape(concat(a, low, axis=0), [2, t, d]), [1, 0, 2])
  product:
    c: matmul(a, b)
tiling:
  - {}
"""
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
LARGEST = {E4M3: 448.0, E5M2: 57344.0}


def rounded(x: np.ndarray, dtype: type) -> np.ndarray:
    """To nearest even, saturated; ml_dtypes rounds, and does not saturate."""
    wide = x.astype(np.float32)
    return np.clip(wide, -LARGEST[dtype], LARGEST[dtype]).astype(dtype)


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_against_ml_dtypes(target: str, tmp_path: Path) -> None:
    path = tmp_path / "in_fp8.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    lowered = lower(operator.program, target)
    rng = np.random.default_rng(5)
    for t in (1, 37):
        codes = np.tile(np.arange(256, dtype=np.uint8), (t, 1))
        codes[:, [0x7F, 0xFF]] = 0x11  # NaN
        a = codes.view(E4M3)
        b = rng.uniform(-2, 2, (256, 64)).astype(np.float32).astype(E5M2)
        x = (rng.standard_normal((t, 256)) * 10.0 ** rng.uniform(-6, 6, (t, 256))).astype(np.float32)
        x[0, :6] = [464.0, 465.0, 1e30, -np.inf, 61440.0, 2.0**-10]
        arrays = {
            "a": a, "b": b, "x": x, "h": np.clip(x, -6e4, 6e4).astype(np.float16),
            "i": rng.integers(-(2**31), 2**31, (t, 256)).astype(np.int32) >> rng.integers(0, 31, (t, 256)),
        }  # fmt: skip
        arrays["i"] = arrays["i"].astype(np.int32)
        exact = a.astype(np.float32)
        low = rounded(x, E4M3)
        want = {
            "wide": exact, "half": exact.astype(np.float16), "whole": np.rint(exact).astype(np.int32),
            "low": low, "high": rounded(x, E5M2), "from_half": rounded(arrays["h"], E4M3),
            "from_whole": rounded(arrays["i"], E5M2), "other": rounded(exact, E5M2),
            "moved": np.stack([a, low], axis=1),
        }  # fmt: skip
        product = exact.astype(np.float64) @ b.astype(np.float64)
        bound = np.abs(exact.astype(np.float64)) @ np.abs(b.astype(np.float64)) * 256 * 2.0**-23
        for found in (operator(**arrays)._asdict(), operator.golden(**arrays)._asdict(), interpret(lowered, arrays)):
            for name, expected in want.items():
                got = found[name]
                assert got.dtype == expected.dtype
                different = got.astype(np.float64) != expected.astype(np.float64)
                assert not different.any(), (name, x[different][:3] if different.shape == x.shape else "")
            assert (np.abs(found["c"] - product) <= bound).all()


@pytest.mark.parametrize(
    ("graph", "code", "words"),
    [
        ("x + z", "PTG206", "`add` has no meaning for fp8_e4m3"),
        ("abs(x)", "PTG206", "`abs` has no meaning for fp8_e4m3"),
        ("amax(x, axis=-1, keepdim=true)", "PTG206", "`amax` has no meaning for fp8_e4m3"),
        ("cast(cast(x, fp32), fp8_e4m3, mode=floor)", "PTG109", "mode=floor"),
        ("cast(cast(x, fp32), fp8_e4m3, saturate=false)", "PTG109", "saturate=false"),
        ("cast(matmul(x, z.T, dtype=bf16), fp8_e4m3)", "PTG206", "matmul of fp8_e4m3 and fp8_e4m3 with dtype=bf16"),
    ],
)
def test_what_fp8_does_not_do(graph: str, code: str, words: str, tmp_path: Path) -> None:
    diagnostic = refused("fp8_e4m3", graph, tmp_path)
    assert diagnostic.code == code
    assert words in diagnostic.message


def test_a_platform_without_fp8(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.yaml"
    path.write_text(
        "pyptogen: 1\noperator: elsewhere\ndims: {d: 64}\ninputs: {x: 'fp8_e5m2[d, d]'}\n"
        "outputs: {y: 'fp32[d, d]'}\ngraph:\n  y: cast(x, fp32)\n"
    )
    program = from_spec(pyptogen.load(path))
    with pytest.raises(DiagnosticError, match="`x` is fp8_e5m2, which a2a3 does not have") as caught:
        lower(program, "a2a3")
    diagnostic = caught.value.diagnostics[0]
    assert (diagnostic.code, diagnostic.fix) == ("PTG303", "name the targets that have it: `targets: [cpu, a5]`")
