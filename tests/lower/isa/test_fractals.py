"""Which tiles in L0 have to be compact, judged by a matrix unit made of numpy: fractals in a row of memory, put and
taken by the distances that the public headers program. The unit goes by valid extents, as `mad` does."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from pyptogen.lower.isa.fractals import CubeTile, Spacing, distances, needs_compact

Ints = npt.NDArray[np.int64]


def whole(extent: int, unit: int) -> int:
    return -(-extent // unit) * unit


def put(matrix: Ints, unit: tuple[int, int], apart: int, by_rows: bool) -> dict[int, Ints]:
    """Fractals by their numbers in memory. ``by_rows``: rows of fractals follow each other, ``apart`` columns long;
    else columns of fractals do."""
    memory = {}
    for i, j in product(range(matrix.shape[0] // unit[0]), range(matrix.shape[1] // unit[1])):
        at = i * (apart // unit[1]) + j if by_rows else j * (apart // unit[0]) + i
        memory[at] = matrix[i * unit[0] : (i + 1) * unit[0], j * unit[1] : (j + 1) * unit[1]].copy()
    return memory


def take(memory: dict[int, Ints], shape: tuple[int, int], unit: tuple[int, int], apart: int, by_rows: bool) -> Ints:
    """The matrix that lies there; what nobody has put there is -9."""
    found = np.full((whole(shape[0], unit[0]), whole(shape[1], unit[1])), -9)
    for i, j in product(range(found.shape[0] // unit[0]), range(found.shape[1] // unit[1])):
        at = i * (apart // unit[1]) + j if by_rows else j * (apart // unit[0]) + i
        found[i * unit[0] : (i + 1) * unit[0], j * unit[1] : (j + 1) * unit[1]] = memory.get(at, -9)
    return found[: shape[0], : shape[1]]


def is_right(platform: str, loc: str, shape: tuple[int, int], valid: tuple[int, int], compact: bool) -> bool:
    """Whether an operand of 2-byte elements (an accumulator: of any) comes through L0 as it is."""
    unit = {"Left": (16, 16), "Right": (16, 16), "Acc": (16, 16)}[loc]
    by_rows = {"Left": platform == "a2a3", "Right": True, "Acc": False}[loc]
    axis = 1 if by_rows else 0
    matrix = np.arange(shape[0] * shape[1]).reshape(shape)
    by_type = whole(valid[axis], unit[axis]) if compact else shape[axis]
    by_unit = whole(valid[axis], unit[axis])
    puts, takes = (by_unit, by_type) if loc == "Acc" else (by_type, by_unit)
    written = matrix if not compact and loc != "Acc" else matrix[: whole(valid[0], 16), : whole(valid[1], 16)]
    return bool(
        (take(put(written, unit, puts, by_rows), valid, unit, takes, by_rows) == matrix[: valid[0], : valid[1]]).all()
    )


@pytest.mark.parametrize("platform", ["a2a3", "a5"])
@pytest.mark.parametrize("loc", ["Left", "Right", "Acc"])
@pytest.mark.parametrize("shape", list(product((16, 48), (16, 48))))
def test_a_tile_is_compact_where_it_would_be_wrong(platform: str, loc: str, shape: tuple[int, int]) -> None:
    """With extents known at run time, and with each that is known before. Accumulators are where only a run tells."""
    extents = list(product((1, 16, 17, 48), (1, 16, 17, 48)))
    for rows, cols in ((None, None), (None, shape[1]), (shape[0], None), *extents):
        valids = [
            (m, n) for m, n in extents if m <= shape[0] and n <= shape[1] and rows in (None, m) and cols in (None, n)
        ]
        wrong = [valid for valid in valids if not is_right(platform, loc, shape, valid, compact=False)]
        if valids:
            expected = bool(wrong) or (loc == "Acc" and None in (rows, cols))
            assert needs_compact(platform, loc, 2, shape, (rows, cols)) == expected, (rows, cols, wrong)
        assert all(is_right(platform, loc, shape, valid, compact=True) for valid in valids)


def left(valid: tuple[object, object], bytes_: int = 2, **marks: bool) -> CubeTile:
    return CubeTile("Left", bytes_, (128, 64), valid, **marks)


def right(valid: tuple[object, object], bytes_: int = 2, **marks: bool) -> CubeTile:
    return CubeTile("Right", bytes_, (64, 128), valid, **marks)


def acc(valid: tuple[object, object], **marks: bool) -> CubeTile:
    return CubeTile("Acc", 4, (128, 128), valid, **marks)


def matrix(**marks: bool) -> CubeTile:
    return CubeTile("Mat", 2, (128, 128), (128, 128), **marks)


LEAVES = {
    "the unit's sum goes by the rows of its left operand": (
        "TMATMUL", [acc((37, 128)), left((37, 64)), right((64, 128))], 48,
    ),
    "what is moved goes by its capacity": ("TEXTRACT", [left((128, 40)), matrix()], 64),
    "or by what is valid": ("TEXTRACT", [left((128, 40), compact=True), matrix()], 48),
    "a turned left operand of fp32 by sixteen": (
        "TEXTRACT", [left((128, 40), 4, compact=True), matrix(row_major=True)], 48,
    ),
    "one that is not turned by eight": ("TEXTRACT", [left((128, 40), 4, compact=True), matrix()], 40),
    "a right operand by its columns": ("TEXTRACT", [right((64, 40), compact=True), matrix(row_major=True)], 48),
    "turned bytes as if compact": ("TEXTRACT", [right((64, 40), 1), matrix()], 48),
}  # fmt: skip


@pytest.mark.parametrize("case", LEAVES)
def test_what_an_instruction_leaves(case: str) -> None:
    name, tiles, apart = LEAVES[case]
    ((_, found),), _ = distances(name, tuple(tiles), "a2a3")
    assert found.most == apart


TAKES = {
    "a store goes by the capacity": ("a2a3", "TSTORE", [acc((37, 128))], [128]),
    "one of a compact tile by what is valid": ("a2a3", "TSTORE", [acc((37, 128), compact=True)], [48]),
    "of one column of fractals by nothing": ("a2a3", "TSTORE", [acc((37, 16))], []),
    "a move out of the accumulator knows no compact tile": (
        "a2a3", "TMOV", [matrix(), acc((37, 128), compact=True)], [128],
    ),
    "on A5 it does, and needs none": ("a5", "TMOV", [matrix(), acc(("m", 128))], [128]),
    "the unit takes both operands, and the sum": (
        "a2a3", "TMATMUL_ACC", [acc((37, 40)), acc((37, 40)), left((37, 40)), right((40, 40))], [48, 48, 48],
    ),
    "A5 takes the left operand by its rows": (
        "a5", "TMATMUL", [acc((37, 16)), left((37, 64)), right((64, 16))], [48, 16],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TAKES)
def test_what_an_instruction_takes_for_granted(case: str) -> None:
    platform, name, tiles, apart = TAKES[case]
    _, found = distances(name, tuple(tiles), platform)
    assert [at.most for _, at in found] == apart


def test_run_time_extents_agree_where_they_are_the_same() -> None:
    rows, others = Spacing(128, 16, "t_valid"), Spacing(128, 16, "u_valid")
    assert rows.agrees(rows)
    assert not rows.agrees(others)
    assert not rows.agrees(Spacing(128, 16))
    assert Spacing(16, 16, "t_valid").agrees(Spacing(16, 16))
    assert not Spacing(64, 8, "k").agrees(Spacing(64, 16, "k"))
