"""What loops collect, read by operations that are kernels of their own, and concats of single columns, in loops and
outside. Found by random specs and their neighbours; references in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pyptogen

STACKED = """\
pyptogen: 1
operator: stacked
dims:
  r: {min: 1, max: 4096}
  t: {min: 1, max: 64}
inputs:
  x: fp32[t, r, 8]
outputs:
  turned: fp32[r, t, 8]
  sums: fp32[t, r, 8]
  all: fp32[r, 8]
  best: fp32[t, r, 2]
  twice: fp32[t, r, 16]
graph:
  rounds:
    loop: {over: t, tile: 1}
    carry: {m: "full([r, 8], 0, fp32)"}
    body:
      now: reshape(x[t], [r, 8])
    next: {m: m + now}
    collect:
      h: m + now * 3
  after:
    turned: permute(h, [1, 0, 2])
    sums: cumsum(h, axis=0)
    all: sum(h, axis=0)
    values, places: topk(h, 2)
    best: values * 1
    twice: concat(h, x, axis=-1)
"""

COLUMNS = """\
pyptogen: 1
operator: columns
dims:
  r: {min: 1, max: 4096}
inputs:
  x: fp32[r, 8]
outputs:
  last: fp32[r, 9]
  peak: fp32[r, 9]
  first: fp32[r, 9]
  ends: fp32[r, 2]
graph:
  last: concat(x, x[:, 0:1], axis=1)
  peak: concat(x * 2, amax(x, axis=-1, keepdim=true), axis=1)
  first: concat(amin(x, axis=-1, keepdim=true), x * 2, axis=1)
  ends: concat(amin(x, axis=-1, keepdim=true), amax(x, axis=-1, keepdim=true), axis=1)
"""

ROUNDS = """\
pyptogen: 1
operator: rounds
dims:
  r: {min: 1, max: 4096}
  t: {min: 1, max: 64}
inputs:
  x: fp32[t, r, 8]
  c: fp32[t, r, 1]
outputs:
  side: fp32[t, r, 16]
  last: fp32[t, r, 9]
  peak: fp32[t, r, 9]
  ends: fp32[t, r, 2]
graph:
  one:
    loop: {over: t, tile: 1}
    carry: {m: "full([r, 8], 0, fp32)"}
    body:
      now: reshape(x[t], [r, 8])
      more: reshape(c[t], [r, 1])
    next: {m: m + now}
    collect:
      side: concat(m, now * 2, axis=1)
      last: concat(m, more, axis=1)
      peak: concat(m * 2, amax(now, axis=-1, keepdim=true), axis=1)
      ends: concat(sum(now, axis=-1, keepdim=true), amax(m, axis=-1, keepdim=true), axis=1)
"""


def run(text: str, target: str, folder: Path, **arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    path = folder / "spec.yaml"
    path.write_text(text)
    return pyptogen.compile(path, target=target)(**arrays)


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + shape[0]).normal(size=shape).astype(np.float32)


def before(x: np.ndarray) -> np.ndarray:
    """The sum of all earlier iterations, in each one."""
    return np.cumsum(x, axis=0, dtype=np.float64) - x


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_kernels_of_one_operation_read_each_iteration_where_it_lies(target: str, tmp_path: Path) -> None:
    x = drawn(5, 37, 8)
    got = run(STACKED, target, tmp_path, x=x)
    h = before(x) + x * 3.0
    wanted = [h.transpose(1, 0, 2), np.cumsum(h, 0), h.sum(0), -np.sort(-h, -1)[..., :2], np.concatenate([h, x], -1)]
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("rows", [1, 137])
def test_a_column_beside_others(rows: int, target: str, tmp_path: Path) -> None:
    x = drawn(rows, 8)
    low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
    wanted = [(x, x[:, :1]), (x * 2, high), (low, x * 2), (low, high)]
    for one, parts in zip(run(COLUMNS, target, tmp_path, x=x), wanted, strict=True):
        np.testing.assert_array_equal(one, np.concatenate(parts, 1))


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_concat_of_what_iterations_make(target: str, tmp_path: Path) -> None:
    x, c = drawn(5, 37, 8), drawn(5, 37, 1)
    m = before(x)
    wanted = [(m, x * 2), (m, c), (m * 2, x.max(-1, keepdims=True))]
    wanted += [(x.sum(-1, keepdims=True), m.max(-1, keepdims=True))]
    for one, parts in zip(run(ROUNDS, target, tmp_path, x=x, c=c), wanted, strict=True):
        np.testing.assert_allclose(one, np.concatenate(parts, -1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_column_that_its_own_iteration_reads_in_a_concat(target: str, tmp_path: Path) -> None:
    text = ROUNDS.replace("side: concat(m, now * 2, axis=1)", "side: concat(concat(m, more, axis=1) * 2, more, axis=1)")
    text = text.replace("side: fp32[t, r, 16]", "side: fp32[t, r, 10]")
    x, c = drawn(5, 37, 8), drawn(5, 37, 1)
    wanted = np.concatenate([before(x) * 2, c * 2, c], -1)
    np.testing.assert_allclose(run(text, target, tmp_path, x=x, c=c)[0], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_column_that_is_carried_on_in_a_concat(target: str, tmp_path: Path) -> None:
    """The next iteration takes it from its tile, though nothing else reads it."""
    text = ROUNDS.replace("full([r, 8], 0, fp32)", "full([r, 9], 0, fp32)").replace(
        "next: {m: m + now}", "next: {m: z}"
    )
    start = text.index("      side:")
    text = (
        text[:start].replace("    next:", "      z: concat(m[:, 0:8] * 2 + now, more, axis=1)\n    next:")
        + "      last: z\n"
    )
    kept = [line for line in text.splitlines() if not line.startswith(("  side:", "  peak:", "  ends:"))]
    x, c = drawn(5, 37, 8), drawn(5, 37, 1)
    m = [np.zeros((37, 8))]
    for now in x:
        m.append(m[-1] * 2 + now)
    (last,) = run("\n".join(kept), target, tmp_path, x=x, c=c)
    np.testing.assert_allclose(last, np.concatenate([m[1:], c], -1), rtol=1e-4, atol=1e-4)
