"""Elementwise work that only a long reduction reads is made in its kernel; where that would not do, it is as it was."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from pyptogen.codegen import Generated, generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: long_sums
dims: {{n: {{min: 1, max: 262144}}, d: 100, h: 40000}}
attrs: {{shift: {{type: fp32, default: 0.5}}}}
inputs: {inputs}
outputs: {outputs}
graph:
{graph}
"""


@cache
def lowered(inputs: str, outputs: str, graph: str, target: str = "a2a3") -> Generated:
    text = SPEC.format(inputs=inputs, outputs=outputs, graph="\n".join(f"  {line}" for line in graph.split("; ")))
    return generate(from_spec(load_source(Source("long_sums.yaml", text))), target)


def reads(*spec: str, target: str = "a2a3") -> list[set[str]]:
    """What each kernel reads, in the order of launches."""
    return [set(kernel.reads) for kernel in lowered(*spec, target).tiles]


def check(
    inputs: dict[str, np.ndarray[Any, Any]], expected: np.ndarray[Any, Any], *spec: str, target: str = "a2a3"
) -> None:
    """The first output at the Tile and at the Instruction level."""
    program = lowered(*spec, target)
    for found in (run_tiles(program, inputs, level="tile"), run_instructions(program, inputs, blocks=5)):
        got = next(iter(found.values()))
        np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5 * np.sqrt(inputs["x"].size))


LOSS = ('{x: "fp32[n]", y: "fp32[n]"}', '{loss: "fp32[1]"}', "c: x - y; loss: sum(c * c, axis=0, keepdim=true)")


@pytest.mark.parametrize("target", ["a2a3", "a5", "cpu"])
def test_a_sum_of_squares_reads_its_operands_themselves(target: str) -> None:
    assert reads(*LOSS, target=target)[0] == {"x", "y"}
    assert len(reads(*LOSS, target=target)) == (1 if target == "cpu" else 2), "parts are added up by another launch"


@pytest.mark.parametrize("n", [1, 6143, 6145, 262144])
def test_the_sum_of_squares_is_right(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.uniform(-1, 1, (2, n)).astype(np.float32)
    apart = x.astype(np.float64) - y
    check({"x": x, "y": y}, (apart * apart).sum(keepdims=True), *LOSS)


BROADCAST = {
    "a row": ('{x: "fp32[n, d]", m: "fp32[d]"}', '{y: "fp32[d]"}', "y: sum((x - m) * 2, axis=0)"),
    "a column": ('{x: "fp32[n, d]", m: "fp32[n, 1]"}', '{y: "fp32[d]"}', "y: sum((x - m) * 2, axis=0)"),
    "an attribute": ('{x: "fp32[n, d]"}', '{y: "fp32[d]"}', "y: sum((x - shift) * 2, axis=0)"),
    "long rows": ('{x: "fp32[n, h]", m: "fp32[h]"}', '{y: "fp32[n]"}', "y: sum((x - m) * 2, axis=1)"),
    "a column of long rows": ('{x: "fp32[n, h]", m: "fp32[n, 1]"}', '{y: "fp32[n]"}', "y: sum((x - m) * 2, axis=1)"),
}


@pytest.mark.parametrize("target", ["a2a3", "cpu"])
@pytest.mark.parametrize("form", BROADCAST)
@pytest.mark.parametrize("n", [1, 65, 200])
def test_operands_broadcast(form: str, n: int, target: str) -> None:
    spec = BROADCAST[form]
    n = n if "h" not in spec[0] else min(n, 9)
    shapes = {"x": (n, 40000 if "h]" in spec[0] else 100), "m": (n, 1) if "[n, 1]" in spec[0] else (100,)}
    shapes["m"] = (40000,) if "[h]" in spec[0] else shapes["m"]
    rng = np.random.default_rng(n)
    given = {name: rng.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    if form == "an attribute":
        del given["m"]
    other: Any = given["m"].astype(np.float64) if "m" in given else 0.5
    check(given, ((given["x"] - other) * 2).sum(axis=1 if "h]" in spec[0] else 0), *spec, target=target)
    if target == "a2a3" or "h" not in spec[0]:  # rows of `h` fit the tiles of a processor
        assert reads(*spec, target=target)[0] == given.keys()


@pytest.mark.parametrize(
    ("why", "outputs", "graph"),
    [
        ("an output", '{c: "fp32[n]", y: "fp32[1]"}', "c: x * x; y: sum(c, axis=0, keepdim=true)"),
        ("another reader", '{y: "fp32[1]", z: "fp32[n]"}', "c: x * x; y: sum(c, axis=0, keepdim=true); z: c + y"),
    ],
)
def test_what_others_read_is_made_for_all(why: str, outputs: str, graph: str) -> None:
    assert reads('{x: "fp32[n]"}', outputs, graph)[0] == {"x"}
    assert {"c"} in reads('{x: "fp32[n]"}', outputs, graph), f"the reduction reads c: it has {why}"


def test_nothing_is_traded_for_another_value_in_gm() -> None:
    """`e` is in one kernel with `z`; were `e * x` made with the sum, `e` would be written, and `x` read again."""
    graph = "e: exp(x); z: sqrt(e) + 1; y: sum(e * x, axis=0, keepdim=true)"
    found = lowered('{x: "fp32[n]"}', '{y: "fp32[1]", z: "fp32[n]"}', graph).tiles
    assert "e" not in {name for kernel in found for name in kernel.writes}


@pytest.mark.parametrize("steps", [19, 40])
def test_a_chain_of_any_length_is_made_there(steps: int) -> None:
    """Tiles of values that are dead by then are used again, so that a core's memory has room for all."""
    chain = "; ".join(f"c{i}: c{i - 1} * 0.5 + {'xy'[i % 2]}" for i in range(1, steps + 1))
    spec = (LOSS[0], '{s: "fp32[1]"}', f"c0: x; {chain}; s: sum(c{steps}, axis=0, keepdim=true)")
    assert len(lowered(*spec).tiles) == 2, "the second one adds the parts"
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 5000)).astype(np.float32)
    value = x.astype(np.float64)
    for i in range(1, steps + 1):
        value = value * 0.5 + (x, y)[i % 2]
    check({"x": x, "y": y}, value.sum(keepdims=True), *spec)


def test_values_that_are_all_alive_have_smaller_tiles() -> None:
    """Thirty products that are added up in turn from the last one on: UB holds tiles of all of them."""
    made = "; ".join(f"c{i}: x * {i + 1}.0" for i in range(30))
    added = "; ".join(f"d{i}: {'d' if i < 28 else 'c'}{i + 1} * c{i}" for i in range(28, -1, -1))
    spec = (LOSS[0], '{s: "fp32[1]"}', f"{made}; {added}; s: sum(d0 + y, axis=0, keepdim=true)")
    assert len(lowered(*spec).tiles) == 2
    x, y = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 5000)).astype(np.float32)
    value = x.astype(np.float64) * 30
    for i in range(28, -1, -1):
        value = value * (x.astype(np.float64) * (i + 1))
    check({"x": x, "y": y}, (value + y).sum(keepdims=True), *spec)


def test_slow_work_stays_on_all_threads_of_a_processor() -> None:
    """One exponential joins, two do not; vector cores of a device share the reduction, so there both do."""
    for work, joins in (("exp(x)", True), ("exp(x) / y", False)):
        spec = (LOSS[0], '{s: "fp32[1]"}', f"s: sum({work}, axis=0, keepdim=true)")
        assert len(reads(*spec, target="cpu")) == (1 if joins else 2)
        assert reads(*spec, target="a2a3")[0] == ({"x"} if joins else {"x", "y"})
        assert len(reads(*spec, target="a2a3")) == 2, "the second one adds the parts"


def test_a_long_chain_has_smaller_tiles() -> None:
    """All that fits: sixteen tiles at once would overflow UB if each took 24 KB."""
    chain = "; ".join(f"c{i}: c{i - 1} * 0.5 + x" for i in range(1, 6))
    spec = (LOSS[0], '{s: "fp32[1]"}', f"c0: x - y; {chain}; s: sum(c5 * c5, axis=0, keepdim=true)")
    assert reads(*spec)[0] == {"x", "y"}
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 20000)).astype(np.float32)
    value = x.astype(np.float64) - y
    for _ in range(5):
        value = value * 0.5 + x
    check({"x": x, "y": y}, (value * value).sum(keepdims=True), *spec)
