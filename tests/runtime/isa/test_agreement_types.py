"""Movement on every element type of its rows, bit for bit: random and awkward elements, parts, wild indices."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.simulate.meaning import MEANINGS, Shaped

from .agreement.movement import COLS, ROWS, SMALL, WIDE, exports, sources, symbol, types_of
from .arrays import DTYPES, FLOATS, Array, guarded, values

EXTENTS = ((ROWS, COLS), (5, 18), (1, 2), (ROWS, 32), (0, 8), (3, 0), (7, 62))


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    toolchain = make_toolchain()
    return ctypes.CDLL(str(toolchain.shared_object("movement", sources(), list(exports()))))


def stored(dtype: str) -> tuple[str, int]:
    """The type whose elements hold the same bytes, and how many elements share one of them."""
    return ("uint8", 2 if dtype in ("fp4_e2m1", "fp4_e1m2") else 1) if dtype in SMALL else (dtype, 1)


def call(library: ctypes.CDLL, instructions: str, dtype: str, operands: list[Array], *numbers: int) -> None:
    pointers = (ctypes.c_void_p * len(operands))(*(x.ctypes.data for x in operands))
    getattr(library, symbol(instructions, dtype))(pointers, (ctypes.c_int * len(numbers))(*numbers))


def bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8)


def same(got: Array, want: Array) -> bool:
    assert got.dtype == want.dtype
    return np.array_equal(bits(got), bits(want))


def placed(old: Array, part: Array, row: int = 0, col: int = 0) -> Array:
    """What the old elements are after a part of them has been written."""
    new = old.copy()
    new[row : row + part.shape[0], col : col + part.shape[1]] = part
    return new


def of_types(instructions: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("dtype", types_of(instructions))


@of_types("TLOAD TSTORE TMOV")
def test_through_memory(library: ctypes.CDLL, dtype: str) -> None:
    name, share = stored(dtype)
    rng = np.random.default_rng(1)
    for rows, cols in EXTENTS:
        tile, other = (values(rng, (ROWS, COLS // share), name) for _ in range(2))
        source, to = (values(rng, (ROWS, 70 // share), name) for _ in range(2))
        part = source[:rows, : cols // share]
        want = [placed(old, MEANINGS["TLOAD"](Shaped(name, *part.shape), part)) for old in (tile, other, to)]
        call(library, "TLOAD TSTORE TMOV", dtype, [tile, other, source, to], rows, cols, 70)
        assert all(same(got, x) for got, x in zip((tile, other, to), want, strict=True)), (rows, cols)


@of_types("TEXTRACT TINSERT")
def test_parts(library: ctypes.CDLL, dtype: str) -> None:
    name, share = stored(dtype)
    rng = np.random.default_rng(2)
    for rows, cols, row, col in [(5, 18, 3, 4), (1, 2, 15, 2), (ROWS, 32, 0, 0), (0, 8, 2, 2), (12, 48, 4, 4)]:
        whole, part, target = (values(rng, (ROWS, COLS // share), name) for _ in range(3))
        before = target.copy()
        shape = Shaped(name, rows, cols // share)
        taken = MEANINGS["TEXTRACT"](shape, whole, row, col // share)
        want = placed(part, taken)
        call(library, "TEXTRACT TINSERT", dtype, [whole, part, target], rows, cols, row, col)
        assert same(part, want), (rows, cols, row, col)
        if share == 1 or row % 2 == 0:
            want = MEANINGS["TINSERT"](Shaped(name, ROWS, COLS // share), before, taken, col, row // share)
            assert same(target, want), (rows, cols, row, col)


@of_types("TSUBVIEW TRESHAPE")
def test_views(library: ctypes.CDLL, dtype: str) -> None:
    name, share = stored(dtype)
    rng = np.random.default_rng(3)
    for rows, cols, row, col in [(5, 18, 3, 32), (1, 2, 15, 0), (ROWS, 32, 0, 32), (0, 8, 2, 0)]:
        whole, out = (values(rng, (ROWS, COLS // share), name) for _ in range(2))
        tall = guarded((ROWS * 2, COLS // 2 // share), DTYPES[name])
        part = MEANINGS["TSUBVIEW"](Shaped(name, rows, cols // share), whole, row, col // share)
        want = placed(out, part)
        call(library, "TSUBVIEW TRESHAPE", dtype, [whole, out, tall], rows, cols, row, col)
        assert same(out, want), (rows, cols, row, col)
        assert same(tall, MEANINGS["TRESHAPE"](Shaped(name, *tall.shape), whole))


PADDING = "TFILLPAD TFILLPAD_INPLACE TFILLPAD_EXPAND"


@of_types(PADDING)
def test_padding(library: ctypes.CDLL, dtype: str) -> None:
    """Floats of at most eight bits with zeros: their greatest and least numbers are no infinities, or those of none."""
    name, share = stored(dtype)
    rng = np.random.default_rng(4)
    ends = (-np.inf, np.inf) if dtype in FLOATS else (np.iinfo(DTYPES[name]).min, np.iinfo(DTYPES[name]).max)
    for form, instruction in enumerate(PADDING.split()):
        for number, fill in enumerate((0,) if dtype in SMALL else (0, ends[1], ends[0])):
            for rows, cols in EXTENTS:
                source = values(rng, (ROWS, COLS // share), name)
                to, larger = (guarded((r, c // share), DTYPES[name]) for r, c in ((ROWS, COLS), (ROWS + 1, WIDE)))
                got = larger if form == 2 else to
                part = source[:rows, : cols // share]
                want = MEANINGS[instruction](Shaped(name, *got.shape), part, pad=fill)
                call(library, PADDING, dtype, [source, to, larger], rows, cols, form, number)
                assert same(got, want), (instruction, fill, rows, cols)


@of_types("TTRANS")
def test_transposition(library: ctypes.CDLL, dtype: str) -> None:
    name, _ = stored(dtype)
    rng = np.random.default_rng(5)
    for rows, cols in EXTENTS:
        source, to = values(rng, (ROWS, COLS), name), values(rng, (COLS, 32), name)
        want = placed(to, MEANINGS["TTRANS"](Shaped(name, cols, rows), source[:rows, :cols]))
        call(library, "TTRANS", dtype, [source, to], rows, cols)
        assert same(to, want), (rows, cols)


@of_types("TCONCAT")
def test_side_by_side(library: ctypes.CDLL, dtype: str) -> None:
    rng = np.random.default_rng(6)
    for rows, first, second in [(ROWS, 64, 64), (5, 17, 30), (1, 1, 1), (0, 4, 4), (3, 0, 9)]:
        a, b = (values(rng, (ROWS, COLS), dtype) for _ in range(2))
        counts = [np.zeros((ROWS, 8), np.int32) for _ in range(2)]
        for count, most in zip(counts, (first, second), strict=True):
            count[:, 0] = 4 * rng.integers(0, most + 1, ROWS)
        for form in range(3):
            to, total = values(rng, (ROWS, WIDE), dtype), guarded((ROWS, 8), DTYPES["int32"])
            old, sums = to.copy(), total.copy()
            of_a, of_b = (count[:rows, :1] for count in counts)
            if form == 0:
                shape = Shaped(dtype, rows, first + second)
                part = MEANINGS["TCONCAT"](shape, a[:rows, :first], b[:rows, :second])
            else:
                part, sums[:rows, :1] = MEANINGS["TCONCAT(dst, a, b, idx, ai, bi)"](
                    Shaped(dtype, rows, WIDE), old[:rows], a[:rows], b[:rows], of_a, of_b
                )
            call(library, "TCONCAT", dtype, [a, b, to, total, *counts], rows, first, second, form)
            assert same(to, placed(old, part)), (rows, first, second, form)
            assert form != 2 or same(total, sums)


@of_types("TINTERLEAVE TDEINTERLEAVE")
def test_in_turn(library: ctypes.CDLL, dtype: str) -> None:
    rng = np.random.default_rng(7)
    for rows, cols in EXTENTS:
        for form in range(3):
            a, b, low, high = (values(rng, (ROWS, COLS), dtype) for _ in range(4))
            old = high.copy(), low.copy()
            width = cols // 2 if form == 2 else cols
            pair = (Shaped(dtype, rows, width), Shaped(dtype, rows, width))
            given = (a[:rows, :cols],) if form == 2 else (b[:rows, :cols], a[:rows, :cols])
            parts = MEANINGS["TDEINTERLEAVE" if form else "TINTERLEAVE"](pair, *given)
            call(library, "TINTERLEAVE TDEINTERLEAVE", dtype, [a, b, low, high], rows, cols, form)
            for got, before, part in zip((high, low), old, parts, strict=True):
                assert same(got, placed(before, part)), (rows, cols, form)


@of_types("TGATHER TSCATTER")
def test_by_index(library: ctypes.CDLL, dtype: str) -> None:
    name, _ = stored(dtype)
    rng = np.random.default_rng(8)
    for rows, cols in EXTENTS:
        source, to, whole = (values(rng, (ROWS, COLS), name) for _ in range(3))
        index = rng.integers(-4, ROWS * COLS + 4, (ROWS, COLS)).astype(np.int32)
        index[:2, :2] = [[2**31 - 1, -(2**31)], [0, ROWS * COLS - 1]]
        used = index[:rows, :cols]
        gathered = placed(to, MEANINGS["TGATHER"](Shaped(name, rows, cols), source, used))
        shape = Shaped(name, ROWS, COLS)
        scattered = MEANINGS["TSCATTER"](shape, source[:rows, :cols], used, whole=whole)
        call(library, "TGATHER TSCATTER", dtype, [source, index, to, whole], rows, cols)
        assert same(to, gathered), (rows, cols)
        assert same(whole, scattered), (rows, cols)


@of_types("TGATHERB")
def test_of_blocks(library: ctypes.CDLL, dtype: str) -> None:
    rng = np.random.default_rng(9)
    size = DTYPES[dtype].itemsize
    for rows, cols in EXTENTS:
        source, to = values(rng, (ROWS, COLS), dtype), values(rng, (ROWS, COLS), dtype)
        offset = (rng.integers(0, ROWS * COLS - 32, (ROWS, 32)) * size).astype(np.uint32)
        offset[:2, 0] = [2**32 - size, (ROWS * COLS - 1) * size]
        want = placed(to, MEANINGS["TGATHERB"](Shaped(dtype, rows, cols), to[:rows, :cols], source, offset))
        call(library, "TGATHERB", dtype, [source, offset, to], rows, cols)
        assert same(to, want), (rows, cols)


@pytest.mark.parametrize("coalesce", ["row", "elem"])
@of_types("MGATHER MSCATTER")
def test_by_index_in_memory(library: ctypes.CDLL, dtype: str, coalesce: str) -> None:
    name, _ = stored(dtype)
    rng = np.random.default_rng(10)
    elements = coalesce == "elem"
    forms = (("none", "drop"), ("add", "drop"), ("max", "clamp"), ("min", "wrap"))
    for rows, cols in ((ROWS, COLS), (5, 18), (1, 2), (0, 8)):
        for form, (combine, outside) in enumerate(forms[:1] if dtype in SMALL else forms):
            table = values(rng, (9, cols), name)
            changed, to, source = table.copy(), values(rng, (ROWS, COLS), name), values(rng, (ROWS, COLS), name)
            capacity = table.size if elements else 9
            index = rng.integers(-3, capacity + 3, (ROWS, COLS)).astype(np.int32)
            index[0, :2] = [2**31 - 1, -(2**31)]
            used = index[:rows, :cols] if elements else index[:1, :rows]
            rule = {"coalesce": coalesce, "outside": "wrap" if elements else "drop"}
            gathered = placed(to, MEANINGS["MGATHER"](Shaped(name, rows, cols), table, used, **rule))
            with np.errstate(all="ignore"):
                want = MEANINGS["MSCATTER"](
                    table, source[:rows, :cols], used, coalesce=coalesce, outside=outside, combine=combine
                )
            numbers = (rows, cols, 9, cols, int(elements), form)
            call(library, "MGATHER MSCATTER", dtype, [table, changed, index, to, source], *numbers)
            assert same(to, gathered), (rows, cols)
            assert np.array_equal(np.isnan(changed), np.isnan(want)), (rows, cols, combine)
            counted = ~np.isnan(want) & ((want != 0) | (form < 2))  # of two zeros either one is the greatest
            assert same(changed[counted], want[counted]), (rows, cols, combine)


def test_all_types_of_the_rows_are_here() -> None:
    assert {"fp8_e4m3", "hif8", "fp4_e2m1"} <= set(types_of("TLOAD TSTORE TMOV"))
    assert set(types_of("MGATHER MSCATTER")) == {*DTYPES, "fp8_e4m3", "fp8_e5m2", "hif8", "fp8_e8m0"}
