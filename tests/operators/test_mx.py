"""Products of the OCP Microscaling formats: groups of 32 elements along the depth share a power of two. Compiled for
the CPU and A5, and at every level, against numpy that decodes the bytes by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as interpret_level

TEXT = """\
pyptogen: 1
operator: scaled
targets: [cpu, a5]
dims:
  t: {min: 1, max: 512}
  k: 256
  n: 72
inputs:
  x:       fp8_e4m3[t, k]
  x_scale: fp8_e8m0[t, k / 32]
  w:       fp8_e5m2[n, k]
  w_scale: fp8_e8m0[n, k / 32]
  v:       fp8_e4m3[k, n] @ nz
outputs:
  y: fp32[t, n]
  z: fp32[t, n]
graph:
  linear: {y: "scaled_mm(x, w.T, x_scale, w_scale.T, dtype=fp32)"}
  packed: {z: "relu(scaled_mm(x, v, x_scale, w_scale.T, dtype=fp32)) * 2"}
tiling:
  - {when: {target: a5}, t: 32, n: 32, linear: {k: {l1: 128, l0: 64}}}
  - {when: {target: cpu}, t: 32, n: 32, linear: {k: 64}}
"""


def decoded(codes: Any, exponent_bits: int) -> np.ndarray[Any, Any]:
    """Numbers of eight bits: a sign, the exponent, and what is left for the fraction."""
    bits = codes.view(np.uint8).astype(np.int64)
    places, bias = 7 - exponent_bits, 2 ** (exponent_bits - 1) - 1
    exponent, fraction = (bits & 127) >> places, bits & (2**places - 1)
    normal = np.where(exponent > 0, 2.0**places + fraction, 2.0 * fraction)
    size = normal * 2.0 ** (exponent - bias - places)
    return np.where(bits >> 7, -size, size)


def powers(codes: Any) -> np.ndarray[Any, Any]:
    return 2.0 ** (codes.view(np.uint8).astype(np.float64) - 127)


def expected(x: Any, x_scale: Any, w: Any, w_scale: Any, v: Any) -> dict[str, Any]:
    left = decoded(x, 4) * np.repeat(powers(x_scale), 32, axis=1)
    scale = np.repeat(powers(w_scale), 32, axis=1)
    return {
        "y": left @ (decoded(w, 5) * scale).T,
        "z": np.maximum(left @ (decoded(v, 4) * scale.T), 0) * 2,
    }


def arguments(t: int, low: int = -6, high: int = 7) -> dict[str, Any]:
    """Whole numbers of few digits, whose sums are exact in any order; scales from 2^low to 2^high."""
    rng = np.random.default_rng(t)
    shapes = {"x": (t, 256), "w": (72, 256), "v": (256, 72)}
    drawn = {name: rng.integers(-4, 5, shape) for name, shape in shapes.items()}
    exponents = {"x_scale": rng.integers(low, high, (t, 8)), "w_scale": rng.integers(low, high, (72, 8))}
    return {
        "x": drawn["x"].astype(ml_dtypes.float8_e4m3fn), "w": drawn["w"].astype(ml_dtypes.float8_e5m2),
        "v": drawn["v"].astype(ml_dtypes.float8_e4m3fn),
        **{name: (127 + e).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu) for name, e in exponents.items()},
    }  # fmt: skip


@pytest.fixture(scope="module", params=["cpu", "a5"])
def operator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("mx") / "scaled.yaml"
    path.write_text(TEXT)
    return pyptogen.compile(path, target=request.param, threads=2)


def test_in_a_mixed_kernel(tmp_path: Path) -> None:
    """The cube core loads the scales, and hands its results to the vector core."""
    path = tmp_path / "scaled.yaml"
    path.write_text(TEXT[: TEXT.index("tiling:")] + "tiling:\n  - {t: 32, n: 32, fifo: 2}\n")
    operator = pyptogen.compile(path, target="a5", threads=2)
    lowered, given = lower(operator.program, "a5"), arguments(37)
    assert any(kernel.fifos for kernel in lowered.instructions)
    for found in (operator(**given)._asdict(), interpret(lowered, given)):
        for name, array in expected(**given).items():
            np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6 * np.abs(array).max(), err_msg=name)


@pytest.mark.parametrize("t", [1, 37, 100])
def test_every_level(operator: Any, t: int) -> None:
    given = arguments(t)
    want, lowered = expected(**given), lower(operator.program, operator.target)
    levels = [interpret_level(lowered, given, level=level) for level in ("tile", "block")]
    results = (operator(**given)._asdict(), operator.golden(**given)._asdict(), interpret(lowered, given), *levels)
    for found in results:
        for name, array in want.items():
            np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6 * np.abs(array).max(), err_msg=name)


def test_scales_of_great_range(operator: Any) -> None:
    """Scales beyond those of half: what is small beside the largest group is lost, nothing overflows."""
    given = arguments(5, -60, 61)
    for name, array in expected(**given).items():
        bound = 1e-6 * np.abs(array).max(axis=1, keepdims=True)
        assert (np.abs(operator(**given)._asdict()[name] - array) <= bound + 1e-5 * np.abs(array)).all(), name


def test_a_scale_that_is_no_number(operator: Any) -> None:
    given = arguments(3)
    given["x_scale"].view(np.uint8)[1, 4] = 255
    result = operator(**given).y
    assert np.isnan(result[1]).all()
    assert np.isfinite(result[[0, 2]]).all()


def test_extremes_of_the_elements(operator: Any) -> None:
    """The largest and the least number of each format, times one."""
    given = arguments(2, 0, 1)
    given["x"].view(np.uint8)[:] = 0x7E  # 448
    given["x"].view(np.uint8)[1] = 0x01  # 2^-9
    given["w"].view(np.uint8)[:] = 0
    given["w"].view(np.uint8)[:, :1] = 0x7B  # 57344
    np.testing.assert_array_equal(operator(**given).y, np.repeat([[448 * 57344.0], [2.0**-9 * 57344]], 72, axis=1))


HEAD = "pyptogen: 1\noperator: bad\ndims: {t: {min: 1, max: 64}, k: 128, n: 32}\ninputs:\n"


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("PTG205", ("k: 128", "k: 96")),  # no whole pairs of groups
        ("PTG205", ("x_scale: fp8_e8m0[t, k / 32]", "x_scale: fp8_e8m0[t, k / 64]")),
        ("PTG206", ("w: fp8_e4m3[n, k]", "w: bf16[n, k]")),
        ("PTG206", ("w_scale: fp8_e8m0[n, k / 32]", "w_scale: fp32[n, k / 32]")),
        ("PTG206", ("scaled_mm(x, w.T, x_scale, w_scale.T)", "cast(x_scale * 2, bf16)")),  # no arithmetic
        ("PTG303", ("w_scale: fp8_e8m0[n, k / 32]", "w_scale: fp8_e8m0[k / 32, n]")),  # columns lie apart
        ("PTG303", ("tiling: [{t: 16}]", "tiling: [{t: 16, k: 32}]")),  # half a pair of groups
        ("PTG303", ("tiling: [{t: 16}]", "tiling: [{t: 16, k: {l1: 64, l0: 32}}]")),
    ],
)
def test_what_is_refused(code: str, changed: tuple[str, str], tmp_path: Path) -> None:
    text = (
        HEAD + "  x: fp8_e4m3[t, k]\n  x_scale: fp8_e8m0[t, k / 32]\n  w: fp8_e4m3[n, k]\n"
        "  w_scale: fp8_e8m0[n, k / 32]\noutputs: {y: 'bf16[t, n]'}\n"
        "graph: {y: 'scaled_mm(x, w.T, x_scale, w_scale.T)'}\ntiling: [{t: 16}]\n"
    )
    assert changed[0] in text
    changed_text = text.replace(*changed)
    if "[k / 32, n]" in changed[1]:
        changed_text = changed_text.replace("w_scale.T", "w_scale")
    path = tmp_path / "bad.yaml"
    path.write_text(changed_text)
    with pytest.raises(DiagnosticError) as found:
        pyptogen.compile(path, target="a5")
    assert found.value.diagnostics[0].code == code


PICKED = """\
pyptogen: 1
operator: picked
targets: [cpu, a5]
dims: {t: {min: 1, max: 512}, b: 16, k: 128, n: 32}
inputs:
  x: fp8_e4m3[t, k]
  x_scale: fp8_e8m0[t, k / 32]
  w: fp8_e4m3[n, k]
  w_scale: fp8_e8m0[n, k / 32]
  rows: int32[b]
outputs:
  y: fp32[b, n]
  z: fp32[t, n]
graph:
  some: {y: "scaled_mm(index_select(x, 0, rows), w.T, index_select(x_scale, 0, rows), w_scale.T, dtype=fp32)"}
  part: {z: "scaled_mm(x[:, 64:], w[:, :64].T, x_scale[:, 2:], w_scale[:, :2].T, dtype=fp32)"}
tiling:
  - {}
"""


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_rows_that_an_index_names_and_parts_of_the_depth(target: str, tmp_path: Path) -> None:
    path = tmp_path / "picked.yaml"
    path.write_text(PICKED)
    operator = pyptogen.compile(path, target=target, threads=2)
    rng = np.random.default_rng(4)
    t, rows = 21, rng.integers(0, 21, 16).astype(np.int32)
    x, w = (rng.integers(-4, 5, shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((t, 128), (32, 128)))
    x_scale, w_scale = (
        (127 + rng.integers(-3, 4, shape)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
        for shape in ((t, 4), (32, 4))
    )
    result = operator(x=x, x_scale=x_scale, w=w, w_scale=w_scale, rows=rows)
    left, right = (
        decoded(elements, 4) * np.repeat(powers(scale), 32, axis=1) for elements, scale in ((x, x_scale), (w, w_scale))
    )
    np.testing.assert_allclose(result.y, left[rows] @ right.T, rtol=1e-5, atol=1e-3)
    np.testing.assert_allclose(result.z, left[:, 64:] @ right[:, :64].T, rtol=1e-5, atol=1e-3)


ROUNDS = """\
pyptogen: 1
operator: rounds
targets: [cpu, a5]
dims: {t: {min: 1, max: 512}, e: 3, k: 128, n: 32}
inputs:
  x: fp8_e4m3[t, k]
  x_scale: fp8_e8m0[t, k / 32]
  w: fp8_e4m3[e, n, k]
  w_scale: fp8_e8m0[e, n, k / 32]
outputs:
  y: fp32[t, n]
graph:
  sums:
    loop: {over: e, tile: 1}
    carry:
      total: full([t, n], 0, fp32)
    body:
      w_e: reshape(w[e], [n, k])
      s_e: reshape(w_scale[e], [n, k / 32])
    next:
      total: total + scaled_mm(x, w_e.T, x_scale, s_e.T, dtype=fp32)
  out: {y: total * 1}
tiling:
  - {}
"""


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_in_iterations(target: str, tmp_path: Path) -> None:
    path = tmp_path / "rounds.yaml"
    path.write_text(ROUNDS)
    operator = pyptogen.compile(path, target=target, threads=2)
    rng = np.random.default_rng(6)
    x, w = (rng.integers(-4, 5, shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((19, 128), (3, 32, 128)))
    x_scale, w_scale = (
        (127 + rng.integers(-3, 4, shape)).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
        for shape in ((19, 4), (3, 32, 4))
    )
    result = operator(x=x, x_scale=x_scale, w=w, w_scale=w_scale)
    left, right = (
        decoded(elements, 4) * np.repeat(powers(scale), 32, axis=-1) for elements, scale in ((x, x_scale), (w, w_scale))
    )
    np.testing.assert_allclose(result.y, np.einsum("tk,enk->tn", left, right), rtol=1e-5, atol=1e-3)


QUANTISE = """\
pyptogen: 1
operator: quantise
targets: [cpu, a5]
dims: {t: {min: 1, max: 512}, k: 96}
inputs:
  x: fp32[t, k]
  b: bf16[2, t, k]
outputs:
  y: fp8_e4m3[t, k]
  s: fp8_e8m0[t, k / 32]
  z: fp8_e5m2[2, t, k]
  r: fp8_e8m0[2, t, k / 32]
graph:
  single: {"y, s": quant_mx(x)}
  several: {"z, r": "quant_mx(b, quant_dtype=fp8_e5m2)"}
tiling:
  - {}
"""


def quantised(x: Any, exponent: int, largest: float, dtype: Any) -> tuple[Any, Any]:
    """By the definition of the specification, in double."""
    groups = x.astype(np.float64).reshape(*x.shape[:-1], -1, 32)
    peak = np.abs(groups).max(axis=-1, keepdims=True)
    code = np.where(peak > 0, np.frexp(np.where(peak > 0, peak, 1))[1] - 1 - exponent, -127).clip(-127)
    levels = np.clip(groups * 2.0**-code, -largest, largest).astype(dtype).reshape(x.shape)
    return levels, (code[..., 0] + 127).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_quantisation(target: str, tmp_path: Path) -> None:
    path = tmp_path / "quantise.yaml"
    path.write_text(QUANTISE)
    operator = pyptogen.compile(path, target=target, threads=2)
    lowered = lower(operator.program, target)
    for t in (1, 35):
        rng = np.random.default_rng(t)
        x = rng.standard_normal((t, 96)) * 2.0 ** rng.integers(-120, 120, (t, 1))
        x[0, :32], x[0, 32:64], x[-1, 64:] = 0, 2.0**-126, np.geomspace(1, 3e38, 32)
        x[0, 95] = 1.9999999
        given = {"x": x.astype(np.float32), "b": (rng.standard_normal((2, t, 96)) * 7).astype(ml_dtypes.bfloat16)}
        y, s = quantised(given["x"], 8, 448, ml_dtypes.float8_e4m3fn)
        z, r = quantised(given["b"], 15, 57344, ml_dtypes.float8_e5m2)
        levels = [interpret_level(lowered, given, level=level) for level in ("tile", "block")]
        results = (operator(**given)._asdict(), operator.golden(**given)._asdict(), interpret(lowered, given), *levels)
        for found in results:
            for name, want in {"y": y, "s": s, "z": z, "r": r}.items():
                np.testing.assert_array_equal(found[name].view(np.uint8), want.view(np.uint8), err_msg=f"{t} {name}")


@pytest.mark.parametrize(
    ("code", "call"),
    [("PTG205", "quant_mx(x[:, :40])"), ("PTG206", "quant_mx(cast(x, int32))"), ("PTG215", "quant_mx(x, int8)")],
)
def test_quantisations_that_are_refused(code: str, call: str, tmp_path: Path) -> None:
    path = tmp_path / "quantise.yaml"
    path.write_text(QUANTISE.replace("quant_mx(x)", f"'{call}'"))
    with pytest.raises(DiagnosticError) as found:
        pyptogen.compile(path, target="cpu")
    assert found.value.diagnostics[0].code == code


def test_a2a3_has_none(tmp_path: Path) -> None:
    path = tmp_path / "scaled.yaml"
    path.write_text(TEXT.replace("targets: [cpu, a5]\n", ""))
    with pytest.raises(DiagnosticError, match="which a2a3 does not have"):
        pyptogen.compile(path, target="a2a3")
