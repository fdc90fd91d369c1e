"""Numbers of four bits in memory: conversions of every code, rows by index, products, what is cut inside of a byte;
compiled, in checked mode and at each level, against bytes that are taken apart by hand."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as run_tiles

TEXT = """\
pyptogen: 1
operator: in_int4
targets: [cpu, a2a3]
dims:
  t: {min: 1, max: 512}
  n: {min: 2, max: 64, multiple_of: 2}
  d: 256
inputs:
  cache: int4[n, d]
  a: int4[t, d]
  w: int4[n, d]
  x: fp32[t, n]
  h: fp16[t, d]
  i: int32[t, d]
  b: int8[t, d]
  index: int64[t]
  places: int32[t]
outputs:
  cache: {inplace: true}
  single: fp32[t, d]
  brain:  bf16[t, d]
  half:   fp16[t, d]
  byte:   int8[t, d]
  plain:  uint8[t, d]
  low:    uint8[t, d]
  whole:  int32[t, d]
  truth:  bool[t, d]
  from_single: int4[t, n]
  down:        int4[t, n]
  from_half:   int4[t, d]
  from_whole:  int4[t, d]
  from_byte:   int4[t, 2, d / 2]
  levels:      int4[t, n]
  scale:       fp32[t, 1]
  again: fp32[t, d]
  part:  int4[t, 62]
  rows:  fp16[t, d]
  c:     int32[t, n]
graph:
  wide:
    single: cast(a, fp32)
    brain:  cast(a, bf16)
    half:   cast(a, fp16)
  integers:
    byte:   cast(a, int8)
    plain:  cast(a, uint8)
    low:    cast(a, uint8, saturate=false)
    whole:  cast(a, int32)
    truth:  cast(a, bool)
  narrow:
    from_single: cast(x, int4)
    down:        cast(x, int4, mode=floor)
    from_half:   cast(h, int4)
    from_whole:  cast(i, int4)
    from_byte:   reshape(cast(b, int4), [t, 2, d / 2])
    levels, scale: quant_per_token(x, dtype=int4)
    eighths: cast(cast(b, fp32) * 0.125, int4)
  moves:
    again: cast(eighths, fp32)
    part:  a[:, 64:126]
    rows:  cast(index_select(w, 0, places), fp16)
    cache: scatter_update(cache, index, a, dim=-2)
  product:
    c: matmul(b, cast(w, int8).T, dtype=int32)
tiling:
  - {}
"""
TARGETS = ("cpu", "a2a3")


def numbers(packed: np.ndarray) -> np.ndarray:
    """The low four bits of a byte are the first of its two numbers, in two's complement."""
    found = np.empty((*packed.shape[:-1], packed.shape[-1], 2), np.int64)
    found[..., 0], found[..., 1] = packed % 16, packed // 16
    return np.where(found > 7, found - 16, found).reshape(*packed.shape[:-1], -1)


def inputs(t: int, n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(t)
    scattered = rng.permutation(n)[:t].astype(np.int64)
    index = np.full(t, -1, np.int64)
    index[: len(scattered)] = scattered
    x = (rng.standard_normal((t, n)) * 10.0 ** rng.uniform(-2, 2, (t, n))).astype(np.float32)
    x[0, :2] = [-1e30, 6.5]
    codes = np.tile(np.arange(128, dtype=np.uint8), (t, 1)) + np.arange(t, dtype=np.uint8)[:, None] * 128
    return {
        "cache": rng.integers(0, 256, (n, 128)).astype(np.uint8), "a": codes, "x": x,
        "w": rng.integers(0, 256, (n, 128)).astype(np.uint8), "h": (rng.uniform(-20, 20, (t, 256))).astype(np.float16),
        "i": rng.integers(-12, 12, (t, 256)).astype(np.int32), "b": rng.integers(-128, 128, (t, 256)).astype(np.int8),
        "index": index, "places": rng.integers(0, n, t).astype(np.int32),
    }  # fmt: skip


def golden(g: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    a, w, x = numbers(g["a"]), numbers(g["w"]), g["x"].astype(np.float64)
    cache = numbers(g["cache"])
    cache[g["index"][g["index"] >= 0]] = a[g["index"] >= 0]
    peak = np.maximum(np.abs(g["x"]).max(axis=-1, keepdims=True), np.float32(1e-35))
    return {
        "cache": cache, "single": a, "brain": a, "half": a, "byte": a, "plain": np.maximum(a, 0), "low": a % 256,
        "whole": a, "truth": a != 0, "from_single": np.clip(np.rint(x), -8, 7), "down": np.clip(np.floor(x), -8, 7),
        "from_half": np.clip(np.rint(g["h"].astype(np.float64)), -8, 7), "from_whole": np.clip(g["i"], -8, 7),
        "from_byte": np.clip(g["b"], -8, 7).reshape(len(a), 2, 128),
        "levels": np.rint(g["x"] * (np.float32(7) / peak)), "scale": peak * np.float32(1 / 7),
        "again": np.clip(np.rint(g["b"] * 0.125), -8, 7),
        "part": a[:, 64:126], "rows": w[g["places"]], "c": g["b"].astype(np.int64) @ w.T,
    }  # fmt: skip


def elements(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Inputs as the levels take them: numbers of their own in place of bytes."""
    return arrays | {name: numbers(arrays[name]).astype(ml_dtypes.int4) for name in ("cache", "a", "w")}


PACKED = ("cache", "from_single", "down", "from_half", "from_whole", "from_byte", "levels", "part")


@pytest.mark.parametrize("target", TARGETS)
def test_against_bytes_taken_apart(target: str, tmp_path: Path) -> None:
    path = tmp_path / "in_int4.yaml"
    path.write_text(TEXT)
    operator = pyptogen.compile(path, target=target, threads=2)
    checked = pyptogen.compile(path, target=target, checked=True)
    lowered = lower(operator.program, target)
    for t, n in ((1, 2), (37, 50)):
        given, want = inputs(t, n), golden(inputs(t, n))
        for run in (operator.golden, operator, checked):
            found = run(**{name: array.copy() for name, array in given.items()})._asdict()
            assert all(found[name].dtype == np.uint8 for name in PACKED)
            agree(found | {name: numbers(found[name]) for name in PACKED}, want)
        agree(interpret(lowered, elements(given)), want)
        agree(run_tiles(lowered, elements(given), level="block"), want)


def agree(found: dict[str, np.ndarray], want: dict[str, np.ndarray]) -> None:
    for name, expected in want.items():
        if name == "scale":
            np.testing.assert_allclose(found[name], expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(found[name].astype(np.float64), expected.astype(np.float64), err_msg=name)


def small(dtype: str, graph: str, *, more: str = "") -> str:
    return (
        "pyptogen: 1\noperator: small\ndims: {t: {min: 1, max: 9}, d: 64}\n"
        f"inputs: {{x: 'int4[t, d]'{more}}}\noutputs: {{y: '{dtype}'}}\ngraph:\n  y: {graph}\n"
    )


def test_what_a_call_takes(tmp_path: Path) -> None:
    """Bytes, and numbers of ml_dtypes; the result may go to an array that is given."""
    path = tmp_path / "small.yaml"
    path.write_text(small("int4[t, d]", "cast(cast(x, int8), int4)"))
    operator = pyptogen.compile(path)
    codes = np.arange(64, dtype=np.uint8).reshape(2, 32)
    out = np.zeros((2, 32), np.uint8)
    for x in (codes, numbers(codes).astype(ml_dtypes.int4)):
        assert operator(x=x, out={"y": out}).y is out
        np.testing.assert_array_equal(out, codes)
        out[...] = 0
    for x, code in (
        (np.zeros((2, 64), np.uint8), "PTG402"), (np.zeros((2, 64), np.int8), "PTG403"),
        (np.zeros((2, 62), ml_dtypes.int4), "PTG402"),
    ):  # fmt: skip
        with pytest.raises(DiagnosticError) as caught:
            operator(x=x)
        diagnostic = caught.value.diagnostics[0]
        assert diagnostic.code == code
        assert "uint8[t, d / 2], two int4 in a byte" in diagnostic.expected


def test_bytes_of_pytorch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "small.yaml"
    path.write_text(small("int4[t, d]", "cast(cast(x, int8), int4)"))
    codes = np.arange(64, dtype=np.uint8).reshape(2, 32)
    np.testing.assert_array_equal(pyptogen.compile(path)(x=torch.from_numpy(codes)).y, codes)


def test_numbers_of_their_own_are_not_updated_in_place(tmp_path: Path) -> None:
    path = tmp_path / "in_int4.yaml"
    path.write_text(TEXT)
    given = inputs(3, 4)
    given["cache"] = numbers(given["cache"]).astype(ml_dtypes.int4)
    with pytest.raises(DiagnosticError, match="`cache` has dtype int4"):
        pyptogen.compile(path)(**given)


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ("x + x", "`add` has no meaning for int4, which is a dtype of memory"),
        ("concat(x, x, axis=0)", "`concat` has no meaning for int4"),
        ("index_select(x, 1, i)", "`index_select` has no meaning for int4"),
        ("matmul(x, x.T)", "matmul of int4 and int4"),
        ("cast(x[:, 1:33], fp32)", "rows of 32 int4, from 1 on"),
        ("cast(x[:, :33], fp32)", "rows of 33 int4, from 0 on"),
        ("cast(reshape(x, [64 * t, 1]), fp32)", "rows of 1 int4"),
        ("cast(cast(x, fp32), int4, saturate=false)", "saturate=false"),
    ],
)
def test_what_int4_does_not_do(graph: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(small("fp32[t, d]", graph, more=", i: 'int32[4]'"))
    with pytest.raises(DiagnosticError) as caught:
        from_spec(pyptogen.load(path))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code in ("PTG205", "PTG206", "PTG109")
    assert words in diagnostic.message


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        ("x: 'int4[t, 63]'", "rows of 63 int4"),
        ("x: 'int4[d, t]'", "rows of t int4"),
        ("x: 'int4[t, d] @ nz'", "int4 @ nz"),
        ("x: {shape: '[t, d]', dtype: int4, strides: '[65, 1]'}", "rows apart by 65 int4"),
    ],
)
def test_rows_are_whole_bytes(tensor: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(small("fp32[t, d]", "cast(x, fp32)").replace("x: 'int4[t, d]'", tensor))
    with pytest.raises(DiagnosticError) as caught:
        from_spec(pyptogen.load(path))
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "PTG104"
    assert words in diagnostic.message


def test_a_transpose_waits_for_a_cast(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(small("fp32[d, t]", "cast(x.T, fp32)"))
    codes = np.arange(96, dtype=np.uint8).reshape(3, 32)
    for target in TARGETS:
        np.testing.assert_array_equal(pyptogen.compile(path, target=target)(x=codes).y, numbers(codes).T)
    path.write_text(small("int4[d, d]", "x.T").replace("int4[t, d]", "int4[d, d]").replace("t: {min: 1, max: 9}, ", ""))
    with pytest.raises(DiagnosticError, match="without a cast behind") as caught:
        lower(from_spec(pyptogen.load(path)), "cpu")
    assert caught.value.diagnostics[0].code == "PTG206"


def test_rows_that_lie_apart(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    text = small("fp32[t, d]", "cast(x, fp32)")
    path.write_text(text.replace("x: 'int4[t, d]'", "x: {shape: '[t, d]', dtype: int4, strides: '[96, 1]'}"))
    codes = np.random.default_rng(2).integers(0, 256, (5, 48)).astype(np.uint8)[:, :32]
    for target in TARGETS:
        np.testing.assert_array_equal(pyptogen.compile(path, target=target)(x=codes).y, numbers(codes))


def test_a_tile_ends_at_a_whole_byte(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(small("fp32[t, d]", "cast(x, fp32)") + "tiling: [{d: 7}]\n")
    with pytest.raises(DiagnosticError, match="a tile cuts through the bytes of `x`") as caught:
        lower(from_spec(pyptogen.load(path)), "cpu")
    assert caught.value.diagnostics[0].code == "PTG302"


def test_a_platform_without_int4(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text(small("fp32[t, d]", "cast(x, fp32)"))
    with pytest.raises(DiagnosticError, match="`x` is int4, which a5 does not have") as caught:
        lower(from_spec(pyptogen.load(path)), "a5")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.code == "PTG303"
    assert "`targets: [cpu, a2a3]`; or keep two in a byte, `uint8`" in diagnostic.fix
