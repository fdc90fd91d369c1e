"""What figures make of the times of microbenchmarks."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.simulate.processor.figures import Affine, Curve, Figures
from pyptogen.simulate.processor.fit import from_times

from .figures import times

FIGURES = from_times("a machine", times())


@given(st.floats(0, 100), st.floats(0, 10), st.floats(1e-3, 1))
def test_parts_of_a_time_are_found_again(call: float, row: float, element: float) -> None:
    shapes = ((1, 64), (32, 64), (2, 1024))
    points = [(rows, cols, call + rows * row + rows * cols * element) for rows, cols in shapes]
    found = Affine.through(points)
    for rows, cols, ns in [*points, (7, 300, call + 7 * row + 2100 * element)]:
        assert found.of(rows, cols) == pytest.approx(ns, rel=1e-6, abs=1e-6)


@given(st.lists(st.floats(0.1, 100), min_size=3, max_size=3))
def test_no_part_of_a_time_is_less_than_nothing(measured: list[float]) -> None:
    found = Affine.through([(1, 64, measured[0]), (32, 64, measured[1]), (2, 1024, measured[2])])
    assert min(found.call, found.row, found.element) >= 0


@given(st.floats(0, 30).map(lambda power: 2.0**power), st.floats(1, 4))
def test_a_rising_curve_never_falls(size: float, more: float) -> None:
    curve = Curve((10.0, 100.0, 1e4, 1e6), (1.0, 3.0, 2.0, 7.0)).rising()
    assert curve.at(size) <= curve.at(size * more)
    assert 1.0 <= curve.at(size) <= 7.0


@given(st.floats(0, 1e6), st.floats(0, 1), st.floats(0, 1e6), st.floats(0, 1))
def test_memory_is_hidden_by_no_more_than_computing(
    computing: float, part: float, memory: float, hidden: float
) -> None:
    both = replace(FIGURES, hidden=hidden).joined(computing, part * computing, memory)
    assert max(computing, memory) * (1 - 1e-9) <= both <= (computing + memory) * (1 + 1e-9)


@given(st.integers(1, 600), st.integers(1, 512), st.integers(1, 4096))
def test_twice_the_product_takes_at_most_twice_as_long(m: int, n: int, k: int) -> None:
    one = FIGURES.product("bf16", m, n, k, 0.0)
    for twice in ((m, 2 * n, k), (m, n, 2 * k)):
        assert one <= FIGURES.product("bf16", *twice, 0.0) <= 2 * one


def test_a_product_is_what_was_measured() -> None:
    measured = times()
    for m in (1, 8, 16, 32, 128):
        told = FIGURES.product("bf16", m, 128, 512, 0.0)
        assert told == pytest.approx(measured[f"product bf16@{m}x128x512"] * 1e9, rel=0.02)


@given(st.sampled_from(["fp32", "bf16", "int8"]), st.sampled_from([1, 8, 64]), st.sampled_from([21, 22, 23, 24, 26]))
def test_a_right_operand_that_streams_takes_what_was_measured(dtype: str, rows: int, power: int) -> None:
    total, size = 1 << power, {"fp32": 4, "bf16": 2, "int8": 1}[dtype]
    operand = 128 * 4096 * size
    bound = FIGURES.bound[dtype]
    computing = FIGURES.product(dtype, rows, 128, 4096, 0.0)
    told = bound.joined(computing, operand * bound.bytes_.at(total), total)
    assert told == pytest.approx(times()[f"bound {dtype} {rows}@{total}"] * 1e9 * operand / total, rel=0.1)


def test_a_jump_takes_what_was_measured_beyond_its_row() -> None:
    measured = times()
    for what, curve in (("read", FIGURES.read), ("write", FIGURES.write)):
        near = measured[f"jump {what} 1024@524288"] - measured[f"jump {what} 1024@134217728"]
        wanted = -near * 1e9 / 1024 - 1024 * (curve.at(1 << 27) - curve.at(1 << 19))
        assert FIGURES.jumps[what].at(1024, 1 << 27) == pytest.approx(wanted)


@given(st.floats(32, 16384), st.floats(1, 4), st.floats(1e4, 1e9), st.floats(1, 4))
def test_a_jump_to_a_longer_row_or_further_away_takes_no_less(
    row: float, more: float, size: float, further: float
) -> None:
    jumps = FIGURES.jumps["read"]
    assert jumps.at(row, size) <= jumps.at(row * more, size * further) * (1 + 1e-9)


def test_tiles_that_passes_move_are_told_by_what_more_of_them_take() -> None:
    """The walk and its call are in both, so that they do not count."""
    measured = times()
    more, one = measured["pass load bf16*4"], measured["pass load bf16*1"]
    assert FIGURES.loads["bf16"] == pytest.approx((more - one) * 1e9 / 3 / 1024)


def test_reading_and_writing_hide_each_other_as_far_as_a_copy_shows() -> None:
    measured = times()
    size = 1 << 25
    measured[f"copy@{size}"] = measured["copy@16384"] * size / 16384 + 1e-9 * size / 2 * (
        FIGURES.read.at(size) + FIGURES.write.at(size) - 0.5 * FIGURES.read.at(size)
    )
    assert from_times("", measured).mixed.at(size) == pytest.approx(0.5)


def test_picks_take_what_was_measured_and_between_two_shapes_something_between() -> None:
    measured = times()
    measured["TTOPK@8x256"] *= 3  # far from what any formula of the others says
    picks = from_times("", measured).picks["TTOPK"]
    for kept, among in ((2, 32), (8, 32), (8, 256), (64, 4096)):
        assert picks.of(kept, among) == pytest.approx(measured[f"TTOPK@{kept}x{among}"] * 1e9, rel=1e-4)
    assert picks.of(8, 32) < picks.of(8, 160) < picks.of(8, 256)


def test_what_was_not_measured_takes_as_long_as_another_of_its_name_and_is_told() -> None:
    figures = from_times("a machine", times())
    assert figures.instruction("TMUL", ("int16", "int16", "int16"), 4, 64) == figures.instruction(
        "TMUL", ("fp32", "fp32", "fp32"), 4, 64
    )
    assert figures.unknown == {"TMUL int16 int16 int16"}


def test_a_missing_microbenchmark_is_no_figure() -> None:
    measured = times()
    del measured["pass walk@1x64"]
    with pytest.raises(KeyError):
        from_times("a machine", measured)


def test_the_summary_names_rates() -> None:
    shown = dict(FIGURES.summary())
    assert shown["call of an operator"] == "4.00 us"
    assert shown["product of bf16"].endswith("GFLOP/s")


def test_figures_are_of_one_machine() -> None:
    assert isinstance(FIGURES, Figures)
    assert FIGURES.machine == "a machine"
