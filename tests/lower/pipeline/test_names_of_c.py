"""Specs whose names are those of C's library, of C++ words and of the generated code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError

SPEC = """
pyptogen: 1
operator: {operator}
dims:
  index: {{min: 1, max: 64}}
  stride: 64
inputs:
  read: fp32[index, stride]
  y0: fp32[index, stride]
  time: fp32[index, stride]
outputs:
  min: fp32[index, stride]
  max: fp32[index, stride]
graph:
  {first}:
    write: read + y0 * time
    at: exp(minimum(write, 1)) * read
  {second}:
    free: at + sum(at, axis=-1, keepdim=true)
    min: free * 2
  {third}:
    far: free / (sum(abs(free), axis=-1, keepdim=true) + 1)
    max: far * 2 + min
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(
    ("operator", "stages"),
    [
        ("select", ("select", "floor", "link")),
        ("main", ("exit", "memcpy", "div")),
        ("printf", ("segment", "fewer", "vector")),
        ("exp", ("main", "y1", "rt")),
    ],
)
def test_names_of_the_c_library(operator: str, stages: tuple[str, str, str], target: str, tmp_path: Path) -> None:
    path = tmp_path / "names.yaml"
    path.write_text(SPEC.format(operator=operator, first=stages[0], second=stages[1], third=stages[2]))
    read, y0, time = np.random.default_rng(3).standard_normal((3, 5, 64)).astype(np.float32)
    got = pyptogen.compile(path, target=target)(read=read, y0=y0, time=time)
    at = np.exp(np.minimum(read + y0 * time, 1)) * read
    free = at + at.sum(-1, keepdims=True)
    np.testing.assert_allclose(got.min, free * 2, rtol=1e-4, atol=1e-4)
    want = free / (np.abs(free).sum(-1, keepdims=True) + 1) * 2 + free * 2
    np.testing.assert_allclose(got.max, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["NULL", "EOF", "block", "args", "union", "M_PI"])
@pytest.mark.parametrize("what", ["index", "read", "write", "min"])
def test_macros_and_words_cannot_name_a_dim_a_tensor_or_a_value(name: str, what: str, tmp_path: Path) -> None:
    text = SPEC.format(operator="names", first="a", second="b", third="c")
    path = tmp_path / "names.yaml"
    path.write_text(text.replace(f"  {what}:", f"  {name}:", 1))
    with pytest.raises(DiagnosticError, match="PTG213"):
        pyptogen.load(path)
