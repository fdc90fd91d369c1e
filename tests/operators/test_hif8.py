"""hif8 in memory: conversions of every code, moves, products; compiled, in the checked machine, and in the golden,
against the values of the codes by the definition of the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runtime.isa.test_numbers import FORMATS

import pyptogen
from operators.refused import refused
from pyptogen.diagnostics import DiagnosticError
from pyptogen.hifloat8 import HIF8, hif8_values, to_hif8
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as run_tiles

TEXT = """\
pyptogen: 1
operator: in_hif8
targets: [cpu, a5]
dims:
  t: {min: 1, max: 512}
  d: 256
  n: 64
inputs:
  a: hif8[t, d]
  b: hif8[d, n]
  x: fp32[t, d]
  h: fp16[t, d]
  rows: int32[t]
outputs:
  wide:  fp32[t, d]
  half:  fp16[t, d]
  whole: int32[t, d]
  low:   hif8[t, d]
  from_half: hif8[t, d]
  moved: hif8[t, 2, d]
  taken: hif8[t, d]
  c: fp32[t, n]
graph:
  out:
    wide:  cast(a, fp32)
    half:  cast(a, fp16)
    whole: cast(a, int32)
  back:
    low:   cast(x, hif8)
    from_half: cast(h, hif8)
  moves:
    moved: permute(reshape(concat(a, low, axis=0), [2, t, d]), [1, 0, 2])
    taken: index_select(a, 0, rows)
  product:
    c: matmul(a, b)
tiling:
  - {}
verify:
  generate: {rows: "uniform(0, t - 1)"}
  cases: [{t: 1}, {t: 37}]
"""
CODES = np.array(FORMATS["hif8"].decoded, np.float32)
FINITE = np.flatnonzero(np.isfinite(CODES)).astype(np.uint8)


def nearest(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Codes of the nearest finite values, of two as near the one farther from zero."""
    known = CODES[FINITE].astype(np.float64)
    apart = np.abs(x.astype(np.float64)[..., None] - known) - np.abs(known) * 1e-12
    return FINITE[np.argmin(apart, axis=-1)]


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_against_the_definition(target: str, tmp_path: Path) -> None:
    path = tmp_path / "in_hif8.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    lowered = lower(operator.program, target)
    rng = np.random.default_rng(5)
    for t in (1, 37):
        a = np.tile(np.arange(256, dtype=np.uint8), (t, 1))
        a[:, [0x80, 0x6F, 0xEF]] = 0x11  # NaN, the infinities
        b = nearest(rng.uniform(-2, 2, (256, 64)))
        x = (rng.standard_normal((t, 256)) * 10.0 ** rng.uniform(-8, 6, (t, 256))).astype(np.float32)
        x[0, :6] = [49152.0, 1e30, -np.inf, 2.0**-23, -(2.0**-24), 1.0625]
        h = np.clip(x, -6e4, 6e4).astype(np.float16)
        rows = rng.integers(0, t, t).astype(np.int32)
        exact, low = CODES[a], nearest(np.clip(x, -32768, 32768))
        want = {
            "wide": exact, "half": exact.astype(np.float16), "whole": np.rint(exact).astype(np.int32),
            "low": low, "from_half": nearest(np.clip(h, -32768, 32768)), "moved": np.stack([a, low], axis=1),
            "taken": a[rows],
        }  # fmt: skip
        wide = exact.astype(np.float64), CODES[b].astype(np.float64)
        product = wide[0] @ wide[1]
        bound = np.abs(wide[0]) @ np.abs(wide[1]) * 256 * 2.0**-23
        arrays = {"a": a, "b": b, "x": x, "h": h, "rows": rows}
        elements = arrays | {"a": a.view(HIF8), "b": b.view(HIF8)}
        for found in (
            operator(**arrays)._asdict(), operator(**elements)._asdict(), operator.golden(**arrays)._asdict(),
            interpret(lowered, elements), run_tiles(lowered, elements, level="tile"),
        ):  # fmt: skip
            for name, expected in want.items():
                got = found[name]
                got = got.view(np.uint8) if got.dtype == HIF8 else got
                assert got.dtype == expected.dtype
                np.testing.assert_array_equal(got, expected, err_msg=name)
            assert (np.abs(found["c"] - product) <= bound).all()


def test_values_and_codes() -> None:
    """Every code has the value that the format gives it, and every value its code."""
    codes = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(hif8_values(codes), CODES)
    np.testing.assert_array_equal(to_hif8(CODES, saturate=False).view(np.uint8), codes)
    ends = to_hif8(np.array([1e9, -np.inf, -1e-9, np.nan, 40960, 40959]), saturate=True).view(np.uint8)
    np.testing.assert_array_equal(CODES[ends], [32768, -32768, 0, np.nan, 32768, 32768])
    beyond = to_hif8(np.array([40960.0, -4e5]), saturate=False).view(np.uint8)
    np.testing.assert_array_equal(CODES[beyond], [np.inf, -np.inf])


@pytest.mark.parametrize(
    ("graph", "code", "words"),
    [
        ("abs(x)", "PTG206", "`abs` has no meaning for hif8"),
        ("cast(cast(x, fp32), hif8, saturate=false)", "PTG109", "saturate=false"),
        ("cast(matmul(x, cast(cast(z, fp32), fp8_e4m3).T), hif8)", "PTG206", "matmul of hif8 and fp8_e4m3"),
    ],
)
def test_what_hif8_does_not_do(graph: str, code: str, words: str, tmp_path: Path) -> None:
    diagnostic = refused("hif8", graph, tmp_path)
    assert diagnostic.code == code
    assert words in diagnostic.message


def test_what_a_call_takes(tmp_path: Path) -> None:
    path = tmp_path / "in_hif8.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path)
    given = operator.example_inputs(t=3)
    with pytest.raises(DiagnosticError) as caught:
        operator(**given | {"a": np.zeros((3, 256), np.float32)})
    assert "codes of hif8" in caught.value.diagnostics[0].expected
