"""Loops whose results depend on the length of their blocks, where tiling rows ask for others: as the spec says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: blocks
dims: {t: {min: 1, max: 999}, d: 16}
inputs: {x: "fp32[t, d]"}
outputs: {y: "fp32[OUT, d]"}
graph:
  one:
    loop: {over: t, tile: 32}
    BODY
tiling: [ROW]
"""
HALVED = "carry:\n      y: full([1, d], 0, fp32)\n    next:\n      y: y * 0.5 + amax(x[t], axis=0, keepdim=true)"
BODIES = {
    "below the largest": ("t", "collect:\n      y: x[t] - amax(x[t], axis=0, keepdim=true)"),
    "halved": ("1", HALVED),
    "a triangle of each": ("t", "collect:\n      y: tril(x[t], diagonal=-3)"),
    "products behind the diagonal": (
        "t",
        "body:\n      s: tril(matmul(x[t], x[t].T, dtype=fp32))\n    collect:\n      y: matmul(s, x[t])",
    ),
    "rows behind each other": (
        "t",
        "carry:\n      s: full([1, d], 0, fp32)\n    next:\n      s: s + sum(x[t], axis=0, keepdim=true)\n"
        "    collect:\n      y: x[t] + s",
    ),
}
ANYWAY = {
    "a sum": "l: l + sum(x[t], axis=0, keepdim=true)\n      m: maximum(m, amax(x[t], axis=0, keepdim=true))",
    "an online softmax": "l: l * exp(m - n) + sum(exp(x[t] - n), axis=0, keepdim=true)\n      m: n",
}


def by_hand(name: str, x: np.ndarray) -> np.ndarray:
    blocks = [x[start : start + 32] for start in range(0, len(x), 32)]
    if name == "below the largest":
        return np.concatenate([block - block.max(0) for block in blocks])
    if name == "halved":
        total = np.zeros((1, x.shape[1]))
        for block in blocks:
            total = total * 0.5 + block.max(0)
        return total
    if name == "a triangle of each":
        return np.concatenate([np.tril(block, -3) for block in blocks])
    if name == "products behind the diagonal":
        return np.concatenate([np.tril(block @ block.T) @ block for block in blocks])
    before = np.cumsum([np.zeros(x.shape[1]), *(block.sum(0) for block in blocks)], axis=0)
    return np.concatenate([block + start for block, start in zip(blocks, before, strict=False)])


def written(folder: Path, name: str, row: str) -> Path:
    rows, body = BODIES[name]
    path = folder / "blocks.yaml"
    path.write_text(SPEC.replace("OUT", rows).replace("BODY", body).replace("ROW", row))
    return path


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("row", ["{one: {t: 16}}", "{t: 64}", "{}"])
@pytest.mark.parametrize("name", BODIES)
def test_blocks_are_those_of_the_spec(name: str, row: str, target: str, tmp_path: Path) -> None:
    operator = pyptogen.compile(written(tmp_path, name, row), target=target, threads=2)
    for t in (1, 32, 75):
        x = np.random.default_rng(t).standard_normal((t, 16)).astype(np.float32)
        np.testing.assert_allclose(operator(x=x).y, by_hand(name, x.astype(np.float64)), rtol=1e-4, atol=1e-4)


def test_a_size_without_effect_is_named(tmp_path: Path) -> None:
    assert "blocks.yaml:13:20: `t` of stage `one` has no effect" in said(written(tmp_path, "halved", "{one: {t: 16}}"))
    assert said(written(tmp_path, "halved", "{one: {t: 32}}")) == ""


def said(path: Path) -> str:
    return "".join(note for note in from_spec(load_spec(path)).notes if "no effect" in note)


def test_shorter_blocks_are_advised_where_a_kernel_does_not_fit(tmp_path: Path) -> None:
    path = written(tmp_path, "products behind the diagonal", "{}")
    path.write_text(path.read_text().replace("tile: 32", "tile: 900"))
    with pytest.raises(DiagnosticError, match="overflows") as caught:
        lower(from_spec(load_spec(path)), "a2a3")
    assert caught.value.diagnostics[0].fix.startswith("give the loop of `one` shorter blocks (`tile`)")


@pytest.mark.parametrize("name", ANYWAY)
def test_blocks_of_any_length_where_they_mean_the_same(name: str, tmp_path: Path) -> None:
    carry = "carry:\n      l: full([1, d], 0, fp32)\n      m: full([1, d], -inf, fp32)\n    body:\n"
    carry += f"      n: maximum(m, amax(x[t], axis=0, keepdim=true))\n    next:\n      {ANYWAY[name]}"
    path = tmp_path / "blocks.yaml"
    path.write_text(
        SPEC.replace("OUT", "1").replace("BODY", f"{carry}\n  two:\n    y: log(l) + m").replace("ROW", "{}")
    )
    (loop,) = from_spec(load_spec(path)).loops
    assert not loop.fixed
