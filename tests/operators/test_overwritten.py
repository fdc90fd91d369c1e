"""Outputs in the memory of inputs: what reads an input sees it as it was, in kernels, between kernels and in ranges.

The goldens are NumPy's. The levels run every kernel on several blocks, one after the other, the Block level from the
last one on: a block that overwrites what another reads is seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lower.instruction.editing import with_parts

import pyptogen
from pyptogen.codegen import Generated, generate
from pyptogen.lower.instruction.side_by_side import pairs
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_tiles

TARGETS = ("cpu", "a2a3")
Arrays = Mapping[str, Any]

HEAD = """\
pyptogen: 1
operator: overwritten
dims: {{t: {{min: 2, max: 4096}}, n: 40, k: 64}}
inputs:
  x: fp32[t, k]
  cache: fp32[n, k]
  square: fp32[k, k]
  rows: int64[t]
  slots: int64[t]
outputs:
{outputs}
graph:
{graph}
tiling:
  - {row}
"""


def made(outputs: str, graph: str, target: str, row: str = "{t: 16}") -> Generated:
    """Generated from outputs and a graph that are written on one line each, parts apart by `;`."""
    text = HEAD.format(
        outputs="\n".join(f"  {line}" for line in outputs.split("; ")),
        graph="\n".join(f"  {line}" for line in graph.split("; ")),
        row=row,
    )
    return generate(from_spec(load_source(Source("overwritten.yaml", text))), target)


def arrays(t: int) -> dict[str, Any]:
    rng = np.random.default_rng(t)
    return {
        "x": rng.normal(size=(t, 64)).astype(np.float32),
        "cache": rng.normal(size=(40, 64)).astype(np.float32),
        "square": rng.normal(size=(64, 64)).astype(np.float32),
        "rows": rng.integers(0, 40, t),
        "slots": rng.permutation(np.resize(np.concatenate([np.arange(40), np.full(40, -1)]), 80)[:t]),
    }


def updated(a: Arrays, rows: Any) -> Any:
    """The cache with rows in their slots."""
    new = a["cache"].copy()
    new[a["slots"][a["slots"] >= 0]] = rows[a["slots"] >= 0]
    return new


CASES: dict[str, tuple[str, str, Callable[[Arrays], dict[str, Any]]]] = {
    "of its own rows": (
        "x: {inplace: true}", "x: abs(x) * 2 + x", lambda a: {"x": abs(a["x"]) * 2 + a["x"]}),
    "of one row, by all": (
        "x: {inplace: true}", "x: x + x[0:1]", lambda a: {"x": a["x"] + a["x"][:1]}),
    "of one column, by all": (
        "x: {inplace: true}", "x: x + x[:, 0:1]", lambda a: {"x": a["x"] + a["x"][:, :1]}),
    "rows moved": (
        "x: {inplace: true}", "x: concat(x[1:], x[:1], axis=0)", lambda a: {"x": np.roll(a["x"], -1, 0)}),
    "columns moved": (
        "x: {inplace: true}", "x: concat(x[:, 1:], x[:, :1], axis=1)", lambda a: {"x": np.roll(a["x"], -1, 1)}),
    "turned": (
        "y: fp32[t, k]; square: {inplace: true}", "y: x * 2; square: transpose(square)",
        lambda a: {"y": a["x"] * 2, "square": a["square"].T}),
    "a product": (
        "x: {inplace: true}", "x: matmul(x, square)", lambda a: {"x": a["x"] @ a["square"]}),
    "another reader, turned": (
        "y: fp32[k, t]; x: {inplace: true}", "y: transpose(x); x: x + 1",
        lambda a: {"y": a["x"].T, "x": a["x"] + 1}),
    "another reader, of means": (
        "y: fp32[t, k]; x: {inplace: true}", "y: x - mean(x, axis=0); x: x + 1",
        lambda a: {"y": a["x"] - a["x"].mean(0), "x": a["x"] + 1}),
    "a reader in another stage": (
        "y: fp32[t, k]; x: {inplace: true}", "one:;   y: x * 2; two:;   x: x + 1",
        lambda a: {"y": a["x"] * 2, "x": a["x"] + 1}),
    "a reader that comes later": (
        "y: fp32[t, k]; z: {inplace: x}", "z: x + 1; y: transpose(transpose(x)) * sum(z, axis=0)",
        lambda a: {"y": a["x"] * (a["x"] + 1).sum(0), "z": a["x"] + 1}),
    "each over the other": (
        "a: {inplace: cache}; b: {inplace: square}; y: fp32[t, k]",
        "a: cache + square[:40]; b: concat(cache * 2, square[40:], axis=0); y: x",
        lambda a: {"a": a["cache"] + a["square"][:40], "b": np.concatenate([a["cache"] * 2, a["square"][40:]])}),
    "rows by index, then an update": (
        "y: fp32[t, k]; cache: {inplace: true}",
        "y: index_select(cache, 0, rows) * 2; cache: scatter_update(cache, slots, x, dim=0)",
        lambda a: {"y": a["cache"][a["rows"]] * 2, "cache": updated(a, a["x"])}),
    "an update by rows of its own": (
        "cache: {inplace: true}",
        "old: index_select(cache, 0, rows); cache: scatter_update(cache, slots, old * 2 + x, dim=0)",
        lambda a: {"cache": updated(a, a["cache"][a["rows"]] * 2 + a["x"])}),
    "rows of one tensor, in the memory of another": (
        "y: fp32[k, k]; square: {inplace: true}; other: {inplace: cache}",
        "y: square * 2; other: scatter_update(square[:40], slots, x, dim=0);"
        " square: scatter_update(square, slots, x, dim=0)",
        lambda a: {"y": a["square"] * 2,
                   "other": updated({**a, "cache": a["square"][:40]}, a["x"]),
                   "square": updated({**a, "cache": a["square"]}, a["x"])}),
    "the cache before, when it has changed": (
        "y: fp32[n, k]; after: {inplace: cache}",
        "after: scatter_update(cache, slots, x, dim=0); y: cache * 2 + sum(after, axis=0, keepdim=true)",
        lambda a: {"y": a["cache"] * 2 + updated(a, a["x"]).sum(0), "after": updated(a, a["x"])}),
}  # fmt: skip
"""Outputs, graph, and what comes out."""


def agree(program: Generated, given: Arrays, want: Mapping[str, Any]) -> None:
    for got in (
        run_tiles(program, given, level="tile", blocks=3),
        run_tiles(program, given, level="block", blocks=3),
        run_instructions(program, given, blocks=2),
    ):
        for name, expected in want.items():
            np.testing.assert_allclose(got[name], expected, rtol=1e-4, atol=1e-4, err_msg=name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_an_input_is_read_as_it_was(case: str, target: str) -> None:
    outputs, graph, golden = CASES[case]
    agree(made(outputs, graph, target), arrays(77), golden(arrays(77)))


@pytest.mark.parametrize("target", TARGETS)
def test_what_may_be_overwritten_where_it_is_read(target: str) -> None:
    """Rows that each iteration reads before it writes them need no second kernel and no workspace."""
    for graph in ("x: abs(x) * 2 + x", "x: softmax(x, axis=-1)", "x: concat(x[:, 32:], x[:, :32] * -1, axis=-1)"):
        program = made("x: {inplace: true}", graph, target)
        assert (len(program.kernels), program.execution.workspaces) == (1, ()), graph


@pytest.mark.parametrize(
    ("outputs", "graph", "in_one_kernel", "golden"),
    [
        ("x: {inplace: true}", "x: x + matmul(x, square) * 2", True, lambda x, w: {"x": x + x @ w * 2}),
        ("y: fp32[t, k]; x: {inplace: true}", "y: matmul(x, square) * 2; x: x + 1", False,
         lambda x, w: {"y": x @ w * 2, "x": x + 1}),
        ("y: fp32[t, k]; x: {inplace: true}", "y: matmul(x, square) * 2; x: x + matmul(x * 2, square)", False,
         lambda x, w: {"y": x @ w * 2, "x": x + 2 * x @ w}),
    ],
)  # fmt: skip
def test_a_core_overwrites_what_the_other_one_has_read(
    outputs: str, graph: str, in_one_kernel: bool, golden: Callable[[Any, Any], dict[str, Any]]
) -> None:
    """The cores of a mixed kernel wait for each other's values alone: only what follows from a tile that the cube core
    has loaded takes its place."""
    program = made(outputs, graph, "a2a3", "{t: 16, fifo: 2}")
    accessed = [
        ({tensor.name for tensor in cube.reads}, {tensor.name for tensor in vector.writes})
        for cube, vector in pairs(program.instructions)
    ]
    assert accessed, "no kernel is mixed"
    assert any("x" in read and "x" in written for read, written in accessed) == in_one_kernel
    given = arrays(77)
    agree(program, given, golden(given["x"], given["square"]))


RANGES: dict[str, tuple[str, str, Callable[[Arrays], dict[str, Any]]]] = {
    "the same rows": (
        "y: fp32[t, k]", "one:;   z: exp(x); two:;   y: z * 2", lambda a: {"y": np.exp(a["x"]) * 2}),
    "the first row": (
        "y: fp32[t, k]", "one:;   z: exp(x); two:;   y: z + z[0:1]",
        lambda a: {"y": np.exp(a["x"]) + np.exp(a["x"][:1])}),
    "the row before": (
        "y: fp32[t, k]", "one:;   z: exp(x); two:;   y: z + concat(z[:1], z[:t - 1], axis=0)",
        lambda a: {"y": np.exp(a["x"]) + np.exp(a["x"][[0, *range(len(a["x"]) - 1)]])}),
    "all rows": (
        "y: fp32[t, k]", "one:;   z: x * 0.125; two:;   y: matmul(matmul(z, transpose(z)), z)",
        lambda a: {"y": a["x"] @ a["x"].T @ a["x"] / 512}),
    "rows that others put": (
        "y: fp32[t, k]; cache: {inplace: true}",
        "one:;   cache: scatter_update(cache, slots, x, dim=0); two:;   y: x + sum(cache, axis=0, keepdim=true)",
        lambda a: {"y": a["x"] + updated(a, a["x"]).sum(0), "cache": updated(a, a["x"])}),
    "rows put in a copy": (
        "y: fp32[n, k]", "y: scatter_update(cache, slots, x, dim=0)", lambda a: {"y": updated(a, a["x"])}),
    "what is no part of the ranges": (
        "y: fp32[t, k]; cache: {inplace: true}", "one:;   cache: cache + 1; two:;   y: x * 2",
        lambda a: {"y": a["x"] * 2, "cache": a["cache"] + 1}),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", RANGES)
def test_ranges_that_need_each_other_are_one(case: str, target: str) -> None:
    outputs, graph, golden = RANGES[case]
    program = made(outputs, graph, target, "{t: {unroll: [16, 4, 1]}}")
    agree(program, arrays(77), golden(arrays(77)))
    assert all(bool(cut.sizes) == (case == "the same rows") for cut in program.execution.cuts)


def test_launches_wait_for_readers() -> None:
    """Of what they overwrite; the proof finds one that does not."""
    program = made(*CASES["a reader in another stage"][:2], "a2a3")
    (plan,) = program.execution.plans
    assert [(launch.kernel, launch.after) for launch in plan] == [("one", ()), ("two", ("one",))]
    alone = tuple(replace(launch, after=()) for launch in plan)
    with pytest.raises(MachineFault, match="`two` overwrites `x` and does not wait for `one`"):
        run_instructions(with_parts(program, execution=replace(program.execution, plans=(alone,))), arrays(5))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", ["another reader, of means", "rows by index, then an update"])
def test_compiled(case: str, target: str, tmp_path: Path) -> None:
    """Kernels on two cores; each call has inputs of its own."""
    outputs, graph, golden = CASES[case]
    path = tmp_path / "overwritten.yaml"
    lines = ("\n".join(f"  {line}" for line in text.split("; ")) for text in (outputs, graph))
    path.write_text(HEAD.format(outputs=next(lines), graph=next(lines), row="{t: 16}"))
    operator = pyptogen.compile(path, target=target, threads=2)
    for t in (2, 700):
        given = arrays(t) | {"slots": np.resize(np.arange(40), t) if t < 40 else np.full(t, -1)}
        want = golden({name: array.copy() for name, array in given.items()})
        for name, got in operator(**given)._asdict().items():
            np.testing.assert_allclose(got, want[name], rtol=1e-4, atol=1e-4, err_msg=name)
