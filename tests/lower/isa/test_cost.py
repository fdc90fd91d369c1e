"""What one instruction costs, counted by hand from the figures."""

import pytest

from pyptogen.lower.isa.cost import Bursts, Shape, operand_move, price, product, repeats, vector, window_bursts
from pyptogen.lower.platforms import PLATFORMS

TIMING = PLATFORMS["a2a3"].timing
assert TIMING is not None


def tile(rows: int, cols: int, pitch: int = 0, **more: object) -> Shape:
    return Shape("Vec", "fp32", 4, rows, cols, pitch or cols, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("window", "bursts"),
    [
        ((4, 128, 128, 1), Bursts(1, 4 * 128 * 2)),  # rows follow each other
        ((4, 128, 1024, 1), Bursts(4, 128 * 2)),
        ((1, 128, 1024, 1), Bursts(1, 128 * 2)),
        ((128, 4, 1, 1024), Bursts(4, 128 * 2)),  # columns lie together
        ((4, 128, 1024, 2), Bursts(4 * 128, 2)),  # every other element: a burst for each
    ],
)
def test_bursts_of_a_window(window: tuple[int, int, int, int], bursts: Bursts) -> None:
    assert window_bursts(*window, 2) == bursts


def test_elements_one_by_one_cost_their_bursts_and_not_their_bytes() -> None:
    together, apart = (
        price("TLOAD", "MTE2", (tile(1, 512),), one, TIMING) for one in (Bursts(1, 2048), Bursts(512, 4))
    )
    assert together.moved == apart.moved
    assert apart.hold == 512 * TIMING.burst.value > 50 * together.hold


def test_repeats_are_256_bytes_of_rows_that_follow_each_other_or_of_each_row() -> None:
    assert repeats(tile(4, 96)) == 6
    assert repeats(tile(4, 96, 128)) == 4 * 2
    assert repeats(tile(1, 1)) == 1
    assert repeats(tile(300, 1, 300, row_major=False)) == 5


def test_products_are_whole_fractals() -> None:
    left = Shape("Left", "fp16", 2, 17, 20, 20)
    assert product(left, 40, TIMING).products == 32 * 32 * 48
    assert product(Shape("Left", "int8", 1, 17, 20, 20), 40, TIMING).products == 32 * 32 * 48
    full, single = (Shape("Left", dtype, size, 128, 64, 64) for dtype, size in (("fp16", 2), ("fp32", 4)))
    busy = [product(one, 256, TIMING).hold - TIMING.matmul_issue.value for one in (full, single)]
    assert busy == [512, 2048]


def test_an_operand_takes_an_instruction_for_each_line_of_fractals() -> None:
    left = operand_move(Shape("Left", "fp16", 2, 128, 64, 64), TIMING)
    assert left.hold == 128 * 64 * 2 / 256 + 4 * TIMING.operand_issue.value


def test_rows_are_reduced_faster_where_an_instruction_can_do_them_at_once() -> None:
    column = Shape("Vec", "fp32", 4, 8, 1, 8, False)
    slow, fast, far = (
        vector("TROWMAX", (column, one), TIMING).hold
        for one in (tile(8, 1024), tile(8, 1024, static=True), tile(8, 1024, 4096))
    )
    assert (slow, fast) == pytest.approx((8 * (7 + 15 * 1.3), 8 * 16))
    assert far == pytest.approx(8 * 16 * 8.2)


@pytest.mark.parametrize(
    ("name", "dtype", "cols", "slope"),
    [("TROWMAX", "fp32", 64, 0.1094), ("TROWMAX", "fp32", 240, 0.0448), ("TROWMAX", "fp32", 336, 0.0418),
     ("TROWSUM", "fp16", 128, 0.0547), ("TROWSUM", "fp16", 496, 0.0229), ("TROWSUM", "fp16", 656, 0.0213),
     ("TCOLSUM", "fp32", 64, 0.3047), ("TCOLSUM", "fp32", 240, 0.1031), ("TCOLSUM", "fp16", 656, 0.0431),
     ("TROWEXPAND", "fp32", 32, 0.4375), ("TROWEXPAND", "fp32", 128, 0.1176)],
)  # fmt: skip
def test_rows_cost_what_was_fitted(name: str, dtype: str, cols: int, slope: float) -> None:
    """Cycles of 32 rows more, beside the published fits: cycles an element (pto-isa)."""
    size = 4 if dtype == "fp32" else 2
    column = Shape("Vec", dtype, size, 8, 1, 8, False)

    def cycles(rows: int) -> float:
        wide = Shape("Vec", dtype, size, rows, cols, cols)
        return vector(name, (wide, column) if name == "TROWEXPAND" else (column, wide), TIMING).hold

    assert cycles(40) - cycles(8) == pytest.approx(32 * cols * slope, rel=0.13)


def test_every_figure_says_where_it_is_from() -> None:
    figures = [getattr(TIMING, name) for name in TIMING.__slots__ if name != "borrowed"]
    flat = [f for one in figures for f in (one.values() if hasattr(one, "values") else (one,))]
    numbers = [f for one in flat for f in ((one.repeat, one.fixed) if hasattr(one, "repeat") else (one,))]
    assert all(figure.source for figure in numbers)
    assert any(figure.guessed for figure in numbers)
    assert any(figure.source.startswith("fitted") for figure in numbers)
