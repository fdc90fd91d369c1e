"""Elementwise instructions on tiles in columns: what rows give on the same bytes, which is what the meanings say."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from pyptogen.lower.isa.table import FAMILIES
from pyptogen.runtime.toolchain.build import make_toolchain

from .agreement.cases import CASES, Case
from .agreement.data import EXTENTS, operands, scalars
from .agreement.source import sources
from .test_agreement import check, meant, number_of

DTYPES = ("fp32", "fp16", "bf16", "int8", "int32")
ROWS = "Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, -1, -1>"
COLUMNS = "Tile<TileType::Vec, T, kCols, kRows, BLayout::ColMajor, -1, -1>"
ELEMENTWISE = tuple(
    case
    for case in CASES
    if case.row in FAMILIES["arithmetic"] and set(case.kinds.values()) == {"full"} and not case.templates
)


def cases_of(dtype: str) -> tuple[Case, ...]:
    return tuple(case for case in ELEMENTWISE if dtype in case.row.dtypes["cpu"])


@pytest.fixture(scope="module")
def library() -> ctypes.CDLL:
    toolchain = make_toolchain()
    texts = {f"{dtype}.cpp": sources(ELEMENTWISE)[f"{dtype}.cpp"].replace(ROWS, COLUMNS) for dtype in DTYPES}
    assert all(COLUMNS in text for text in texts.values())
    names = [f"{case.symbol}_{dtype}" for dtype in DTYPES for case in cases_of(dtype)]
    return ctypes.CDLL(str(toolchain.shared_object("agreement_columns", texts, names)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_agree_with_meaning(library: ctypes.CDLL, dtype: str) -> None:
    cases = cases_of(dtype)
    assert len(cases) > 20
    for case in cases:
        for turn, (rows, cols) in enumerate(EXTENTS):
            tiles = dict(operands(case, dtype, rows, cols, turn))
            before = {name: tile.copy() for name, tile in tiles.items()}
            scalar, number = scalars(dtype)[turn : turn + 1].copy(), number_of(case, turn)
            pointers = (ctypes.c_void_p * len(tiles))(*(tile.ctypes.data for tile in tiles.values()))
            extents = (ctypes.c_int * (2 * len(tiles)))(*([cols, rows] * len(tiles)))
            function = getattr(library, f"{case.symbol}_{dtype}")
            function(pointers, extents, scalar.ctypes.data_as(ctypes.c_void_p), number)
            with np.errstate(all="ignore"):
                want = meant(case, dtype, before, rows, cols, scalar[0], number)
            check(case, (dtype, rows, cols), tiles, before, want if isinstance(want, tuple) else (want,))
