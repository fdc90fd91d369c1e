"""The headers do what the meanings of the instruction table say: every regular vector instruction, in every call form
and element type of its row, on random and awkward elements, in whole and part tiles, within the bound of the row."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest

from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.simulate.meaning import MEANINGS, Shaped

from .agreement.cases import CASES, Case
from .agreement.compare import differs
from .agreement.data import EXTENTS, extent_of, operands, scalars, valid
from .agreement.source import CPP, exports, sources
from .arrays import Array, is_guard

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
REDUCTIONS = re.compile("T(ROW|COL)(ARG|SUM|MAX|MIN|PROD)")
DIAGONALS = (0, 3, -3, 200, -200, 2147483647, -2147483648)


@pytest.fixture(scope="session")
def library() -> ctypes.CDLL:
    """All cases, compiled once by the toolchain of the runtime and kept in its cache."""
    toolchain = make_toolchain()
    return ctypes.CDLL(str(toolchain.shared_object("agreement", sources(CASES), exports(CASES))))


def meant(case: Case, dtype: str, tiles: dict[str, Array], rows: int, cols: int, scalar: Any, number: int) -> Any:
    """What the meaning gives for these operands: one array, or a tuple of them."""
    targets, arguments = [], []
    for name in case.form:
        if name in case.kinds:
            kind, effect = case.kinds[name], case.effects[name]
            part = valid(tiles[name], kind, rows, cols)
            if effect in "wu":
                own = "uint8" if kind == "bits" else "int32" if kind.startswith("index") else dtype
                targets.append(Shaped(own, *extent_of(kind, rows, cols)))
            if effect in "ru":
                arguments.append(part)
        elif name in ("scalar", "start"):
            arguments.append(scalar)
        elif name == "cmp":
            arguments.append(COMPARISONS[number])
        else:
            arguments.append(number)
    return MEANINGS[case.row.name](tuple(targets) if len(targets) > 1 else targets[0], *arguments, **case.settings)


def number_of(case: Case, turn: int) -> int:
    return DIAGONALS[turn % len(DIAGONALS)] if "diagonal" in case.form else turn % len(COMPARISONS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.symbol)
def test_header_agrees_with_meaning(library: ctypes.CDLL, case: Case) -> None:
    for dtype in (d for d in CPP if d in case.row.dtypes["cpu"]):
        for turn, (rows, cols) in enumerate(EXTENTS):
            if 0 in (rows, cols) and REDUCTIONS.match(case.row.name):
                continue  # no device reduces nothing
            tiles = dict(operands(case, dtype, rows, cols, turn))
            before = {name: tile.copy() for name, tile in tiles.items()}
            scalar, number = scalars(dtype)[turn : turn + 1].copy(), number_of(case, turn)
            pointers = (ctypes.c_void_p * len(tiles))(*(tile.ctypes.data for tile in tiles.values()))
            extents = [n for kind in case.kinds.values() for n in extent_of(kind, rows, cols)]
            getattr(library, f"{case.symbol}_{dtype}")(
                pointers, (ctypes.c_int * len(extents))(*extents), scalar.ctypes.data_as(ctypes.c_void_p), number
            )
            with np.errstate(all="ignore"):
                want = meant(case, dtype, before, rows, cols, scalar[0], number)
            check(case, (dtype, rows, cols), tiles, before, want if isinstance(want, tuple) else (want,))


def check(
    case: Case, at: tuple[str, int, int], tiles: dict[str, Array], before: dict[str, Array], want: tuple[Array, ...]
) -> None:
    """Destinations are as meant where they are valid and untouched elsewhere; everything else but scratch is as it
    was."""
    _, rows, cols = at
    left = list(want)
    for name, kind in case.kinds.items():
        effect = case.effects[name]
        if effect in "wu":
            got, expected = valid(tiles[name], kind, rows, cols), left.pop(0)
            magnitude = None
            if case.row.bound.kind == "summed":
                whole = valid(before["a"], case.kinds["a"], rows, cols).astype(np.float64)
                magnitude = np.abs(whole).sum(axis=1 if kind == "col" else 0, keepdims=True)
            wrong = differs(got, expected, case.row.bound, magnitude)
            assert not wrong.any(), explain(case, at, got, expected, wrong, before)
            rest = tiles[name].copy()
            valid(rest, kind, rows, cols).view(np.uint8)[...] = 0x5A
            assert is_guard(rest), (case.symbol, at, name, "written outside of the valid region")
        elif effect == "r":
            assert np.array_equal(tiles[name].view(np.uint8), before[name].view(np.uint8)), (case.symbol, at, name)


def explain(
    case: Case, at: tuple[str, int, int], got: Array, want: Array, wrong: Array, before: dict[str, Array]
) -> str:
    """The first element that is wrong, with its operands."""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    sources_there = {
        name: valid(before[name], kind, at[1], at[2])[
            tuple(min(i, n - 1) for i, n in zip(where, valid(before[name], kind, at[1], at[2]).shape, strict=True))
        ]
        for name, kind in case.kinds.items()
        if case.effects[name] in "ru" and kind != "bits"
    }
    return (
        f"{case.symbol} {at}: {int(wrong.sum())} of {wrong.size} wrong; at {where} got {got[where]!r},"
        f" meant {want[where]!r}, of {sources_there}"
    )
