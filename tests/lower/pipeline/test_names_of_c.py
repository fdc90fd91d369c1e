"""Specs whose names are those of C's library, of C++ words and of the generated code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen

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
        ("printf", ("launch_range", "fewer", "vector")),
        ("exp", ("main", "y1", "rt")),
        ("block", ("half", "TADD", "EOF")),
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


WORDS = ["half", "block", "args", "vector", "launch_range", "EOF", "TLOAD", "int32_t", "VecF32_8x64"]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("shift", range(0, len(WORDS), 3))
def test_words_of_generated_code_name_dims_tensors_attrs_and_values(shift: int, target: str, tmp_path: Path) -> None:
    """Three specs, so that each word is a dim, a tensor, an attr and a value of some of them."""
    rows, cols, x, y, factor, first, total, left, stage = WORDS[shift:] + WORDS[:shift]
    path = tmp_path / "words.yaml"
    path.write_text(
        f"pyptogen: 1\noperator: words\ndims: {{{rows}: {{min: 1, max: 64}}, {cols}: 64}}\n"
        f"attrs: {{{factor}: {{type: fp32, default: 0.5}}}}\n"
        f"inputs:\n  {x}: fp16[{rows}, {cols}]\noutputs:\n  {y}: fp16[{rows}, {cols}]\n"
        f"graph:\n  {stage}:\n    {first}: cast({x}, fp32) * {factor}\n"
        f"    {total}: sum({first}, axis=-1, keepdim=true)\n"
        f"  last:\n    {left}: {first} - {total}\n    {y}: cast({left}, fp16)\n"
    )
    value = np.random.default_rng(3).integers(-8, 8, (5, 64)).astype(np.float16)
    got = pyptogen.compile(path, target=target)(**{x: value, factor: 0.25})
    scaled = value.astype(np.float32) * 0.25
    np.testing.assert_array_equal(got[0], (scaled - scaled.sum(-1, keepdims=True)).astype(np.float16))
