"""`if` of the iterations of a loop: every level leaves out the same ones, and every fault of such a condition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from faults import Bad, said_about

from pyptogen.lower import pipeline
from pyptogen.lower.tensor import from_spec, print_program
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as interpret_instructions
from pyptogen.simulate.tensor import interpret
from pyptogen.simulate.tile import interpret as interpret_tiles

BASE = """\
pyptogen: 1
operator: demo
dims:
  b: {min: 1, max: 8}
  t: {min: 1, max: 64}
  n: {min: 1, max: 64}
  d: 16
attrs:
  most: {type: int32, default: 1000}
  rate: {type: fp32, default: 0.5}
inputs:
  x: fp32[b, n, t, d]
  seen: int32[n]
  lengths: int32[b]
outputs:
  y: fp32[b, t, d]
graph:
  flags:
    wanted: seen + 1
  scan:
    loop: {over: n, tile: 1, if: "wanted[n] != 1 and n.start < lengths[:, None, None] and 2 * n.start <= most"}
    carry:
      s: full([b, t, d], 1, fp32)
    body:
      part: exp(reshape(x[:, n], [b, t, d]))
    next:
      s: s * 0.5 + part
  out:
    y: s * 2
tiling:
  - {b: 1, t: 8}
"""


def read(text: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", text)), verify_each=True)


def arrays() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    return {
        "x": rng.normal(size=(3, 7, 11, 16)).astype(np.float32),
        "seen": np.array([3, 0, -1, 5, 0, 2, 1], np.int32),
        "lengths": np.array([7, 0, 4], np.int32),
    }


def by_hand(most: int) -> Any:
    """Sequence after sequence, round after round."""
    given = arrays()
    y = np.empty((3, 11, 16))
    for b, length in enumerate(given["lengths"]):
        s = np.ones((11, 16))
        for n, seen in enumerate(given["seen"]):
            if seen != 0 and n < length and 2 * n <= most:
                s = s * 0.5 + np.exp(given["x"][b, n].astype(np.float64))
        y[b] = 2 * s
    return y


def test_the_condition_stands_in_the_loop() -> None:
    text = print_program(read(BASE))
    assert "    scan.if: int32[] = only(s_block, s_1, @0 != 1 and n.start < @1 and 2*n.start <= most)\n" in text, text


@pytest.mark.parametrize("most", [1000, 8, -1])
@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_all_levels_leave_out_the_same_iterations(target: str, most: int) -> None:
    program = read(BASE)
    want, attrs = by_hand(most), {"most": most}
    np.testing.assert_allclose(interpret(program, arrays(), attrs)["y"], want, rtol=1e-5)
    lowered = pipeline.lower(program, target)
    found = [interpret_tiles(lowered, arrays(), attrs, level=level, blocks=2)["y"] for level in ("tile", "block")]
    found.append(interpret_instructions(lowered, arrays(), attrs, blocks=2)["y"])
    for got in found:
        np.testing.assert_allclose(got, want, rtol=1e-5)


BAD = [
    Bad(
        "not_whole", "lengths: int32[b]", "lengths: fp32[b]", "PTG206", (21, 64),
        ("cannot read `lengths[:, None, None]`, which is fp32", "cast it before the loop"),
    ),
    Bad(
        "real_attr", "2 * n.start <= most", "2 * n.start <= rate", "PTG108", (21, 106),
        ("`rate` is no sum or product of whole numbers", "declare the attr `rate` as int32"),
    ),
    Bad("quotient", "2 * n.start <= most", "n.start / 2 <= most", "PTG108", (21, 91), ("no sum or product",)),
    Bad("one_of", "wanted[n] != 1 and", "wanted[n] != 1 or", "PTG108", (21, 35), ("joined by `and`", "a flag")),
    Bad("not_compared", "wanted[n] != 1 and", "wanted[n] and", "PTG108", (21, 35), ("`wanted[n]` cannot decide",)),
    Bad("alone", "wanted[n] != 1 and n.start < lengths[:, None, None] and 2 * n.start <= most", "wanted[n]",
        "PTG106", (21, 35), ("`if` must be a comparison",)),
    Bad("other_start", "n.start < l", "t.start < l", "PTG201", (21, 54), ("no loop around is over `t`", "`n.start`")),
    Bad("unknown", "wanted[n] !=", "wantd[n] !=", "PTG201", (21, 35), ("did you mean `wanted`?",)),
    Bad(
        "computed", "wanted[n] !=", "abs(wanted[n]) !=", "PTG230", (21, 35),
        ("`abs(wanted[n])` is computed in the iteration that it decides about", "a stage before the loop"),
    ),
    Bad(
        "several", "lengths[:, None, None]", "lengths[:, None]", "PTG230", (21, 64),
        ("reads int32[b, 1], and the carried value is [b, t, d]", "adds an axis"),
    ),
    Bad("block", "over: n, tile: 1,", "over: n, tile: 4,", "PTG230", (21, 35), ("reads int32[n.tile]",)),
    Bad(
        "collects", "  out:\n", "    collect:\n      p: part\n  out:\n", "PTG230", (29, 7),
        ("`if` leaves iterations out", "carry the value"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad(bad: Bad) -> None:
    said_about(bad, BASE, "demo.yaml", lambda source: from_spec(load_source(source)))


def test_an_element_is_one_number_for_a_tile() -> None:
    bad = Bad("rows", "{b: 1, t: 8}", "{b: 2, t: 1}", "PTG303", (21, 35), ("along `b`", "give `b` the tile 1"))
    said_about(bad, BASE, "demo.yaml", lambda source: pipeline.lower(from_spec(load_source(source)), "cpu"))


def test_the_compiler_chooses_such_tiles() -> None:
    lowered = pipeline.lower(read(BASE.replace("{b: 1, t: 8}", "{}")), "cpu")
    np.testing.assert_allclose(interpret_instructions(lowered, arrays(), {})["y"], by_hand(1000), rtol=1e-5)
