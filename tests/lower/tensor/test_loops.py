"""Loops with carried values at the Tensor level: what they read as, and every fault of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec, print_program
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.ways import Way, ways

BASE = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  n: {min: 1, max: 4096}
  d: 16
inputs:
  x: fp32[t, n]
  w: fp32[n, d]
outputs:
  y: fp32[t, d]
graph:
  scan:
    loop: {over: n, tile: 8}
    carry:
      y: full([t, d], 2, fp32)
      unused: full([t, 1], 0, fp32)
    body:
      part: matmul(x[:, n], w[n])
    next:
      y: y + part
      unused: unused + 1
"""


def read(text: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", text)), verify_each=True)


def test_the_region_reads_like_the_loop() -> None:
    """A carried value that nothing needs is gone; the size of a block is a dim of its own."""
    text = print_program(read(BASE))
    assert text.split("stage scan\n")[1] == (
        "  y_start: fp32[t, d] = full(value=2)\n"
        "  loop over n by 8\n"
        "    y: fp32[t, d] = carry(y_start)\n"
        "    part_x_block: fp32[t, n.tile] = block(x, axis=1)\n"
        "    part_w_block: fp32[n.tile, d] = block(w, axis=0)\n"
        "    part: fp32[t, d] = matmul(part_x_block, part_w_block)\n"
        "    y_next: fp32[t, d] = add(y, part)\n"
        "  y_end: fp32[t, d] = carried(y, y_next)\n"
    )


COLLECTED = (
    BASE.replace("  y: fp32[t, d]\n", "  y: fp32[t, d]\n  p: fp32[t, n]\n")
    + """\
    collect:
      p: x[:, n] * sum(y, axis=-1, keepdim=true)
"""
)


def test_what_is_collected_reads_like_the_loop() -> None:
    """It is the output's block in the rounds, and the whole after them."""
    text = print_program(read(COLLECTED))
    assert "    p_block: fp32[t, n.tile] = mul(part_x_block, p_1)\n" in text
    assert text.endswith("  y_end: fp32[t, d] = carried(y, y_next)\n  p: fp32[t, n] = collected(p_block, axis=1)\n")


@pytest.mark.parametrize("n", [1, 8, 21])
def test_collected_blocks_lie_side_by_side(n: int) -> None:
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(5, n)).astype(np.float32), rng.normal(size=(n, 16)).astype(np.float32)
    want = np.empty((5, n))
    for start in range(0, n, 8):
        state = 2 * 16 + (x[:, :start].astype(np.float64) @ w[:start]).sum(axis=1, keepdims=True)
        want[:, start : start + 8] = x[:, start : start + 8] * state
    got = interpret(read(COLLECTED), {"x": x, "w": w})
    np.testing.assert_allclose(got["p"], want, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got["y"], 2 + x.astype(np.float64) @ w, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 40])
def test_the_iterations_see_every_block_once(n: int) -> None:
    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(5, n)).astype(np.float32), rng.normal(size=(n, 16)).astype(np.float32)
    got = interpret(read(BASE), {"x": x, "w": w})["y"]
    np.testing.assert_allclose(got, 2 + x.astype(np.float64) @ w, rtol=1e-5, atol=1e-5)


MOVED = """\
pyptogen: 1
operator: moved
dims: {n: {min: 1, max: 64}, d: 4}
attrs: {rounds: {type: int32, default: 64}}
inputs:
  x: fp32[n, d]
  z: fp32[1, d]
outputs:
  before: fp32[1, d]
  two_before: fp32[1, d]
  now: fp32[1, d]
  given: fp32[1, d]
  twice: fp32[1, d]
graph:
  shift:
    loop: {over: n, tile: 1, if: n.start < rounds}
    carry:
      two_before: full([1, d], 2)
      before: ones([1, d])
      now: zeros([1, d])
      given: full([1, d], 3)
    next:
      now: x[n] + now * 0.5
      before: now
      two_before: before
      given: z
  after:
    twice: z * 2
"""
"""Values that go from one carried value to another, and into one from outside of the loop."""


@pytest.mark.parametrize(("n", "rounds"), [(1, 64), (2, 64), (5, 64), (5, 3), (5, 0)])
def test_carried_values_may_be_next_ones_of_others(n: int, rounds: int) -> None:
    rng = np.random.default_rng(n)
    x, z = rng.normal(size=(n, 4)).astype(np.float32), rng.normal(size=(1, 4)).astype(np.float32)
    states = [np.full((1, 4), 2.0), np.ones((1, 4)), np.zeros((1, 4))]
    for row in x[:rounds]:
        states.append(row + states[-1] * 0.5)
    got = interpret(read(MOVED), {"x": x, "z": z}, {"rounds": rounds})
    for name, want in zip(("two_before", "before", "now"), states[-3:], strict=True):
        np.testing.assert_allclose(got[name], want, rtol=1e-6, err_msg=name)
    np.testing.assert_array_equal(got["given"], z if rounds else np.full((1, 4), 3))
    np.testing.assert_array_equal(got["twice"], 2 * z)


def test_a_carried_value_has_come_the_way_of_what_it_was_made_of() -> None:
    """No round rounds `before` and `two_before`, but they are states that rounds have rounded."""
    found = ways(read(MOVED))
    assert found["now"] == found["before"] == found["two_before"] == Way(rounded=True)
    assert found["given"] == Way()


@dataclass(frozen=True)
class Bad:
    """``old`` in the base becomes ``new``; the finding must be ``code`` on line ``line``, with these words."""

    name: str
    old: str
    new: str
    code: str
    line: int
    words: tuple[str, ...] = ()


BAD = [
    Bad("no dim", "over: n", "over: m", "PTG201", 14, ("`m` is no dim",)),
    Bad("no tile", "{over: n, tile: 8}", "{over: n}", "PTG105", 14),
    Bad("tile of nothing", "tile: 8", "tile: 0", "PTG104", 14),
    Bad("unknown key", "tile: 8", "tile: 8, step: 2", "PTG103", 14),
    Bad("value beside the sections", "    body:", "    z: x * 2\n    body:", "PTG103", 18, ("another stage",)),
    Bad("no loop", "    loop: {over: n, tile: 8}\n", "", "PTG105", 13, ("lacks the key `loop`",)),
    Bad("no next", "    next:\n      y: y + part\n      unused: unused + 1\n", "", "PTG105", 13, ("goes on",)),
    Bad("next without carry", "      unused: unused + 1", "      unused: unused + 1\n      more: part", "PTG230", 23),
    Bad("carry without next", "      unused: unused + 1\n", "", "PTG230", 17, ("does not give `unused`",)),
    Bad("next twice", "      unused: unused + 1", "      unused, y: part", "PTG208", 22),
    Bad("start is a number", "full([t, 1], 0, fp32)", "3", "PTG220", 17, ("full([1, 1], 3, fp32)",)),
    Bad("next is a number", "unused: unused + 1", "unused: 4", "PTG230", 22, ("a number",)),
    Bad("other dtype", "unused + 1", "cast(unused, bf16)", "PTG230", 22, ("bf16[t, 1]", "fp32[t, 1]")),
    Bad("other shape", "unused + 1", "part", "PTG230", 22, ("fp32[t, d]",)),
    Bad("size of a block", "unused: unused + 1", "unused: unused + x[:, n]", "PTG230", 22, ("n.tile",)),
    Bad("whole with block", "matmul(x[:, n], w[n])", "matmul(x, w[n])", "PTG205", 19, ("n.tile",)),
    Bad("wrong axis", "x[:, n]", "x[n]", "PTG231", 19, ("[:, n]",)),
    Bad("block of a block", "matmul(x[:, n], w[n])", "matmul((x[:, n] * 2)[:, n], w[n])", "PTG231", 19),
    Bad("no such axis", "y: y + part", "y: y + part + part[n]", "PTG231", 21),
    Bad(
        "inside from outside",
        "unused: unused + 1\n", "unused: unused + 1\n  after:\n    z: part * 2\n", "PTG201", 24, ("iterations",),
    ),
    Bad("output only inside", "  y: fp32[t, d]\n", "  y: fp32[t, d]\n  part: fp32[t, d]\n", "PTG207", 12),
    Bad("block outside", "unused: unused + 1\n", "unused: unused + 1\n  after:\n    z: x[:, n]\n", "PTG205", 24),
    Bad("collects a number", "unused: unused + 1\n", "unused: unused + 1\n    collect: {p: 3}\n", "PTG220", 23),
    Bad(
        "collects no block",
        "unused: unused + 1\n", "unused: unused + 1\n    collect: {p: part}\n", "PTG230", 23, ("n.tile", "carry it"),
    ),
    Bad(
        "collects the same every iteration",
        "unused: unused + 1\n", "unused: unused + 1\n    collect: {p: w * 2}\n", "PTG230", 23, ("every iteration",),
    ),
    Bad(
        "collects two axes of the block",
        "unused: unused + 1\n", "unused: unused + 1\n    collect:\n      p: matmul(x[:, n].T, x[:, n])\n", "PTG230", 24,
        ("more than one axis",),
    ),
    Bad("collected twice", "unused: unused + 1\n", "unused: unused + 1\n    collect: {y: w}\n", "PTG208", 23),
    Bad("defined twice", "      part:", "      y: part\n      part:", "PTG208", 19),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_faults(bad: Bad) -> None:
    assert bad.old in BASE
    with pytest.raises(DiagnosticError) as caught:
        read(BASE.replace(bad.old, bad.new))
    found = caught.value.diagnostics[0]
    assert (found.code, found.span.line) == (bad.code, bad.line), str(caught.value)
    for word in bad.words:
        assert word in str(caught.value) + found.expected + found.fix
