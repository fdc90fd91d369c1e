"""Tiling rows: which apply, what they say for every stage and dim, and what is refused, with its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lower.small_programs import program_of
from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.lower.tensor.ir import Dim, Program
from pyptogen.lower.tile.sizes.sizes import TileSize, common_table, longest_range, normalise, select_rows, stage_sizes

HEAD = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 4096}
  d: 64
inputs:
  x: fp32[t, d]
outputs:
  y: fp32[t, d]
graph:
  one:
    a: x + 1
  two:
    b: a * 2
  three:
    y: exp(b)
tiling:
"""
FIRST_ROW = HEAD.count("\n") + 1
SPAN = Span("demo.yaml", 1, 1, 1, 2)
T, FOURS = (Dim("t", None, 1, 4096, multiple, None, SPAN) for multiple in (1, 4))


def program(*rows: str) -> Program:
    return program_of(HEAD + "".join(f"  - {row}\n" for row in rows))


def refused(call: Any, *arguments: Any) -> Any:
    with pytest.raises(DiagnosticError) as caught:
        call(*arguments)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    ("written", "tile", "inner", "unroll"),
    [
        (8, 8, 8, ()),
        ({"tile": 32, "tail": "mask"}, 32, 32, ()),
        ({"l1": 512, "l0": 128}, 512, 128, ()),
        ({"l1": 512}, 512, 512, ()),
        ({"unroll": [32, 16, 1]}, 32, 32, (32, 16, 1)),
    ],
)
def test_written_sizes(written: Any, tile: int, inner: int, unroll: tuple[int, ...]) -> None:
    assert normalise(written, SPAN, T) == TileSize(tile, inner, unroll, SPAN)


@pytest.mark.parametrize("written", [0, -8, {"tile": 0}, {"l1": 512, "l0": 384}, {"l1": 128, "l0": 256}])
def test_illegal_sizes(written: Any) -> None:
    diagnostic = refused(normalise, written, SPAN, replace(T, name="q_rank"))
    assert diagnostic.code == "PTG304"
    assert diagnostic.span == SPAN
    assert "`q_rank`" in diagnostic.message
    assert "q_rank: 128" in diagnostic.fix


@pytest.mark.parametrize("dim", [T, FOURS], ids=["any size", "multiples of 4"])
@pytest.mark.parametrize("unroll", [(32, 8), (6, 4), (9, 3), (8, 4), (16, 2)])
def test_ranges_leave_no_rest(unroll: tuple[int, ...], dim: Dim) -> None:
    """Accepted is exactly what greedy ranges of all sizes use up."""

    def rest(size: int) -> int:
        for length in unroll:
            size %= length
        return size

    if any(rest(size) for size in range(dim.multiple_of, 200, dim.multiple_of)):
        diagnostic = refused(normalise, {"unroll": list(unroll)}, SPAN, dim)
        assert diagnostic.code == "PTG304"
        assert diagnostic.fix.endswith(", 1]}`")
    else:
        assert normalise({"unroll": list(unroll)}, SPAN, dim).unroll == unroll


def test_an_illegal_size_is_placed_on_its_value() -> None:
    spec = program("{t: 8, two: {d: {l1: 32, l0: 24}}}")
    diagnostic = refused(stage_sizes, spec, spec.tiling[0], ("one", "two", "three"))
    assert (diagnostic.span.file, diagnostic.span.line) == ("demo.yaml", FIRST_ROW)
    assert diagnostic.span.col > 10


def test_rows_up_to_the_first_that_always_holds() -> None:
    spec = program(
        "{when: {target: a2a3, t: '<= 32'}, t: 8}",
        "{when: {target: a2a3}, t: 16}",
        "{when: {d: '> 100'}, t: 64}",
        "{when: {d: 64}, t: 128}",
        "{t: 256}",
    )
    a2a3, cpu = select_rows(spec, "a2a3"), select_rows(spec, "cpu")
    assert [s.row.sizes[""]["t"] for s in a2a3] == [8, 16]
    assert [s.when for s in a2a3] == [(("t", "<=", 32),), ()]
    assert [s.row.sizes[""]["t"] for s in cpu] == [128]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("'== 64'", True), ("'!= 64'", False), ("'< 64'", False), ("'<= 64'", True), ("'>= 65'", False), ("'> 63'", True)],
)
def test_conditions_on_static_dims(condition: str, holds: bool) -> None:
    spec = program(f"{{when: {{d: {condition}}}, t: 8}}", "{t: 16}")
    assert [s.row.sizes[""]["t"] for s in select_rows(spec, "cpu")] == [8 if holds else 16]


def test_a_table_that_misses_sizes() -> None:
    diagnostic = refused(select_rows, program("{when: {t: '<= 32'}, t: 8}", "{when: {t: '> 64'}, t: 16}"), "cpu")
    assert diagnostic.code == "PTG304"
    assert diagnostic.span.line == FIRST_ROW + 1
    assert "- when: {target: cpu}" in diagnostic.fix


def test_a_table_without_a_row_for_the_target() -> None:
    (selected,) = select_rows(program("{when: {target: a2a3}, t: 8}"), "cpu")
    assert selected.row.sizes == {}
    assert selected.when == ()


def test_inheritance() -> None:
    """The row's own sizes, under those of the stages before, under the stage's."""
    spec = program("{t: 8, d: 64, one: {t: 16}, three: {d: 32}}")
    table = stage_sizes(spec, spec.tiling[0], ("one", "two", "three"))
    tiles = {stage: {dim: size.tile for dim, size in dims.items()} for stage, dims in table.items()}
    assert tiles == {"one": {"t": 16, "d": 64}, "two": {"t": 16, "d": 64}, "three": {"t": 16, "d": 32}}
    alone = stage_sizes(spec, spec.tiling[0], ("two",))
    assert alone["two"]["t"].tile == 8


def test_hints_are_no_dims() -> None:
    spec = program("{t: 8, one: {l1_reuse: 4, buffers: 2}}")
    assert set(stage_sizes(spec, spec.tiling[0], ("one",))["one"]) == {"t"}


def test_one_kernel_serves_the_largest_tile() -> None:
    spec = program("{when: {t: '<= 8'}, t: {unroll: [8, 1]}}", "{t: {unroll: [32, 8, 1]}}")
    rows = select_rows(spec, "cpu")
    tables = [stage_sizes(spec, s.row, ("one",)) for s in rows]
    assert common_table(tables)["one"]["t"].tile == 32
    assert common_table(tables[::-1])["one"]["t"].tile == 32
    assert longest_range(spec, rows) == 32


def test_a_row_without_unrolling_leaves_any_length() -> None:
    spec = program("{when: {t: '<= 8'}, t: {unroll: [8, 1]}}", "{t: 32}")
    assert longest_range(spec, select_rows(spec, "cpu")) == 0
