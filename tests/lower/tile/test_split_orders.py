"""Few long rows are sorted in spans on all cores: the same first elements as of whole rows, in the same order."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pyptogen.codegen import Generated, generate
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.kernels.split_orders import LONG
from pyptogen.lower.tile.sorted_rows import LONGEST_PIECE as PART
from pyptogen.schema import Source, load_source
from pyptogen.simulate.device.cases import call_time
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_levels

FEW = PLATFORMS["a2a3"].vector_cores // 2
"""Rows of the longest call whose rows are split."""
SPEC = """\
pyptogen: 1
operator: firsts
dims:
  rows: {rows}
  n: {n}
inputs:
  x: fp32[{shape}]
outputs:
  values: fp32[{result}]
  places: int32[{result}]
graph:
  values, places: {graph}
"""


def text(k: int, rows: Any, n: Any, largest: bool = True, lead: str = "rows") -> str:
    graph = f"topk(x, {k}, largest={str(largest).lower()})"
    return SPEC.format(rows=rows, n=n, shape=f"{lead}, n", result=f"{lead}, {k}", graph=graph)


@cache
def lowered_text(spec: str, target: str = "a2a3") -> Generated:
    return generate(from_spec(load_source(Source("firsts.yaml", spec))), target)


def any_rows(least: int = 1, most: int = 1000) -> str:
    return f"{{min: {least}, max: {most}}}"


def any_length(k: int, longest: int = 16 * PART) -> str:
    return f"{{min: {k}, max: {longest}}}"


@cache
def lowered(k: int, target: str = "a2a3", rows: Any = None, n: Any = None, **how: Any) -> Generated:
    return lowered_text(text(k, rows or any_rows(), n or any_length(k), **how), target)


def launched(program: Generated, **sizes: int) -> list[str]:
    """What the kernels that a call runs do: sort rows, sort spans, merge their lists."""
    tiles = {kernel.name: kernel for kernel in program.tiles}
    (plan,) = program.execution.plans
    found = []
    for launch in (launch for launch in plan if launch.may_run(sizes)):
        kernel = tiles[launch.kernel]
        lists = any(tensor.endswith("_pairs") for tensor in kernel.reads)
        found.append("merge" if lists else "spans" if kernel.writes[0].endswith("_pairs") else "rows")
    return found


def ordered(x: Any, k: int, largest: bool = True) -> tuple[Any, Any]:
    """The first elements and their places, of equal ones the first."""
    places = np.argsort(-x if largest else x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, places, axis=-1), places.astype(np.int32)


def check(program: Generated, x: Any, k: int, largest: bool = True, blocks: int = 7) -> None:
    """At the levels below tensors, against NumPy; bit by bit."""
    values, places = ordered(x, k, largest)
    runs = [
        run_instructions(program, {"x": x}, blocks=blocks),
        run_levels(program, {"x": x}, level="tile"),
        run_levels(program, {"x": x}, level="block", blocks=blocks),
    ]
    for found in runs:
        np.testing.assert_array_equal(found["places"], places)
        np.testing.assert_array_equal(found["values"], values)


def drawn(seed: int, shape: tuple[int, ...], kinds: int) -> Any:
    """Numbers of few ``kinds``, so that most have equals, some of them -inf."""
    rng = np.random.default_rng(seed)
    found = rng.integers(0, kinds, shape).astype(np.float32) / 8
    return np.where(rng.random(shape) < 0.1, np.float32(-np.inf), found)


def test_the_call_decides_by_its_rows_and_their_length() -> None:
    program = lowered(64)
    assert launched(program, rows=FEW, n=16 * PART) == ["spans", "merge"]
    assert launched(program, rows=FEW + 1, n=16 * PART) == ["rows"]
    assert launched(program, rows=1, n=PART) == ["rows"], "one span"
    assert launched(program, rows=1, n=PART + 1) == ["spans", "merge"]


def test_on_each_platform_half_of_the_cores_have_a_row() -> None:
    few = PLATFORMS["a5"].vector_cores // 2
    assert launched(lowered(64, "a5"), rows=few, n=16 * PART) == ["spans", "merge"]
    assert launched(lowered(64, "a5"), rows=few + 1, n=16 * PART) == ["rows"]


@pytest.mark.parametrize(
    ("rows", "n", "kernels"),
    [
        (3, 16 * PART, 2),
        (any_rows(1, FEW), 16 * PART, 2),
        (3, f"{{min: {PART + 1}, max: {16 * PART}}}", 2),
        (3, f"{{min: {PART}, max: {16 * PART}}}", 3),
        (any_rows(1, FEW + 1), 16 * PART, 3),
        (3, any_length(64), 3),
        (FEW + 1, any_length(64), 1),
        (any_rows(FEW), any_length(64), 3),
        (any_rows(FEW + 1), any_length(64), 1),
        (3, (LONG - 1) * PART, 1),
        (3, (LONG - 1) * PART + 1, 2),
    ],
)
def test_what_is_known_at_build_time_is_decided_there(rows: Any, n: Any, kernels: int) -> None:
    assert len(lowered(64, rows=rows, n=n).tiles) == kernels


@pytest.mark.parametrize(("cores", "few"), [(1, 0), (8, 4), (1000, FEW)])
def test_the_cores_that_the_author_gives_count(cores: int, few: int) -> None:
    program = lowered_text(f"{text(64, any_rows(), any_length(64))}schedule: {{cores: {cores}}}\n")
    assert launched(program, rows=few + 1, n=16 * PART) == ["rows"]
    assert few == 0 or launched(program, rows=few, n=16 * PART) == ["spans", "merge"]


def test_where_cube_and_vector_cores_are_one_rows_stay_whole() -> None:
    assert len(lowered(64, "cpu").tiles) == 1


def test_memory_for_lists_does_not_grow_with_the_rows_of_the_longest_call() -> None:
    spaces = [lowered(64, rows=any_rows(1, most)).execution.workspaces for most in (100, 100000)]
    assert [space.elements for space in spaces[0]] == [space.elements for space in spaces[1]]
    assert spaces[0][0].elements.constant == FEW * 16 * 2 * 64


def test_memory_for_lists_grows_with_the_longest_row_up_to_a_bound() -> None:
    longest = (64 * PART, 256 * PART, 4096 * PART, 16384 * PART)
    found = [lowered(2048, n=any_length(2048, most)).execution.workspaces[0].elements.constant for most in longest]
    assert all(elements is not None and 4 * elements <= 32 << 20 for elements in found)
    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("k", [1, 9, 64, 2048])
@pytest.mark.parametrize("n", [PART + 1, 2 * PART, 2 * PART + 1, 5 * PART - 5])
def test_ends_of_spans(k: int, n: int) -> None:
    check(lowered(k), drawn(n + k, (2, n), 50), k)


def test_rows_that_are_known_at_build_time() -> None:
    """The loop over the spans of a call's length is around that over rows."""
    check(lowered(100, rows=5, n=any_length(100)), drawn(5, (5, 3 * PART + 1), 50), 100)
    check(lowered(2048, rows=5, n=any_length(2048, 64 * PART)), drawn(5, (5, 6 * PART + 1), 300), 2048)


@pytest.mark.parametrize("lists", range(2, 8))
def test_any_number_of_lists(lists: int) -> None:
    """Several are merged at once, and those that are left over one by one."""
    check(lowered(1000), drawn(lists, (1, lists * PART), 300), 1000)


@pytest.mark.parametrize("n", [3 * PART + 1, 6 * PART, 6 * PART + 1])
def test_spans_of_several_parts(n: int) -> None:
    program = lowered(2048, n=any_length(2048, 64 * PART))
    assert launched(program, rows=1, n=n) == ["spans", "merge"]
    check(program, drawn(n, (1, n), 300), 2048)


@pytest.mark.parametrize("largest", [True, False])
def test_all_elements_equal_but_one(largest: bool) -> None:
    """The first places in order, wherever the other element lies."""
    n = 3 * PART + 3
    x = np.ones((4, n), np.float32)
    x[range(4), [PART - 1, PART, 2 * PART, n - 1]] = 2.0 if largest else 0.5
    check(lowered(100, largest=largest), x, 100, largest)


def test_rows_without_enough_numbers() -> None:
    """-inf is behind all numbers, and ahead of what fills a tail up."""
    n = 3 * PART + 5
    x = np.full((2, n), -np.inf, np.float32)
    x[0, n - 2], x[1, PART] = 1.0, -1.0
    check(lowered(2048), x, 2048)


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from([1, 7, 64, 300, 2048]),
    st.integers(1, 3),
    st.integers(1, 4 * PART),
    st.sampled_from([1, 3, 1000]),
    st.booleans(),
    st.sampled_from(["a2a3", "a5"]),
    st.integers(1, 50),
)
@example(2048, 1, 2048, 1, True, "a2a3", 1)
def test_any_rows(k: int, rows: int, n: int, kinds: int, largest: bool, target: str, blocks: int) -> None:
    n = max(n, k)
    x = drawn(n, (rows, n), kinds)
    check(lowered(k, target, largest=largest), x if largest else -x, k, largest, blocks)


def test_rows_of_several_axes_and_of_a_view() -> None:
    x = drawn(5, (2, 3, 3 * PART + 1), 20)
    check(lowered(64, rows=any_rows(1, 8), lead="rows, 3"), x, 64)
    spec = text(64, any_rows(1, 8), any_length(64), lead="4, rows").replace("topk(x", "topk(permute(x, [1, 0, 2])")
    spec = spec.replace("x: fp32[4, rows, n]", "x: fp32[rows, 4, n]")
    wanted = drawn(6, (4, 2, 3 * PART + 1), 20)
    program = lowered_text(spec)
    values, places = ordered(wanted, 64)
    found = run_instructions(program, {"x": np.ascontiguousarray(wanted.transpose(1, 0, 2))}, blocks=7)
    np.testing.assert_array_equal(found["places"], places)
    np.testing.assert_array_equal(found["values"], values)


STAGES = """\
pyptogen: 1
operator: firsts
dims:
  rows: {min: 1, max: 1000}
  n: {min: 64, max: 40000}
attrs:
  wanted: {type: int32, default: 1}
inputs:
  x: fp32[rows, n]
outputs:
  values: fp32[rows, 64]
  seen: int32[rows, 64]
graph:
  begin:
    scaled: x * 2
  order:
    if: wanted != 0
    found, at: topk(scaled, 64)
    values: found + 1
    seen: where(found == -inf, -1, at)
  other:
    if: wanted == 0
    found_2, seen: topk(scaled, 64)
    values: found_2 - 1
"""


def test_stages_that_run_in_some_calls_only() -> None:
    """Each has its own lists, and its own work behind them."""
    program = lowered_text(STAGES)
    for rows, n in ((2, 3 * PART + 1), (30, 100)):
        x = drawn(rows, (rows, n), 30)
        x[0, 10:] = -np.inf
        found, at = ordered(2 * x, 64)
        result = run_instructions(program, {"x": x}, blocks=5)
        np.testing.assert_array_equal(result["values"], found + 1)
        np.testing.assert_array_equal(result["seen"], np.where(found == -np.inf, -1, at))
        result = run_instructions(program, {"x": x}, {"wanted": 0}, blocks=5)
        np.testing.assert_array_equal(result["values"], found - 1)
        np.testing.assert_array_equal(result["seen"], at)


LAID_OUT = """\
pyptogen: 1
operator: firsts
dims:
  rows: {min: 1, max: 1000}
  n: {min: 64, max: 40000}
inputs:
  x: fp32[rows, n]
outputs:
  values: {shape: [rows, 64], dtype: fp32, strides: [80, 1]}
  turned: int32[rows, 64] @ dn
graph:
  values, turned: topk(x, 64)
"""


def test_outputs_that_do_not_lie_row_after_row() -> None:
    for target in ("a2a3", "cpu"):
        x = drawn(3, (2, 3 * PART + 1), 30)
        values, places = ordered(x, 64)
        found = run_instructions(lowered_text(LAID_OUT, target), {"x": x}, blocks=5)
        np.testing.assert_array_equal(found["values"], values)
        np.testing.assert_array_equal(found["turned"], places)


def test_a_call_of_few_rows_takes_a_fraction_of_the_time() -> None:
    """By the model: a row on all cores, and one row more than are split, of which each core has one."""
    program = lowered(2048, n=any_length(2048, 64 * PART)).lowered
    few, many = (call_time(program, {"rows": rows, "n": 64 * PART}) for rows in (1, FEW + 1))
    assert few is not None
    assert many is not None
    assert few.micros * 5 < many.micros
