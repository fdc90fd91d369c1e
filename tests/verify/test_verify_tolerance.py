"""Derived tolerances: wide enough for another order of summation, narrow enough to catch a wrong result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen.inputs.example import example_inputs
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.compare import Verdict, compare
from pyptogen.verify.spread import spreads
from pyptogen.verify.tolerance import Derived, Tolerance
from pyptogen.verify.ways import Way, ways

Arrays = Mapping[str, Any]


class Judged:
    """The graph of a spec on its example inputs, and what is said about results."""

    def __init__(self, text: str, seed: int = 7, **dims: int) -> None:
        spec = load_source(Source("toy.yaml", text))
        self.program: Program = from_spec(spec)
        self.inputs = example_inputs(spec, dims, seed, program=self.program)
        self.golden = interpret(self.program, self.inputs)

    def verdict(self, result: Any, output: str = "y", *, own: Any = None) -> Verdict:
        """On one output. ``own`` takes the golden's place."""
        expected = self.golden if own is None else {**self.golden, output: own}
        found = spreads(self.program, self.inputs, {}, expected, own=own is not None)
        value = dict(self.program.outputs)[output]
        allowed = {output: Derived(value.dtype, ways(self.program)[output], found[output])}
        return compare({output: result}, {output: expected[output]}, allowed)[0]


def spec(graph: str, inputs: str, outputs: str, generate: str = "") -> str:
    return (
        f"pyptogen: 1\noperator: toy\ndims: {{t: {{min: 1, max: 4096}}, k: 1024, n: 64}}\ninputs: {{{inputs}}}\n"
        f"outputs: {{{outputs}}}\ngraph:\n{graph}verify: {{generate: {{{generate}}}}}\n"
    )


COPY = spec("  y: x[:, :64]\n", "x: 'fp32[t, k]'", "y: 'fp32[t, n]'")
PRODUCT = spec("  y: matmul(x, w)\n", "x: 'fp32[t, k]', w: 'fp32[k, n]'", "y: 'fp32[t, n]'")
LOW = PRODUCT.replace("fp32", "bf16").replace("matmul(x, w)", "cast(matmul(x, w), bf16)")
GELU = spec(
    "  y: cast(gelu(matmul(x, w, dtype=fp32) + b), bf16)\n",
    "x: 'bf16[t, k]', w: 'bf16[k, n]', b: 'fp32[n]'",
    "y: 'bf16[t, n]'",
)
QUANT = spec(
    "  s: amax(abs(x), axis=-1, keepdim=true) / 127\n  y: cast(x / s, int8)\n", "x: 'fp32[t, k]'", "y: 'int8[t, k]'"
)
FP8 = spec(
    "  s: amax(abs(x), axis=-1, keepdim=true) / 448\n  q: cast(x / s, fp8_e4m3)\n  y: cast(matmul(q, w) * s, bf16)\n",
    "x: 'fp32[t, k]', w: 'fp8_e4m3[k, n]'",
    "y: 'bf16[t, n]'",
)
NORM = spec("  y: x * rsqrt(mean(x * x, axis=-1, keepdim=true) + 1.0e-6)\n", "x: 'fp32[t, k]'", "y: 'fp32[t, k]'")


def in_order(x: Any, w: Any, order: Any) -> Any:
    """A product in fp32, term by term."""
    total = np.zeros((len(x), w.shape[1]), np.float32)
    for k in order:
        total += x[:, k : k + 1].astype(np.float32) * w[k].astype(np.float32)
    return total


def test_what_only_moves_is_equal() -> None:
    judged = Judged(COPY, t=9)
    assert ways(judged.program)["y"] == Way()
    assert judged.verdict(judged.golden["y"]).passed
    assert not judged.verdict(np.nextafter(judged.golden["y"], np.float32(9))).passed
    assert judged.verdict(judged.golden["y"]).tolerance.describe() == "equal"


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("text", [PRODUCT, LOW])
def test_a_sum_in_any_order_passes(text: str, backwards: bool) -> None:
    judged = Judged(text, t=37)
    order = range(1024)[::-1] if backwards else range(1024)
    result = in_order(judged.inputs["x"], judged.inputs["w"], order).astype(judged.golden["y"].dtype)
    assert judged.verdict(result).passed


def without_a_tile(judged: Judged) -> Any:
    x = judged.inputs["x"]
    return interpret(judged.program, {**judged.inputs, "x": np.where(np.arange(1024) < 960, x, 0 * x)})["y"]


def rounded_first(judged: Judged) -> Any:
    x = judged.inputs["x"]
    return interpret(judged.program, {**judged.inputs, "x": x.astype(ml_dtypes.bfloat16).astype(x.dtype)})["y"]


def without_bias(judged: Judged) -> Any:
    return interpret(judged.program, {**judged.inputs, "b": 0 * judged.inputs["b"]})["y"]


def scaled(by: float) -> Callable[[Judged], Any]:
    return lambda judged: (judged.golden["y"].astype(np.float32) * by).astype(judged.golden["y"].dtype)


def exchanged(judged: Judged) -> Any:
    return judged.golden["y"][[1, 0, *range(2, 37)]]


@pytest.mark.parametrize("text", [PRODUCT, LOW, GELU, FP8, NORM])
@pytest.mark.parametrize("wrong", [scaled(1.01), scaled(1.05), scaled(1.3), without_a_tile, exchanged])
def test_what_is_wrong_fails(text: str, wrong: Callable[[Judged], Any]) -> None:
    judged = Judged(text, t=37)
    result = wrong(judged)
    assert judged.verdict(judged.golden["y"]).passed
    assert not judged.verdict(result).passed


@pytest.mark.parametrize(("text", "wrong"), [(PRODUCT, rounded_first), (NORM, rounded_first), (GELU, without_bias)])
def test_what_is_hardly_seen_fails(text: str, wrong: Callable[[Judged], Any]) -> None:
    judged = Judged(text, t=37)
    assert not judged.verdict(wrong(judged)).passed


def test_a_golden_of_the_author_is_no_better_for_being_his() -> None:
    """1.3 times the result, as a soft cap that was forgotten made it, was inside of what was derived."""
    judged = Judged(GELU, t=37)
    assert judged.verdict(judged.golden["y"], own=scaled(1.001)(judged)).passed
    verdict = judged.verdict(judged.golden["y"], own=scaled(1.3)(judged))
    assert not verdict.passed
    assert "allowed" in verdict.describe()


def test_levels_near_a_tie_go_either_way_and_others_do_not() -> None:
    judged = Judged(QUANT, t=2000)
    x = judged.inputs["x"]
    other = np.rint(x * (np.float32(127) / np.abs(x).max(-1, keepdims=True))).astype(np.int8)
    assert (other != judged.golden["y"]).any()
    assert judged.verdict(other).passed
    stepped = judged.golden["y"].copy()
    stepped[:, ::100] -= np.sign(stepped[:, ::100]).astype(np.int8)
    verdict = judged.verdict(stepped)
    assert not verdict.passed
    assert "differ, allowed" in verdict.describe()


def test_a_longer_sum_is_allowed_more() -> None:
    short, long = (Judged(PRODUCT.replace("1024", k), t=37) for k in ("64", "16384"))
    found = [spreads(j.program, j.inputs, {}, j.golden)["y"].square ** 0.5 for j in (short, long)]
    assert 8 < found[1] / found[0] < 32


def test_rows_of_nothing_are_judged_as_such() -> None:
    """Their neighbours' errors are not theirs."""
    judged = Judged(PRODUCT.replace("generate: {", "generate: {x: 'skip_rows(uniform(-1, 1), 0, 0.3)'"), t=37)
    empty = ~judged.golden["y"].any(axis=1)
    wrong = judged.golden["y"] + np.where(empty[:, None], np.float32(1e-6), np.float32(0))
    assert empty.any()
    assert judged.verdict(judged.golden["y"]).passed
    assert not judged.verdict(wrong).passed


def test_a_given_tolerance_has_a_cap_unless_a_reason_lifts_it() -> None:
    wanted = np.random.default_rng(1).normal(size=(8, 64)).astype(np.float32)
    for cap, passes in ((0.01, False), (float("inf"), True)):
        allowed = {"y": Tolerance(rtol=0.1, cap=cap)}
        assert compare({"y": wanted * np.float32(1.03)}, {"y": wanted}, allowed)[0].passed == passes


RELU = spec(
    "  y: cast(relu(matmul(x, w, dtype=fp32) + b), fp16)\n",
    "x: 'fp16[t, k]', w: 'fp16[k, n]', b: 'fp32[n]'",
    "y: 'fp16[t, n]'",
    "b: 'uniform(0.5, 1)', x: 'uniform(-0.01, 0.01)'",
)


def test_what_is_cut_off_says_nothing_about_errors() -> None:
    """Of fp16 numbers the mean difference is how an error before the rounding is seen. Zeros of ``relu`` must not thin
    it out: a sum that a kernel added up in order was refused where terms cancelled."""
    mostly_cut = RELU.replace("'uniform(0.5, 1)'", "'skip(uniform(-1, -0.5), 0.75, 0.1)'")
    alive, cut = Judged(RELU, t=64), Judged(mostly_cut, t=64)
    assert np.mean(alive.golden["y"] == 0) == 0
    assert np.mean(cut.golden["y"] == 0) > 0.5
    means = [spreads(judged.program, judged.inputs, {}, judged.golden)["y"].mean for judged in (alive, cut)]
    assert 0.5 < means[1] / means[0] < 4
