"""Indices of an iteration that name the rows of a tile lie side by side where the scalar unit reads them."""

from __future__ import annotations

import numpy as np
import pytest

from lower.small_programs import program_of
from pyptogen.codegen import generate
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import fit
from pyptogen.lower.tensor.passes import adjacent_indices
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret

BAGS = """\
pyptogen: 1
operator: bags
dims: {t: {min: 1, max: 64}, bag: {min: 1, max: 16}, v: {min: 1, max: 99}}
inputs:
  table: fp32[v, 32]
  token: int32[t, bag]
outputs:
  y: fp32[t, 32]
graph:
  places:
    place: INDEX
  add:
    loop: {over: bag, tile: 1}
    carry:
      total: zeros([t, 32])
    body:
      row: index_select(table, 0, reshape(place[:, bag], [t]))
    next:
      total: total + row * MORE
  out:
    y: total
"""
SLICES = """\
pyptogen: 1
operator: slices
dims: {b: {min: 1, max: 8}, pages: {min: 1, max: 8}, v: {min: 1, max: 99}}
inputs:
  cache: fp32[v, 16, 32]
  page: int32[b, pages]
outputs:
  y: fp32[b, 16, 32]
graph:
  add:
    loop: {over: pages, tile: 1}
    carry:
      total: zeros([b, 16, 32])
    next:
      total: total + index_select(cache, 0, reshape(page[:, pages], [b]))
  out:
    y: total
"""


def kinds(text: str, target: str = "a2a3") -> list[str]:
    """What the operations are that lead to the index of a row, and what is made for it: `permute` once a tensor."""
    platform = PLATFORMS[target]
    program = adjacent_indices.run(fit.run(program_of(text), platform), platform)
    defining = {op.result.name: op for op in program.ops}
    found = ["permute"] * sum(op.kind == "permute" for op in program.ops)
    for op in program.ops:
        name = op.operands[1].name if op.kind == "gathered" else ""  # type: ignore[union-attr]
        while name in defining:
            found.append(f"{defining[name].kind} {defining[name].attrs.get('axis', '')}".strip())
            name = defining[name].operands[0].name  # type: ignore[union-attr]
            if found[-1].startswith("block"):
                break
    return found


@pytest.mark.parametrize("index", ["maximum(token, 0)", "token + 0"])
def test_a_column_becomes_a_row(index: str) -> None:
    text = BAGS.replace("INDEX", index).replace("MORE", "2")
    assert kinds(text) == ["permute", "reshape", "block 0"]
    assert kinds(text, "cpu") == ["reshape", "block 1"]


def test_one_transposition_for_all_readers() -> None:
    text = BAGS.replace("INDEX", "maximum(token, 0)")
    twice = text.replace("MORE", "index_select(table * 2, 0, reshape(place[:, bag], [t]))")
    assert kinds(twice) == ["permute", "reshape", "block 0", "reshape", "block 0"]


def test_of_an_input_too() -> None:
    text = BAGS.replace("INDEX", "token * 1").replace("place[", "token[").replace("MORE", "2")
    assert kinds(text) == ["permute", "reshape", "block 0"]


def test_stages_that_run_in_other_calls_have_transpositions_of_their_own() -> None:
    text = BAGS.replace("INDEX", "token * 1").replace("place[", "token[").replace("MORE", "2")
    graph = text[text.index("  add:") : text.index("  out:")]
    small = graph.replace("add:", "add:\n    if: t < 9").replace("total", "few")
    large = graph.replace("add:", "more:\n    if: t >= 9").replace("total", "many").replace("row", "line")
    both = small.replace("few: few", "few: few") + large
    text = text.replace(graph, both).replace(
        "    y: total\n", "    if: t < 9\n    y: few\n  out_more:\n    if: t >= 9\n    y: many\n"
    )
    assert kinds(text).count("permute") == 2


def test_an_index_that_names_a_slice_for_each_iteration_stays() -> None:
    """The next iteration reads the next element of the same line."""
    assert kinds(SLICES) == ["reshape", "block 1"]


def test_blocks_of_several_stay() -> None:
    text = BAGS.replace("INDEX", "maximum(token, 0)").replace("tile: 1}", "tile: 2}")
    text = text.replace("reshape(place[:, bag], [t])", "reshape(place[:, bag][:, 0:1], [t])").replace("MORE", "2")
    assert "permute" not in kinds(text)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_the_same_rows_are_added(target: str) -> None:
    program = program_of(BAGS.replace("INDEX", "maximum(token, 0)").replace("MORE", "2"))
    rng = np.random.default_rng(3)
    arrays = {
        "table": rng.normal(size=(9, 32)).astype(np.float32),
        "token": rng.integers(-1, 9, size=(13, 5), dtype=np.int32),
    }
    want, got = interpret(program, arrays), run_instructions(generate(program, target), arrays)
    np.testing.assert_allclose(got["y"], want["y"], rtol=1e-6)
    np.testing.assert_allclose(want["y"], 2 * arrays["table"][np.maximum(arrays["token"], 0)].sum(1), rtol=1e-5)
