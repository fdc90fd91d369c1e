"""Iterations that a condition leaves out: where it ends a loop, and that all levels agree on which they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.codegen import Generated, generate
from pyptogen.lower.instruction.ir import For, InstrKernel, ReadIndex, walk
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tensor import interpret as golden

SUMS = """\
pyptogen: 1
operator: sums
dims: {{b: {{min: 1, max: 64}}, n: {{min: 1, max: 64}}, d: 64}}
attrs: {{least: {{type: int32, default: 1}}}}
inputs: {{x: "fp32[b, n, d]", length: "int32[b]", seen: "int32[b, n]"}}
outputs: {{y: "fp32[b, d]"}}
graph:
  total:
    loop: {{over: n, tile: 1, if: "{condition}"}}
    carry: {{s: "full([b, d], 0, fp32)"}}
    body: {{part: "reshape(x[:, n], [b, d])"}}
    next: {{s: s + part}}
  out: {{y: s * 1}}
tiling: [{{b: 1, fuse: [[total, out]]}}]
"""
ATTENTION = """\
pyptogen: 1
operator: attention
dims: {b: {min: 1, max: 64}, n: {min: 1, max: 64}, size: 16, d: 32}
inputs: {q: "bf16[b, size, d]", k: "bf16[b, n, size, d]", length: "int32[b]"}
outputs: {o: "fp32[b, size, d]"}
graph:
  attend:
    loop: {over: n, tile: 1, if: "n.start * size < length[:, None, None]"}
    carry: {acc: "full([b, size, d], 0, fp32)", m: "full([b, size, 1], -1.0e30, fp32)"}
    body:
      s: matmul(q, transpose(reshape(k[:, n], [b, size, d]), -2, -1), dtype=fp32)
      m_new: maximum(m, amax(s, axis=-1, keepdim=true))
      p: exp(s - m_new)
    next:
      acc: acc * exp(m - m_new) + matmul(cast(p, bf16), reshape(k[:, n], [b, size, d]), dtype=fp32)
      m: m_new
  out: {o: acc * 1}
tiling: [{b: 1, fifo: 4, fuse: [[attend, out]]}]
"""
ENDS = {
    "n.start < length[:, None]": (0, 1),
    "n.start <= length[:, None]": (1, 1),
    "n.start * 3 < length[:, None]": (0, 3),
    "length[:, None] > n.start * 3": (0, 3),
    "length[:, None] >= n.start * 2 + 1": (0, 2),
    "n.start * 4 + 2 < length[:, None] + 1": (-1, 4),
}
"""Conditions that hold up to some iteration: what is added to the length, and how many of it an iteration is."""
NO_ENDS = (
    "n.start > length[:, None]",
    "n.start != length[:, None]",
    "seen[:, n] < 3",
    "seen[:, n] > n.start",
    "n.start < length[:, None] + least",
    "n.start * n.start < length[:, None]",
    "n.start < length[:, None] * 2",
)


def lowered(text: str, target: str) -> Generated:
    return generate(program_of(text), target)


def ends(kernel: InstrKernel) -> list[ReadIndex]:
    return [node for node in walk(kernel.body) if isinstance(node, ReadIndex) and node.per is not None]


def arrays(b: int, n: int, lengths: list[int]) -> dict[str, Any]:
    rng = np.random.default_rng(b * n)
    x = rng.normal(size=(b, n, 64)).astype(np.float32)
    return {"x": x, "length": np.array(lengths, np.int32), "seen": rng.integers(0, 6, (b, n)).astype(np.int32)}


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
@pytest.mark.parametrize("condition", [*ENDS, *NO_ENDS])
def test_all_levels_leave_out_the_same_iterations(condition: str, target: str) -> None:
    text = SUMS.format(condition=condition)
    given = arrays(4, 9, [0, 1, 9, 40])
    result = lowered(text, target)
    want = golden(program_of(text), given)["y"]
    np.testing.assert_allclose(interpret(result, given)["y"], want, rtol=1e-5, atol=1e-5)
    assert not np.allclose(want[0], want[2])


@pytest.mark.parametrize("condition", ENDS)
def test_a_condition_that_holds_up_to_some_iteration_ends_the_loop(condition: str) -> None:
    (kernel,) = lowered(SUMS.format(condition=condition), "a2a3").instructions
    (end,) = ends(kernel)
    assert (end.plus.constant, end.per) == ENDS[condition]
    loop = next(node for node in walk(kernel.body) if isinstance(node, For) and node.before is not None)
    assert loop.only is None
    assert loop.before is not None
    assert loop.before.names() == {end.name}


@pytest.mark.parametrize("condition", NO_ENDS)
def test_others_are_asked_in_every_iteration(condition: str) -> None:
    (kernel,) = lowered(SUMS.format(condition=condition), "a2a3").instructions
    assert ends(kernel) == []
    assert any(isinstance(node, For) and node.only is not None for node in walk(kernel.body))


def test_both_cores_end_at_the_same_iteration_and_run_ahead() -> None:
    result = lowered(ATTENTION, "a2a3")
    for kernel in result.instructions:
        assert [(end.tensor, end.per) for end in ends(kernel)] == [("length", 16)]
        assert max(node.distance for node in walk(kernel.body) if isinstance(node, For)) == 3
    rng = np.random.default_rng(0)
    import ml_dtypes

    q, k = (rng.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((5, 16, 32), (5, 7, 16, 32)))
    given = {"q": q, "k": k, "length": np.array([0, 1, 16, 17, 200], np.int32)}
    want = golden(program_of(ATTENTION), given)["o"]
    np.testing.assert_allclose(interpret(result, given)["o"], want, rtol=2e-2, atol=2e-2)
