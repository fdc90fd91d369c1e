"""Headers and meanings where extreme values meet: every pair of them in every call form and element type."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .agreement.cases import CASES, Case
from .agreement.data import CALM, SHAPES, extent_of, operands, valid
from .agreement.source import COLS, CPP, ROWS
from .arrays import DTYPES, FLOATS, Array
from .test_agreement import COMPARISONS, DIAGONALS, REDUCTIONS, check, library, meant

__all__ = ["library"]  # the fixture


def edges(dtype: str) -> Array:
    """32 values: for floats NaN, infinities, zeros of both signs, the smallest and largest denormals and normals, ties
    of rounding, ends of exponentials; for integers the ends, their neighbours, powers of two and widths of types."""
    own = DTYPES[dtype]
    if dtype not in FLOATS:
        info = np.iinfo(own)
        bits = 8 * own.itemsize
        signed = [-1, -2, -3, -7, -8, -128, -129, info.min // 2] if info.min else [128, 129, 200, info.max // 3]
        found = [
            0,
            1,
            2,
            3,
            4,
            5,
            7,
            8,
            15,
            16,
            31,
            32,
            33,
            63,
            64,
            65,
            bits,
            bits - 1,
            bits + 1,
            info.max,
            info.max - 1,
        ]
        found += [info.min, info.min + 1, info.max // 2, info.max // 2 + 1, *signed]
        inside = list(dict.fromkeys(value for value in found if info.min <= value <= info.max))
        return np.resize(np.array(inside[:ROWS], own), ROWS)
    tiny, largest, step = {
        "fp32": (2.0**-149, 3.4028234663852886e38, 2.0**-23),
        "fp16": (2.0**-24, 65504.0, 2.0**-10),
        "bf16": (2.0**-133, 3.3895313892515355e38, 2.0**-7),
    }[dtype]
    normal = tiny / step
    positive = [0.0, tiny, normal - tiny, normal, 1.0, 1.0 + step, 0.5, 1.5, 2.5, 3.0, 7.0, 89.0, largest, np.inf]
    return np.array([*positive, *(-x for x in positive), np.nan, 1.0 - step / 2, 104.0, 1 / step + 1]).astype(own)


def run(
    library: ctypes.CDLL,
    case: Case,
    dtype: str,
    tiles: dict[str, Array],
    extent: tuple[int, int],
    scalar: Array,
    number: int,
) -> None:
    """One call, and its check."""
    before = {name: tile.copy() for name, tile in tiles.items()}
    extents = [n for kind in case.kinds.values() for n in extent_of(kind, *extent)]
    getattr(library, f"{case.symbol}_{dtype}")(
        (ctypes.c_void_p * len(tiles))(*(tile.ctypes.data for tile in tiles.values())),
        (ctypes.c_int * len(extents))(*extents),
        scalar.ctypes.data_as(ctypes.c_void_p),
        number,
    )
    with np.errstate(all="ignore"):
        want = meant(case, dtype, before, *extent, scalar[0], number)
    check(case, (dtype, *extent), tiles, before, want if isinstance(want, tuple) else (want,))


def numbers(case: Case) -> range | tuple[int, ...]:
    return range(len(COMPARISONS)) if "cmp" in case.form else DIAGONALS if "diagonal" in case.form else (0, 1)


def crossed(case: Case, dtype: str, rows: int, cols: int) -> dict[str, Array]:
    """Tiles in whose valid regions every value of one operand meets every value of each other one."""
    found = edges(dtype)
    row, col = np.indices((ROWS, COLS))
    orders = {"a": row + col, "b": col, "c": row + 2 * col}
    tiles = dict(operands(case, dtype, rows, cols, 0))
    for name, kind in case.kinds.items():
        if case.effects[name] in "ru" and kind in ("full", "col", "row"):
            order = orders.get(name, row + 3 * col) if kind == "full" else np.arange(SHAPES[kind][0])
            valid(tiles[name], kind, rows, cols)[...] = valid(found[order % len(found)], kind, rows, cols)
    return tiles


MEETING = tuple(case for case in CASES if not REDUCTIONS.match(case.row.name))
REDUCING = tuple(case for case in CASES if REDUCTIONS.match(case.row.name) and case.row.bound.kind not in CALM)


@pytest.mark.parametrize("case", MEETING, ids=lambda case: case.symbol)
def test_extremes_meet(library: ctypes.CDLL, case: Case) -> None:
    for dtype in (d for d in CPP if d in case.row.dtypes["cpu"]):
        found = edges(dtype)
        scalars = found if {"scalar", "start"} & set(case.form) else found[:1]
        for index in range(len(scalars)):
            extent = (ROWS, COLS) if len(scalars) == 1 else (2, ROWS + 1)
            for number in numbers(case):
                run(
                    library,
                    case,
                    dtype,
                    crossed(case, dtype, *extent),
                    extent,
                    scalars[index : index + 1].copy(),
                    number,
                )


@pytest.mark.parametrize("case", REDUCING, ids=lambda case: case.symbol)
def test_extremes_are_reduced(library: ctypes.CDLL, case: Case) -> None:
    """Lines of two and of three extreme values."""
    along_rows = case.row.name.startswith("TROW")
    for dtype in (d for d in CPP if d in case.row.dtypes["cpu"]):
        found = edges(dtype)
        lines = ROWS if along_rows else COLS
        for length in (2, 3):
            for first in range(0, len(found) ** 2, lines):
                pair = (first + np.arange(lines)) % len(found) ** 2
                line = np.stack(
                    [found[pair // len(found)], found[pair % len(found)], found[(pair * 7 + 3) % len(found)]]
                )
                extent = (lines, length) if along_rows else (length, lines)
                tiles = dict(operands(case, dtype, *extent, 0))
                valid(tiles["a"], "full", *extent)[...] = line[:length].T if along_rows else line[:length]
                run(library, case, dtype, tiles, extent, found[:1].copy(), 1)
