"""Operands of the regular cases: random ones of every magnitude with the awkward values of their type, and ties."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from ..arrays import DTYPES, FLOATS, Array, guarded, values
from .cases import Case
from .source import COLS, MASK_BYTES, ROWS

EXTENTS = ((32, 160), (5, 17), (1, 1), (3, 64), (0, 8), (4, 0), (31, 159))
"""Valid rows and columns: whole, tails, one element, whole vectors, nothing."""
SHAPES = {
    "full": (ROWS, COLS), "col": (ROWS,), "row": (COLS,), "bits": (ROWS, MASK_BYTES), "index": (ROWS, COLS),
    "index col": (ROWS,), "index row": (COLS,),
}  # fmt: skip
CALM = {"summed": (-4.0, 4.0), "relative": (0.9, 1.1)}
"""Ranges of floats for bounds that large values would make meaningless; a few rows have awkward values all the same."""


def storage(kind: str, dtype: str) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    """Shape and numpy type of a whole tile."""
    own = "uint8" if kind == "bits" else "int32" if kind.startswith("index") else dtype
    return SHAPES[kind], DTYPES[own]


def extent_of(kind: str, rows: int, cols: int) -> tuple[int, int]:
    """Valid extent of an operand of a call over rows x cols elements."""
    if kind in ("col", "index col"):
        return rows, 1
    if kind in ("row", "index row"):
        return 1, cols
    return (rows, -(-cols // 8)) if kind == "bits" else (rows, cols)


def valid(whole: Array, kind: str, rows: int, cols: int) -> Array:
    """The valid elements of a whole tile, as two dimensions."""
    r, c = extent_of(kind, rows, cols)
    if kind in ("col", "index col"):
        return whole[:r, None]
    return whole[None, :c] if kind in ("row", "index row") else whole[:r, :c]


def operands(case: Case, dtype: str, rows: int, cols: int, turn: int) -> Mapping[str, Array]:
    """Whole tiles by operand; what is only written is full of guard bytes, and so is what lies outside of it."""
    rng = np.random.default_rng(zlib.crc32(f"{case.symbol} {dtype} {turn}".encode()))
    tiles: dict[str, Array] = {}
    for name, kind in case.kinds.items():
        shape, own = storage(kind, dtype)
        effect = case.effects[name]
        if effect in "wt":
            tiles[name] = guarded(shape, own)
        elif kind == "bits":
            tiles[name] = rng.integers(0, 256, shape, dtype=np.uint8)
        elif kind.startswith("index"):
            tiles[name] = rng.integers(0, 1 << 30, shape, dtype=np.int32)
        else:
            tiles[name] = _elements(case, rng, shape, dtype)
            if effect == "u":
                inside = tiles[name].copy()
                tiles[name] = guarded(shape, own)
                valid(tiles[name], kind, rows, cols)[...] = valid(inside, kind, rows, cols)
    if {"a", "b"} <= tiles.keys() and tiles["a"].shape == tiles["b"].shape:
        ties = rng.random(tiles["a"].shape) < 0.2
        tiles["b"][ties] = tiles["a"][ties]
    return tiles


def _elements(case: Case, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    calm = CALM.get(case.row.bound.kind)
    if calm is None or dtype not in FLOATS:
        data = values(rng, shape, dtype)
    else:
        data = rng.uniform(*calm, shape).astype(DTYPES[dtype])
        if len(shape) == 2:
            data[::7] = values(rng, (len(data[::7]), shape[1]), dtype)
    if case.row.name in ("TSHL", "TSHR", "TPOW", "TREM", "TFMOD") and dtype not in FLOATS:
        small = rng.random(shape) < 0.6
        data[small] = rng.integers(0, 70, shape)[small].astype(DTYPES[dtype])
    return data


def scalars(dtype: str) -> Array:
    """Scalars that turns go through."""
    if dtype in FLOATS:
        return np.array([3.0, -0.37, 0.0, 1e-3, np.inf, np.nan, -7.5]).astype(DTYPES[dtype])
    info = np.iinfo(DTYPES[dtype])
    return np.array([3, 1, 0, info.max, info.min, 7, 33], DTYPES[dtype])
