"""Where many numbers have one divisor, and their quotients are rounded to fewer digits, they are products."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import fit
from pyptogen.lower.tensor.passes import reciprocals
from pyptogen.simulate.tensor import interpret

SPEC = """\
pyptogen: 1
operator: quotients
dims: {r: {min: 1, max: 64}, c: 32}
inputs:
  x: fp32[r, c]
  v: fp32[r, 1]
  w: fp32[c]
  h: fp16[r, 1]
outputs:
  y: OUT[r, c]
graph:
  y: GRAPH
"""
ROOT = "sqrt(v)"


def kinds(graph: str, out: str = "bf16", target: str = "a2a3") -> str:
    """The operations but for casts and views, in order."""
    platform = PLATFORMS[target]
    program = fit.run(program_of(SPEC.replace("OUT", out).replace("GRAPH", graph)), platform)
    return " ".join(op.kind for op in reciprocals.run(program, platform).ops if op.kind not in {"cast", "reshape"})


def test_by_rows_and_by_columns() -> None:
    assert kinds(f"cast(x / {ROOT}, bf16)") == "sqrt reciprocal mul"
    assert kinds(f"cast(x / {ROOT}, fp16)", "fp16") == "sqrt reciprocal mul"
    assert kinds("cast(x / sqrt(w), bf16)") == "sqrt reciprocal mul"
    assert kinds(f"cast(relu(x / {ROOT} * w + w), bf16)") == "sqrt reciprocal mul mul add relu"
    assert kinds(f"cast(x / {ROOT} * w + (w / 3) / {ROOT}, bf16)") == "sqrt reciprocal mul mul mul mul add"
    assert kinds("cast(softmax(x), bf16)") == "amax sub exp sum reciprocal mul"
    assert kinds(f"cast(x / {ROOT}, bf16)", target="a5") == "sqrt reciprocal mul"


@pytest.mark.parametrize(
    ("graph", "out"),
    [
        (f"x / {ROOT}", "fp32"),
        (f"cast(cast(x / {ROOT}, int8), bf16)", "bf16"),
        (f"cast(exp(x / {ROOT}), bf16)", "bf16"),
        (f"cast(where(x / {ROOT} > 1, x, w), bf16)", "bf16"),
        ("cast(x / sqrt(x), bf16)", "bf16"),
        ("cast(x / abs(v), bf16)", "bf16"),
        ("cast(x / sum(exp(x), keepdim=true), bf16)", "bf16"),
        (f"cast(x / ({ROOT} - 1), bf16)", "bf16"),
        (f"cast(1 / {ROOT} + x, bf16)", "bf16"),
    ],
)
def test_what_stays(graph: str, out: str) -> None:
    """Results of all digits, choices and functions of a quotient, divisors of their own, and such as may be tiny."""
    assert "div" in kinds(graph, out)
    assert "reciprocal" not in kinds(graph, out)


def test_on_a_processor_a_division_stays() -> None:
    assert kinds(f"cast(x / {ROOT} / 2, bf16)", target="cpu") == "sqrt div div"


@pytest.mark.parametrize(
    ("graph", "out", "kind"),
    [
        ("x / 8", "fp32", "mul"),
        ("x / (-0.125)", "fp32", "mul"),
        ("x / 3", "fp32", "div"),
        ("cast(x / 3, bf16)", "bf16", "mul"),
        ("8 / x", "fp32", "div"),
    ],
)
def test_numbers(graph: str, out: str, kind: str) -> None:
    assert kinds(graph, out) == kind


def test_one_reciprocal_for_two_quotients() -> None:
    text = SPEC.replace("OUT", "bf16").replace("  y: GRAPH", "  s: sqrt(v)\n  y: GRAPH")
    graph = "cast(x / s + (x + 1) / s, bf16)"
    platform = PLATFORMS["a2a3"]
    program = fit.run(program_of(text.replace("GRAPH", graph)), platform)
    assert [op.kind for op in reciprocals.run(program, platform).ops].count("reciprocal") == 1


@pytest.mark.parametrize(
    ("graph", "out"), [("x / sqrt(v)", "bf16"), ("softmax(x)", "bf16"), ("x / 3.7", "bf16"), ("x / -0.1", "fp16")]
)
def test_the_numbers_are_as_good(graph: str, out: str) -> None:
    """Off by the rounding of bf16 or fp16, and 1.5 units in the last place of fp32."""
    text = SPEC.replace("OUT", out).replace("GRAPH", f"cast({graph}, {out})")
    program, platform = program_of(text), PLATFORMS["a2a3"]
    rng = np.random.default_rng(7)
    given = {
        "x": rng.uniform(-4, 4, (64, 32)).astype(np.float32),
        "v": np.float32(2.0) ** rng.uniform(-148, 127, (64, 1)).astype(np.float32),
        "w": rng.uniform(1, 4, 32).astype(np.float32),
        "h": np.ones((64, 1), np.float16),
    }
    wide = program_of(SPEC.replace("OUT", "fp32").replace("GRAPH", graph))
    (exact,) = interpret(wide, given).values()
    (found,) = interpret(reciprocals.run(fit.run(program, platform), platform), given).values()
    unit = 2.0**-8 if out == "bf16" else 2.0**-11
    off = np.abs(found.astype(np.float64) - exact) / np.abs(exact)
    assert 0 < off.max() <= unit + 2 * 2.0**-23
