"""Dims of other dims, and dims that are called as something else is: what `check` passes compiles and runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen

DERIVED = """\
pyptogen: 1
operator: derived
dims: {b: {min: 1, max: 4}, ow: {min: 1, max: 64}, ww: 2 * ow, wider: ww + 1, ch: 3, oc: 5}
inputs: {x: "fp32[4, ww]", z: "fp32[b, ch, ww]", w: "fp32[oc, ch, 3]"}
outputs:
  y: fp32[4, ww + 1]
  p: fp32[4, wider + 1]
  c: fp32[b, oc, ww]
  r: fp32[4, wider]
graph:
  joined: {y: "concat(x, x[:, :1], axis=-1)"}
  padded: {p: "pad(x, [1, 1])"}
  conved: {c: "conv(z, w, paddings=[1])"}
  again: {r: "concat(x[:, ww - 1:], x, axis=-1) * (1.0 / ww)"}
tiling: [{}]
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_sizes_made_of_derived_dims(target: str, tmp_path: Path) -> None:
    path = tmp_path / "derived.yaml"
    path.write_text(DERIVED)
    operator: Any = pyptogen.compile(path, target=target)
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4, 14)).astype(np.float32)
    z, w = rng.normal(size=(2, 3, 14)).astype(np.float32), rng.normal(size=(5, 3, 3)).astype(np.float32)
    got = operator(x=x, z=z, w=w)
    np.testing.assert_array_equal(got.y, np.concatenate([x, x[:, :1]], 1))
    np.testing.assert_array_equal(got.p, np.pad(x, ((0, 0), (1, 1))))
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(z, ((0, 0), (0, 0), (1, 1))), 3, axis=2)
    np.testing.assert_allclose(got.c, np.einsum("bcik,ock->boi", windows, w), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(got.r, np.concatenate([x[:, -1:], x], 1) / 14, rtol=1e-6, atol=1e-7)


NAMED = """\
pyptogen: 1
operator: named
dims: {A: {min: 1, max: 64, multiple_of: 2}, B: 2 * A, C: {min: 2, max: 64}, D: 32}
inputs: {x: "fp32[A, D]", w: "fp32[D, D]", z: "fp32[C, B, D]", u: "fp32[A, B + A]"}
outputs: {y: "fp32[A, D]", p: "fp32[C, D]", q: "fp32[A, B + A + 1]", o: "fp32[D]"}
requires: [A >= C, A // 2 >= 1]
graph:
  first: {s: "matmul(x, w) * (1.0 / A) + A // 2", y: relu(s)}
  second: {p: "sum(z, axis=1) / C"}
  third: {q: "concat(u, u[:, :1], axis=-1)"}
  fourth: {o: "sum(x, axis=0)"}
tiling: [{}]
"""
NAMES = [
    ("floor", "Max", "int", "Mod"),  # functions of sizes
    ("block", "once", "launch_range", "rt"),  # words of kernels and orchestrations
    ("t", "t0", "t0_valid", "k1"),  # variables that kernels make
    ("union", "register", "EOF", "half"),  # words, macros and types of C++
    ("list", "len", "self", "E"),  # Python's, and a number of sympy's
]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_dims_may_be_called_as_anything_inside(names: tuple[str, ...], target: str, tmp_path: Path) -> None:
    given = dict(zip("ABCD", names, strict=True))
    path = tmp_path / "named.yaml"
    path.write_text(re.sub(r"\b[ABCD]\b", lambda letter: given[letter[0]], NAMED))
    operator: Any = pyptogen.compile(path, target=target)
    rng = np.random.default_rng(6)
    x, w = rng.normal(size=(6, 32)).astype(np.float32), rng.normal(size=(32, 32)).astype(np.float32)
    z, u = rng.normal(size=(4, 12, 32)).astype(np.float32), rng.normal(size=(6, 18)).astype(np.float32)
    got = operator(x=x, w=w, z=z, u=u)
    np.testing.assert_allclose(got.y, np.maximum(x @ w / 6 + 3, 0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(got.p, z.sum(1) / 4, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(got.q, np.concatenate([u, u[:, :1]], 1))
    np.testing.assert_allclose(got.o, x.sum(0), rtol=1e-5, atol=1e-5)
