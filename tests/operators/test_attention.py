"""`attention` in other shapes than the library's: heads in groups, no heads, values of another width, no scale."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pyptogen
from pyptogen.builder.checking import check_specs
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret

SPEC = """\
pyptogen: 1
operator: attending
dims:
  b: 2
  h: 2
  g: 3
  sq: {{min: 1, max: 4096}}
  kv: {{min: 1, max: 4096}}
  d: 64
  e: 32
inputs:
  q: {dtype}[{q}]
  k: {dtype}[{k}]
  v: {dtype}[{v}]
outputs:
  o: {dtype}[{o}]
graph:
  o: {call}
tiling:
  - {{b: 1, h: 1, g: 1, sq: 32, kv: 64}}
"""
SHAPES = {
    "rows": ("sq, d", "kv, d", "kv, e", "sq, e"),
    "heads": ("b, h, sq, d", "b, h, kv, d", "b, h, kv, e", "b, h, sq, e"),
    "groups": ("h, g, sq, d", "h, kv, d", "h, kv, e", "h, g, sq, e"),
}


def written(folder: Path, name: str, dtype: str = "fp32", call: str = "attention(q, k, v)") -> Path:
    q, k, v, o = SHAPES[name]
    path = folder / f"{name}.yaml"
    path.write_text(SPEC.format(q=q, k=k, v=v, o=o, dtype=dtype, call=call))
    return path


def reference(a: dict[str, Any], grouped: bool, scale: float) -> Any:
    q, k, v = (a[name].astype(np.float64) for name in "qkv")
    if grouped:
        k, v = k[:, None], v[:, None]
    scores = q @ k.swapaxes(-1, -2) * scale
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("name", "dtype"), [("rows", "fp32"), ("heads", "fp32"), ("groups", "bf16")])
def test_shapes(tmp_path: Path, name: str, dtype: str, target: str) -> None:
    operator = pyptogen.compile(written(tmp_path, name, dtype), target=target)
    for sq, kv in ((1, 1), (33, 65), (70, 128)):
        arrays = operator.example_inputs(seed=sq, sq=sq, kv=kv)
        want = reference(arrays, name == "groups", 64**-0.5)
        allowed = 2e-5 if dtype == "fp32" else 1e-2
        np.testing.assert_allclose(operator(**arrays).o.astype(np.float64), want, rtol=allowed, atol=allowed)
        np.testing.assert_allclose(operator.golden(**arrays).o.astype(np.float64), want, rtol=allowed, atol=allowed)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("name", "dtype"), [("rows", "fp32"), ("heads", "bf16"), ("groups", "bf16")])
def test_one_key_has_all_of_the_weight(tmp_path: Path, name: str, dtype: str, target: str) -> None:
    """A number of keys that is 1 for good: v for each query, and NaN where a score is."""
    path = written(tmp_path, name, dtype)
    path.write_text(path.read_text().replace("kv: {min: 1, max: 4096}", "kv: 1").replace(", kv: 64", ""))
    operator = pyptogen.compile(path, target=target)
    arrays = operator.example_inputs(seed=3, sq=37)
    want = reference(arrays, name == "groups", 64**-0.5)
    np.testing.assert_array_equal(operator(**arrays).o.astype(np.float64), want)
    arrays["q"][..., 5, 7] = np.nan
    got = np.isnan(operator(**arrays).o.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(operator.golden(**arrays).o.astype(np.float64)), got)
    assert got[..., 5, :].all()
    assert not np.delete(got, 5, axis=-2).any()


def test_one_key_of_a_causal_attention_with_a_bias(tmp_path: Path) -> None:
    path = written(tmp_path, "heads", call="attention(q, k, v, causal=true, bias=bias)")
    text = path.read_text().replace("sq: {min: 1, max: 4096}", "sq: 1").replace("kv: {min: 1, max: 4096}", "kv: 1")
    text = text.replace(", sq: 32, kv: 64", "").replace("outputs:", "  bias: fp32[b, 1, sq, kv]\noutputs:")
    path.write_text(text)
    operator = pyptogen.compile(path, target="cpu")
    arrays = operator.example_inputs(seed=3)
    np.testing.assert_array_equal(operator(**arrays).o, arrays["v"])
    path.write_text(text.replace("sq: 1", "sq: 2"))
    with pytest.raises(DiagnosticError, match="causal attention of sq queries and kv keys"):
        check_specs(path)


def test_the_scale_follows_a_width_that_calls_alone_know() -> None:
    text = (
        "pyptogen: 1\noperator: wide\ndims: {t: {min: 1, max: 64}, d: {min: 8, max: 128, multiple_of: 8}}\n"
        "inputs: {q: 'fp32[t, d]'}\noutputs: {o: 'fp32[t, d]'}\ngraph:\n  o: attention(q, q, q)\n"
    )
    q = np.random.default_rng(2).normal(size=(7, 24)).astype(np.float32)
    program = from_spec(load_source(Source("wide.yaml", text)))
    want = reference({"q": q, "k": q, "v": q}, False, 24**-0.5)
    np.testing.assert_allclose(interpret(program, {"q": q})["o"], want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(run_instructions(lower(program, "a2a3"), {"q": q})["o"], want, rtol=1e-5, atol=1e-6)


def test_the_scale_may_be_a_number(tmp_path: Path) -> None:
    operator = pyptogen.compile(written(tmp_path, "rows", call="attention(q, k, v, scale=2)"))
    arrays = operator.example_inputs(seed=1, sq=20, kv=100)
    np.testing.assert_allclose(operator(**arrays).o, reference(arrays, False, 2.0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("attention(q, k, v[:, :, None])", "PTG204"),
        ("attention(q, v, v)", "PTG205"),
        ("attention(q[:, :32], k, v)", "PTG205"),
        ("attention(q, k, k[1:])", "PTG205"),
        ("attention(cast(q, bf16), k, v)", "PTG206"),
        ("attention(cast(q, int32), cast(k, int32), cast(v, int32))", "PTG206"),
    ],
)
def test_faults(tmp_path: Path, call: str, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        check_specs(written(tmp_path, "rows", call=call))
    assert [d.code for d in caught.value.diagnostics] == [code]


def test_bf16_is_the_contract(tmp_path: Path) -> None:
    operator = pyptogen.compile(written(tmp_path, "rows", "bf16"))
    assert operator(**operator.example_inputs(sq=3, kv=5)).o.dtype == ml_dtypes.bfloat16


TWICE = """\
pyptogen: 1
operator: twice
dims:
  sq: {min: 1, max: 512}
  s: {min: 1, max: 4096}
inputs:
  q: fp32[3, sq, 32]
  r: fp32[3, sq, 32]
  k: fp32[3, s, 32]
  m: fp32[3, 77, 32]
outputs:
  o: fp32[3, sq, 32]
  p: fp32[3, sq, 32]
  few: fp32[3, sq, 32]
  both: fp32[3, sq, 32]
graph:
  o: attention(q, k, k)
  p: attention(r, k, k)
  few: attention(q, m, m)
  longer: concat(k, k, axis=1)
  both: attention(q, longer, longer)
tiling: [{}]
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_several_in_one_stage_to_keys_without_a_dim_with_sizes_as_numbers(tmp_path: Path, target: str) -> None:
    """Loops of one stage share nothing; keys of a computed size, or of a number, get a dim; heads may be a number."""
    path = tmp_path / "twice.yaml"
    path.write_text(TWICE, encoding="utf-8")
    operator = pyptogen.compile(path, target=target)
    for sq, s in ((1, 1), (37, 530)):
        a = operator.example_inputs(seed=s, sq=sq, s=s)
        got = operator(**a)
        longer = np.concatenate([a["k"], a["k"]], axis=1)
        keys = {"o": ("q", a["k"]), "p": ("r", a["k"]), "few": ("q", a["m"]), "both": ("q", longer)}
        for name, (query, key) in keys.items():
            want = reference({"q": a[query], "k": key, "v": key}, False, 32**-0.5)
            np.testing.assert_allclose(getattr(got, name), want, rtol=1e-5, atol=1e-5, err_msg=name)
