"""Tiles of different layouts on the same bytes agree with the layouts as the API defines them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from .arrays import pointer
from .conftest import Build

SIDE = 64
LAYOUTS = ("rows", "columns", "nz", "zn", "zz", "nn")
TYPES = {"alias_mat_2": np.uint16, "alias_vec_4": np.uint32, "alias_mat_1": np.uint8}


def places(layout: str, size: int) -> np.ndarray:
    """Where element (r, c) of a SIDE x SIDE tile lies, in elements: boxes of 16 lines of 32 bytes."""
    r, c = np.indices((SIDE, SIDE))
    line = 32 // size
    along_rows = layout in ("nz", "zz")
    height, width = (16, line) if along_rows else (line, 16)
    inside = r % height * width + c % width if along_rows else c % width * height + r % height
    return {
        "rows": r * SIDE + c,
        "columns": c * SIDE + r,
        "nz": c // width * SIDE * width + r // height * height * width + inside,
        "nn": c // width * SIDE * width + r // height * height * width + inside,
        "zn": r // height * SIDE * height + c // width * height * width + inside,
        "zz": r // height * SIDE * height + c // width * height * width + inside,
    }[layout]


@pytest.mark.parametrize("name", list(TYPES))
def test_every_pair_of_layouts(build: Build, name: str) -> None:
    native = getattr(build("aliases"), name)
    rng = np.random.default_rng(5)
    dtype = np.dtype(TYPES[name])
    for written, seen in itertools.product(range(len(LAYOUTS)), repeat=2):
        for load, store, reshape in itertools.product((0, 1), repeat=3):
            matrix = rng.integers(0, 100, (SIDE, SIDE)).astype(dtype)
            out = np.zeros_like(matrix)
            native(pointer(out), pointer(matrix), written, seen, load, store, reshape)
            image = np.empty(SIDE * SIDE, dtype)
            image[places(LAYOUTS[written], dtype.itemsize)] = matrix
            expected = image[places(LAYOUTS[seen], dtype.itemsize)]
            assert np.array_equal(out, expected), (LAYOUTS[written], LAYOUTS[seen], load, store, reshape)
